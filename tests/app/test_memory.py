"""What the app holds in memory (case 32): a model once for all sessions, so many answers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import state
from modelzoo import registry
from modelzoo.tasks import Sentence
from tests.app.conftest import APP, TIMEOUT
from tests.checkpoints import SLUGS

LIN = SLUGS["self-attentive"]
KEPT = 32
"""Answers that are kept."""


@pytest.fixture
def loaded(only_tiny: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The checkpoints that are read from the disk, in order."""
    state.load.clear()
    read: list[str] = []
    real = registry.load

    def spy(slug: str, *given: Any) -> Any:
        read.append(slug)
        return real(slug, *given)

    monkeypatch.setattr(registry, "load", spy)
    yield read
    state.load.clear()


def test_sessions_and_switches_of_model_share_one_copy_of_each(loaded: list[str]) -> None:
    """Case 32: five sessions go over all model pages; each model is read once."""
    for _ in range(5):
        session = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
        for view in ("self_attentive", "decomposable", "rnn_search", "conv_s2s"):
            session.switch_page(f"views/{view}.py").run()
            assert not session.exception
    assert sorted(loaded) == sorted(SLUGS.values())
    assert state.load(LIN) is state.load(LIN)


def test_what_a_page_and_a_model_import_is_out_of_garbage_collections(loaded: list[str]) -> None:
    """Streamlit collects after each run of a script; over all imports that takes longer than most runs."""
    gc.unfreeze()
    state.keep_imports.clear()
    state.load(LIN)
    assert gc.get_freeze_count() > 10 * len(gc.get_objects())
    AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    assert len(gc.get_objects()) < gc.get_freeze_count() / 10


def test_answers_are_kept_so_many_and_no_more(loaded: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 32: of many texts the last ones are answered from memory, the first is asked anew."""
    asked: list[str] = []
    model = type(state.load(LIN))
    real = model.attend

    def spy(self: Any, inputs: list[Sentence]) -> Any:
        asked.append(inputs[0].text)
        return real(self, inputs)

    monkeypatch.setattr(model, "attend", spy)
    state.models._attend.clear()
    texts = [f"word {k}" for k in range(KEPT + 1)]
    for text in (*texts, *texts[-5:], texts[0]):
        state.attend(LIN, Sentence(text))
    assert asked == [*texts, texts[0]]


def test_session_does_not_grow_with_its_questions(open_view: Callable[..., AppTest]) -> None:
    """Case 32: what a session keeps for a page is the same after many texts, searches and files."""
    page = open_view("rnn_search", text="A man 0", beam="2")
    page.session_state["rnn_search_alignment_away"] = True
    sizes = []
    for k in range(6):
        page.text_input(key="rnn_search_text").set_value(f"A man {k} .").run()
        assert not page.exception
        sizes.append(len(page.session_state.to_dict()))
    assert len(set(sizes[2:])) == 1, sizes
