"""A run as one HTML file that works offline: its scores, its slices, chosen examples and their maps.

No script is in it and it may load nothing; every text is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelzoo.analysis.filters import ALL, Filter
from modelzoo.analysis.run import WORST, OpenRun
from modelzoo.analysis.scores import Metric, calibration, confusion, metrics
from modelzoo.analysis.slices import Slice, slices
from modelzoo.analysis.tables import Said
from modelzoo.analysis.weights import SIDE
from modelzoo.columns import MEASURES, PREFIX, read_attention
from modelzoo.results import Grid
from modelzoo.viz import table

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;"
    "background:#fff;color:#1f2933}h2{margin-top:2.5rem}"
    "table{border-collapse:collapse;font-size:.85rem;margin:.5rem 0}caption{text-align:left;padding:.3rem 0}"
    "th,td{padding:.15rem .5rem;text-align:right}th{font-weight:600}tr>:first-child{text-align:left}"
    "div,article{overflow-x:auto}article{border-top:1px solid #cbd2d9;margin-top:1.5rem;padding-top:1rem}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0 0 1rem}"
    "dt{font-weight:600}dd{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}summary{cursor:pointer}"
)
MOST_SLICES = 10
NAMES = {
    "accuracy": "accuracy",
    "f1": "F1, mean of the labels",
    "bleu": "BLEU",
    "chrf": "chrF",
    "row_bleu": "BLEU of a row, mean",
    "row_chrf": "chrF of a row, mean",
}
MOST_EXAMPLES = 200
"""Examples one report may have: each brings its maps."""


@dataclass(frozen=True)
class Report:
    """What a report is of: facts to tell by name, the filter that is scored, the examples, what was said."""

    title: str
    facts: Mapping[str, str]
    chosen: Filter = ALL
    examples: Sequence[int] = ()
    said: Said = field(default_factory=Said)


def to_report(run: OpenRun, report: Report) -> str:
    """The run as a page of its own. ValueError for more examples than a page can hold."""
    if len(report.examples) > MOST_EXAMPLES:
        raise ValueError(f"{len(report.examples)} examples are chosen; accepted are at most {MOST_EXAMPLES}")
    title = html.escape(report.title)
    parts = [_facts(report.facts), *_scores(run, report.chosen), *_examples(run, report)]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _facts(facts: Mapping[str, str]) -> str:
    lines = (f'<dt>{html.escape(k)}</dt><dd dir="auto">{html.escape(v)}</dd>' for k, v in facts.items())
    return f"<dl>{''.join(lines)}</dl>"


def _scores(run: OpenRun, chosen: Filter) -> Iterator[str]:
    found = metrics(run, chosen)
    yield f"<h2>Scores</h2><p>{found.rows:,} rows, {found.judged:,} of them with a gold answer.</p>"
    yield _table(
        ("metric", "value", "95 % of samples"), [_metric(name, one) for name, one in found.values.items()]
    )
    if not run.writes:
        counts = confusion(run, chosen)
        head = ("gold, then answers", *counts.labels)
        yield "<h2>Confusion</h2>" + _table(
            head, [(label, *row) for label, row in zip(counts.labels, counts.counts.tolist(), strict=True)]
        )
    sure = calibration(run, chosen)
    rows = [
        (f"{low:.1f} to {high:.1f}", count, f"{confidence:.3f}", f"{accuracy:.3f}")
        for low, high, count, confidence, accuracy in zip(
            sure.edges, sure.edges[1:], sure.counts.tolist(), sure.confidence, sure.accuracy, strict=False
        )
        if count
    ]
    yield f"<h2>Calibration</h2><p>Expected calibration error {sure.error:.3f}.</p>" if rows else ""
    yield _table(("confidence", "rows", "mean confidence", "right"), rows)
    worst = [one for one in slices(run, chosen) if one.rate > one.rate_outside][:MOST_SLICES]
    told = f"<p>Share of errors inside and outside; p is Fisher’s, corrected by Holm.{_worst(run)}</p>"
    yield f"<h2>Where errors gather</h2>{told}" if worst else ""
    yield _table(("part", "rows", "errors", "inside", "outside", "ratio", "p"), map(_slice, worst))


def _worst(run: OpenRun) -> str:
    """What counts as an error where there is no right and wrong."""
    return f" The worst {100 * WORST:.0f} % of the run by chrF count as errors." if run.writes else ""


def _metric(name: str, one: Metric) -> tuple[str, str, str]:
    low, high = one.interval
    return NAMES[name], f"{one.value:.3f}", f"{low:.3f} to {high:.3f}"


def _slice(one: Slice) -> tuple[Any, ...]:
    ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
    shares = (f"{one.rate:.3f}", f"{one.rate_outside:.3f}", ratio, f"{one.p:.2g}")
    return one.name, one.rows, one.errors, *shares


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table whose first column names its rows; nothing without rows."""
    lines = [
        f'<tr><th scope="row" dir="auto">{html.escape(str(first))}</th>'
        + "".join(f"<td>{html.escape(_shown(cell))}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    ]
    top = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
    whole = f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    return f"<div>{whole}</div>" if lines else ""


def _shown(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _examples(run: OpenRun, report: Report) -> Iterator[str]:
    if report.examples:
        yield "<h2>Examples</h2>"
    for row in report.examples:  # one at a time, for maps are large
        names = [name for name in run.columns if name not in ("probabilities",)]
        (example,) = run.table([row], *names).to_pylist()
        yield f"<article>{_facts(dict(_example_facts(run, example, report.said)))}{_maps(example)}</article>"


def _example_facts(run: OpenRun, example: dict[str, Any], said: Said) -> Iterator[tuple[str, str]]:
    row = example["row"]
    yield "row", f"{row:,} (line {example['line']:,})"
    for name in ("text", "text_pair", "gold", "prediction"):
        if example[name] is not None:
            yield name.replace("_pair", ", second"), example[name]
    if example["confidence"] is not None:
        yield "confidence", f"{example['confidence']:.3f}"
    if said.labels.get(row):
        yield "error labels", ", ".join(said.labels[row])
    if said.notes.get(row):
        yield "note", said.notes[row]
    numbers = [name for name in run.measures if name.startswith(PREFIX) and example[name] is not None]
    yield (
        "measures",
        ", ".join(f"{MEASURES[name.removeprefix(PREFIX)].title} {example[name]:.3g}" for name in numbers),
    )


def _maps(example: dict[str, Any]) -> str:
    """Every map as a coloured table; only the last of several is open."""
    grids = list(grids_of(example))
    return "".join(
        f"<details{' open' if one is grids[-1] else ''}><summary>{html.escape(one.name)}</summary>"
        f"{table.table(one)}</details>"
        for one in grids
    )


def grids_of(example: Mapping[str, Any]) -> Iterator[Grid]:
    """The maps of a row of the run (`attention` and the tokens among its columns), to be drawn."""
    cells = example["attention"] or ()
    for cell, (name, values) in zip(cells, read_attention(cells).items(), strict=True):
        kinds = (cell["row_kind"], cell["column_kind"])
        numbers = tuple(f"{kinds[0]} {k + 1}" for k in range(len(values)))
        rows, columns = (tuple(example[SIDE[kind]]) if kind in SIDE else numbers for kind in kinds)
        yield Grid(name, values, rows, columns, row_kind=kinds[0], column_kind=kinds[1])
