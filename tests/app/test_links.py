"""Links and state files: what still applies is opened, what does not is said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from app import links
from app.links import Picked
from tests.app.conftest import APP, TIMEOUT
from tests.app.test_views import said
from tests.checkpoints import SLUGS

Open = Callable[..., AppTest]
STATE = {"model": "a", "text": "I & שלום 👩‍👩‍👧 $x$ ../../etc <b>", "scale": "log"}
RNN = SLUGS["rnn-search"]


def saved(page: str, state: dict[str, str]) -> bytes:
    return links.to_file(page, state).encode()


def test_link_gives_the_state_back() -> None:
    made = links.query(STATE)
    assert made is not None
    assert dict(parse_qsl(made)) == STATE


def test_too_long_a_state_is_a_file_instead() -> None:
    long = {**STATE, "text": "今" * 1000}
    assert links.query(long) is None
    assert links.from_file(saved("decomposable", long)) == ("decomposable", long, ())


def test_stale_file_opens_with_what_still_applies() -> None:
    opened = links.from_file(saved("decomposable", {**STATE, "<b>old</b>": "1", "text": "x" * 20_001}))
    assert opened.state == {"model": "a", "scale": "log"}
    assert opened.notes == (
        "text has 20,001 characters of 20,000; it was left out",
        "this page knows no '<b>old</b>'; it was left out",
    )


@pytest.mark.parametrize("number", ["9" * 5000, "²", "-1", "x"])
def test_pin_that_is_no_row_is_left_out(number: str) -> None:
    assert links.places(f"hops:{number}", "hops") == (None,)
    (note,) = links.lost(f"hops:0,{number}", "row", {"hops": 3})
    assert note.startswith("the link pins row '")
    assert note.endswith(" of hops, which has 3; it was left out")
    assert len(note) < 120


def test_file_of_another_version_opens_and_says_so() -> None:
    raw = saved("decomposable", STATE).replace(b"view-1", b"view-27")
    opened = links.from_file(raw)
    assert opened.state == STATE
    assert "another version (attention-atlas-view-27; this is attention-atlas-view-1)" in opened.notes[0]


def test_matrix_of_the_viewer_may_be_large() -> None:
    text = "a" * 500_000
    assert links.from_file(saved("viewer", {"text": text})).state == {"text": text}


@pytest.mark.parametrize("value", [{"a": 1}, 3, None, ["x"]])
def test_other_values_than_texts_are_left_out(value: object) -> None:
    opened = links.checked("viewer", {"text": value})
    assert opened.state == {}
    assert "accepted is a text" in opened.notes[0]


def test_half_a_character_is_left_out() -> None:
    raw = b'{"format": "attention-atlas-view-1", "page": "viewer", "state": {"text": "a\\ud800"}}'
    opened = links.from_file(raw)
    assert opened.state == {}
    assert "half a character" in opened.notes[0]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "the file is no JSON"),
        (b"\xff\xfe\x00", "the file is no JSON"),
        (b"[" * 100_000, "the file is no JSON"),
        (b"[]", "the file is no saved view"),
        (b'{"format": "pickle"}', "the file is no saved view"),
        (saved("../../etc/passwd", {}), "accepted are home, self_attentive"),
        (json.dumps({"format": links.FORMAT, "page": "viewer", "state": 3}).encode(), "an object of texts"),
    ],
)
def test_other_files_are_refused_with_the_rule(raw: bytes, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        links.from_file(raw)


def test_too_large_a_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "FILE_LIMIT", 10)
    with pytest.raises(ValueError, match=re.escape("accepted are at most 10")):
        links.from_file(b" " * 11)


def test_pins_that_are_not_there_are_named() -> None:
    assert links.lost("hops:0,2;overall:0", "row", {"hops": 3, "overall": 1}) == ()
    told = links.lost("hops:0,7,x;<b>:1", "row", {"hops": 3})
    assert told == (
        "the link pins row 8, 'x' of hops, which has 3; it was left out",
        "the link pins rows of '<b>', which is not shown",
    )
    huge = "9" * 5000
    assert links.lost(f"hops:{huge}", "column", {"hops": 3})[0].startswith("the link pins column '999")


def test_what_is_picked_on_maps_of_any_name_comes_back() -> None:
    names = ("hops", "a;b:1,2", "50 % [x]", "今天")
    maps = {name: Picked((k, 9), (k,), (range(k, 7), range(3))) for k, name in enumerate(names)}
    state: dict[str, str] = {}
    for name, found in {**maps, "plain": Picked()}.items():
        state = links.picked(state, name, found.places())
    assert tuple(state) == (links.PINS, links.COLUMN_PINS, links.WINDOW)
    for k, name in enumerate(names):
        assert [links.places(state[one], name) for one in state] == [(k, 9), (k,), (k, 7, 0, 3)]
    for name in names[1:]:
        state = links.picked(state, name, Picked().places())
    assert (
        state
        == links.picked_on(state, ["hops"])
        == {"pins": "hops:0,9", "column-pins": "hops:0", "window": "hops:0,7,0,3"}
    )
    assert links.picked_on(state, ["other"]) == {}


# --- on the page -----------------------------------------------------------------------------------

FULL = {
    "model": RNN, "text": "A man sleeps.", "target": "Un homme.", "beam": "1",
    "view": "curves", "mass": "0.9", "scale": "row", "pins": "alignment:0,2", "column-pins": "alignment:1",
    "window": "alignment:0,3,0,2",
}  # fmt: skip


@pytest.fixture
def app(only_tiny: None) -> AppTest:
    return AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()


def upload(page: AppTest, key: str, raw: bytes) -> AppTest:
    return page.file_uploader(key=key).upload("view.json", raw, "application/json").run()


def test_saved_view_opened_on_the_home_page_leads_to_its_page_whole(app: AppTest) -> None:
    upload(app, "share_open", saved("rnn_search", FULL))
    assert not app.exception
    assert app.title[0].value == "RNNsearch"
    assert app.query_params == FULL
    assert app.text_input(key="rnn_search_target").value == "Un homme."
    assert app.selectbox(key="rnn_search_reading_scale").value == "row"
    assert app.multiselect(key="rnn_search_alignment_pins").value == [0, 2]
    assert app.multiselect(key="rnn_search_alignment_columns").value == [1]
    assert "rows 1 to 3 of" in said(app.caption)
    assert not said(app.info)
    app.button(key="rnn_search_alignment_whole").click().run()
    assert app.query_params == {name: FULL[name] for name in FULL if name not in links.PICKED}
    app.text_input(key="rnn_search_text").set_value("A dog.").run()
    assert app.text_input(key="rnn_search_text").value == "A dog."


def test_saved_view_replaces_what_its_page_shows(app: AppTest) -> None:
    app.switch_page("views/rnn_search.py").run()
    app.text_input(key="rnn_search_text").set_value("Two dogs.").run()
    app.slider(key="rnn_search_reading_least").set_value(0.2).run()
    app.multiselect(key="rnn_search_alignment_pins").set_value([1]).run()
    upload(app, "share_open", saved("rnn_search", FULL))
    assert app.query_params == FULL
    assert app.slider(key="rnn_search_reading_least").value == 0
    assert app.multiselect(key="rnn_search_alignment_pins").value == [0, 2]


def test_what_a_saved_view_has_and_the_page_has_not_is_said(app: AppTest) -> None:
    stale = {
        **FULL,
        "model": "gone",
        "scale": "huge",
        "beam": "99",
        "pins": "alignment:1,400;gone:1",
        "column-pins": "alignment:0,88",
        "window": "alignment:0,99,0,2",
        "x": "1",
    }
    upload(app, "share_open", saved("rnn_search", stale))
    assert not app.exception
    told = said(app.info)
    for sentence in (
        "There is no checkpoint 'gone' for this page; rnn-search-tiny answers instead.",
        "The link's scale is 'huge'; accepted are weight, row, log, scores",
        "The link's beam is '99'; accepted are 1 to 10",
        "The link pins row 401 of",
        "The link pins column 89 of",
        "The part of alignment that the link shows is not in its",
        "The link pins rows of 'gone', which is not shown.",
        "This page knows no 'x'; it was left out.",
    ):
        assert sentence in told
    assert app.text_input(key="rnn_search_text").value == "A man sleeps."
    assert app.multiselect(key="rnn_search_alignment_pins").value == [1]


def test_other_file_than_a_saved_view_is_refused_and_the_page_stays(app: AppTest) -> None:
    app.switch_page("views/zoo.py").run()
    upload(app, "share_open", b'{"path": "/etc/passwd", "<b>": 1}')
    assert not app.exception
    assert "The file is no saved view; accepted is JSON with" in said(app.error)
    assert app.title[0].value == "Model cards"


def test_too_long_a_view_is_said_and_kept_for_the_file(app: AppTest) -> None:
    app.switch_page("views/self_attentive.py").run()
    text = "今天天气 " * 300
    app.text_input(key="self_attentive_text").set_value(text).run()
    assert links.TOO_LONG in said(app.caption)
    assert app.query_params == {"model": SLUGS["self-attentive"]}
    shown = app.session_state["shown"]
    assert links.from_file(links.to_file(**shown).encode()).state["text"] == text


def test_matrix_of_a_file_is_in_the_link_and_in_the_saved_view(open_view: Open) -> None:
    raw = b"map,row_index,row_token,column_index,column_token,weight\nm,0,a,0,b,0.25\nm,0,a,1,b,0.75\n"
    page = open_view("viewer")
    page.file_uploader(key="viewer_file_0").upload("m.csv", raw, "text/csv").run()
    assert page.query_params == {"text": raw.decode()}
    again = open_view("viewer", text=page.query_params["text"])
    assert not again.exception
    assert again.text_area(key="viewer_text").value == raw.decode()


def test_chosen_map_stands_in_the_link_and_an_unknown_one_is_said(open_view: Open) -> None:
    page = open_view("conv_s2s", text="A man.", target="Un homme.", map="layer_1")
    assert page.segmented_control(key="conv_s2s_map").value == "layer_1"
    assert page.query_params["map"] == "layer_1"
    page.segmented_control(key="conv_s2s_map").set_value("mean").run()
    assert "map" not in page.query_params
    other = open_view("conv_s2s", text="A man.", target="Un homme.", map="../layer")
    assert "The link's map is '../layer'; accepted are layer_1, layer_2, mean; mean is shown." in said(
        other.info
    )


@pytest.mark.parametrize("view", ["self_attentive", "conv_s2s"])
def test_overview_that_a_link_opens_is_open_and_stays_in_the_link(open_view: Open, view: str) -> None:
    page = open_view(view, text="A man.", overview="True")
    for _ in range(2):
        assert [button for button in page.button if "_enlarge_" in (button.key or "")]
        assert page.query_params["overview"] == "True"
        page.run()


def test_link_without_a_map_shows_the_first_one_whatever_was_chosen_before(open_view: Open) -> None:
    page = open_view("conv_s2s", text="A man.", target="Un homme.", map="layer_1")
    state = {"model": SLUGS["conv-s2s"], "text": "A dog.", "target": "Un chien."}
    page.session_state["saved_view"] = links.Opened("conv_s2s", state, ())
    page.run()
    assert page.text_input(key="conv_s2s_text").value == "A dog."
    assert page.segmented_control(key="conv_s2s_map").value == "mean"


def test_chosen_hypothesis_stands_in_the_link_and_belongs_to_one_text(open_view: Open) -> None:
    def choice(page: AppTest) -> AppTest:
        return next(box for box in page.selectbox if box.label.startswith("Hypothesis"))

    page = open_view("rnn_search", text="A man is reading a book.", beam="3", hypothesis="2")
    assert choice(page).value == 2
    assert page.query_params["hypothesis"] == "2"
    page.text_input(key="rnn_search_text").set_value("A dog.").run()
    assert choice(page).value == 0
    assert "hypothesis" not in page.query_params


def test_value_of_a_link_is_not_repeated_at_any_length(open_view: Open) -> None:
    given = dict.fromkeys(("model", "beam", "scale", "hypothesis", "pins"), "9" * 5000)
    page = open_view("rnn_search", text="A dog", **given)
    assert not page.exception
    assert len(page.info) == len(given)
    assert all(len(note.value) < 300 for note in page.info)
