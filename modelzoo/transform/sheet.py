"""A grid that is being read: the grid as drawn, its weights, and its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from modelzoo.results import AttentionMap, AttentionResult, Grid, Token
from modelzoo.transform.internals import raw_scores

GRID_FIELDS = tuple(one.name for one in fields(Grid))


@dataclass(frozen=True, eq=False)
class Sheet:
    """A grid on its way from the model to the eye.

    `grid` is what is drawn. `weights` has the same cells as the model gave them, for what is told in
    words. `rows` and `columns` are the tokens of an axis, none for an axis without (`hop`). `scores`
    are the values before softmax, where the model has them. `remarks` say what could not be done.
    """

    grid: Grid
    weights: Grid
    rows: tuple[Token, ...] = ()
    columns: tuple[Token, ...] = ()
    scores: Grid | None = None
    remarks: tuple[str, ...] = ()


def sheet_over(grid: Grid, rows: Sequence[Token] = (), columns: Sequence[Token] = ()) -> Sheet:
    """A grid with the tokens of its axes, as it is. Tokens that don't fit the axis are left out."""
    return Sheet(grid, grid, _fitting(rows, grid.rows), _fitting(columns, grid.columns))


def _fitting(tokens: Sequence[Token], labels: Sequence[str]) -> tuple[Token, ...]:
    return tuple(tokens) if len(tokens) == len(labels) else ()


def sheet_of(result: AttentionResult, grid: Grid) -> Sheet:
    """A grid of a result with the result's tokens, and its scores before softmax if there are any."""
    rows, columns = (result.tokens.get(kind, ()) for kind in (grid.row_kind, grid.column_kind))
    return replace(sheet_over(grid, rows, columns), scores=raw_scores(result, grid))


def noted(sheet: Sheet, grid: Grid, note: str) -> Sheet:
    """The sheet with another grid to draw, which says what was done."""
    return replace(sheet, grid=replace(plain(grid), notes=(*sheet.grid.notes, note)))


def remark(sheet: Sheet, text: str) -> Sheet:
    """The sheet as it is, with something to tell the reader."""
    return replace(sheet, remarks=(*sheet.remarks, text))


def plain(grid: Grid) -> Grid:
    """The same as a Grid that is no map: what is derived from a map need not sum to 1."""
    held = {name: getattr(grid, name) for name in GRID_FIELDS}
    return Grid(**held | ({"quantity": grid.quantity or "weight"} if isinstance(grid, AttentionMap) else {}))


def part(grid: Grid, rows: Sequence[int], columns: Sequence[int]) -> Grid:
    """The cells at these rows and columns, in this order."""
    return replace(
        plain(grid),
        values=grid.values[np.ix_(rows, columns)],
        rows=tuple(grid.rows[i] for i in rows),
        columns=tuple(grid.columns[j] for j in columns),
    )


def keep(sheet: Sheet, rows: Sequence[int], columns: Sequence[int], note: str) -> Sheet:
    """The sheet of these rows and columns alone: grid, weights, scores and tokens."""
    kept = Sheet(
        part(sheet.grid, rows, columns),
        part(sheet.weights, rows, columns),
        tuple(sheet.rows[i] for i in rows) if sheet.rows else (),
        tuple(sheet.columns[j] for j in columns) if sheet.columns else (),
        part(sheet.scores, rows, columns) if sheet.scores else None,
        sheet.remarks,
    )
    return noted(kept, kept.grid, note)


def transposed(grid: Grid) -> Grid:
    """Rows as columns and columns as rows."""
    return replace(
        plain(grid),
        values=grid.values.T,
        rows=grid.columns,
        columns=grid.rows,
        row_kind=grid.column_kind,
        column_kind=grid.row_kind,
    )
