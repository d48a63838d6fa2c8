"""Probabilities of labels as bars, in HTML that follows the page's colours."""

from __future__ import annotations

import html

from modelzoo.results import LabelPrediction
from modelzoo.viz import theme


def bars(prediction: LabelPrediction) -> str:
    """One line a label, in the model's order: name, bar, probability; the predicted one is strong."""
    pairs = zip(prediction.labels, prediction.probabilities, strict=True)
    lines = (_bar(label, float(p), strong=label == prediction.label) for label, p in pairs)
    grid = "display:grid;grid-template-columns:max-content 1fr max-content;gap:.35em .8em;align-items:center"
    return f'<div style="{grid};max-width:32rem">{"".join(lines)}</div>'


def _bar(label: str, probability: float, *, strong: bool) -> str:
    red, green, blue = theme.HIGHLIGHT_RGB
    track = "background:rgba(128,128,128,.2);border-radius:.25em;height:.8em"
    colour = f"background:rgb({red},{green},{blue})"
    fill = f"{colour};border-radius:.25em;height:100%;width:{100 * probability:.2f}%"
    weight = f"font-weight:{600 if strong else 400}"
    return (
        f'<span style="{weight}">{html.escape(label)}</span>'
        f'<div style="{track}"><div style="{fill}"></div></div>'
        f'<span style="{weight};font-variant-numeric:tabular-nums">{probability:.3f}</span>'
    )
