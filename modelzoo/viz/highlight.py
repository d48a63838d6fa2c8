"""Text as HTML: words with their weight laid behind them, and tokens as the model reads them.

Every token is escaped; the order is logical, and the browser lays out right-to-left text.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import numpy as np

from modelzoo.results import Token
from modelzoo.viz import theme

_UNKNOWN_STYLE = "text-decoration:underline wavy #c05020 1.5px;text-underline-offset:4px"


def highlight(tokens: Sequence[Token], weights: np.ndarray) -> str:
    """The tokens with a background as strong as their weight, the strongest at the weight's maximum.

    Shapes:
        weights  (tokens,)
    """
    most = float(weights.max()) or 1.0
    shades = (theme.HIGHLIGHT_MOST * float(weight) / most for weight in weights)
    spans = (
        _span(token, f"{weight:.6f}", f"background:rgba{(*theme.HIGHLIGHT_RGB, round(shade, 4))}")
        for token, weight, shade in zip(tokens, weights, shades, strict=True)
    )
    return _paragraph(spans)


def token_row(tokens: Sequence[Token]) -> str:
    """The tokens in small boxes; those the vocabulary lacks underlined, the model's form on hover."""
    return _paragraph(_span(token, "", "box-shadow:inset 0 0 0 1px rgba(128,128,128,.4)") for token in tokens)


def quote(text: str) -> str:
    """A text the model wrote, large; an empty one is said to be empty."""
    shown = html.escape(text) if text else "<em>(an empty text)</em>"
    return f'<p dir="auto" style="font-size:1.35rem;line-height:1.5;margin:0">{shown}</p>'


def _span(token: Token, weight: str, style: str) -> str:
    about = " · ".join(part for part in (weight, _reading(token)) if part)
    mark = ";opacity:.65" if token.special else "" if token.known else f";{_UNKNOWN_STYLE}"
    look = f"padding:.1em .3em;border-radius:.25em;{style}{mark}"
    return f'<bdi title="{html.escape(about)}" style="{look}">{html.escape(token.typed)}</bdi>'


def _reading(token: Token) -> str:
    """What hover says of a token, beside its weight."""
    if not token.known:
        return f"{token.typed}: not in the vocabulary, read as {token.model}"
    if token.special:
        return f"{token.typed}: added by the model"
    return token.typed if token.typed == token.model else f"{token.typed}: read as {token.model}"


def _paragraph(spans: Iterable[str]) -> str:
    return f'<p dir="auto" style="line-height:2;margin:0">{" ".join(spans)}</p>'
