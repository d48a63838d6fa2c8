"""A map in a few numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from modelzoo.number import formatted
from modelzoo.results import Grid

TOLD = 3
"""How many tokens a sentence names at most."""
WORTH_TELLING = 0.05
"""The share of a row, signs aside, below which a token is not told, unless it is the strongest."""


class Summary(NamedTuple):
    """Numbers of one map. Means are over rows.

    entropy   of a row in bits, 0 when it reads one token
    maximum   the largest weight of a row
    diagonal  the share of a row within one column of the straight line from corner to corner;
              None for a map of one row or one column
    overlap   the weight that two maps have in the same cells, mean over the others; None without others
    """

    entropy: float
    maximum: float
    diagonal: float | None
    overlap: float | None = None


def summary(grid: Grid) -> Summary:
    """The numbers of a map by itself."""
    weights = grid.values.astype(np.float64)
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    entropy = float(-(weights * logs).sum(axis=1).mean())
    return Summary(abs(entropy), float(weights.max(axis=1).mean()), _diagonal(weights))


def summaries(grids: Sequence[Grid]) -> list[Summary]:
    """The numbers of maps of equal shape, the overlap of each with the others included."""
    return [summary(grid)._replace(overlap=_overlap(grids, k)) for k, grid in enumerate(grids)]


def _diagonal(weights: np.ndarray) -> float | None:
    rows, columns = weights.shape
    if min(rows, columns) < 2:
        return None
    line = np.arange(rows)[:, None] * (columns - 1) / (rows - 1)
    near = np.abs(np.arange(columns)[None] - line) <= 1
    return float((weights * near).sum(axis=1).mean())


def _overlap(grids: Sequence[Grid], k: int) -> float | None:
    own = grids[k].values
    shared = [np.minimum(own, grid.values).sum(axis=1).mean() for i, grid in enumerate(grids) if i != k]
    return float(np.mean(shared)) if shared else None


def sentence(grid: Grid, row: int, verb: str = "looks at") -> str:
    """A row in words, "rouge looks at red 0.81, the 0.06"; without a verb "hop 1: positive 0.41"."""
    values, sizes = grid.values[row], np.abs(grid.values[row])
    order = np.argsort(-sizes, kind="stable")[:TOLD]
    told = [j for n, j in enumerate(order) if n == 0 or sizes[j] >= WORTH_TELLING * sizes.sum()]
    strongest = ", ".join(f"{grid.columns[j]} {formatted(values[j], '.2f')}" for j in told)
    return f"{grid.rows[row]}{f' {verb}' if verb else ':'} {strongest}"
