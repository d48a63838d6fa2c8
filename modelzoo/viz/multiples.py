"""Small multiples: a card a map, each with the same scale and a few numbers."""

from __future__ import annotations

import html
from collections.abc import Mapping

from modelzoo.results import Grid
from modelzoo.viz import theme
from modelzoo.viz.heatmap import describe, title
from modelzoo.viz.image import image

SIDE = 150
"""Pixels of the longer side of a small map."""
WIDTH = SIDE + 40
"""Pixels of the width of a card."""
STRIP = 18
"""Pixels of the height of a map that has a single row."""
MOST_CELLS = 4000
"""Cells that one small map draws; of a larger one every second, third … row and column is left out."""


def card(grid: Grid, numbers: Mapping[str, str]) -> str:
    """A small map under its name, with its numbers; the whole map is told to those who do not see it."""
    cells = "".join(
        f"<span>{html.escape(name)} <b>{html.escape(value)}</b></span>" for name, value in numbers.items()
    )
    line = "display:flex;flex-wrap:wrap;gap:0 .8em;font-size:.8rem;font-variant-numeric:tabular-nums"
    drawn = image(small(grid), describe(grid), small_size(grid)[0])
    name = f'<div style="font-weight:600">{html.escape(title(grid))}</div>'
    return f'<div style="max-width:{WIDTH}px">{name}{drawn}<div style="{line}">{cells}</div></div>'


def small(grid: Grid) -> str:
    """The grid as a small SVG without labels, in the colours of the large one."""
    rows, columns = grid.values.shape
    width, height = small_size(grid)
    step = max(1, -(-int((rows * columns) ** 0.5) // int(MOST_CELLS**0.5)))
    values = grid.values[::step, ::step]
    drawn = "".join(
        f'<rect x="{j}" y="{i}" width="1.03" height="1.03" fill="{theme.colour(grid, float(value))}"/>'
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    )
    box = f'viewBox="0 0 {values.shape[1]} {values.shape[0]}" preserveAspectRatio="none"'
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>{drawn}</svg>'


def small_size(grid: Grid) -> tuple[float, float]:
    """Width and height of the small SVG, in pixels."""
    rows, columns = grid.values.shape
    if rows == 1:
        return SIDE, STRIP
    if rows > columns:
        return SIDE * max(columns / rows, 0.2), SIDE
    return SIDE, SIDE * max(rows / columns, 0.2)
