"""A row of numbers as a curve."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from modelzoo.number import formatted
from modelzoo.viz import theme

HEIGHT = 160


def line(values: np.ndarray, first: int, titles: tuple[str, str]) -> alt.Chart:
    """Values over `first` and the whole numbers after it as a curve with points; titles of both axes.

    Shapes:
        values  (n,)
    """
    across, up = titles
    frame = pd.DataFrame({"k": range(first, first + len(values)), "value": values})
    red, green, blue = theme.HIGHLIGHT_RGB
    return (
        alt.Chart(frame)
        .mark_line(color=f"rgb({red}, {green}, {blue})", point=True)
        .encode(
            x=alt.X("k:O", title=across, axis=alt.Axis(labelAngle=0, labelExpr="format(datum.value, 'd')")),
            y=alt.Y("value:Q", title=up),
            tooltip=[
                alt.Tooltip("k:Q", title=across, format="d"),
                alt.Tooltip("value:Q", title=up, format=theme.NUMBER),
            ],
        )
        .properties(height=HEIGHT)
    )


def describe(values: np.ndarray, first: int, name: str) -> str:
    """The curve in one sentence."""
    most, least = int(values.argmax()), int(values.argmin())
    largest, smallest = (
        f"{formatted(values[k], '.3f')} at {formatted(first + k, 'd')}" for k in (most, least)
    )
    return f"{name}, a curve of {len(values)} values: largest {largest}, smallest {smallest}."
