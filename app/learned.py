"""Attention while it was learned: one of the recorded texts, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

import streamlit as st

from app import panels, state
from app.message import problem, small
from modelzoo.cards import ModelCard, named, shown
from modelzoo.probes import Moment
from modelzoo.results import AttentionMap, AttentionResult, LabelPrediction
from modelzoo.tasks import SourceText
from modelzoo.viz import bars, highlight

ABOUT = "The same text at steps 0, 1, 2, 4, 8 and so on of the training, and at its end."
FIXED = (
    "The map is of one and the same translation at every step, so that steps can be compared; in large "
    "letters stands what the model wrote by itself."
)

OTHERS = (
    "Other runs of its recipe, from another seed or less data; only their record is here, not their weights."
)


def learned(view: str, card: ModelCard) -> None:
    """A choice of text and step, and what the model said then; nothing where no record was kept."""
    others, choice = state.other_runs(card.slug), f"{view}_{card.slug}_run"
    run = st.session_state.get(choice, card.slug)
    try:
        moments = state.moments(card.slug, run)
    except ValueError as error:
        problem(error)
        return
    if not moments or not moments[0].results:
        return
    st.subheader("Attention while it was learned", anchor=False)
    writes = isinstance(moments[0].results[0].inputs, SourceText)
    small(f"{ABOUT} {FIXED}" if writes else ABOUT)
    if others:
        st.selectbox("Run", (card.slug, *others), key=choice, help=OTHERS)
    key = f"{view}_{run}"
    probe, moment = _choose(key, moments)
    result = replace(moment.results[probe], checkpoint=run)
    small(said(moment, card))
    if isinstance(result.prediction, LabelPrediction):
        st.html(bars.bars(result.prediction))
    else:
        st.html(highlight.quote(result.prediction.text))
    _maps(f"{key}_{probe}", moment.step, result)


def said(moment: Moment, card: ModelCard) -> str:
    """The step, and the dev metric that was last measured."""
    last = "before the first evaluation"
    if moment.dev is not None:
        last = f"dev {named(card.metric)} {shown(moment.dev, card.metric)} at the last evaluation"
    return f"At step {moment.step:,}, {last}."


def _choose(key: str, moments: Sequence[Moment]) -> tuple[int, Moment]:
    """One of the texts, and one of the steps; at first the last."""
    texts = [_text(result) for result in moments[0].results]
    probe = st.selectbox("Text", range(len(texts)), format_func=texts.__getitem__, key=f"{key}_probe")
    steps = [moment.step for moment in moments]
    step = st.select_slider(
        "Step", steps, value=steps[-1], format_func=lambda step: f"{step:,}", key=f"{key}_step"
    )
    return probe, moments[steps.index(step)]


def _text(result: AttentionResult) -> str:
    """The texts of the inputs, without options."""
    texts = astuple(result.inputs)
    return str(texts[0]) if isinstance(result.inputs, SourceText) else " | ".join(map(str, texts))


def _maps(key: str, step: int, result: AttentionResult) -> None:
    """Both maps of a pair side by side; of more, the one that is chosen."""
    few = len(result.maps) <= 2
    drawn = result.maps if few else (panels.choose_map(key, "Map", result),)
    with st.container(horizontal=True, gap="medium"):
        for attention in drawn:
            panels.grid(key, at_step(attention, step), result)


def at_step(attention: AttentionMap, step: int) -> AttentionMap:
    """The map with a note of the step, which its files carry too."""
    return replace(attention, notes=(*attention.notes, f"at step {step:,}"))
