"""A view as SVG, PNG and PDF, without a browser and offline. PNG and PDF are drawn from the SVG."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from modelzoo.export import fonts
from modelzoo.export.view import View, view_of
from modelzoo.results import Grid
from modelzoo.viz import curves, heatmap, passage, theme

PADDING = 12
CHARACTER = 6.6
"""Pixels of a caption's character, about."""
NARROWEST = 420
"""Pixels a caption may have, however small the grid."""
PNG_WIDTHS = (800, 1600, 3200)
"""Widths in pixels that are offered."""
PNG_SIDE = 12_000
"""Pixels a PNG's side may have at most."""
LABEL_PIXELS = 480
"""Pixels after which a label is cut: a file has no pointer that would show it whole."""
_SMALL_CELL = 14
"""Pixels of a cell's sides above the cell limit."""


def to_svg(shown: View | Grid) -> str:
    """The view as SVG on a white page, whole and with its caption; it needs nothing from elsewhere."""
    view = view_of(shown)
    if view.kind == "curves":
        return _drawn(view, curves.curves(view.grid, pinned=view.pinned), theme.scale_title(view.grid))
    if view.kind == "text":
        return _drawn(view, passage.passage(view.grid, view.pinned), passage.LEGEND)
    import vl_convert

    spec = _light(spec_of(view), view.grid)
    return str(_made("SVG", "HTML and CSV", vl_convert.vegalite_to_svg, spec))


def to_png(shown: View | Grid, *, width: int = PNG_WIDTHS[1]) -> bytes:
    """The view as PNG, so many pixels wide. ValueError when that makes a side too long."""
    import vl_convert

    svg = to_svg(shown)
    natural = size_of(svg)
    scale = width / natural[0]
    height = round(natural[1] * scale)
    if width < 1 or max(width, height) > PNG_SIDE:
        raise ValueError(
            f"the picture would have {width:,} by {height:,} pixels; a side may have 1 to {PNG_SIDE:,}; "
            "choose a smaller width, or SVG, which has no pixels"
        )
    return bytes(_made("PNG", "SVG and HTML", partial(vl_convert.svg_to_png, scale=scale), svg))


def to_pdf(shown: View | Grid) -> bytes:
    """The view as PDF, text as text; where a colour font can't be embedded, emoji are small pictures."""
    import vl_convert

    svg = to_svg(shown)
    try:
        return bytes(vl_convert.svg_to_pdf(svg))
    except RuntimeError:  # of a colour font, which a PDF cannot take
        pass
    return bytes(_made("PDF", "SVG, PNG and HTML", vl_convert.svg_to_pdf, fonts.emoji_as_pictures(svg)))


def _made(kind: str, instead: str, convert: Callable[[Any], Any], drawing: Any) -> Any:
    """What the converter makes; ValueError with its reason, and what to take instead, where it cannot."""
    try:
        return convert(drawing)
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
        raise ValueError(
            f"the {kind} could not be made here ({reason.rstrip('.')}); {instead} show the same"
        ) from error


def spec_of(view: View) -> dict[str, Any]:
    """The heat map's Vega-Lite specification: whole labels, a white page, the caption below the title."""
    grid = view.grid
    spec = heatmap.cells(grid, inline=True, pinned=view.pinned, columns=view.columns)
    spec |= {"background": "white", "padding": PADDING, "autosize": {"type": "pad"}}
    if not heatmap.is_small(grid):
        spec["width"], spec["height"] = (_SMALL_CELL * len(side) for side in (grid.columns, grid.rows))
    for axis in "xy":
        spec["encoding"][axis]["axis"]["labelLimit"] = LABEL_PIXELS
    width = max(spec["width"], NARROWEST)
    title = {"text": heatmap.title(grid), "anchor": "start", "frame": "bounds"}
    spec["title"] = {**title, "subtitle": list(view.caption(int(width / CHARACTER)))}
    return spec


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of an SVG in its own pixels."""
    opening = svg[: svg.index(">") + 1]
    width, height = (re.search(rf'\s{side}="([\d.]+)"', opening) for side in ("width", "height"))
    if width is None or height is None:
        raise ValueError("the SVG has no size")
    return float(width[1]), float(height[1])


def _light(spec: dict[str, Any], grid: Grid) -> dict[str, Any]:
    """Without what only a reader with a pointer needs, where that would be most of a large picture."""
    if heatmap.is_small(grid):
        return spec
    del spec["transform"]
    spec["encoding"].pop("tooltip")
    for layer in spec["layer"]:
        layer["mark"] = {**layer["mark"], "aria": False}
        layer["encoding"].pop("description", None)
    return spec


def _drawn(view: View, drawn: str, legend: str) -> str:
    """Curves or text, drawn as SVG, on a white page under their title, caption and legend."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    if box is None:
        raise ValueError("the drawing has no size")
    width, height = float(box[1]), float(box[2])
    lines = (heatmap.title(view.grid), *view.caption(int(width / CHARACTER)), legend)
    step = theme.FONT_SIZE + 4
    texts = "".join(
        f'<text x="{PADDING}" y="{PADDING + step * (k + 0.75)}" font-size="{theme.FONT_SIZE}px" '
        f'font-weight="{400 if k else 700}">{html.escape(line)}</text>'
        for k, line in enumerate(lines)
    )
    top = PADDING + step * len(lines) + 6
    inner = drawn.replace("<svg ", f'<svg x="{PADDING}" y="{top}" width="{width}" height="{height}" ', 1)
    inner = inner.replace("width:100%;", "", 1)
    whole = (width + 2 * PADDING, top + height + PADDING)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]}" height="{whole[1]}" '
        f'font-family="sans-serif" color="black"><rect width="100%" height="100%" fill="white"/>'
        f"{texts}{inner}</svg>"
    )
