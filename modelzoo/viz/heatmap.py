"""Heat maps of grids: one mark a cell (Vega-Lite) up to a limit of cells and rows, else one image (Plotly).

Axes are keyed by position and labelled by token, so a token may occur twice; the first row is on top.
Field names are fixed (`i`, `j`, `weight`): text is only ever data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import pandas as pd

from modelzoo.number import formatted
from modelzoo.results import Grid
from modelzoo.viz import large, theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

FRAME = "cells"
"""The name of the data set of a chart's spec."""
PIN = "pin"
"""The name of the selection of pinned cells, as `[{"i": 2, "j": 3}, …]`."""
VIEW = "cells_view"
"""The name of the layer with the cells."""
ABOUT = f"datum.row+'; '+datum.column+': '+format(datum.weight,'{theme.NUMBER}')"
"""What a cell says of itself."""
WHOLE = -1
"""Stands in a pin for every row, or every column: a row is pinned by `{"i": 2, "j": WHOLE}`."""


Spec = dict[str, Any]
"""A Vega-Lite specification, or a piece of one."""


def heatmap(grid: Grid, *, pinned: Sequence[int] = (), columns: Sequence[int] = ()) -> Spec | go.Figure:
    """The grid as a chart: Vega-Lite up to the limits, Plotly above; colours, limits and tips agree."""
    return cells(grid, pinned=pinned, columns=columns) if has_cells(grid) else image(grid)


def has_cells(grid: Grid) -> bool:
    """Whether the page draws the grid with one mark a cell, so that cells can be clicked."""
    return is_small(grid) and len(grid.rows) <= theme.ROW_LIMIT


def is_small(grid: Grid) -> bool:
    """Whether one mark a cell is not too much for a picture of the grid."""
    return grid.values.size <= theme.CELL_LIMIT


def cells(
    grid: Grid, *, inline: bool = False, pinned: Sequence[int] = (), columns: Sequence[int] = ()
) -> Spec:
    """The grid with one mark a cell; a click pins a cell (`PIN`), and these rows and columns are so at first.

    Small grids show their numbers. The cells are a frame, or with `inline` part of the specification, for a
    file. It is written out, since Altair would take most of the time of a page to build and check it; a test
    checks it.
    """
    frame = _frame(grid)
    data = {"values": frame.to_dict("records")} if inline else {"name": FRAME}
    numbers = [_numbers()] if shows_numbers(grid) else []
    return {
        "$schema": alt.SCHEMA_URL,
        "data": data,
        **({} if inline else {"datasets": {FRAME: frame}}),
        "transform": [
            {"calculate": _token_of("i", grid.rows), "as": "row"},
            {"calculate": _token_of("j", grid.columns), "as": "column"},
            {"calculate": ABOUT, "as": "about"},
        ],
        "layer": [_rectangles(grid), *numbers],
        "params": _params(pinned, columns),
        "encoding": _encoding(grid),
        "title": _title(grid),
        "width": len(grid.columns) * theme.CELL_WIDTH,
        "height": len(grid.rows) * theme.cell_height(len(grid.rows)),
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def _title(grid: Grid) -> Spec:
    subtitle = {"subtitle": theme.note_lines(grid)} if grid.notes else {}
    return {"text": title(grid), "anchor": "start", **subtitle}


def _encoding(grid: Grid) -> Spec:
    """Where a cell stands, and what its tip says."""
    gap = {"paddingInner": theme.GAP}
    upright = {"expr": f"bandwidth('x') < {theme.UPRIGHT_BELOW} ? -90 : -45"}  # where cells are too narrow
    axes = {"x": _axis(grid.columns, orient="top", labelAngle=upright), "y": _axis(grid.rows)}
    sides = (("x", "j", grid.column_kind), ("y", "i", grid.row_kind))
    places = {
        axis: {"field": field, "type": "ordinal", "title": kind or None, "scale": gap, "axis": axes[axis]}
        for axis, field, kind in sides
    }
    number = {"type": "quantitative"}
    tips = [
        {"field": "row", "type": "nominal", "title": grid.row_kind or "row"},
        {"field": "column", "type": "nominal", "title": grid.column_kind or "column"},
        {"field": "weight", **number, "title": theme.quantity(grid), "format": theme.NUMBER},
        {"field": "rank", **number, "title": "rank in its row"},
    ]
    return {**places, "tooltip": tips}


def _params(pinned: Sequence[int], columns: Sequence[int]) -> list[Spec]:
    """What is clicked, and what is under the pointer."""
    start = [{"i": i, "j": WHOLE} for i in pinned] + [{"i": WHOLE, "j": j} for j in columns]
    again = f"event.shiftKey || vlSelectionTest('{PIN}_store', datum)"  # shift adds, again releases
    pin = {"name": PIN, "select": {"type": "point", "fields": ["i", "j"], "toggle": again}, "views": [VIEW]}
    pointed = {"type": "point", "on": "pointerover", "clear": "pointerout"}
    under: list[Spec] = [
        {"name": f"under_{field}", "select": {**pointed, "fields": [field]}, "views": [VIEW]}
        for field in "ij"
    ]
    return [{**pin, "value": start} if start else pin, *under]


def _rectangles(grid: Grid) -> Spec:
    """The cells: pinned ones outlined, with their row and column; those under the pointer more faintly."""
    under = {"or": [{"param": f"under_{field}", "empty": False} for field in "ij"]}
    outlines: list[Spec] = [{"test": _is_pinned(axis), "value": theme.PIN_COLOUR} for axis in (0, 1)]
    outlines.append({"test": under, "value": theme.HOVER_COLOUR})
    thick = {"param": PIN, "empty": False, "value": theme.PIN_WIDTH}
    return {
        "name": VIEW,
        "mark": {"type": "rect"},
        "encoding": {
            "color": {
                "field": "weight", "type": "quantitative", "scale": _scale(grid), "legend": _legend(grid),
            },
            "description": {"field": "about", "type": "nominal"},
            "stroke": {"condition": outlines, "value": "transparent"},
            "strokeWidth": {"condition": [thick], "value": theme.LINE_WIDTH},
        },
    }  # fmt: skip


def _is_pinned(axis: int) -> str:
    """A Vega expression: whether a pin is in the cell's row (0) or column (1)."""
    places = f"pluck(pluck(data('{PIN}_store'), 'values'), '{axis}')"
    return f"indexof({places}, datum.{'ij'[axis]}) >= 0"


def shows_numbers(grid: Grid) -> bool:
    """Whether the grid is small enough for a number in every cell."""
    return max(grid.values.shape) <= theme.NUMBERS_LIMIT


def _numbers() -> Spec:
    """A number in each cell, left out where the cells come out too narrow for it."""
    light = {"test": "datum.light", "value": theme.LIGHT_TEXT}
    fits = {"expr": f"bandwidth('x') >= {theme.NUMBER_WIDTH} ? 1 : 0"}
    return {
        "mark": {"type": "text", "fontSize": theme.FONT_SIZE - 2, "aria": False},
        "encoding": {
            "text": {"field": "weight", "type": "quantitative", "format": theme.SHORT_NUMBER},
            "color": {"condition": [light], "value": theme.DARK_TEXT},
            "opacity": {"value": fits},
        },
    }


def image(grid: Grid) -> go.Figure:
    """The grid as one image."""
    return large.image(grid, _ranks(grid))


def title(grid: Grid) -> str:
    """What a picture of the grid is called."""
    return grid.title or grid.name


def width(grid: Grid) -> int:
    """The pixels in which the grid's cells come out about square, labels included, and the title is whole."""
    longest = max((len(label) for label in grid.rows), default=0)
    cells = 90 + min(theme.LABEL_PIXELS, 8 * longest) + max(len(grid.columns), 6) * theme.CELL_WIDTH
    return max(cells, min(theme.TITLE_PIXELS, 40 + 8 * len(title(grid))))


def least_width(grid: Grid) -> int:
    """The pixels below which cells are too narrow to be told apart or clicked, or the labels of an image
    meet; row labels included."""
    if not has_cells(grid):
        return large.least_width(grid)
    longest = max((len(label) for label in grid.rows), default=0)
    return 40 + min(theme.LABEL_PIXELS, 8 * longest) + len(grid.columns) * theme.LEAST_CELL_WIDTH


def describe(grid: Grid) -> str:
    """One sentence for those who do not see the picture: its size and its three strongest pairs."""
    columns = len(grid.columns)
    order = np.argsort(-np.abs(grid.values), axis=None, kind="stable")[:3]
    pairs = (
        f"{grid.rows[k // columns]} and {grid.columns[k % columns]} {formatted(grid.values.flat[k], '.3f')}"
        for k in order
    )
    size = f"{len(grid.rows)} rows by {columns} columns"
    said = ", ".join((title(grid), *grid.notes))
    return f"Heat map, {said}, {size}. Strongest: {'; '.join(pairs)}."


def _frame(grid: Grid) -> pd.DataFrame:
    rows, columns = grid.values.shape
    frame = pd.DataFrame(
        {
            "i": np.repeat(np.arange(rows), columns),
            "j": np.tile(np.arange(columns), rows),
            "weight": grid.values.ravel(),
            "rank": _ranks(grid).ravel(),
        }
    )
    if shows_numbers(grid):
        frame["light"] = [theme.text_on(grid, v) == theme.LIGHT_TEXT for v in grid.values.flat]
    return frame


def _ranks(grid: Grid) -> np.ndarray:
    """The place of every cell among those of its row, 1 for the largest; the first of equals is before."""
    return np.argsort(-grid.values, axis=1, kind="stable").argsort(axis=1) + 1


def _token_of(field: str, tokens: Sequence[str]) -> str:
    """A Vega expression that gives the token at the position in `field`."""
    return f"{json.dumps(list(tokens))}[datum.{field}]"


def _axis(tokens: Sequence[str], **options: Any) -> Spec:
    return {
        "labelExpr": _token_of("value", tokens),
        "labelOverlap": len(tokens) > theme.LABEL_LIMIT,
        "labelFlush": False,
        "labelLimit": theme.LABEL_PIXELS,
        "labelFontSize": theme.FONT_SIZE,
        "titleFontSize": theme.FONT_SIZE,
        "titlePadding": 8,
        "ticks": False,
        "domain": False,
        **options,
    }


def _scale(grid: Grid) -> Spec:
    return {"scheme": theme.palette(grid).vega, "domain": list(grid.limits), "clamp": True}


def _legend(grid: Grid) -> Spec:
    """Squares of the scale's colours from end to end.

    No gradient: SVG finds one by the page's address, so it would vanish once that changes.
    """
    signed = {"columns": 3} if grid.diverging else {}  # signed numbers are too wide for one line
    return {
        "title": theme.scale_title(grid),
        "type": "symbol",
        "symbolType": "square",
        "symbolSize": theme.SWATCH**2,
        "symbolStrokeWidth": 0,
        "orient": "bottom",
        "direction": "horizontal",
        **signed,
        "labelFontSize": theme.FONT_SIZE,
        "titleFontSize": theme.FONT_SIZE,
        "titleLimit": 0,
        "values": [float(value) for value in np.linspace(*grid.limits, 5 if grid.diverging else 6)],
        "format": ".3~g",
    }
