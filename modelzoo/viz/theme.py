"""Colours, scales, sizes and number formats of every picture, in one place."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import NamedTuple

from modelzoo.number import formatted
from modelzoo.results import AttentionMap, Grid

CELL_LIMIT = 2500
"""Cells up to which a heat map has one mark a cell; above it is one image."""
ROW_LIMIT = 60
"""Rows up to which a heat map has one mark a cell: the heads of a taller one would leave the screen."""
LABEL_LIMIT = 40
"""Labels an axis shows at most; a longer axis shows every second, third … label, and all on hover."""
LABEL_STEP = 15
"""Pixels that a label of an image needs across."""
CELL_WIDTH = 36
CELL_HEIGHTS = ((12, 32), (40, 22), (10_000, 14))
"""Pixels of a row, for up to so many rows."""
GAP = 0.04
"""The share of a cell that is left open between two cells."""
NUMBERS_LIMIT = 12
"""Rows and columns up to which a cell shows its number, where it is wide enough."""
LEAST_CELL_WIDTH = 12
"""Pixels of a cell below which a map scrolls in its frame instead of becoming narrower."""
UPRIGHT_BELOW = 22
"""Pixels of a cell below which the labels above it stand upright."""
NUMBER_WIDTH = 26
"""Pixels a cell needs to show its number."""
IMAGE_HEIGHT = 900
"""Pixels that one image takes at most."""
TITLE_PIXELS = 560
"""Pixels up to which a narrow map is widened so that its title is not cut."""
NOTE_CHARACTERS = 60
"""Characters of a note below a title that a screen of 390 pixels shows in one line."""
LABEL_PIXELS = 160
"""Pixels after which a label on an axis is cut; hover shows it whole."""
SWATCH = 18
"""Pixels of a side of the squares that show the scale."""
FONT_SIZE = 13
SHORT_NUMBER = ".2f"
"""How a cell shows its number."""
NUMBER = ".6f"
"""How hover shows a weight (d3 format): float32 has no more digits worth reading."""


class Palette(NamedTuple):
    """One colour scale by its name in Vega and in Plotly: the same colours in both."""

    vega: str
    plotly: str


SEQUENTIAL = Palette("viridis", "Viridis")
"""Safe for colour-blind readers; both ends differ from a white and from a black page."""
DIVERGING = Palette("brownbluegreen", "BrBG")

PIN_COLOUR, HOVER_COLOUR = "#e8590c", "#8a8f98"
"""Outlines of the cells of pinned rows, and of the row and column under the pointer."""
PIN_WIDTH, LINE_WIDTH = 3.5, 1.5
"""Pixels of the outline of a pinned cell, and of every other one."""
DARK_TEXT, LIGHT_TEXT = "#000000", "#ffffff"
DARK_FROM = 0.179
"""The luminance of a colour from which black is read better on it than white."""

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
    low, high = (formatted(limit, ".4g") for limit in grid.limits)
    return f"{quantity(grid)}, scale {low} to {high}"


def note_lines(grid: Grid) -> list[str]:
    """What stands below a map's title, in lines that a narrow screen shows whole."""
    return [line for note in grid.notes for line in textwrap.wrap(note, NOTE_CHARACTERS)]


def quantity(grid: Grid) -> str:
    """What a cell of the grid holds."""
    return grid.quantity or ("weight" if isinstance(grid, AttentionMap) else "value")


def share_of_scale(grid: Grid, value: float) -> float:
    """Where a value stands between the limits, 0 to 1."""
    low, high = grid.limits
    return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def text_on(grid: Grid, value: float) -> str:
    """The colour in which a number is read best on the cell of that value."""
    channels = (int(part) / 255 for part in re.findall(r"\d+", colour(grid, value)))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return DARK_TEXT if luminance >= DARK_FROM else LIGHT_TEXT


def colour(grid: Grid, value: float) -> str:
    """The colour of a value, for pictures that no chart library draws."""
    return _ramp(palette(grid).plotly)[round(255 * share_of_scale(grid, value))]


@cache
def _ramp(name: str) -> tuple[str, ...]:
    """256 colours of a scale, as `rgb(…)`."""
    from plotly.colors import sample_colorscale

    return tuple(sample_colorscale(name, [k / 255 for k in range(256)]))


def curve_colour(grid: Grid, value: float) -> str:
    """The colour of a curve: one for weights; on a diverging scale that of its end."""
    if grid.diverging:
        return colour(grid, grid.limits[0] if value < 0 else grid.limits[1])
    red, green, blue = HIGHLIGHT_RGB
    return f"rgb({red}, {green}, {blue})"


def cell_height(rows: int) -> int:
    """Pixels of one row of a heat map with so many rows."""
    return next(height for most, height in CELL_HEIGHTS if rows <= most or most == CELL_HEIGHTS[-1][0])
