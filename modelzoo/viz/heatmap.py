"""Heat maps of grids: one mark a cell (Altair) up to the cell limit, one image (Plotly) above it.

Axes are keyed by position and labelled by token, so a token may occur twice; the first row is on top.
Field names are fixed (`i`, `j`, `weight`): text is only ever data.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import pandas as pd

from modelzoo.results import AttentionMap, Grid
from modelzoo.viz import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go


def heatmap(grid: Grid) -> alt.Chart | go.Figure:
    """The grid as a chart: Altair up to the cell limit, Plotly above; colours, limits and tips agree."""
    return cells(grid) if grid.values.size <= theme.CELL_LIMIT else image(grid)


def cells(grid: Grid, *, inline: bool = False) -> alt.Chart:
    """The grid with one mark a cell. `inline` puts the numbers into the chart itself, for a file."""
    rows, columns = axis_titles(grid)
    data = alt.InlineData(values=_frame(grid).to_dict("records")) if inline else _frame(grid)
    gap = alt.Scale(paddingInner=theme.GAP)
    return (
        alt.Chart(data, title=alt.TitleParams(title(grid), anchor="start"))
        .transform_calculate(row=_token_of("i", grid.rows), column=_token_of("j", grid.columns))
        .transform_calculate(about=f"datum.row+'; '+datum.column+': '+format(datum.weight,'{theme.NUMBER}')")
        .mark_rect()
        .encode(
            x=alt.X("j:O", title=columns or None, scale=gap, axis=_top_axis(grid.columns)),
            y=alt.Y("i:O", title=rows or None, scale=gap, axis=_axis(grid.rows)),
            color=alt.Color("weight:Q", scale=_scale(grid), legend=_legend(grid)),
            description="about:N",
            tooltip=[
                alt.Tooltip("row:N", title=rows or "row"),
                alt.Tooltip("column:N", title=columns or "column"),
                alt.Tooltip("weight:Q", title=theme.quantity(grid), format=theme.NUMBER),
            ],
        )
        .properties(
            width=len(grid.columns) * theme.CELL_WIDTH,
            height=len(grid.rows) * theme.cell_height(len(grid.rows)),
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        )
    )


def image(grid: Grid) -> go.Figure:
    """The grid as one image with thinned labels: 200 by 200 cells in a third of a second."""
    import plotly.graph_objects as go

    rows, columns = axis_titles(grid)
    low, high = grid.limits
    title_of_bar = {"text": theme.scale_title(grid)}
    bar = {"title": title_of_bar, "orientation": "h", "y": -0.02, "yanchor": "top", "len": 0.5}
    trace = go.Heatmap(
        z=grid.values,
        zmin=low,
        zmax=high,
        colorscale=theme.palette(grid).plotly,
        colorbar=bar,
        hovertemplate=f"{plotly_text(rows or 'row')} %{{y}}<br>{plotly_text(columns or 'column')} %{{x}}"
        f"<br>{theme.quantity(grid)} %{{z:{theme.NUMBER}}}<extra></extra>",
    )
    figure = go.Figure(trace)
    figure.update_xaxes(**_plotly_axis(grid.columns, columns), side="top", tickangle=-45)
    figure.update_yaxes(**_plotly_axis(grid.rows, rows), autorange="reversed")
    figure.update_layout(
        title={"text": plotly_text(title(grid)), "x": 0, "y": 0.99, "yanchor": "top"},
        margin={"l": 110, "r": 20, "t": 150, "b": 80},
        height=min(230 + len(grid.rows) * theme.cell_height(len(grid.rows)), theme.IMAGE_HEIGHT),
    )
    return figure


def title(grid: Grid) -> str:
    """What a picture of the grid is called."""
    return grid.title or grid.name


def axis_titles(grid: Grid) -> tuple[str, str]:
    """What the rows and the columns are; empty for a grid that is no attention map."""
    return (grid.row_kind, grid.column_kind) if isinstance(grid, AttentionMap) else ("", "")


def width(grid: Grid) -> int:
    """The pixels in which the grid's cells come out about square, labels included."""
    longest = max((len(label) for label in grid.rows), default=0)
    return 90 + min(theme.LABEL_PIXELS, 8 * longest) + max(len(grid.columns), 6) * theme.CELL_WIDTH


def describe(grid: Grid) -> str:
    """One sentence for those who do not see the picture: its size and its three strongest pairs."""
    columns = len(grid.columns)
    order = np.argsort(-np.abs(grid.values), axis=None, kind="stable")[:3]
    pairs = (
        f"{grid.rows[k // columns]} and {grid.columns[k % columns]} {grid.values.flat[k]:.3f}" for k in order
    )
    size = f"{len(grid.rows)} rows by {columns} columns"
    return f"Heat map, {title(grid)}, {size}. Strongest: {'; '.join(pairs)}."


def plotly_text(text: str) -> str:
    """Text that Plotly shows as typed: it reads some HTML in labels."""
    return html.escape(text, quote=False).replace("\n", "⏎")


def _frame(grid: Grid) -> pd.DataFrame:
    rows, columns = grid.values.shape
    return pd.DataFrame(
        {
            "i": np.repeat(np.arange(rows), columns),
            "j": np.tile(np.arange(columns), rows),
            "weight": grid.values.ravel(),
        }
    )


def _token_of(field: str, tokens: Sequence[str]) -> str:
    """A Vega expression that gives the token at the position in `field`."""
    return f"{json.dumps(list(tokens))}[datum.{field}]"


def _axis(tokens: Sequence[str], **options: Any) -> alt.Axis:
    return alt.Axis(
        labelExpr=_token_of("value", tokens),
        labelOverlap=len(tokens) > theme.LABEL_LIMIT,
        labelLimit=theme.LABEL_PIXELS,
        labelFontSize=theme.FONT_SIZE,
        titleFontSize=theme.FONT_SIZE,
        titlePadding=8,
        ticks=False,
        domain=False,
        **options,
    )


def _top_axis(tokens: Sequence[str]) -> alt.Axis:
    return _axis(tokens, orient="top", labelAngle=-45)


def _scale(grid: Grid) -> alt.Scale:
    scheme: Any = theme.palette(grid).vega
    return alt.Scale(scheme=scheme, domain=list(grid.limits), clamp=True)


def _legend(grid: Grid) -> alt.Legend:
    return alt.Legend(
        title=theme.scale_title(grid),
        orient="bottom",
        direction="horizontal",
        gradientLength=200,
        labelFontSize=theme.FONT_SIZE,
        titleFontSize=theme.FONT_SIZE,
        values=[float(value) for value in np.linspace(*grid.limits, 6)],
        format="~g",
    )


def _plotly_axis(tokens: Sequence[str], name: str) -> dict[str, Any]:
    step = -(-len(tokens) // theme.LABEL_LIMIT)
    return {
        "title": {"text": plotly_text(name)},
        "tickmode": "linear",
        "tick0": 0,
        "dtick": max(1, step),
        "tickformat": "d",
        "labelalias": {str(k): plotly_text(token) for k, token in enumerate(tokens)},
        "automargin": False,
        "showgrid": False,
    }
