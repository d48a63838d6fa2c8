"""An SVG as an image of a page: pages that clean HTML take `<svg>` out, and leave `<img>`."""

from __future__ import annotations

import base64
import html

TEXT = {"light": "#31333f", "dark": "#fafafa"}
"""The colour of text, which an image cannot take from its page, by theme."""


def image(svg: str, told: str, width: float, theme: str | None = "light") -> str:
    """HTML of an SVG, so many pixels wide or as wide as the page; `told` is for those who do not see it, and
    `theme` is light or dark."""
    drawn = svg.replace("currentColor", TEXT.get(theme or "", TEXT["light"]))
    data = base64.b64encode(drawn.encode()).decode()
    style = f"width:{width:.0f}px;max-width:100%;height:auto;display:block"
    return f'<img alt="{html.escape(told)}" style="{style}" src="data:image/svg+xml;base64,{data}">'
