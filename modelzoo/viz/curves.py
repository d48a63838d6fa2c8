"""Curves between two lines of words: rows on the left, columns on the right, as strong as the weight.

SVG whose text is escaped and whose colours follow the page; it stands alone as a file too.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from modelzoo.number import formatted
from modelzoo.results import Grid
from modelzoo.viz import theme
from modelzoo.viz.heatmap import describe, title

WORD_LIMIT = 40
"""Words a side may have; more cannot be told apart."""
LINE, TOP, SIDE, GAP = 24, 34, 150, 170
"""Pixels: the height of a line, the room above the first, the width of the words and of the curves."""
WIDTH = 2 * SIDE + GAP
WIDEST, THIN, FAINT = 6.0, 0.05, 0.005
"""A curve's width at the top of the scale; the shares of the scale below which it is thin, or left out."""
LABEL_CHARACTERS = 20


def fits(grid: Grid) -> bool:
    """Whether both sides have few enough words for curves."""
    return max(grid.values.shape) <= WORD_LIMIT


def curves(grid: Grid, *, pinned: Sequence[int] = ()) -> str:
    """The grid as SVG; the curves of pinned rows are strong, the others then faint."""
    width, height = WIDTH, TOP + LINE * max(grid.values.shape) + 6
    rows, columns = grid.row_kind, grid.column_kind
    parts = (
        f"<title>{_escape(title(grid))}</title><desc>{_escape(describe(grid))}</desc>",
        _head(rows, SIDE - 8, "end"),
        _head(columns, SIDE + GAP + 8, "start"),
        *_curves(grid, frozenset(pinned)),
        *(_word(label, SIDE - 8, k, "end") for k, label in enumerate(grid.rows)),
        *(_word(label, SIDE + GAP + 8, k, "start") for k, label in enumerate(grid.columns)),
    )
    look = f"width:100%;max-width:{width}px;height:auto;font:14px sans-serif;color:inherit"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'style="{look}">{"".join(parts)}</svg>'
    )


def _curves(grid: Grid, pinned: frozenset[int]) -> Iterator[str]:
    """One path a weight that is worth drawing, faint ones first."""
    cells = [
        (abs(share), i, j)
        for i in range(len(grid.rows))
        for j in range(len(grid.columns))
        if abs(share := _share(grid, float(grid.values[i, j]))) >= FAINT
    ]
    for share, i, j in sorted(cells):
        stays = not pinned or i in pinned
        yield _curve(grid, (i, j), share, stays)


def _share(grid: Grid, value: float) -> float:
    """The weight as a share of the scale; on a scale around 0, of its half."""
    if grid.diverging:
        return value / (max(map(abs, grid.limits)) or 1.0)
    return theme.share_of_scale(grid, value)


def _curve(grid: Grid, cell: tuple[int, int], share: float, stays: bool) -> str:
    i, j = cell
    y, end, middle = _middle(i), _middle(j), SIDE + GAP / 2
    path = f"M{SIDE} {y}C{middle} {y} {middle} {end} {SIDE + GAP} {end}"
    width = WIDEST * share if share >= THIN else 0.5
    opacity = (0.15 + 0.85 * share) * (1 if stays else 0.15)
    colour = theme.curve_colour(grid, float(grid.values[cell]))
    told = _escape(f"{grid.rows[i]} → {grid.columns[j]}: {formatted(grid.values[cell], '.4f')}")
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.2f}" '
        f'stroke-opacity="{opacity:.3f}"><title>{told}</title></path>'
    )


def _middle(k: int) -> float:
    return TOP + LINE * (k + 0.5)


def _head(text: str, x: int, anchor: str) -> str:
    place = f'x="{x}" y="{TOP - 14}" text-anchor="{anchor}"'
    return f'<text {place} fill="currentColor" font-weight="600">{_escape(text)}</text>'


def _word(label: str, x: int, k: int, anchor: str) -> str:
    shown = label if len(label) <= LABEL_CHARACTERS else label[: LABEL_CHARACTERS - 1] + "…"
    place = f'x="{x}" y="{_middle(k) + 5}" text-anchor="{anchor}"'
    return f'<text {place} fill="currentColor">{_escape(shown)}<title>{_escape(label)}</title></text>'


def _escape(text: str) -> str:
    return html.escape(text.replace("\n", "⏎"))
