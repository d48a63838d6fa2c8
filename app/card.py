"""Draw a model card: what a checkpoint is, how well it does, what it learned from, how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from app.message import literal, small
from modelzoo.cards import ModelCard, read_history
from modelzoo.viz import curve


def overview(cards: Iterable[ModelCard]) -> None:
    """All checkpoints, a row each."""
    rows = [
        {
            "checkpoint": card.slug,
            "what it does": card.title,
            "model": card.model,
            "learned from": card.data,
            "test": _number(card, "test") or "",
            "dev": _number(card, "dev") or "",
            "weights": f"{card.parameters:,}",
        }
        for card in cards
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def summary(card: ModelCard) -> None:
    """What it is, in two sentences."""
    sizes = ", ".join(f"{size:,} {split}" for split, size in card.data_size.items() if size)
    st.markdown(f"Learned from {literal(card.data)}: {sizes}.")
    small(
        f"{card.model}, {card.parameters:,} weights, seed {card.seed}, {card.steps:,} steps, "
        f"{card.minutes:g} minutes, {card.date}."
    )


def metrics(card: ModelCard) -> None:
    """Every metric with its 95 % interval, as far as the card has one."""
    rows = [
        {"metric": name.replace("_", " "), "value": f"{value:.4g}", "95 % interval": _interval(card, name)}
        for name, value in card.metrics.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="content")


def training(view: str, card: ModelCard) -> None:
    """The run: dev metric and loss by step."""
    history = read_history(card.slug)
    if not history:
        small("This checkpoint has no record of its training.")
        return
    fields = [field for field in history[0] if field not in ("step", "minutes")]
    with st.container(horizontal=True, gap="medium"):
        for field in sorted(fields, key=lambda field: field == "loss"):
            chart = curve.curve(history, field, kept=card.steps)
            alt_text = curve.describe(history, field)
            st.altair_chart(chart, width="content", key=f"{view}_{field}", alt=alt_text)
    small("The ring marks the step whose weights were kept: the best on dev.")


def listed(title: str, sentences: Sequence[str]) -> None:
    """Sentences of the card under a heading; nothing where there are none."""
    if sentences:
        st.subheader(title, anchor=False)
        st.markdown("\n".join(f"- {literal(sentence)}" for sentence in sentences))


def _number(card: ModelCard, split: str) -> str | None:
    """The split's first metric, as `accuracy 0.863`."""
    found = (name for name in card.metrics if name.startswith(f"{split}_"))
    name = next(found, None)
    return name and f"{name.removeprefix(f'{split}_')} {card.metrics[name]:.4g}"


def _interval(card: ModelCard, name: str) -> str:
    ends = card.intervals.get(name)
    return f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else ""
