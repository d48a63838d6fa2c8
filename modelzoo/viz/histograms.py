"""Counts as columns, in HTML that follows the page's colours: histograms and calibration.

A chart library takes about a tenth of a second to draw one; a page of these is there at once.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from modelzoo.viz import theme

WIDTH, HEIGHT = 340, 150
"""Pixels: the widest, and the height of the columns without what is written around them."""
VERDICTS: Mapping[str, str] = {"right": "#5ec962", "wrong": "#3b528b", "not judged": "#9aa0a6"}
"""Colours of viridis for right and wrong, which differ in lightness too; grey for neither."""
PALEST = 0.35
"""The opacity of a column of few rows, beside 1 of the one with most."""


def histogram(edges: np.ndarray, groups: Mapping[str, np.ndarray], *, title: str, alt: str) -> str:
    """Rows by a number, the groups of `VERDICTS` on top of each other, the first at the bottom.

    Shapes:
        edges   (bins + 1,)
        groups  (bins,) each
    """
    there = {verdict: rows for verdict, rows in groups.items() if rows.sum()}
    most = max(int(sum(there.values(), np.zeros(1)).max()), 1)
    columns = []
    for k, (low, high) in enumerate(pairwise(edges.tolist())):
        counts = {verdict: int(rows[k]) for verdict, rows in there.items()}
        said = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)
        fills = "".join(_fill(VERDICTS[verdict], count / most) for verdict, count in counts.items())
        columns.append(_column(fills, f"{low:.4g} to {high:.4g}: {said}" if said else ""))
    ends = (f"{edges[0]:.4g}", f"{edges[-1]:.4g}")
    top = f"{most:,} {'row' if most == 1 else 'rows'}"
    return _figure(columns, (top, ends, title), alt, _legend(tuple(there)))


def calibration(
    edges: np.ndarray, counts: np.ndarray, sure: np.ndarray, right: np.ndarray, *, alt: str
) -> str:
    """How often answers of a confidence are right, and by a dashed line how sure they are on average.

    The more rows, the stronger the colour. Source: the reliability diagram of Guo et al. 2017, figure 1.

    Shapes:
        edges                (bins + 1,)
        counts, sure, right  (bins,), the last two NaN where a bin is empty
    """
    most, columns = max(int(counts.max()), 1), []
    for k, (low, high) in enumerate(pairwise(edges.tolist())):
        if not counts[k]:
            columns.append(_column("", ""))
            continue
        strength = PALEST + (1 - PALEST) * counts[k] / most
        dash = f"position:absolute;left:0;right:0;bottom:{100 * sure[k]:.2f}%;border-top:2px dashed"
        told = (
            f"confidence {low:.0%} to {high:.0%}: {int(counts[k]):,} rows, "
            f"on average {sure[k]:.1%} sure, {right[k]:.1%} right"
        )
        fill = _fill(theme.LINE, float(right[k]), f"opacity:{strength:.2f}")
        columns.append(_column(f'{fill}<div style="{dash}"></div>', told))
    return _figure(columns, ("100 % right", ("0 %", "100 %"), "confidence"), alt)


def _column(inner: str, told: str) -> str:
    style = "position:relative;flex:1;display:flex;flex-direction:column-reverse;height:100%"
    return f'<div style="{style}" title="{html.escape(told)}">{inner}</div>'


def _fill(colour: str, share: float, more: str = "") -> str:
    return f'<div style="background:{colour};height:{100 * share:.2f}%;{more}"></div>' if share else ""


def _figure(
    columns: Sequence[str], said: tuple[str, tuple[str, str], str], alt: str, legend: str = ""
) -> str:
    """The columns; what the top is, what the ends of the line below are, and what that line is."""
    top, (low, high), title = said
    rule = "border-top:1px dashed rgba(128,128,128,.6);border-bottom:1px solid rgba(128,128,128,.6)"
    plot = f"display:flex;gap:1px;height:{HEIGHT}px;{rule}"
    small = f"font-size:{theme.FONT_SIZE}px;line-height:1.5"
    row = "display:flex;justify-content:space-between"
    below = "".join(f"<span>{html.escape(text)}</span>" for text in (low, title, high))
    return (
        f'<div role="img" aria-label="{html.escape(alt)}" style="max-width:{WIDTH}px;{small}">'
        f'<div style="{row}"><span>{html.escape(top)}</span><span>{legend}</span></div>'
        f'<div style="{plot}">{"".join(columns)}</div><div style="{row}">{below}</div></div>'
    )


def _legend(verdicts: Sequence[str]) -> str:
    square = "display:inline-block;width:.8em;height:.8em;margin:0 .35em 0 .8em"
    return "".join(
        f'<span style="{square};background:{VERDICTS[verdict]}"></span>{html.escape(verdict)}'
        for verdict in verdicts
    )
