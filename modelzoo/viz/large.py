"""The heat map of a large grid: one image (Plotly), its labels thinned."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from modelzoo.results import Grid
from modelzoo.viz import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

SIDES = 130
"""Pixels beside the cells."""


def image(grid: Grid, ranks: np.ndarray) -> go.Figure:
    """The grid as one image with thinned labels: 200 by 200 cells in a third of a second.

    Shapes:
        ranks  (rows, columns) the place of every cell among those of its row
    """
    import plotly.graph_objects as go

    rows, columns = grid.row_kind, grid.column_kind
    low, high = grid.limits
    notes = theme.note_lines(grid)
    title_of_bar = {"text": theme.scale_title(grid), "side": "top"}
    heading = [
        plotly_text(grid.title or grid.name),
        *(f"<sub>{plotly_text(note)}</sub>" for note in notes),
    ]
    bar = {"title": title_of_bar, "orientation": "h", "x": 0, "y": -0.02, "len": 0.5}
    bar |= {"xanchor": "left", "yanchor": "top"}
    trace = go.Heatmap(
        z=grid.values,
        customdata=ranks.astype("int16"),
        zmin=low,
        zmax=high,
        colorscale=theme.palette(grid).plotly,
        colorbar=bar,
        hovertemplate=f"{plotly_text(rows or 'row')} %{{y}}<br>{plotly_text(columns or 'column')} %{{x}}"
        f"<br>{theme.quantity(grid)} %{{z:{theme.NUMBER}}}<br>rank in its row %{{customdata}}<extra></extra>",
    )
    layout = {
        "xaxis": {**_plotly_axis(grid.columns, columns), "side": "top", "tickangle": -45},
        "yaxis": {**_plotly_axis(grid.rows, rows), "autorange": "reversed"},
        "title": {"text": "<br>".join(heading), "x": 0, "y": 0.99, "yanchor": "top"},
        "margin": {"l": SIDES - 20, "r": 20, "t": 150 + 16 * len(notes), "b": 100},
        "height": min(250 + len(grid.rows) * theme.cell_height(len(grid.rows)), theme.IMAGE_HEIGHT),
        "dragmode": "select",
    }
    return go.Figure(trace, layout)


def least_width(grid: Grid) -> int:
    """The pixels below which the labels of columns meet, row labels included."""
    return SIDES + -(-len(grid.columns) // _step(grid.columns)) * theme.LABEL_STEP


def plotly_text(text: str) -> str:
    """Text that Plotly shows as typed: it reads some HTML in labels."""
    return html.escape(text, quote=False).replace("\n", "⏎")


def _step(tokens: Sequence[str]) -> int:
    """Every which token of an axis an image labels."""
    return max(1, -(-len(tokens) // theme.LABEL_LIMIT))


def _plotly_axis(tokens: Sequence[str], name: str) -> dict[str, Any]:
    return {
        "title": {"text": plotly_text(name)},
        "tickmode": "linear",
        "tick0": 0,
        "dtick": _step(tokens),
        "tickformat": "d",
        "labelalias": {str(k): plotly_text(token) for k, token in enumerate(tokens)},
        "automargin": False,
        "showgrid": False,
        "showspikes": True,
        "spikemode": "across",
        "spikecolor": theme.HOVER_COLOUR,
        "spikethickness": theme.LINE_WIDTH,
        "spikedash": "solid",
    }
