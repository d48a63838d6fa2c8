"""The form of the compare page: two questions side by side, of one task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from app import inputs, links, state
from app.inputs import Asked
from app.message import notice, problem, small
from app.state import Question
from modelzoo.cards import ModelCard

SIDES = ("a", "b")
LABELS = {
    "classification": {"text": "Sentence or longer text"},
    "entailment": {"text": "Premise", "text-pair": "Hypothesis"},
    "translation": {"text": "Text to translate"},
}
OUTPUTS = {"each": "each its own output", "a": "A's output", "b": "B's output", "own": "a text of mine"}


class Compared(NamedTuple):
    """Two questions; for translations also whose output both maps show, and a text of one's own."""

    a: Asked
    b: Asked
    output: str = "each"
    target: str = ""


def ask(view: str) -> Compared:
    """Checkpoint and texts of both sides; B's checkpoint answers the task of A's."""
    state.open_page(view, SIDES)
    cards = state.checkpoints()[0]
    if not cards:
        notice("There is no checkpoint to compare.")
        st.stop()
    places = [f"{view}_{side}" for side in SIDES]
    left, right = st.columns(2)
    with left.container(border=True):
        a = _side(places[0], "A", list(cards), next(iter(cards)))
    slugs = [slug for slug, card in cards.items() if card.task == cards[a["model"]].task]
    other = next((slug for slug in slugs if slug != a["model"]), a["model"])
    _start(places[1], a, cards[a["model"]], other)
    with right.container(border=True):
        b = _side(places[1], "B", slugs, other)
    _buttons(places)
    common = _common(view, a, b) if cards[a["model"]].task == "translation" else {}
    if not state.keep(view, common, {"a": a, "b": b}):
        small(links.TOO_LONG)
    first, second = (Asked(cards[one["model"]], inputs.inputs_of(cards[one["model"]], one)) for one in (a, b))
    return Compared(first, second, **common)


def _side(place: str, name: str, slugs: Sequence[str], first: str) -> Question:
    """One side's fields, and what they ask."""
    card = _choose_checkpoint(place, name, slugs, first)
    labels = LABELS[card.task]
    inputs.offer_examples(place, card, tuple(labels))
    question = {"model": card.slug}
    for field, label in labels.items():
        question[field] = st.text_input(
            f"{name}: {label.lower()}", key=f"{place}_{field}", persist_state="session"
        )
    if card.task == "translation":
        question["beam"] = str(inputs.search_size(place, card))
    return question


def _choose_checkpoint(place: str, name: str, slugs: Sequence[str], first: str) -> ModelCard:
    """A side's checkpoint. The slug of a link is looked up among those there are."""
    cards, problems = state.checkpoints()
    wanted = state.asked(place).get("model", first)
    if wanted in problems:
        problem(problems[wanted])
    elif wanted not in slugs:
        why = "answers another task than A" if wanted in cards else "is not there"
        notice(f"The checkpoint {links.told(wanted)} {why}; {first} answers instead.")
    key = state.field(place, "model", wanted if wanted in slugs else first)
    if st.session_state[key] not in slugs:
        st.session_state[key] = first
    slug = st.selectbox(
        f"{name}: checkpoint", slugs, key=key,
        on_change=_follow_task, args=(place,), persist_state="session",
    )  # fmt: skip
    return cards[slug]


def _follow_task(place: str) -> None:
    """When A's checkpoint is of another task than before, the texts of both sides start anew."""
    cards = state.checkpoints()[0]
    old, new = state.asked(place).get("model", ""), st.session_state[f"{place}_model"]
    if old in cards and cards[old].task != cards[new].task:
        view = place.removesuffix("_a")
        for side in SIDES:
            state.forget(f"{view}_{side}")
        st.session_state[f"{place}_model"] = new


def _start(place: str, a: Question, card: ModelCard, other: str) -> None:
    """What B is asked at first: the same of another checkpoint; without one, the next example."""
    asked, rows = state.asked(place), inputs.examples(card)
    if not asked.keys() & LABELS[card.task].keys():
        texts = a if asked.get("model", other) != a["model"] else rows[1 % len(rows)]
        for field in LABELS[card.task]:
            state.field(place, field, texts.get(field, ""))


def _buttons(places: Sequence[str]) -> None:
    with st.container(horizontal=True):
        st.button("Give B the text of A", key="compare_copy", on_click=_copy, args=(places,))
        st.button("Swap A and B", key="compare_swap", on_click=_swap, args=(places,))


def _copy(places: Sequence[str]) -> None:
    a, b = places
    for field in ("text", "text-pair"):
        if f"{a}_{field}" in st.session_state:
            st.session_state[f"{b}_{field}"] = st.session_state[f"{a}_{field}"]


def _swap(places: Sequence[str]) -> None:
    a, b = places
    for field in ("model", "text", "text-pair", "beam"):
        if f"{a}_{field}" in st.session_state:
            first, second = st.session_state[f"{a}_{field}"], st.session_state[f"{b}_{field}"]
            st.session_state[f"{a}_{field}"], st.session_state[f"{b}_{field}"] = second, first


def _common(view: str, a: Question, b: Question) -> Question:
    """Whose output both maps show, so that their rows agree."""
    asked = state.asked(view).get("output", "a" if a["text"] == b["text"] else "each")
    if asked not in OUTPUTS:
        accepted = ", ".join(OUTPUTS)
        notice(f"The link's output is {links.told(asked)}; accepted are {accepted}; each shows its own.")
    key = state.field(view, "output", asked if asked in OUTPUTS else "each")
    output = st.segmented_control(
        "Rows of both maps", list(OUTPUTS), format_func=OUTPUTS.__getitem__, key=key,
        required=True, persist_state="session",
    )  # fmt: skip
    question = {"output": output or "each", "target": ""}
    if output == "own":
        key = state.field(view, "target", state.asked(view).get("target", ""))
        question["target"] = st.text_input(
            "Your own translation, for both maps", key=key, persist_state="session"
        )
    return question
