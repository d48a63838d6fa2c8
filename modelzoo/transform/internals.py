"""What else of a result can be seen as a Grid: internals by name, and the scores behind a map."""

from __future__ import annotations

import numpy as np

from modelzoo.results import AttentionResult, Grid

Limits = tuple[float, float]
SOFTMAX_TOLERANCE = 1e-4


def as_grid(result: AttentionResult, name: str, *, title: str = "", limits: Limits = (0.0, 1.0)) -> Grid:
    """The internal of that name, of two dimensions, as a Grid with the labels its axes stand for.

    Raises KeyError for an unknown name and ValueError for another number of dimensions.
    """
    internal = result.internal(name)
    if internal.values.ndim != 2:
        raise ValueError(f"internal {name!r} has {internal.values.ndim} dimensions; a grid has two")
    sizes = zip(internal.axes, internal.values.shape, strict=True)
    rows, columns = (axis_labels(result, axis, size) for axis, size in sizes)
    return Grid(name, internal.values, rows, columns, limits, False, title or name, *internal.axes)


def axis_labels(result: AttentionResult, axis: str, size: int) -> tuple[str, ...]:
    """Labels of one axis: the typed tokens of a side, else its name and a number from 1 (`hop 1`)."""
    tokens = result.tokens.get(axis, ())
    if len(tokens) == size:
        return tuple(token.typed for token in tokens)
    return tuple(f"{axis} {k}" for k in range(1, size + 1))


def raw_scores(result: AttentionResult, grid: Grid) -> Grid | None:
    """The scores whose softmax over each row is this map; None when the result holds none.

    They are found by computing: an internal over the map's axes, as it is or transposed.
    """
    axes = (grid.row_kind, grid.column_kind)
    for internal in result.internals:
        ways = [internal.values] if internal.axes == axes else []
        ways += [internal.values.T] if internal.axes == axes[::-1] else []
        for values in ways:
            if values.shape == grid.values.shape and _is_softmax(grid.values, values):
                return _scores(grid, values)
    return None


def _is_softmax(weights: np.ndarray, scores: np.ndarray) -> bool:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.allclose(weights, powers / powers.sum(axis=1, keepdims=True), atol=SOFTMAX_TOLERANCE)


def _scores(grid: Grid, values: np.ndarray) -> Grid:
    """The scores as a grid, with symmetric limits and diverging colours."""
    most = float(np.abs(values).max()) or 1.0
    kinds = (grid.row_kind, grid.column_kind)
    return Grid(
        grid.name, values, grid.rows, grid.columns, (-most, most), True, grid.title, *kinds, quantity="score"
    )
