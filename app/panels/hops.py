"""What only Lin et al. have: one weight a word over all hops, and how far hops are sharp and apart."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app import downloads
from app.links import Picked
from app.message import small
from app.panels.answer import reading
from app.panels.maps import grid
from modelzoo import transform
from modelzoo.results import AttentionMap, AttentionResult
from modelzoo.transform import Reading
from modelzoo.viz import heatmap, highlight


def highlighted(view: str, overall: AttentionMap, result: AttentionResult) -> None:
    """A map of one row, laid over the text it is about."""
    found = result.tokens[overall.column_kind]
    st.html(highlight.highlight(found, overall.values[0]))
    strongest = f"the strongest word has {overall.values.max():.4f}, no colour is 0"
    small(f"Colour: {heatmap.title(overall)}; {strongest}. {reading(found)}")
    downloads.take_away(
        f"{view}_{overall.name}", downloads.taken(overall, Picked(), Reading(view="text"), result)
    )


def contributions(view: str, result: AttentionResult) -> None:
    """What each hop adds to each label's logit, and how it was found."""
    internal = result.internal("contribution")
    found = transform.as_grid(result, internal.name, title="what each hop adds to a label's logit")
    most = float(abs(internal.values).max()) or 1.0
    labels = getattr(result.prediction, "labels", found.columns)
    shown = replace(found, columns=labels, limits=(-most, most), diverging=True, quantity="logit")
    grid(view, shown, result)
    small("The logit, less what it is with this hop's row of M set to zero, the others left as they are.")


def overlap(view: str, result: AttentionResult) -> None:
    """A A^T of Lin et al., and the penalty that training puts on it."""
    P, r = float(result.internal("P").values), len(result.map("hops").rows)
    st.markdown(
        "Diagonal: the **sharpness** of a hop, 1 when it reads a single word. "
        "The rest: the **overlap** of two hops, 0 when they share no word. "
        f"The penalty P = {P:.4f} is the squared distance from sharp and apart; P / r² = {P / r**2:.4f} "
        f"compares over the number of hops, here r = {r}."
    )
    title = "A Aᵀ (diagonal: sharpness, rest: overlap)"
    grid(view, transform.as_grid(result, "AAT", title=title), result)
