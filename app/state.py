"""The only caches and session keys: models, results, and what each page was last asked.

What a page is asked is kept in the form of its URL (`model`, `text`, `text-pair`, `target`, `beam`), so
that the address, the session and the form's fields are three copies of one thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from modelzoo.cards import CheckpointError, ModelCard, checkpoint_folder, checkpoint_folders, read_card
from modelzoo.data.vectors import NAME as SHARED_VECTORS
from modelzoo.probes import PROBES_FILE, Moment
from modelzoo.probes import read as read_moments
from modelzoo.results import AttentionResult
from modelzoo.tasks import TASKS, Inputs
from modelzoo.text import WordText, WordVectors
from modelzoo.transform import READING_NAMES

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel

Question = dict[str, str]
"""What a page is asked, by the names of its URL."""
NAMES = ("model", "text", "text-pair", "target", "beam", "output")
PINS = "pins"
"""The name that pinned rows have in a link: `hops:0,3;overall:0`."""
READ = (*READING_NAMES, PINS)
"""The names of a link that say how the page's maps are read."""
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


def moments(slug: str) -> tuple[Moment, ...]:
    """What a checkpoint said of a few texts while it was learned; none without a record.

    Raises ValueError for a damaged record.
    """
    file = checkpoint_folder(slug) / PROBES_FILE
    return _moments(str(file), file.stat().st_mtime_ns) if file.is_file() else ()


@st.cache_data(max_entries=4, show_spinner=False)
def _moments(file: str, written: int) -> tuple[Moment, ...]:
    return read_moments(Path(file))


def device(slug: str) -> str:
    """Where the checkpoint's model runs."""
    return str(load(slug).device)


@st.cache_resource(show_spinner=False)
def shared_vectors() -> WordVectors | None:
    """The word vectors that checkpoints share, once for all sessions; None where they are missing."""
    try:
        return WordVectors.load(SHARED_VECTORS)
    except OSError:
        return None


def vectors(card: ModelCard) -> WordVectors | None:
    """The word vectors in which near words are looked for: the model's own, else the shared ones."""
    text = load(card.slug).text
    return text.vectors if isinstance(text, WordText) else shared_vectors()


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


def open_page(view: str, sides: Sequence[str] = ()) -> None:
    """Note that this page is shown; when it is opened by a link, take over what the link asks.

    The URL is read only then: during a visit it follows the fields, and a rerun may still carry an old one.
    A page that asks several questions has one per side, kept as `<view>_<side>`, in a link `<side>.text`.
    """
    if st.session_state.get("page") == view:
        return
    st.session_state["page"] = view
    _take_over(view, "")
    _take_over_reading(view)
    for side in sides:
        _take_over(f"{view}_{side}", f"{side}.")


def _take_over(view: str, prefix: str) -> None:
    given = {name: st.query_params[prefix + name] for name in NAMES if prefix + name in st.query_params}
    if given:
        st.session_state[f"{view}_question"] = given
        for name in NAMES:
            st.session_state.pop(f"{view}_{name}", None)


def _take_over_reading(view: str) -> None:
    read = {name: st.query_params[name] for name in READ if name in st.query_params}
    if read or any(name.rpartition(".")[2] in NAMES for name in st.query_params):
        st.session_state[f"{view}_reading"] = read
        for name in READ:
            st.session_state.pop(f"{view}_reading_{name}", None)


def asked(view: str) -> Question:
    """What the page was last asked, by a link or by its fields; empty at first."""
    return dict(st.session_state.get(f"{view}_question", {}))


def keep(view: str, question: Question, sides: Mapping[str, Question] | None = None) -> bool:
    """Remember what the page (and each side of it) is asked and put it into the URL; False when it is
    too long for a link."""
    st.session_state[f"{view}_question"] = question
    whole = dict(question)
    for side, own in (sides or {}).items():
        st.session_state[f"{view}_{side}_question"] = own
        whole |= side_link(side, own)
    fits = len(urlencode(whole)) <= URL_LIMIT
    shown = whole if fits else {name: value for name, value in whole.items() if name.endswith("model")}
    shown |= reading(view)
    if st.query_params.to_dict() != shown:
        st.query_params.from_dict(shown)
    return fits


def side_link(side: str, question: Question) -> Question:
    """A question by the names that it has in the link of a page with sides."""
    return {f"{side}.{name}": value for name, value in question.items()}


def forget(view: str) -> None:
    """Empty a page's, or a side's, fields, so that it starts anew."""
    for name in ("question", "example", *NAMES):
        st.session_state.pop(f"{view}_{name}", None)


def reading(view: str) -> dict[str, str]:
    """How the page's maps are read, by the names of a link; what is not there is as it is by default."""
    return dict(st.session_state.get(f"{view}_reading", {}))


def keep_reading(view: str, read: dict[str, str]) -> None:
    """Remember how the page's maps are read and put it into the URL."""
    st.session_state[f"{view}_reading"] = read
    now = st.query_params.to_dict()
    wanted = {**{name: value for name, value in now.items() if name not in READ}, **read}
    if now != wanted:
        st.query_params.from_dict(wanted)


def field(view: str, name: str, value: object) -> str:
    """The key of a field, which holds `value` until the person changes it."""
    key = f"{view}_{name}"
    st.session_state.setdefault(key, value)
    return key


def fill(view: str, question: Question) -> None:
    """Put other texts into the page's fields."""
    for name, value in question.items():
        st.session_state[f"{view}_{name}"] = value
