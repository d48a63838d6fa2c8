"""Colours, scales, sizes and number formats of every picture, in one place."""

from __future__ import annotations

from typing import NamedTuple

from modelzoo.results import AttentionMap, Grid

CELL_LIMIT = 2500
"""Cells up to which a heat map has one mark a cell; above it is one image."""
LABEL_LIMIT = 40
"""Labels an axis shows at most; a longer axis shows every second, third … label, and all on hover."""
CELL_WIDTH = 36
CELL_HEIGHTS = ((12, 32), (40, 22), (10_000, 14))
"""Pixels of a row, for up to so many rows."""
GAP = 0.04
"""The share of a cell that is left open between two cells."""
IMAGE_HEIGHT = 900
"""Pixels that one image takes at most."""
LABEL_PIXELS = 160
"""Pixels after which a label on an axis is cut; hover shows it whole."""
FONT_SIZE = 13
NUMBER = ".6f"
"""How hover shows a weight (d3 format): float32 has no more digits worth reading."""


class Palette(NamedTuple):
    """One colour scale by its name in Vega and in Plotly: the same colours in both."""

    vega: str
    plotly: str


SEQUENTIAL = Palette("viridis", "Viridis")
"""Safe for colour-blind readers; both ends differ from a white and from a black page."""
DIVERGING = Palette("brownbluegreen", "BrBG")

HIGHLIGHT_RGB = (33, 145, 140)
"""The middle of viridis, laid over the page behind a word."""
LINE = "#21918c"
"""The same colour, for lines."""
HIGHLIGHT_MOST = 0.55
"""The most opaque a highlight gets: text keeps a contrast above 4.5 on light and on dark pages."""


def palette(grid: Grid) -> Palette:
    """The colours of a grid: diverging ones for differences."""
    return DIVERGING if grid.diverging else SEQUENTIAL


def scale_title(grid: Grid) -> str:
    """What the colour bar says: the quantity and the limits of the scale."""
    low, high = grid.limits
    return f"{quantity(grid)}, scale {low:g} to {high:g}"


def quantity(grid: Grid) -> str:
    """What a cell of the grid holds."""
    return "weight" if isinstance(grid, AttentionMap) else "value"


def cell_height(rows: int) -> int:
    """Pixels of one row of a heat map with so many rows."""
    return next(height for most, height in CELL_HEIGHTS if rows <= most or most == CELL_HEIGHTS[-1][0])
