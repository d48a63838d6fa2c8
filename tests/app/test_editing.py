"""Editing on a model's page: one word changes, the rest stays as typed, and what changed is shown."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from app import history
from tests.app.conftest import APP, TIMEOUT

Open = Callable[..., AppTest]
TEXT = "the cat  saw the dog"


@pytest.fixture
def editing(open_view: Open) -> Open:
    """Open a view with the panel of edits open, and one word chosen."""

    def opened(view: str, place: int | None = None, **link: str) -> AppTest:
        page = open_view(view, **link)
        page.session_state[f"{view}_edit"] = True
        page.run()
        if place is not None:
            pills(page, f"{view}_place").set_value(place).run()
        assert not page.exception
        return page

    return opened


def pills(page: AppTest, key: str) -> Any:
    return next(group for group in page.get("button_group") if group.key == key)


def charts(page: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]


def weights(page: AppTest, k: int) -> list[float]:
    data = page.get("vega_lite_chart")[k].proto.datasets[0].data.data
    return [row["weight"] for row in pa.ipc.open_stream(data).read_all().to_pylist()]


def difference_of(page: AppTest) -> int:
    found = [
        k for k, chart in enumerate(charts(page)) if str(chart["title"]["text"]).startswith("after − before")
    ]
    assert len(found) == 1
    return found[0]


def said(elements: Any) -> str:
    return " ".join(html.unescape(element.value) for element in elements)


def test_words_are_offered_by_place_as_typed(editing: Open) -> None:
    page = editing("self_attentive", text="the $x$ saw the <b>")
    shown = [html.unescape(option) for option in pills(page, "self_attentive_place").options]
    assert shown == [
        "1\u2002the",
        "2\u2002$",
        "3\u2002x",
        "4\u2002$",
        "5\u2002saw",
        "6\u2002the",
        "7\u2002<b>",
    ]


def test_an_own_word_replaces_exactly_one_word(editing: Open) -> None:
    page = editing("self_attentive", 3, text=TEXT)
    page.text_input(key="self_attentive_own").set_value("a").run()
    assert not page.exception
    assert page.text_input(key="self_attentive_text").value == "the cat  saw a dog"
    assert page.text_input(key="self_attentive_own").value == ""
    assert page.query_params["text"] == "the cat  saw a dog"


def test_a_near_word_replaces_the_word_at_a_click(editing: Open) -> None:
    page = editing("self_attentive", 1, text=TEXT)
    near = pills(page, "self_attentive_near")
    assert len(near.options) == 8
    cosines = [float(option.split("\u2002")[1]) for option in near.options]
    assert cosines == sorted(cosines, reverse=True)
    word = near.options[2].split("\u2002")[0]
    near.set_value(word).run()
    assert not page.exception
    assert page.text_input(key="self_attentive_text").value == f"the {word}  saw the dog"


def test_a_word_without_a_vector_has_no_near_words(editing: Open) -> None:
    page = editing("self_attentive", 0, text="zyzzyva sleeps")
    assert "self_attentive_near" not in [group.key for group in page.get("button_group")]
    assert page.text_input(key="self_attentive_own")


def test_a_word_is_inserted_and_dropped(editing: Open) -> None:
    page = editing("self_attentive", 1, text=TEXT)
    page.text_input(key="self_attentive_after").set_value("<b>never</b>").run()
    assert page.text_input(key="self_attentive_text").value == "the cat <b>never</b>  saw the dog"
    pills(page, "self_attentive_place").set_value(0).run()
    page.button(key="self_attentive_drop").click().run()
    assert not page.exception
    assert page.text_input(key="self_attentive_text").value == "cat <b>never</b>  saw the dog"


def test_the_only_word_is_not_dropped(editing: Open) -> None:
    page = editing("self_attentive", 0, text="dog")
    page.button(key="self_attentive_drop").click().run()
    assert "'dog' is the only word" in said(page.error)
    assert page.text_input(key="self_attentive_text").value == "dog"
    page.run()
    assert not page.error


def test_a_blank_word_is_refused_with_the_rule(editing: Open) -> None:
    page = editing("self_attentive", 0, text="dog")
    page.text_input(key="self_attentive_own").set_value(" ").run()
    assert "accepted is at least one letter or sign, such as 'blue'" in said(page.error)


def test_the_change_is_shown_at_once(editing: Open) -> None:
    page = editing("self_attentive", 1, text=TEXT)
    before = page.get("html")[0].proto.body
    page.text_input(key="self_attentive_own").set_value("dog").run()
    assert page.get("html")[0].proto.body != before
    table = page.dataframe[0].value
    np.testing.assert_allclose(table["difference"], table["after"] - table["before"], atol=1e-7)
    assert table["difference"].any()
    k = difference_of(page)
    assert "cat \\u2192 dog" in charts(page)[k]["encoding"]["x"]["axis"]["labelExpr"]
    np.testing.assert_allclose(
        weights(page, k), np.subtract(weights(page, k - 1), weights(page, k - 2)), atol=1e-6
    )


def test_another_number_of_words_shows_both_maps_and_why(editing: Open) -> None:
    page = editing("self_attentive", 1, text=TEXT)
    drawn = len(charts(page))
    page.button(key="self_attentive_drop").click().run()
    assert "before has 5 columns and after has 4" in said(page.info)
    assert len(charts(page)) == drawn + 2


def test_premise_and_hypothesis_are_swapped(editing: Open) -> None:
    page = editing("decomposable", text="A man sleeps", text_pair="Nobody")
    page.button(key="decomposable_swap").click().run()
    assert not page.exception
    assert page.text_input(key="decomposable_text").value == "Nobody"
    assert page.text_input(key="decomposable_text-pair").value == "A man sleeps"


def test_the_hypothesis_can_be_edited(editing: Open) -> None:
    page = editing("decomposable", text="A man sleeps", text_pair="He sleeps")
    pills(page, "decomposable_edit_side").set_value("hypothesis").run()
    pills(page, "decomposable_place").set_value(0).run()
    page.text_input(key="decomposable_own").set_value("Nobody").run()
    assert page.text_input(key="decomposable_text-pair").value == "Nobody sleeps"
    assert page.text_input(key="decomposable_text").value == "A man sleeps"
    assert difference_of(page)


@pytest.mark.parametrize("view", ["rnn_search", "conv_s2s"])
def test_translations_are_compared_on_the_output_before(editing: Open, view: str) -> None:
    page = editing(view, 1, text="A man is reading a book.", beam="1")
    page.text_input(key=f"{view}_own").set_value("dog").run()
    assert not page.exception
    assert page.checkbox(key=f"{view}_edit_keep").value
    titled = {str(chart["title"]["text"]).partition(":")[0]: chart for chart in charts(page)}
    before, after = (titled[name]["encoding"]["y"]["axis"]["labelExpr"] for name in ("before", "after"))
    assert before == after


@pytest.mark.parametrize("view", ["rnn_search", "conv_s2s"])
def test_a_translation_of_one_s_own_keeps_its_unknown_characters(editing: Open, view: str) -> None:
    page = editing(view, 1, text="A man is reading a book.", target="Un homme 🙂 lit.", beam="1")
    page.text_input(key=f"{view}_own").set_value("dog").run()
    assert not page.exception
    titled = {str(chart["title"]["text"]).partition(":")[0]: chart for chart in charts(page)}
    before, after = (titled[name]["encoding"]["y"]["axis"]["labelExpr"] for name in ("before", "after"))
    assert "🙂" in before or "\\ud83d" in before
    assert before == after


def test_a_place_that_is_gone_is_not_kept(editing: Open) -> None:
    page = editing("self_attentive", 4, text=TEXT)
    page.text_input(key="self_attentive_text").set_value("the dog").run()
    assert not page.exception
    assert pills(page, "self_attentive_place").value is None


# --- the session's questions -------------------------------------------------------------------


def test_the_question_before_is_one_click_back(open_view: Open) -> None:
    page = open_view("self_attentive", text="one")
    for text in ("two", "three"):
        page.text_input(key="self_attentive_text").set_value(text).run()
    for text in ("two", "one"):
        page.button(key="self_attentive_back").click().run()
        assert page.text_input(key="self_attentive_text").value == text
    assert page.button(key="self_attentive_back").disabled
    page.text_input(key="self_attentive_text").set_value("four").run()
    page.button(key="self_attentive_back").click().run()
    assert page.text_input(key="self_attentive_text").value == "one"


def test_every_earlier_question_can_be_chosen(open_view: Open) -> None:
    page = open_view("decomposable", text="A $x$ man", text_pair="He")
    page.text_input(key="decomposable_text").set_value("Two men").run()
    page.text_input(key="decomposable_text-pair").set_value("They").run()
    earlier = page.selectbox(key="decomposable_earlier")
    assert [option.partition(" (")[0] for option in earlier.options] == [
        "1. Two men | He",
        "2. A $x$ man | He",
    ]
    earlier.set_value(1).run()
    assert not page.exception
    assert page.text_input(key="decomposable_text").value == "A $x$ man"
    assert page.text_input(key="decomposable_text-pair").value == "He"
    assert page.query_params["text"] == "A $x$ man"


def test_a_search_is_part_of_what_one_goes_back_to(open_view: Open) -> None:
    page = open_view("rnn_search", text="A man.", beam="3")
    page.selectbox(key="rnn_search_beam").set_value(1).run()
    page.button(key="rnn_search_back").click().run()
    assert not page.exception
    assert page.selectbox(key="rnn_search_beam").value == 3


def test_so_many_questions_are_kept_and_no_more(open_view: Open) -> None:
    page = open_view("self_attentive", text="word 0")
    for k in range(1, history.LIMIT + 3):
        page.text_input(key="self_attentive_text").set_value(f"word {k}").run()
    assert len(page.selectbox(key="self_attentive_earlier").options) == history.LIMIT - 1


def test_a_refused_text_leaves_the_way_back(open_view: Open) -> None:
    page = open_view("self_attentive", text="one")
    page.text_input(key="self_attentive_text").set_value(" ").run()
    assert page.error
    page.button(key="self_attentive_back").click().run()
    assert not page.error
    assert page.text_input(key="self_attentive_text").value == "one"


def test_the_compare_page_is_in_the_navigation(only_tiny: None) -> None:
    page = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    page.switch_page("views/compare.py").run()
    assert not page.exception
    assert page.title[0].value == "Compare"
