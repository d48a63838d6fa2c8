"""Heat maps of grids: one mark a cell (Altair) up to a limit of cells and rows, one image (Plotly) above it.

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
WHOLE = -1
"""Stands in a pin for every row, or every column: a row is pinned by `{"i": 2, "j": WHOLE}`."""


def heatmap(
    grid: Grid, *, pinned: Sequence[int] = (), columns: Sequence[int] = ()
) -> alt.LayerChart | go.Figure:
    """The grid as a chart: Altair up to the limits, Plotly above; colours, limits and tips agree."""
    return cells(grid, pinned=pinned, columns=columns) if has_cells(grid) else image(grid)


def has_cells(grid: Grid) -> bool:
    """Whether the page draws the grid with one mark a cell, so that cells can be clicked."""
    return is_small(grid) and len(grid.rows) <= theme.ROW_LIMIT


def is_small(grid: Grid) -> bool:
    """Whether one mark a cell is not too much for a picture of the grid."""
    return grid.values.size <= theme.CELL_LIMIT


def cells(
    grid: Grid, *, inline: bool = False, pinned: Sequence[int] = (), columns: Sequence[int] = ()
) -> alt.LayerChart:
    """The grid with one mark a cell; a click pins a cell (`PIN`), and these rows and columns are so at first.

    Small grids show their numbers. `inline` puts the data into the chart itself, for a file.
    """
    start = [{"i": i, "j": WHOLE} for i in pinned] + [{"i": WHOLE, "j": j} for j in columns]
    frame = _frame(grid)
    gap = alt.Scale(paddingInner=theme.GAP)
    layers = [_rectangles(grid, start), *([_numbers(grid)] if shows_numbers(grid) else [])]
    return (
        alt.layer(*layers, data=alt.InlineData(values=frame.to_dict("records")) if inline else frame)
        .transform_calculate(row=_token_of("i", grid.rows), column=_token_of("j", grid.columns))
        .transform_calculate(about=f"datum.row+'; '+datum.column+': '+format(datum.weight,'{theme.NUMBER}')")
        .encode(
            x=alt.X("j:O", title=grid.column_kind or None, scale=gap, axis=_top_axis(grid.columns)),
            y=alt.Y("i:O", title=grid.row_kind or None, scale=gap, axis=_axis(grid.rows)),
            tooltip=[
                alt.Tooltip("row:N", title=grid.row_kind or "row"),
                alt.Tooltip("column:N", title=grid.column_kind or "column"),
                alt.Tooltip("weight:Q", title=theme.quantity(grid), format=theme.NUMBER),
                alt.Tooltip("rank:Q", title="rank in its row"),
            ],
        )
        .properties(
            title=alt.TitleParams(title(grid), subtitle=list(grid.notes) or alt.Undefined, anchor="start"),
            width=len(grid.columns) * theme.CELL_WIDTH,
            height=len(grid.rows) * theme.cell_height(len(grid.rows)),
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        )
    )


def spec(chart: alt.LayerChart) -> dict[str, Any]:
    """The Vega-Lite spec of `cells`, its frame as a named data set. It is valid as it is built, which tests
    check; checking it each time it is drawn would take half of the time of a page."""
    named = chart.copy(deep=False)
    named.data = alt.NamedData(FRAME)
    made = named.to_dict(validate=False)
    made.pop("config", None)  # Altair's default size, which is not ours
    return {**made, "datasets": {FRAME: chart.data}}


def _rectangles(grid: Grid, start: list[dict[str, int]]) -> alt.Chart:
    """The cells: pinned ones outlined, with their row and column; those under the pointer more faintly."""
    again = f"event.shiftKey || vlSelectionTest('{PIN}_store', datum)"  # shift adds, again releases
    pin = alt.selection_point(
        name=PIN, fields=["i", "j"], toggle=again, empty=False, value=start or alt.Undefined
    )
    under = [
        alt.selection_point(
            name=f"under_{field}", fields=[field], on="pointerover", clear="pointerout", empty=False
        )
        for field in ("i", "j")
    ]
    outline = alt.when(_is_pinned(0)).then(alt.value(theme.PIN_COLOUR))
    outline = outline.when(_is_pinned(1)).then(alt.value(theme.PIN_COLOUR))
    outline = outline.when(under[0] | under[1]).then(alt.value(theme.HOVER_COLOUR))
    return (
        alt.Chart()
        .mark_rect()
        .encode(
            color=alt.Color("weight:Q", scale=_scale(grid), legend=_legend(grid)),
            description="about:N",
            stroke=outline.otherwise(alt.value("transparent")),
            strokeWidth=alt.when(pin).then(alt.value(theme.PIN_WIDTH)).otherwise(alt.value(theme.LINE_WIDTH)),
        )
        .add_params(pin, *under)
    )


def _is_pinned(axis: int) -> str:
    """A Vega expression: whether a pin is in the cell's row (0) or column (1)."""
    places = f"pluck(pluck(data('{PIN}_store'), 'values'), '{axis}')"
    return f"indexof({places}, datum.{'ij'[axis]}) >= 0"


def shows_numbers(grid: Grid) -> bool:
    """Whether the grid is small enough for a number in every cell."""
    return max(grid.values.shape) <= theme.NUMBERS_LIMIT


def _numbers(grid: Grid) -> alt.Chart:
    """A number in each cell, left out where the cells come out too narrow for it."""
    light = alt.when("datum.light").then(alt.value(theme.LIGHT_TEXT))
    return (
        alt.Chart()
        .mark_text(fontSize=theme.FONT_SIZE - 2, aria=False)
        .encode(
            text=alt.Text("weight:Q", format=theme.SHORT_NUMBER),
            color=light.otherwise(alt.value(theme.DARK_TEXT)),
            opacity=alt.value(alt.expr(f"bandwidth('x') >= {theme.NUMBER_WIDTH} ? 1 : 0")),
        )
    )


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


def _axis(tokens: Sequence[str], **options: Any) -> alt.Axis:
    return alt.Axis(
        labelExpr=_token_of("value", tokens),
        labelOverlap=len(tokens) > theme.LABEL_LIMIT,
        labelFlush=False,
        labelLimit=theme.LABEL_PIXELS,
        labelFontSize=theme.FONT_SIZE,
        titleFontSize=theme.FONT_SIZE,
        titlePadding=8,
        ticks=False,
        domain=False,
        **options,
    )


def _top_axis(tokens: Sequence[str]) -> alt.Axis:
    """Labels lie aslant, and upright where cells are too narrow for that."""
    angle = alt.expr(f"bandwidth('x') < {theme.UPRIGHT_BELOW} ? -90 : -45")
    return _axis(tokens, orient="top", labelAngle=angle)


def _scale(grid: Grid) -> alt.Scale:
    scheme: Any = theme.palette(grid).vega
    return alt.Scale(scheme=scheme, domain=list(grid.limits), clamp=True)


def _legend(grid: Grid) -> alt.Legend:
    """Squares of the scale's colours from end to end.

    No gradient: SVG finds one by the page's address, so it would vanish once that changes.
    """
    return alt.Legend(
        title=theme.scale_title(grid),
        type="symbol",
        symbolType="square",
        symbolSize=theme.SWATCH**2,
        symbolStrokeWidth=0,
        orient="bottom",
        direction="horizontal",
        columns=3 if grid.diverging else alt.Undefined,  # signed numbers are too wide for one line
        labelFontSize=theme.FONT_SIZE,
        titleFontSize=theme.FONT_SIZE,
        titleLimit=0,
        values=[float(value) for value in np.linspace(*grid.limits, 5 if grid.diverging else 6)],
        format=".3~g",
    )
