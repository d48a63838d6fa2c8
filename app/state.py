"""The only caches and session keys: models, results, and what each page was last asked.

What a page is asked is kept in the form of its URL (`model`, `text`, `text-pair`, `target`, `beam`), so
that the address, the session and the form's fields are three copies of one thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from modelzoo.cards import CheckpointError, ModelCard, checkpoint_folders, read_card
from modelzoo.results import AttentionResult
from modelzoo.tasks import TASKS, Inputs

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel

Question = dict[str, str]
"""What a page is asked, by the names of its URL."""
NAMES = ("model", "text", "text-pair", "target", "beam")
OWN_PAGE = ("self-attentive", "decomposable", "rnn-search", "conv-s2s")
"""Models with a page of their own; every other one is drawn by the page `model`."""
URL_LIMIT = 8000
"""Characters a link may have; a longer question stays in the session."""
THREADS = 1
"""Threads of one model call: one sentence gains nothing from more, and several people may ask at once."""


@st.cache_resource(show_spinner="Loading the model …")
def load(slug: str) -> AttentionModel:
    """The model of a checkpoint, once for all sessions; torch is imported by the first."""
    from modelzoo import registry

    registry.use_threads(THREADS)
    return registry.load(slug)


def attend(slug: str, inputs: Inputs) -> AttentionResult:
    """A checkpoint's answer. ValueError for refused inputs or a missing or damaged checkpoint."""
    load(slug)  # first and here, so that the page says that it waits
    return _attend(slug, inputs)


@st.cache_data(max_entries=32, show_spinner=False)
def _attend(slug: str, inputs: Inputs) -> AttentionResult:
    return load(slug).attend([inputs])[0]


def device(slug: str) -> str:
    """Where the checkpoint's model runs."""
    return str(load(slug).device)


def checkpoints() -> tuple[dict[str, ModelCard], dict[str, CheckpointError]]:
    """By slug, the cards that can be read, and what is wrong with the others."""
    cards: dict[str, ModelCard] = {}
    problems: dict[str, CheckpointError] = {}
    for slug in checkpoint_folders():
        try:
            card = read_card(slug)
            if card.task not in TASKS:
                raise CheckpointError(
                    f"the card of {slug} names the task {card.task!r}; accepted are {', '.join(TASKS)}"
                )
            cards[slug] = card
        except CheckpointError as problem:
            problems[slug] = problem
    return cards, problems


def other_models() -> tuple[str, ...]:
    """The models of the checkpoints there are that have no page of their own."""
    return tuple({card.model: None for card in checkpoints()[0].values() if card.model not in OWN_PAGE})


def open_page(view: str) -> None:
    """Note that this page is shown; when it is opened by a link, take over what the link asks.

    The URL is read only then: during a visit it follows the fields, and a rerun may still carry an old one.
    """
    if st.session_state.get("page") == view:
        return
    st.session_state["page"] = view
    given = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    if given:
        st.session_state[f"{view}_question"] = given
        for name in NAMES:
            st.session_state.pop(f"{view}_{name}", None)


def asked(view: str) -> Question:
    """What the page was last asked, by a link or by its fields; empty at first."""
    return dict(st.session_state.get(f"{view}_question", {}))


def keep(view: str, question: Question) -> bool:
    """Remember what the page is asked and put it into the URL; False when it is too long for a link."""
    st.session_state[f"{view}_question"] = question
    fits = len(urlencode(question)) <= URL_LIMIT
    shown = question if fits else {"model": question["model"]}
    if st.query_params.to_dict() != shown:
        st.query_params.from_dict(shown)
    return fits


def field(view: str, name: str, value: object) -> str:
    """The key of a field, which holds `value` until the person changes it."""
    key = f"{view}_{name}"
    st.session_state.setdefault(key, value)
    return key


def fill(view: str, question: Question) -> None:
    """Put other texts into the page's fields."""
    for name, value in question.items():
        st.session_state[f"{view}_{name}"] = value
