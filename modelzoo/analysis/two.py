"""The same data under two checkpoints: who is right where, and whether the difference is chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from modelzoo.analysis.chance import holm, mcnemar
from modelzoo.analysis.filters import ALL, RIGHT, Filter
from modelzoo.analysis.run import OpenRun
from modelzoo.analysis.scores import DRAWS, Metric, bootstrap_means, middle
from modelzoo.analysis.slices import candidates

Outcome = Literal["both", "first", "second", "neither"]
OUTCOMES: tuple[Outcome, ...] = ("both", "first", "second", "neither")
"""Who is right."""


@dataclass(frozen=True)
class Difference:
    """What the second run gains over the first on some rows that both judge.

    `first` and `second` are shares of right rows, `gain` their difference with its interval by rows drawn in
    pairs; `counts` are the outcomes' rows; `p` is McNemar's exact test.
    """

    name: str
    chosen: Filter
    rows: int
    first: float
    second: float
    gain: Metric
    counts: dict[Outcome, int]
    p: float


class TwoRuns:
    """Two runs over the same data. ValueError where they share no row, or a row has another text.

    For runs that write, right is what is not in the worst quarter of each by chrF; `chrf` compares the
    scores themselves.
    """

    def __init__(self, first: OpenRun, second: OpenRun) -> None:
        self.first, self.second = first, second
        asked = (
            f'SELECT "row", hash(text, text_pair) AS said, {RIGHT} AS good, m_chrf FROM run ORDER BY "row"'
        )
        one, other = (run.fetch(asked).to_pandas() for run in (first, second))
        both = one.merge(other, on="row", suffixes=("_1", "_2"))
        if not len(both):
            raise ValueError("the two runs share no row; they can be compared over the same data")
        differ = both["said_1"] != both["said_2"]
        if differ.any():
            row = int(both["row"][differ].iloc[0])
            raise ValueError(
                f"row {row} has one text in the first run and another in the second; "
                "two runs can be compared over the same data"
            )
        judged = both[both["good_1"].notna() & both["good_2"].notna()]
        self._rows = judged["row"].to_numpy()
        self._good = judged[["good_1", "good_2"]].to_numpy().astype(bool)  # (rows, 2)
        self._chrf = judged[["m_chrf_1", "m_chrf_2"]].to_numpy().astype(np.float64)  # (rows, 2)

    def filter(self, outcome: Outcome, chosen: Filter = ALL) -> Filter:
        """The filter, and of its rows those with this outcome."""
        return chosen.within(self._rows[self._is(outcome)].tolist())

    def _is(self, outcome: Outcome) -> np.ndarray:
        first, second = self._good.T
        found: dict[Outcome, np.ndarray] = {
            "both": first & second,
            "first": first & ~second,
            "second": second & ~first,
            "neither": ~first & ~second,
        }
        return found[outcome]

    def difference(self, chosen: Filter = ALL, *, name: str = "", seed: int = 0) -> Difference:
        """What the second gains on the rows of a filter of the first run."""
        return self._difference(name, chosen, np.isin(self._rows, self.first.rows(chosen)), seed)

    def _difference(self, name: str, chosen: Filter, inside: np.ndarray, seed: int) -> Difference:
        counts: dict[Outcome, int] = {one: int((self._is(one) & inside).sum()) for one in OUTCOMES}
        rows = sum(counts.values())
        cells = np.array([counts[one] for one in OUTCOMES], dtype=np.float64)
        gain = Metric(float("nan"), (float("nan"), float("nan")))
        first = second = float("nan")
        if rows:
            drawn = np.random.default_rng(seed).multinomial(rows, cells / rows, size=DRAWS) / rows
            first, second = (
                (counts["both"] + counts["first"]) / rows,
                (counts["both"] + counts["second"]) / rows,
            )
            gain = Metric(second - first, middle(drawn[:, 2] - drawn[:, 1]))
        return Difference(
            name, chosen, rows, first, second, gain, counts, mcnemar(counts["first"], counts["second"])
        )

    def chrf(self, chosen: Filter = ALL, *, seed: int = 0) -> Metric | None:
        """The mean of what the second gains in chrF, its interval by paired bootstrap; None for labels."""
        inside = np.isin(self._rows, self.first.rows(chosen))
        gains = np.diff(self._chrf[inside], axis=1)[:, 0]
        gains = gains[~np.isnan(gains)]
        if not len(gains):
            return None
        return Metric(float(gains.mean()), middle(bootstrap_means(gains, np.random.default_rng(seed))))

    def slices(
        self, chosen: Filter = ALL, *, parts: Mapping[str, Filter] | None = None, least: int = 10
    ) -> tuple[Difference, ...]:
        """The difference on each part of a filter, least likely by chance first; `p` is Holm's."""
        parts = candidates(self.first, chosen) if parts is None else parts
        if not parts:
            return ()
        found = self.first.parts_of(chosen, parts.values())
        rows = found["row"].to_numpy()
        made = []
        for k, (name, part) in enumerate(parts.items()):
            has_it = found[f"part_{k}"].fill_null(False).to_numpy()
            made.append(self._difference(name, part, np.isin(self._rows, rows[has_it]), 0))
        made = [one for one in made if one.rows >= least]
        corrected = holm([one.p for one in made])
        made = [replace(one, p=p) for one, p in zip(made, corrected, strict=True)]
        return tuple(sorted(made, key=lambda one: (one.p, one.gain.value)))
