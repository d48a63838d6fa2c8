"""Grids as CSV in long form: one cell a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from modelzoo.results import Grid

CSV_HEADER = ("map", "row_index", "row_token", "column_index", "column_token", "weight")


def to_csv(*grids: Grid) -> str:
    """The grids in long form, one cell a line, with the fewest digits that give the same float32 again."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for grid in grids:
        writer.writerows(_cells(grid))
    return file.getvalue()


def _cells(grid: Grid) -> Iterator[tuple[str, int, str, int, str, str]]:
    for i, row in enumerate(grid.rows):
        for j, column in enumerate(grid.columns):
            yield grid.name, i, row, j, column, str(grid.values[i, j])
