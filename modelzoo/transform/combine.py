"""One grid from several: mean, difference, the sum of rows; and the limits that several share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from modelzoo.results import Grid
from modelzoo.transform.sheet import plain


def mean(grids: Sequence[Grid], title: str = "") -> Grid:
    """The mean of grids over the same axes."""
    for other in grids[1:]:
        check_axes(grids[0], other)
    values = np.mean([grid.values for grid in grids], axis=0)
    return replace(plain(grids[0]), values=values, title=title or f"mean of {len(grids)}")


def difference(first: Grid, second: Grid, title: str = "") -> Grid:
    """`second` less `first`: diverging colours, symmetric limits. ValueError says where the axes differ."""
    check_axes(first, second)
    values = second.values.astype(np.float64) - first.values.astype(np.float64)
    most = float(np.abs(values).max())
    shown = title or f"{second.title or second.name} less {first.title or first.name}"
    limits = (-most, most) if most else (-1.0, 1.0)
    made = plain(first)
    return replace(
        made,
        name="difference",
        values=values,
        limits=limits,
        diverging=True,
        title=shown,
        quantity="difference",
    )


def check_axes(first: Grid, second: Grid) -> None:
    """Raise ValueError, naming the first place where the labels of two grids differ."""
    pairs = (("row", first.rows, second.rows), ("column", first.columns, second.columns))
    for what, one, other in pairs:
        if len(one) != len(other):
            raise ValueError(f"the maps have {len(one)} and {len(other)} {what}s, so they have no difference")
        for k, (a, b) in enumerate(zip(one, other, strict=True), start=1):
            if a != b:
                raise ValueError(f"{what} {k} is {a!r} in one map and {b!r} in the other; labels must match")


def summed(grid: Grid, rows: Sequence[int]) -> Grid:
    """These rows added up: one row, on a scale up to what so many rows can hold."""
    values = grid.values[list(rows)].sum(axis=0, keepdims=True)
    limits = (grid.limits[0] * len(rows), grid.limits[1] * len(rows))
    name = grid.rows[rows[0]] if len(rows) == 1 else f"sum of {len(rows)}"
    note = f"rows summed: {', '.join(grid.rows[i] for i in rows)}"
    return replace(plain(grid), values=values, rows=(name,), limits=limits, notes=(*grid.notes, note))


def rows_apart(grid: Grid) -> list[Grid]:
    """Each row as a grid of its own, named and titled by its label."""
    names = [f"{grid.name}_{k}" for k in range(1, len(grid.rows) + 1)]
    rows = zip(names, grid.rows, grid.values, strict=True)
    return [
        replace(plain(grid), name=name, title=label, rows=(label,), values=values[None])
        for name, label, values in rows
    ]


def shared_limits(grids: Sequence[Grid]) -> list[Grid]:
    """The grids with the widest limits of them all, so that equal colours are equal values."""
    limits = (min(grid.limits[0] for grid in grids), max(grid.limits[1] for grid in grids))
    return [replace(plain(grid), limits=limits) for grid in grids]
