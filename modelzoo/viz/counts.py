"""Counts as charts: confusions whose cells can be clicked, calibration, histograms of right and wrong rows.

Field names are fixed; labels are only ever data. The specifications are written out, since Altair would take
most of the time of a page to build and check them; a test checks them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from modelzoo.viz import theme

Spec = dict[str, Any]
"""A Vega-Lite specification, or a piece of one."""

CELL = "cell"
"""The name of the selection that holds the clicked cell, as `[{"i": 0, "j": 1}]`: gold, then answer."""
SIDE, WIDTH, HEIGHT = 84, 340, 180
"""Pixels of a cell's width; of the other charts, axes apart from their height."""
BRIGHT_FROM = 0.6
"""The share from which the colour of a cell is read best under black."""
FIT: Spec = {"autosize": {"type": "fit-x", "contains": "padding"}, "$schema": alt.SCHEMA_URL}
FONT: Spec = {"labelFontSize": theme.FONT_SIZE, "titleFontSize": theme.FONT_SIZE}
VERDICTS: Mapping[str, str] = {"right": "#5ec962", "wrong": "#3b528b", "not judged": "#9aa0a6"}
"""Colours of viridis for right and wrong, which differ in lightness too; grey for neither."""


def confusion(labels: Sequence[str], counts: np.ndarray) -> Spec:
    """Gold labels against answers; the colour is the share of the gold label's rows.

    Shapes:
        counts  (gold, answers)
    """
    size, token = len(labels), f"{json.dumps(list(labels))}[datum."
    calculated = {
        "gold": f"{token}i]",
        "answer": f"{token}j]",
        "about": "'gold '+datum.gold+', answered '+datum.answer+': '+datum.count",
    }
    named = {**FONT, "labelLimit": 160, "labelExpr": f"{token}value]", "ticks": False, "domain": False}
    above = {**named, "orient": "top", "labelAngle": 0 if size < 5 else -45}
    return {
        **FIT,
        "data": {"values": _cells(counts)},
        "transform": [{"calculate": what, "as": name} for name, what in calculated.items()],
        "params": [
            {
                "name": CELL,
                "select": {"type": "point", "fields": ["i", "j"], "toggle": False},
                "views": ["cells"],
            }
        ],
        "layer": _marks(),
        "encoding": {
            "x": {"field": "j", "type": "ordinal", "title": "answer", "axis": above},
            "y": {"field": "i", "type": "ordinal", "title": "gold", "axis": named},
            "tooltip": [
                {"field": "gold", "type": "nominal"},
                {"field": "answer", "type": "nominal"},
                _number("count", ",", "rows"),
                _number("share", ".1%", "share of the gold label"),
            ],
        },
        "width": confusion_width(labels),
        "height": max(size, 3) * SIDE // 2,
    }


def _marks() -> list[Spec]:
    """The cells, which can be clicked, and their counts."""
    scale = {"scheme": theme.SEQUENTIAL.vega, "domain": [0, 1]}
    colour = {**_number("share"), "scale": scale, "legend": _legend("share of the gold label")}
    about = {"field": "about", "type": "nominal"}
    dark = f"datum.share > {BRIGHT_FROM} ? '{theme.DARK_TEXT}' : '{theme.LIGHT_TEXT}'"
    cells = {
        "name": "cells",
        "mark": {"type": "rect", "cursor": "pointer"},
        "encoding": {"color": colour, "description": about},
    }
    numbers = {
        "mark": {"type": "text", "fontSize": theme.FONT_SIZE, "aria": False},
        "encoding": {"text": _number("count", ","), "color": {"value": {"expr": dark}}},
    }
    return [cells, numbers]


def _cells(counts: np.ndarray) -> list[Spec]:
    """A row a cell, with its count and its share of the gold label."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return [
        {"i": i, "j": j, "count": int(counts[i, j]), "share": float(shares[i, j])}
        for i, j in np.ndindex(counts.shape)
    ]


def confusion_width(labels: Sequence[str]) -> int:
    """The pixels in which the chart's cells are wide enough for their numbers, names included."""
    return max(460, 240 + len(labels) * SIDE)


def calibration(edges: np.ndarray, counts: np.ndarray, sure: np.ndarray, right: np.ndarray) -> Spec:
    """How often answers of a confidence are right; on the line from corner to corner they are as they say.

    Shapes:
        edges                (bins + 1,)
        counts, sure, right  (bins,), the last two NaN where a bin is empty
    """
    bins = _rows(low=edges[:-1], high=edges[1:], rows=counts, sure=sure, right=right)
    whole = {"scale": {"domain": [0, 1]}, "axis": _axis(format=".0%")}
    ideal = {
        "data": {"values": [{"x": 0.0, "y": 0.0}, {"x": 1.0, "y": 1.0}]},
        "mark": {"type": "line", "strokeDash": [4, 4], "color": theme.HOVER_COLOUR},
        "encoding": {"x": _number("x"), "y": _number("y")},
    }
    encoding = {
        "x": {**_number("sure", title="mean confidence"), **whole},
        "y": {**_number("right", title="right"), **whole},
        "tooltip": [
            _number("low", ".0%", "confidence from"),
            _number("high", ".0%", "to"),
            _number("rows", ","),
            _number("sure", ".1%", "mean confidence"),
            _number("right", ".1%", "right"),
        ],
    }
    size = {**_number("rows"), "scale": {"range": [30, 400]}, "legend": None}
    points: Spec = {
        "data": {"values": [one for one in bins if one["rows"]]},
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "line", "color": theme.LINE}},
            {"mark": {"type": "circle", "color": theme.LINE, "opacity": 0.9}, "encoding": {"size": size}},
        ],
    }
    return {**FIT, "layer": [ideal, points], "width": WIDTH, "height": HEIGHT}


def histogram(edges: np.ndarray, groups: Mapping[str, np.ndarray], *, title: str) -> Spec:
    """Rows by a number, the groups of `VERDICTS` on top of each other.

    Shapes:
        edges   (bins + 1,)
        groups  (bins,) each
    """
    bars = [
        {**one, "verdict": verdict, "rank": rank}
        for rank, (verdict, rows) in enumerate(groups.items())
        for one in _rows(low=edges[:-1], high=edges[1:], rows=rows)
        if one["rows"]
    ]
    there = [verdict for verdict, rows in groups.items() if rows.sum()]
    return {
        **FIT,
        "data": {"values": bars},
        "mark": {"type": "bar", "stroke": None, "binSpacing": 1},
        "encoding": {
            "x": {**_number("low", title=title), "bin": "binned", "axis": _axis(format="~g")},
            "x2": {"field": "high"},
            "y": {
                **_number("rows", title="rows"),
                "stack": "zero",
                "axis": _axis(format="~s", tickMinStep=1),
            },
            "color": _colour(there),
            "order": _number("rank"),
            "tooltip": [
                {"field": "verdict", "type": "nominal", "title": "answers"},
                _number("low", ".4~g", "from"),
                _number("high", ".4~g", "to"),
                _number("rows", ","),
            ],
        },
        "width": WIDTH,
        "height": HEIGHT,
    }


def _colour(verdicts: Sequence[str]) -> Spec:
    """The colours of these verdicts, told above the chart."""
    scale = {"domain": verdicts, "range": [VERDICTS[verdict] for verdict in verdicts]}
    legend = {"title": None, "orient": "top"}
    return {"field": "verdict", "type": "nominal", "scale": scale, "legend": legend}


def _rows(**columns: np.ndarray) -> list[Spec]:
    """One record a place of the columns, in numbers of Python."""
    lists = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, values, strict=True)) for values in zip(*lists, strict=True)]


def _number(field: str, format: str | None = None, title: str | None = None) -> Spec:
    """A number of the data; how it is written, and what it is called where that is not its name."""
    said = {"format": format, "title": title}
    return {"field": field, "type": "quantitative", **{name: what for name, what in said.items() if what}}


def _legend(title: str) -> Spec:
    return {
        **FONT,
        "title": title,
        "orient": "bottom",
        "direction": "horizontal",
        "gradientLength": 200,
        "values": [0, 0.5, 1],
        "format": ".0%",
    }


def _axis(**options: Any) -> Spec:
    return {**FONT, "labelFlush": False, "grid": False, **options}
