"""Other values in the same cells: thresholds, scaling, scores. Grid → Grid, and the steps of a reading.

A function on a Grid computes; the step of the same meaning takes a Sheet and says what was done.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from modelzoo.results import Grid
from modelzoo.transform.sheet import Sheet, noted, plain, remark

LOG_FLOOR = 1e-4
"""Weights below this are drawn as this on the log scale."""


def threshold(grid: Grid, least: float) -> Grid:
    """Values closer to 0 than `least` become 0; the others stay, nothing is normalised again."""
    return replace(plain(grid), values=np.where(np.abs(grid.values) < least, 0.0, grid.values))


def keep_mass(grid: Grid, share: float) -> Grid:
    """In each row the fewest largest values that hold `share` of the row's sum; the others become 0.

    Of equal values the first in the text is kept first.
    """
    order = np.argsort(-grid.values, axis=1, kind="stable")
    ordered = np.take_along_axis(grid.values.astype(np.float64), order, axis=1)
    before = ordered.cumsum(axis=1) - ordered  # what the larger ones hold already
    needed = before < share * ordered.sum(axis=1, keepdims=True) - 1e-6
    kept = np.zeros_like(needed)
    np.put_along_axis(kept, order, needed, axis=1)
    return replace(plain(grid), values=np.where(kept, grid.values, 0.0))


def keep_count(grid: Grid, count: int) -> Grid:
    """In each row the `count` largest values; the others become 0."""
    rank = np.argsort(-grid.values, axis=1, kind="stable").argsort(axis=1)
    return replace(plain(grid), values=np.where(rank < count, grid.values, 0.0))


def per_row_maximum(grid: Grid) -> Grid:
    """Each row divided by its largest value; a row of zeros stays."""
    most = grid.values.max(axis=1, keepdims=True)
    values = np.divide(grid.values, most, out=np.zeros_like(grid.values), where=most > 0)
    quantity = "share of the row's maximum"
    return replace(plain(grid), values=values, limits=(0.0, 1.0), quantity=quantity)


def log_scale(grid: Grid, floor: float = LOG_FLOOR) -> Grid:
    """Powers of ten; a value below `floor` counts as `floor`, where the scale begins."""
    values = np.log10(np.maximum(grid.values, floor))
    limits = (float(np.log10(floor)), 0.0)
    return replace(plain(grid), values=values, limits=limits, quantity="log10 of the weight")


def by_threshold(sheet: Sheet, least: float) -> Sheet:
    """Hide weights below a limit."""
    return noted(sheet, threshold(sheet.grid, least), f"below {least:.2f} drawn as 0")


def by_mass(sheet: Sheet, share: float) -> Sheet:
    """Hide what is not needed to hold a share of each row."""
    note = f"the strongest that hold {100 * share:.0f} % of a row, the rest drawn as 0"
    return noted(sheet, keep_mass(sheet.grid, share), note)


def by_count(sheet: Sheet, count: str) -> Sheet:
    """Hide all but so many weights of each row."""
    return noted(
        sheet, keep_count(sheet.grid, int(count)), f"the {count} largest of a row, the rest drawn as 0"
    )


def by_row(sheet: Sheet) -> Sheet:
    """Scale each row by its maximum."""
    return noted(sheet, per_row_maximum(sheet.grid), "each row divided by its maximum")


def by_log(sheet: Sheet) -> Sheet:
    """Scale by powers of ten."""
    note = f"log scale, weights below {LOG_FLOOR:g} drawn as {LOG_FLOOR:g}"
    return noted(sheet, log_scale(sheet.grid), note)


def by_score(sheet: Sheet) -> Sheet:
    """Draw the scores before softmax, all of them: thresholds are about weights."""
    if sheet.scores is None:
        return remark(sheet, "no scores before softmax here, so weights are drawn")
    return noted(sheet, sheet.scores, "scores before softmax")
