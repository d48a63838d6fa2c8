"""Confusions as a chart whose cells can be clicked.

Field names are fixed; labels are only ever data. The specification is written out, since Altair would take
much of the time of a page to build and check it; a test checks it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from modelzoo.viz import theme

Spec = dict[str, Any]
"""A Vega-Lite specification, or a piece of one."""

CELL = "cell"
"""The name of the selection that holds the clicked cell, as `[{"i": 0, "j": 1}]`: gold, then answer."""
SIDE = 84
"""Pixels of a cell's width."""
BRIGHT_FROM = 0.6
"""The share from which the colour of a cell is read best under black."""
FONT: Spec = {"labelFontSize": theme.FONT_SIZE, "titleFontSize": theme.FONT_SIZE}


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
        "$schema": alt.SCHEMA_URL,
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
        "autosize": {"type": "fit-x", "contains": "padding"},
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
