"""Counts as charts: confusions whose cells can be clicked, calibration, histograms of right and wrong rows.

Field names are fixed; labels are only ever data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from modelzoo.viz import theme

CELL = "cell"
"""The name of the selection that holds the clicked cell, as `[{"i": 0, "j": 1}]`: gold, then answer."""
SIDE, WIDTH, HEIGHT = 84, 340, 180
"""Pixels of a cell's width; of the other charts, axes apart from their height."""
BRIGHT_FROM = 0.6
"""The share from which the colour of a cell is read best under black."""
AUTOSIZE = alt.AutoSizeParams(type="fit-x", contains="padding")
VERDICTS: Mapping[str, str] = {"right": "#5ec962", "wrong": "#3b528b", "not judged": "#9aa0a6"}
"""Colours of viridis for right and wrong, which differ in lightness too; grey for neither."""


def spec(chart: alt.Chart | alt.LayerChart) -> dict[str, Any]:
    """The Vega-Lite specification of one of these charts, unchecked: tests check them, and to do so each time
    one is drawn takes a quarter of its time."""
    made: dict[str, Any] = chart.to_dict(validate=False)
    made.pop("config", None)  # Altair's default size, which is not ours
    return made


def confusion(labels: Sequence[str], counts: np.ndarray) -> alt.LayerChart:
    """Gold labels against answers; the colour is the share of the gold label's rows.

    Shapes:
        counts  (gold, answers)
    """
    size, frame = len(labels), _cells(counts)
    token = f"{json.dumps(list(labels))}[datum."
    axis: dict[str, Any] = {
        "labelFontSize": theme.FONT_SIZE,
        "titleFontSize": theme.FONT_SIZE,
        "labelLimit": 160,
    }
    names: dict[str, Any] = {"labelExpr": f"{token}value]", "ticks": False, "domain": False}
    return (
        alt.layer(*_marks(), data=frame)
        .transform_calculate(gold=f"{token}i]", answer=f"{token}j]")
        .transform_calculate(about="'gold '+datum.gold+', answered '+datum.answer+': '+datum.count")
        .encode(
            x=alt.X(
                "j:O",
                title="answer",
                axis=alt.Axis(orient="top", labelAngle=0 if size < 5 else -45, **axis, **names),
            ),
            y=alt.Y("i:O", title="gold", axis=alt.Axis(**axis, **names)),
            tooltip=[
                alt.Tooltip("gold:N"),
                alt.Tooltip("answer:N"),
                alt.Tooltip("count:Q", title="rows", format=","),
                alt.Tooltip("share:Q", title="share of the gold label", format=".1%"),
            ],
        )
        .properties(width=confusion_width(labels), height=max(size, 3) * SIDE // 2, autosize=AUTOSIZE)
    )


def _marks() -> tuple[alt.Chart, alt.Chart]:
    """The cells, which can be clicked, and their counts."""
    cell = alt.selection_point(name=CELL, fields=["i", "j"], empty=False, toggle=False)
    scale = alt.Scale(scheme=theme.SEQUENTIAL.vega, domain=[0, 1])  # type: ignore[arg-type]
    colour = alt.Color("share:Q", scale=scale, legend=_legend("share of the gold label"))
    cells = alt.Chart().mark_rect(cursor="pointer").encode(color=colour, description="about:N")
    dark = alt.expr(f"datum.share > {BRIGHT_FROM} ? '{theme.DARK_TEXT}' : '{theme.LIGHT_TEXT}'")
    numbers = alt.Chart().mark_text(fontSize=theme.FONT_SIZE, aria=False)
    return cells.add_params(cell), numbers.encode(text=alt.Text("count:Q", format=","), color=alt.value(dark))


def _cells(counts: np.ndarray) -> pd.DataFrame:
    """A row a cell, with its count and its share of the gold label."""
    size = len(counts)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return pd.DataFrame(
        {
            "i": np.repeat(np.arange(size), size),
            "j": np.tile(np.arange(size), size),
            "count": counts.ravel(),
            "share": shares.ravel(),
        }
    )


def confusion_width(labels: Sequence[str]) -> int:
    """The pixels in which the chart's cells are wide enough for their numbers, names included."""
    return max(460, 240 + len(labels) * SIDE)


def calibration(edges: np.ndarray, counts: np.ndarray, sure: np.ndarray, right: np.ndarray) -> alt.LayerChart:
    """How often answers of a confidence are right; on the line from corner to corner they are as they say.

    Shapes:
        edges                (bins + 1,)
        counts, sure, right  (bins,), the last two NaN where a bin is empty
    """
    frame = pd.DataFrame(
        {"low": edges[:-1], "high": edges[1:], "rows": counts, "sure": sure, "right": right}
    ).dropna()
    line = alt.Chart(pd.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0]}))
    ideal = line.mark_line(strokeDash=[4, 4], color=theme.HOVER_COLOUR).encode(x="x:Q", y="y:Q")
    tips = [
        alt.Tooltip("low:Q", title="confidence from", format=".0%"),
        alt.Tooltip("high:Q", title="to", format=".0%"),
        alt.Tooltip("rows:Q", format=","),
        alt.Tooltip("sure:Q", title="mean confidence", format=".1%"),
        alt.Tooltip("right:Q", title="right", format=".1%"),
    ]
    x = alt.X("sure:Q", title="mean confidence", scale=alt.Scale(domain=[0, 1]), axis=_axis(format=".0%"))
    y = alt.Y("right:Q", title="right", scale=alt.Scale(domain=[0, 1]), axis=_axis(format=".0%"))
    points = alt.Chart(frame).encode(x=x, y=y, tooltip=tips)
    size = alt.Size("rows:Q", scale=alt.Scale(range=[30, 400]), legend=None)
    marks = points.mark_line(color=theme.LINE) + points.mark_circle(color=theme.LINE, opacity=0.9).encode(
        size=size
    )
    return (ideal + marks).properties(width=WIDTH, height=HEIGHT, autosize=AUTOSIZE)


def histogram(edges: np.ndarray, groups: Mapping[str, np.ndarray], *, title: str) -> alt.Chart:
    """Rows by a number, the groups of `VERDICTS` on top of each other.

    Shapes:
        edges   (bins + 1,)
        groups  (bins,) each
    """
    frame = pd.concat(
        pd.DataFrame({"low": edges[:-1], "high": edges[1:], "rows": rows, "verdict": verdict, "rank": rank})
        for rank, (verdict, rows) in enumerate(groups.items())
    )
    there = [verdict for verdict, rows in groups.items() if rows.sum()]
    colours = alt.Scale(domain=there, range=[VERDICTS[verdict] for verdict in there])
    return (
        alt.Chart(frame[frame["rows"] > 0])
        .mark_bar(stroke=None, binSpacing=1)
        .encode(
            x=alt.X("low:Q", bin="binned", title=title, axis=_axis(format="~g")),
            x2="high:Q",
            y=alt.Y("rows:Q", title="rows", stack="zero", axis=_axis(format="~s")),
            color=alt.Color("verdict:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("verdict:N", title="answers"),
                alt.Tooltip("low:Q", title="from", format=".4~g"),
                alt.Tooltip("high:Q", title="to", format=".4~g"),
                alt.Tooltip("rows:Q", format=","),
            ],
        )
        .properties(width=WIDTH, height=HEIGHT, autosize=AUTOSIZE)
    )


def _legend(title: str) -> alt.Legend:
    return alt.Legend(
        title=title,
        orient="bottom",
        direction="horizontal",
        gradientLength=200,
        labelFontSize=theme.FONT_SIZE,
        titleFontSize=theme.FONT_SIZE,
        values=[0, 0.5, 1],
        format=".0%",
    )


def _axis(**options: Any) -> alt.Axis:
    return alt.Axis(
        labelFontSize=theme.FONT_SIZE, titleFontSize=theme.FONT_SIZE, labelFlush=False, grid=False, **options
    )
