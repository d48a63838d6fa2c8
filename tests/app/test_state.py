"""What a page keeps of what was typed, given by a link or answered, whatever comes in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from app import links, state
from tests.app.conftest import APP, TIMEOUT
from tests.checkpoints import SLUGS

Open = Callable[..., AppTest]
LIN, NLI, RNN = (SLUGS[model] for model in ("self-attentive", "decomposable", "rnn-search"))
READ = {"words": "1", "special": "1", "columns": "1:3", "mass": "0.9", "scale": "log"}
LINKS = {
    "self_attentive": {"text": "two dogs", "pins": "hops:1", "sort": "sharpest first (entropy)"},
    "decomposable": {"text": "A man sleeps", "text-pair": "He sleeps", "scale": "row"},
    "rnn_search": {"text": "A man.", "target": "Un homme.", "beam": "1", **READ},
    "conv_s2s": {"text": "A man.", "beam": "3", "map": "layer_1", "hypothesis": "1", "overview": "True"},
    "compare": {
        "a.model": RNN, "b.model": RNN, "a.text": "A man.", "b.text": "A dog.", "a.beam": "3",
        "output": "own", "target": "Un homme.",
    },
    "viewer": {"text": ",a,b\nx,1,0"},
    "zoo": {"model": RNN},
}  # fmt: skip
KINDS = ("text_input", "text_area", "selectbox", "slider", "toggle", "multiselect", "button_group")


@pytest.fixture
def app(only_tiny: None) -> AppTest:
    return AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()


def widgets(page: AppTest) -> dict[str, Any]:
    """Every widget that has a value, by its key."""
    return {str(one.key): one for one in chain.from_iterable(map(page.get, KINDS))}


def is_shown_unsent(one: Any) -> bool:
    """Whether a browser that was sent no value shows this one: nothing, or the first of the options."""
    return not one.value or getattr(one, "index", None) == 0 or one.value == getattr(one, "min", None)


@pytest.mark.parametrize("view", LINKS)
def test_run_that_was_cut_short_is_made_good_by_the_next(open_view: Open, view: str) -> None:
    """A run that another one cuts short may never reach the browser: the next sends every value again."""
    page = open_view(view, **LINKS[view])
    values = {key: one.value for key, one in widgets(page).items()}
    needed = {key for key, one in widgets(page).items() if one.proto.set_value and not is_shown_unsent(one)}
    assert needed
    page._run(WidgetStates())  # as a browser asks that has met no field of the first run
    assert not page.exception
    assert needed <= {key for key, one in widgets(page).items() if one.proto.set_value}
    assert {key: one.value for key, one in widgets(page).items()} == values


def test_link_is_taken_over_again_when_the_run_that_read_it_was_cut_short(
    open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(opened: links.Opened, sides: Sequence[str]) -> None:
        raise RuntimeError("another run is asked for")

    with monkeypatch.context() as patch:
        patch.setattr(state, "_take_over", cut_short)
        page = open_view("decomposable", **LINKS["decomposable"])
        assert page.exception
    page.run()
    assert not page.exception
    assert page.text_input(key="decomposable_text-pair").value == "He sleeps"
    assert page.query_params["scale"] == "row"


def test_pins_of_every_map_and_open_panels_stand_in_the_link(open_view: Open) -> None:
    page = open_view("self_attentive", text="two dogs play")
    page.session_state["self_attentive_AAT_pins"] = [1]
    page.session_state["self_attentive_contribution_columns"] = [0]
    page.session_state["self_attentive_AAT_numbers"] = True
    page.session_state["self_attentive_edit"] = True
    page.multiselect(key="self_attentive_hops_pins").set_value([0, 2]).run()
    wanted = {"pins": "hops:0,2;AAT:1", "column-pins": "contribution:0", "numbers": "AAT:1", "edit": "True"}
    link = dict(page.query_params)
    assert {name: link.get(name) for name in wanted} == wanted
    again = open_view("self_attentive", **link)
    assert not again.exception
    assert not again.info
    assert dict(again.query_params) == link
    assert again.session_state["self_attentive_AAT_pins"] == [1]
    assert again.session_state["self_attentive_contribution_columns"] == [0]
    assert len(again.dataframe) == 1
    assert [group for group in again.get("button_group") if group.key == "self_attentive_place"]
    again.session_state["self_attentive_AAT_numbers"] = False
    again.run()
    assert "numbers" not in again.query_params


def test_open_panels_stay_open_over_another_page_and_another_text(app: AppTest) -> None:
    app.switch_page("views/self_attentive.py").run()
    app.session_state["self_attentive_hops_numbers"] = True
    app.session_state["self_attentive_edit"] = True
    app.run()
    app.query_params.clear()  # as a browser does on the way to another page
    app.switch_page("views/zoo.py").run()
    app.query_params.clear()
    app.switch_page("views/self_attentive.py").run()
    app.text_input(key="self_attentive_text").set_value("two dogs").run()
    assert not app.exception
    assert app.query_params["numbers"] == "hops:1"
    assert app.query_params["edit"] == "True"


def test_pins_of_both_sides_stand_in_the_link(open_view: Open) -> None:
    slug = SLUGS["self-attentive"]
    link = {"a.model": slug, "b.model": slug, "a.text": "two dogs", "b.text": "two cats", "pair": "0"}
    page = open_view("compare", **link)
    page.multiselect(key="compare_b_hops_pins").set_value([1]).run()
    page.multiselect(key="compare_a_hops_pins").set_value([0, 2]).run()
    assert {name: page.query_params[name] for name in ("a.pins", "b.pins")} == {
        "a.pins": "hops:0,2", "b.pins": "hops:1"
    }  # fmt: skip
    again = open_view("compare", **{name: page.query_params[name] for name in page.query_params})
    assert again.multiselect(key="compare_a_hops_pins").value == [0, 2]
    assert again.multiselect(key="compare_b_hops_pins").value == [1]
    assert not [note.value for note in again.info if "pins" in note.value]
