"""How good the rows of a filter are: metrics with intervals, confusion, calibration, histograms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from modelzoo.analysis.filters import ALL, RIGHT, Filter, name_of
from modelzoo.analysis.run import OpenRun
from modelzoo.columns import COUNTS, OF_GOLD
from modelzoo.intervals import Interval
from modelzoo.metrics import bleu_of_counts, chrf_of_counts

DRAWS = 1000
MOST_DRAWN = 20_000_000
"""Numbers that one interval draws at most; with more rows there are fewer draws, never under LEAST_DRAWS."""
LEAST_DRAWS = 200


@dataclass(frozen=True)
class Metric:
    """A number, and where another sample of as many rows would have put it 95 times in 100."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Metrics:
    """The metrics of a filter by name. `rows` were read, `judged` have gold and count."""

    rows: int
    judged: int
    values: dict[str, Metric]


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each gold label (row) got each answer (column).

    Shapes:
        counts  (gold, answers)
    """

    labels: tuple[str, ...]
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class Calibration:
    """Of each bin of confidence its rows, their mean confidence and how many of them are right.

    `error` is the expected calibration error (Guo et al. 2017): the mean distance, weighted by rows.

    Shapes:
        edges                        (bins + 1,)
        counts, confidence, accuracy (bins,), the last two NaN where a bin is empty
    """

    edges: np.ndarray
    counts: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray
    error: float


@dataclass(frozen=True, eq=False)
class Histogram:
    """How a number is spread over right, wrong and unjudged rows; `missing` rows have none.

    Shapes:
        edges                   (bins + 1,)
        right, wrong, unjudged  (bins,)
    """

    edges: np.ndarray
    right: np.ndarray
    wrong: np.ndarray
    unjudged: np.ndarray
    missing: int


def metrics(run: OpenRun, chosen: Filter = ALL, *, seed: int = 0) -> Metrics:
    """Accuracy and the mean F1 of the labels; of texts BLEU and chrF of all of them (`bleu`, `chrf`), and the
    mean of each one's."""
    rows = run.count(chosen)
    generator = np.random.default_rng(seed)
    if run.writes:
        values = {f"row_{name}": _mean(run, chosen, f"m_{name}", generator) for name in OF_GOLD}
        found = {name: metric for name, (metric, _) in values.items() if metric is not None}
        return Metrics(rows, values["row_chrf"][1], _corpus(run, chosen, generator) | found)
    counts = confusion(run, chosen).counts
    judged = int(counts.sum())
    if not judged:
        return Metrics(rows, 0, {})
    drawn = generator.multinomial(judged, counts.ravel() / judged, size=DRAWS).reshape(DRAWS, *counts.shape)
    return Metrics(
        rows,
        judged,
        {
            "accuracy": _metric(_accuracy(counts[None]), _accuracy(drawn)),
            "f1": _metric(_macro_f1(counts[None]), _macro_f1(drawn)),
        },
    )


def _accuracy(counts: np.ndarray) -> np.ndarray:
    """(draws, labels, labels) to (draws,)."""
    found: np.ndarray = np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    return found


def _macro_f1(counts: np.ndarray) -> np.ndarray:
    """The mean F1 of the labels that are gold or answer somewhere; (draws, labels, labels) to (draws,)."""
    both = counts.sum(axis=1) + counts.sum(axis=2)  # (draws, labels)
    hits = np.diagonal(counts, axis1=1, axis2=2)
    f1 = np.divide(2 * hits, both, out=np.zeros(both.shape), where=both > 0)
    found: np.ndarray = f1.sum(axis=1) / (both > 0).sum(axis=1)
    return found


def _corpus(run: OpenRun, chosen: Filter, generator: np.random.Generator) -> dict[str, Metric]:
    """BLEU and chrF of all texts of a filter; none where the run's rows lack the counts."""
    if not set(COUNTS) <= run.columns.keys():
        return {}
    picked = run.whole(chosen)
    found = run.fetch(f"SELECT {', '.join(COUNTS)} FROM {picked} WHERE bleu_counts IS NOT NULL")
    if not found.num_rows:
        return {}
    each = [pc.list_flatten(found[name]).to_numpy().reshape(found.num_rows, -1) for name in COUNTS]
    joined = np.concatenate(each, axis=1).astype(np.float64)  # (rows, 28), summed by a product
    sums = np.concatenate([joined.sum(axis=0, keepdims=True), bootstrap_sums(joined, generator)])
    bleu, chrf = np.split(sums, [each[0].shape[1]], axis=1)
    scores = {"bleu": np.array([bleu_of_counts(one) for one in bleu]), "chrf": chrf_of_counts(chrf)}
    return {name: _metric(score[:1], score[1:]) for name, score in scores.items()}


def bootstrap_sums(each: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Sums of as many rows drawn with repeats, again and again; (rows, n) to (draws, n)."""
    times = (
        np.bincount(generator.integers(len(each), size=len(each)), minlength=len(each))
        for _ in range(_draws(len(each)))
    )
    return np.stack([one @ each for one in times])


def _mean(
    run: OpenRun, chosen: Filter, column: str, generator: np.random.Generator
) -> tuple[Metric | None, int]:
    found = run.fetch(f"SELECT {column} FROM {run.of(chosen)} WHERE {column} IS NOT NULL")
    each = found[column].to_numpy().astype(np.float64)
    if not len(each):
        return None, 0
    return _metric(each.mean(keepdims=True), bootstrap_means(each, generator)), len(each)


def bootstrap_means(each: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Means of as many rows drawn with repeats, again and again."""
    drawn = (generator.integers(len(each), size=len(each)) for _ in range(_draws(len(each))))
    return np.array([each[rows].mean() for rows in drawn])


def _draws(rows: int) -> int:
    return min(DRAWS, max(LEAST_DRAWS, MOST_DRAWN // rows))


def _metric(value: np.ndarray, drawn: np.ndarray) -> Metric:
    return Metric(float(value[0]), middle(drawn))


def middle(drawn: np.ndarray) -> Interval:
    """The middle 95 % of what was drawn."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def confusion(run: OpenRun, chosen: Filter = ALL) -> Confusion:
    """Gold against answers; labels in the model's order, others of the data after them."""
    found = run.ask(
        f"SELECT gold, prediction, count(*) FROM {run.of(chosen)} WHERE gold IS NOT NULL AND "
        "prediction IS NOT NULL GROUP BY ALL ORDER BY ALL"
    )
    labels = tuple(dict.fromkeys((*run.labels, *(label for one in found for label in one[:2]))))
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for gold, said, count in found:
        counts[labels.index(gold), labels.index(said)] = count
    return Confusion(labels, counts)


def calibration(run: OpenRun, chosen: Filter = ALL, *, bins: int = 10) -> Calibration:
    """Whether the model is right as often as it is sure; bins of equal width from 0 to 1."""
    found = run.ask(
        f"SELECT least(floor(confidence * ?), ? - 1)::INT AS bin, count(*), avg(confidence), "
        f"avg({RIGHT}::INT) FROM {run.of(chosen)} WHERE confidence IS NOT NULL AND {RIGHT} IS NOT NULL "
        "GROUP BY 1",
        [bins, bins],
    )
    counts, sure, right = np.zeros(bins, dtype=np.int64), np.full(bins, np.nan), np.full(bins, np.nan)
    for place, count, confidence, accuracy in found:
        counts[place], sure[place], right[place] = count, confidence, accuracy
    full = counts > 0
    total = int(counts.sum())
    error = float((counts[full] * np.abs(sure - right)[full]).sum() / total) if total else float("nan")
    return Calibration(np.linspace(0, 1, bins + 1), counts, sure, right, error)


def histogram(run: OpenRun, column: str, chosen: Filter = ALL, *, bins: int = 20) -> Histogram:
    """How a number column is spread, from its least to its largest value in the filter."""
    name = name_of(column, run.columns, "number")
    found = run.fetch(f"SELECT {name} AS value, {RIGHT} AS verdict FROM {run.of(chosen)}")
    present = found.filter(found["value"].is_valid())
    values = present["value"].to_numpy().astype(np.float64)
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
    verdicts = present["verdict"]
    groups = (pc.fill_null(verdicts, False), pc.fill_null(pc.invert(verdicts), False), verdicts.is_null())
    right, wrong, unjudged = (np.histogram(values[group.to_numpy()], edges)[0] for group in groups)
    return Histogram(edges, right, wrong, unjudged, found.num_rows - present.num_rows)
