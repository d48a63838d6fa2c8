"""A grid as an HTML table whose cells are coloured: no script, so a notebook shows it anywhere."""

from __future__ import annotations

import html

from modelzoo.number import formatted
from modelzoo.results import AttentionResult, Grid
from modelzoo.viz import theme
from modelzoo.viz.heatmap import title

MOST = 40
"""Rows, and columns, that are shown; more are counted."""


def main_map(result: AttentionResult) -> Grid | None:
    """The map that stands for a result: the last of those over the axes of the first, as deep as it."""
    if not result.maps:
        return None
    first = result.maps[0]
    over = (first.row_kind, first.column_kind, len(first.rows))
    return [one for one in result.maps if (one.row_kind, one.column_kind, len(one.rows)) == over][-1]


def table(grid: Grid) -> str:
    """The grid with a number in each cell, of its first rows and columns."""
    rows, columns = grid.rows[:MOST], grid.columns[:MOST]
    head = "".join(f'<th scope="col">{html.escape(label)}</th>' for label in columns)
    body = "".join(
        f'<tr><th scope="row">{html.escape(label)}</th>'
        f"{''.join(_cell(grid, float(value)) for value in grid.values[i, : len(columns)])}</tr>"
        for i, label in enumerate(rows)
    )
    whole = f"{len(grid.rows)} rows by {len(grid.columns)} columns, {theme.scale_title(grid)}"
    is_cut = grid.values.size > len(rows) * len(columns)
    cut = f"; the first {len(rows)} by {len(columns)} are shown" if is_cut else ""
    return (
        f"<table><caption>{html.escape(title(grid))}: {html.escape(whole)}{cut}</caption>"
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(grid: Grid, value: float) -> str:
    look = f"background:{theme.colour(grid, value)};color:{theme.text_on(grid, value)}"
    return f'<td style="{look}">{formatted(value, ".2f")}</td>'
