"""A control that needs no model never runs one: every control of every page with maps, found by itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import state
from modelzoo.models.base import AttentionModel
from tests.checkpoints import SLUGS

Open = Callable[..., AppTest]
LIN, NLI, RNN, CONV = (SLUGS[name] for name in ("self-attentive", "decomposable", "rnn-search", "conv-s2s"))
PAGES = {
    "self_attentive": {"text": "two dogs , play"},
    "decomposable": {"text": "A man sleeps", "text-pair": "He sleeps"},
    "rnn_search": {"text": "A man.", "target": "Un homme."},
    "conv_s2s": {"text": "A man.", "target": "Un homme."},
    "compare": {"a.model": LIN, "b.model": LIN, "a.text": "two dogs", "b.text": "two cats"},
    "viewer": {},
}  # fmt: skip
ASK = ("model", "text", "text-pair", "target", "beam", "hypothesis", "output", "edit_keep")
"""Controls that ask a model something, by the names they have on their page."""
CHANGE_TEXTS = ("example", "back", "earlier", "own", "after", "near", "drop", "swap", "copy", "place")
"""Controls that fill a text, or choose which word is to be changed."""
VALUES = ("selectbox", "slider", "toggle", "multiselect", "text_input", "button_group")


OTHERS = {
    "reading_view": "curves",
    "reading_scale": "row",
    "reading_count": "3",
    "sort": "sharpest first (entropy)",
    "map": "layer_1",
    "pair": 0,
    "format": "CSV",
    "edit_side": "hypothesis",
}
"""By the name of a control, a value that it does not have at first."""


def name_of(key: object, view: str) -> str:
    """A control's name without its page and side."""
    return str(key).removeprefix(f"{view}_").removeprefix("a_").removeprefix("b_")


def reads(page: AppTest, view: str, kinds: tuple[str, ...]) -> list[Any]:
    """The controls of these kinds that need no model."""
    found = chain.from_iterable(map(page.get, kinds))
    return [one for one in found if not name_of(one.key, view).startswith(ASK + CHANGE_TEXTS)]


def other_value(one: Any, view: str) -> object:
    """Another value than the control has; of one that chooses by a name it stands in `OTHERS`."""
    if one.type == "toggle":
        return not one.value
    if one.type == "slider":
        return one.max if one.value == one.min else one.min
    if one.type == "multiselect":
        return [0]
    if one.type == "text_input":
        return "1"
    name = "format" if "_format_" in str(one.key) else name_of(one.key, view)
    return OTHERS[name]


@pytest.mark.parametrize("view", PAGES)
def test_control_that_needs_no_model_runs_none(
    open_view: Open, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    page = open_view(view, **PAGES[view])
    for panel in page.expander:
        page.session_state[panel.key] = True
    page.run()
    asked: list[object] = []
    for slug in SLUGS.values():
        model: type[AttentionModel] = type(state.load(slug))
        monkeypatch.setattr(model, "attend", lambda self, inputs: asked.append(inputs))
    controls = reads(page, view, VALUES)
    assert len(controls) > 4
    for one in controls:
        one.set_value(other_value(one, view))
    page.run()
    assert not page.exception
    assert asked == []
    for button in reads(page, view, ("button",)):
        page.button(key=button.key).click().run()
        assert not page.exception
    assert asked == []
