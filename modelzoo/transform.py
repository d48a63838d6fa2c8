"""Grid → Grid, and what else of a result can be seen as a Grid. Pure functions."""

from __future__ import annotations

from modelzoo.results import AttentionResult, Grid

Limits = tuple[float, float]


def as_grid(result: AttentionResult, name: str, *, title: str = "", limits: Limits = (0.0, 1.0)) -> Grid:
    """The internal of that name, of two dimensions, as a Grid with the labels its axes stand for.

    Raises KeyError for an unknown name and ValueError for another number of dimensions.
    """
    internal = result.internal(name)
    if internal.values.ndim != 2:
        raise ValueError(f"internal {name!r} has {internal.values.ndim} dimensions; a grid has two")
    sizes = zip(internal.axes, internal.values.shape, strict=True)
    rows, columns = (axis_labels(result, axis, size) for axis, size in sizes)
    return Grid(name, internal.values, rows, columns, limits=limits, title=title or name)


def axis_labels(result: AttentionResult, axis: str, size: int) -> tuple[str, ...]:
    """Labels of one axis: the typed tokens of a side, else its name and a number from 1 (`hop 1`)."""
    tokens = result.tokens.get(axis, ())
    if len(tokens) == size:
        return tuple(token.typed for token in tokens)
    return tuple(f"{axis} {k}" for k in range(1, size + 1))
