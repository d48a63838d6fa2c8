"""The checkpoints that the app serves, their answers and the word vectors, each once for all sessions."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from modelzoo import probes
from modelzoo.cards import (
    CARD_FILE,
    CheckpointError,
    ModelCard,
    checkpoint_folder,
    checkpoint_folders,
    file_problems,
    read_card,
)
from modelzoo.data.vectors import NAME as SHARED_VECTORS
from modelzoo.probes import Moment
from modelzoo.results import AttentionResult
from modelzoo.tasks import TASKS, Inputs
from modelzoo.text import WordText, WordVectors

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel

OWN_PAGE = ("self-attentive", "decomposable", "rnn-search", "conv-s2s")
"""Models with a page of their own; every other one is drawn by the page `model`."""
THREADS = 1
"""Threads of one model call: one sentence gains nothing from more, and several people may ask at once."""


@st.cache_resource(show_spinner="Loading the model …")
def load(slug: str) -> AttentionModel:
    """The model of a checkpoint, once for all sessions; torch is imported by the first."""
    from modelzoo import registry

    registry.use_threads(THREADS)
    model = registry.load(slug)
    keep_imports(slug)
    return model


@st.cache_resource(show_spinner=False)
def keep_imports(what: str) -> None:
    """Once a page or model is there, leave all that was imported out of garbage collections.

    Streamlit collects after every run of a script, which over all imports takes longer than most runs.
    """
    gc.collect()
    gc.freeze()


def attend(slug: str, inputs: Inputs) -> AttentionResult:
    """A checkpoint's answer. ValueError for refused inputs or a missing or damaged checkpoint."""
    load(slug)  # first and here, so that the page says that it waits
    return _attend(slug, inputs)


@st.cache_data(max_entries=32, show_spinner=False)
def _attend(slug: str, inputs: Inputs) -> AttentionResult:
    return load(slug).attend([inputs])[0]


def moments(slug: str, other: str = "") -> tuple[Moment, ...]:
    """What a checkpoint, or another run of `other_runs`, said of a few texts while it was learned.

    None without a record. Raises ValueError for a damaged record.
    """
    folder = checkpoint_folder(slug)
    file = probes.others(folder).get(other, folder / probes.PROBES_FILE)
    written = _written(file)
    return _moments(str(file), written) if written else ()


def other_runs(slug: str) -> tuple[str, ...]:
    """The recipes of the other runs whose records lie beside a checkpoint."""
    return tuple(probes.others(checkpoint_folder(slug)))


@st.cache_data(max_entries=4, show_spinner=False)
def _moments(file: str, written: int) -> tuple[Moment, ...]:
    return probes.read(Path(file))


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
    files = {slug: folder / CARD_FILE for slug, folder in checkpoint_folders().items()}
    return _checkpoints(tuple((slug, str(file), _written(file)) for slug, file in files.items()))


def _written(file: Path) -> int:
    """When a file was last written, in nanoseconds; 0 where it is not."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


@st.cache_resource(max_entries=4, show_spinner=False)
def _checkpoints(
    found: tuple[tuple[str, str, int], ...],
) -> tuple[dict[str, ModelCard], dict[str, CheckpointError]]:
    cards: dict[str, ModelCard] = {}
    problems: dict[str, CheckpointError] = {}
    for slug, _, _ in found:
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


def problems() -> tuple[CheckpointError, ...]:
    """What is wrong with each checkpoint: its card, or a file beside a good card."""
    cards, wrong = checkpoints()
    return (*wrong.values(), *(problem for card in cards.values() for problem in file_problems(card)))


def other_models() -> tuple[str, ...]:
    """The models of the checkpoints there are that have no page of their own."""
    return tuple({card.model: None for card in checkpoints()[0].values() if card.model not in OWN_PAGE})
