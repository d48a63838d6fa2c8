"""The part with the rows: the table of a filter, or one of its rows."""

from __future__ import annotations

from app.errors import row, table
from modelzoo.analysis import Filter
from modelzoo.runs import Run


def part(run: Run, made: Filter) -> None:
    """The open row, else the table."""
    found = table.ids(run, made)
    number = row.opened()
    if number is None:
        table.table(run, found)
    else:
        row.row(run, number, found)
