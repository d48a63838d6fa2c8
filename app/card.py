"""Draw a model card: what a checkpoint is, how well it does, what it learned from, how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from app.message import literal, small
from modelzoo.cards import ModelCard, named, read_history, shown
from modelzoo.viz import curve


def overview(cards: Iterable[ModelCard]) -> None:
    """All checkpoints, a row each."""
    rows = [
        {
            "checkpoint": card.slug,
            "what it does": card.title,
            "learned from": card.data,
            "metric": named(card.metric),
            "test, 95 % interval": _number(card, "test"),
            "dev, 95 % interval": _number(card, "dev"),
            "beside it, on test": _beside(card, "test"),
            "weights": card.parameters,
            "seed": card.seed,
            "steps": card.steps,
            "minutes": card.minutes,
        }
        for card in cards
    ]
    counts = {name: st.column_config.NumberColumn(format="localized") for name in ("weights", "steps")}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=counts)


def summary(card: ModelCard) -> None:
    """What it is, in two sentences."""
    sizes = ", ".join(f"{size:,} {split}" for split, size in card.data_size.items() if size)
    st.markdown(f"Learned from {literal(card.data)}: {sizes}.")
    small(
        f"{card.model}, {card.parameters:,} weights, seed {card.seed}, {card.steps:,} steps, "
        f"{card.minutes:g} minutes, {card.date}."
    )


def metrics(card: ModelCard) -> None:
    """Every metric with its 95 % interval and the baselines, as far as the card has them."""
    rows = [
        {
            "metric": " ".join((name.partition("_")[0], named(name.partition("_")[2]))),
            "value": f"{value:.4g}",
            "95 % interval": _interval(card, name),
            "beside it": _beside(card, name.partition("_")[0]) if name.endswith(f"_{card.metric}") else "",
        }
        for name, value in card.metrics.items()
    ]
    shown = [name for name in (rows or [{}])[0] if any(row[name] for row in rows)]
    st.dataframe(pd.DataFrame(rows, columns=shown), hide_index=True, width="content")


def known_failures(card: ModelCard) -> None:
    """The sets on which such models fail, with the score of always giving a set's most frequent label."""
    rows = [
        {
            "set": score.split,
            "rows": score.rows,
            f"{named(card.metric)}, 95 % interval": score.number(card.metric),
            **{name: shown(value, card.metric) for name, value in score.beside.items()},
            "says entailment": f"{score.metrics['entailment_said']:.0%}",
            "is entailment": f"{score.metrics['entailment_right']:.0%}",
        }
        for score in card.known_failures
    ]
    if rows:
        counts = {"rows": st.column_config.NumberColumn(format="localized")}
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="content", column_config=counts)
        small(
            "It learned from none of these sets. HANS and MED only ask whether the hypothesis follows: there "
            "neutral and contradiction are one answer."
        )


def lengths(card: ModelCard) -> None:
    """Translations by length of the source, a row for each bucket; nothing where they are not measured."""
    found: dict[str, dict[str, str]] = {}
    for score in card.lengths:
        split, _, bucket = score.split.partition(", ")
        found.setdefault(bucket, {"source": bucket})[f"{split}, 95 % interval"] = score.number(card.metric)
    if found:
        st.subheader("Long sentences", anchor=False)
        st.dataframe(pd.DataFrame(list(found.values())), hide_index=True, width="content")
        small(
            f"{named(card.metric)} of sentences joined until they are as long, {card.lengths[0].rows:,} a "
            f"row. {usual(card)}"
        )


def attention(card: ModelCard) -> None:
    """How well it attends, a table for each data set; nothing where that is not measured."""
    if card.attention:
        st.subheader("How well it attends", anchor=False)
    for data in dict.fromkeys(one.data for one in card.attention):
        rows = [{"map or baseline": m.method, **m.values} for m in card.attention if m.data == data]
        numbers = {name: st.column_config.NumberColumn(format="%.3f") for row in rows for name in row}
        del numbers["map or baseline"]
        st.markdown(f"On {literal(data)}:")
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="content", column_config=numbers)


def usual(card: ModelCard) -> str:
    """How long the texts are that it learned from."""
    ends = (f"{most} tokens in the {side}" for side, most in card.usual_lengths.items())
    return f"99 % of what it learned from has at most {' and '.join(ends)}." if card.usual_lengths else ""


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


def _number(card: ModelCard, split: str) -> str:
    score = card.score(split)
    return score.number(card.metric) if score else ""


def _beside(card: ModelCard, split: str) -> str:
    score = card.score(split)
    return score.baselines(card.metric) if score else ""


def _interval(card: ModelCard, name: str) -> str:
    ends = card.intervals.get(name)
    return f"{ends[0]:.4g} to {ends[1]:.4g}" if ends else ""
