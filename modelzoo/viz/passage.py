"""Lines of text as SVG, each word with its weight laid behind it: the picture of what `highlight` shows.

Nothing here measures a font: a word stands in the middle of a box whose width is estimated, so that it
fits whatever font draws it. A line whose first letter is of a right-to-left script runs from the right.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from modelzoo.number import formatted
from modelzoo.results import Grid
from modelzoo.viz import theme
from modelzoo.viz.heatmap import describe, title

WIDTH = 720
"""Pixels of a line."""
WORD, HEADING, STEP, BOX = 16, 13, 30, 24
"""Pixels: the two sizes of text, the height of a line and of the box behind a word."""
GAP, PAD = 5, 4
WORD_CHARACTERS = 60
LEGEND = "Colour: the strongest word of a line; no colour is the scale's lower end"
_NARROW, _BROAD = frozenset("ijlI.,:;!|'`()[]{}ftr\" "), frozenset("mwMW@%&—…")


def lines_shown(grid: Grid, pinned: Sequence[int]) -> Sequence[int]:
    """The rows that are shown as text: those that are pinned, else the first ones."""
    return tuple(pinned) or range(min(len(grid.rows), max(1, theme.CELL_LIMIT // max(1, len(grid.columns)))))


def passage(grid: Grid, pinned: Sequence[int] = ()) -> str:
    """The grid's rows as lines of its columns, each row's strongest word the most coloured."""
    parts: list[str] = []
    y = 0.0
    for i in lines_shown(grid, pinned):
        weights = grid.values[i] - min(grid.limits[0], 0.0)
        told = f"{grid.rows[i]} (strongest {formatted(grid.values[i].max(), '.4f')})"
        parts.append(
            f'<text x="0" y="{y + 17}" font-size="{HEADING}px" fill="#52606d">{_escape(told)}</text>'
        )
        y += 24
        lines = list(_wrapped(grid.columns))
        for k, line in enumerate(lines):
            parts += _line(line, grid.columns, weights, y + STEP * k)
        y += STEP * len(lines) + 6
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:g}" role="img">'
        f"<title>{_escape(title(grid))}</title><desc>{_escape(describe(grid))}</desc>{''.join(parts)}</svg>"
    )


def _wrapped(words: Sequence[str]) -> Iterator[list[tuple[int, float, float]]]:
    """Lines of (place of the word, distance from the line's start, width of its box)."""
    line: list[tuple[int, float, float]] = []
    start = 0.0
    for j, word in enumerate(words):
        width = min(_width(_shown(word)) + 2 * PAD, WIDTH)
        if line and start + width > WIDTH:
            yield line
            line, start = [], 0.0
        line.append((j, start, width))
        start += width + GAP
    yield line


def _line(
    line: Sequence[tuple[int, float, float]], words: Sequence[str], weights: np.ndarray, y: float
) -> Iterator[str]:
    most = float(weights.max()) or 1.0
    leftward = _runs_leftward(words)
    red, green, blue = theme.HIGHLIGHT_RGB
    for j, start, width in line:
        x = WIDTH - start - width if leftward else start
        shade = theme.HIGHLIGHT_MOST * float(weights[j]) / most
        yield (
            f'<g><title>{_escape(words[j])}: {weights[j]:.6f}</title><rect x="{x:.1f}" y="{y}" rx="4" '
            f'width="{width:.1f}" height="{BOX}" fill="rgb({red},{green},{blue})" '
            f'fill-opacity="{shade:.4f}"/><text x="{x + width / 2:.1f}" y="{y + 17}" font-size="{WORD}px" '
            f'text-anchor="middle" fill="currentColor">{_escape(_shown(words[j]))}</text></g>'
        )


def _runs_leftward(words: Sequence[str]) -> bool:
    """Whether the first letter with a direction is of a right-to-left script."""
    kinds = (unicodedata.bidirectional(character) for word in words for character in word)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


def _width(word: str) -> float:
    """Pixels that a font takes for the word, about."""
    return sum(map(_share, word)) * WORD


def _share(character: str) -> float:
    """A character's width as a share of the font's size."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05 if character < "\U00010000" else 1.4
    if character in _NARROW:
        return 0.42
    return 0.95 if character in _BROAD else 0.75 if character.isupper() else 0.62


def _shown(word: str) -> str:
    return word if len(word) <= WORD_CHARACTERS else f"{word[: WORD_CHARACTERS - 1]}…"


def _escape(text: str) -> str:
    return html.escape(text.replace("\n", "⏎"))
