"""How a run went: its dev metric and its training loss, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from modelzoo.viz import theme

WIDTH, HEIGHT = 340, 200
Entry = Mapping[str, float]
"""One evaluation: `step`, `loss`, `minutes` and a dev metric, as training.json has them."""


def curve(history: Sequence[Entry], field: str, *, kept: int | None = None) -> alt.LayerChart:
    """One field of a run over its steps; `kept` is the step whose weights are the checkpoint's."""
    data = pd.DataFrame(history)
    name = field.replace("_", " ")
    steps = alt.X("step:Q", title="step", axis=_axis(format="~s"))
    values = alt.Y(f"{field}:Q", title=name, scale=alt.Scale(zero=False), axis=_axis())
    tips = [alt.Tooltip(f"{one}:Q") for one in data.columns]
    line = (
        alt.Chart(data, title=alt.TitleParams(name, anchor="start"))
        .mark_line(point=alt.OverlayMarkDef(color=theme.LINE), color=theme.LINE)
        .encode(x=steps, y=values, tooltip=tips)
    )
    at = alt.Chart(data[data["step"] == kept]).mark_point(size=160, color=theme.LINE, strokeWidth=2)
    marked = at.encode(x=steps, y=values, tooltip=tips)
    return (line + marked).properties(width=WIDTH, height=HEIGHT)


def describe(history: Sequence[Entry], field: str) -> str:
    """One sentence for those who do not see the picture."""
    first, last = history[0], history[-1]
    best = max(history, key=lambda entry: entry[field])
    name = field.replace("_", " ")
    return (
        f"Line, {name} over {len(history)} evaluations: {first[field]:g} at step {first['step']:g}, "
        f"highest {best[field]:g} at step {best['step']:g}, {last[field]:g} at step {last['step']:g}."
    )


def _axis(**options: Any) -> alt.Axis:
    return alt.Axis(labelFontSize=theme.FONT_SIZE, titleFontSize=theme.FONT_SIZE, grid=False, **options)
