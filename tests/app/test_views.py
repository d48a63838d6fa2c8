"""Each page over tiny models: what it shows, what it asks the model, and what it refuses."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from app import inputs, state
from modelzoo import cards
from tests.app.conftest import APP, TIMEOUT
from tests.checkpoints import SLUGS, write_checkpoint

Open = Callable[..., AppTest]
VIEWS = {
    "self_attentive": ("self-attentive-tiny", 3),
    "decomposable": ("decomposable-tiny", 2),
    "rnn_search": ("rnn-search-tiny", 1),
    "conv_s2s": ("conv-s2s-tiny", 1),
}
"""Per view its checkpoint and the number of its heat maps."""


def charts(page: AppTest) -> list[dict[str, Any]]:
    """The specification of every Altair heat map on the page."""
    return [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]


def column_labels(chart: dict[str, Any]) -> list[str]:
    found: list[str] = json.loads(chart["encoding"]["x"]["axis"]["labelExpr"].rpartition("[")[0])
    return found


def title(chart: dict[str, Any]) -> str:
    return str(chart["title"]["text"])


def cells(page: AppTest, k: int) -> list[dict[str, float]]:
    """The rows of the k-th heat map's data."""
    data = page.get("vega_lite_chart")[k].proto.datasets[0].data.data
    found: list[dict[str, float]] = pa.ipc.open_stream(data).read_all().to_pylist()
    return found


def said(elements: Any) -> str:
    """What messages say, character references resolved."""
    return " ".join(html.unescape(element.value) for element in elements)


@pytest.mark.parametrize("view", VIEWS)
def test_page_opens_with_its_first_example_already_run(open_view: Open, view: str) -> None:
    page = open_view(view)
    slug, maps = VIEWS[view]
    assert not page.exception
    assert not page.error
    assert page.text_input(key=f"{view}_text").value
    drawn = len(page.get("vega_lite_chart")) + len(page.get("plotly_chart"))
    assert drawn == maps
    assert slug in said(page.caption)
    assert "on cpu" in said(page.caption)


BLANK = [("self_attentive", "\u200b"), ("decomposable", ""), ("rnn_search", "   "), ("conv_s2s", "")]


@pytest.mark.parametrize(("view", "text"), BLANK)
def test_blank_text_is_refused_with_a_sentence_and_the_last_answer_stays(
    open_view: Open, view: str, text: str
) -> None:
    page = open_view(
        view, text="A dog runs.", **({"text-pair": "It runs."} if view == "decomposable" else {})
    )
    before = charts(page)
    page.text_input(key=f"{view}_text").set_value(text).run()
    assert not page.exception
    assert "empty; type at least one word" in said(page.error)
    assert "Below stays the answer to what was asked before: 'A dog runs.'" in said(page.info)
    assert charts(page) == before
    assert f"{view}_edit" not in [box.key for box in page.expander]
    assert page.query_params["text"] == text
    page.text_input(key=f"{view}_text").set_value("A man sleeps.").run()
    assert not page.error
    assert "Below stays" not in said(page.info)
    assert charts(page) != before


def test_blank_text_of_a_link_has_no_last_answer(open_view: Open) -> None:
    page = open_view("self_attentive", text=" ")
    assert "empty; type at least one word" in said(page.error)
    assert not page.info
    assert not charts(page)


def test_repeated_words_keep_their_own_columns(open_view: Open) -> None:
    page = open_view("self_attentive", text="the cat saw the dog and the bird")
    assert column_labels(charts(page)[0]) == ["the", "cat", "saw", "the", "dog", "and", "the", "bird"]
    assert len(cells(page, 0)) == 3 * 8


def test_over_long_text_is_refused_with_the_number(open_view: Open) -> None:
    page = open_view("self_attentive", text="word " * 401)
    assert not page.exception
    assert "has 401 tokens; accepted are at most 400" in said(page.error)


def test_refused_text_is_shown_as_typed_in_the_message(open_view: Open) -> None:
    page = open_view("self_attentive", model="$x$ <b>no</b>")
    assert "'$x$ <b>no</b>'" in said(page.info)
    assert page.selectbox(key="self_attentive_model").value == SLUGS["self-attentive"]
    assert page.get("vega_lite_chart")


def test_link_carries_model_and_input_and_is_taken_over(open_view: Open) -> None:
    page = open_view("decomposable", text="A man sleeps.", text_pair="Nobody is awake.")
    assert page.text_input(key="decomposable_text-pair").value == "Nobody is awake."
    page.text_input(key="decomposable_text").set_value("Two men sleep.").run()
    assert page.query_params == {
        "model": "decomposable-tiny",
        "text": "Two men sleep.",
        "text-pair": "Nobody is awake.",
    }


def test_slug_of_a_link_is_never_a_path(open_view: Open) -> None:
    page = open_view("rnn_search", model="../rnn-search-tiny")
    assert page.selectbox(key="rnn_search_model").value == "rnn-search-tiny"
    assert "no checkpoint" in said(page.info)


def test_examples_fill_the_fields_and_run(open_view: Open) -> None:
    page = open_view("decomposable")
    page.get_by_key("decomposable_example").click(1).run()
    assert page.text_input(key="decomposable_text").value == "Two children are playing football in a park."
    assert "Two" in column_labels(charts(page)[1])
    page.text_input(key="decomposable_text").set_value("Nobody.").run()
    assert column_labels(charts(page)[1])[1:] == ["Nobody", "."]


def test_examples_are_of_labels_that_the_checkpoint_knows(tmp_path: Path) -> None:
    card = write_checkpoint(tmp_path, "self-attentive", "x")
    labels = (["world", "sports", "business", "sci/tech"], ["negative", "positive"])
    of_topics, of_reviews = (
        {row["text"] for row in inputs.examples(replace(card, config={"labels": some}))} for some in labels
    )
    assert any("home side" in text for text in of_topics - of_reviews)
    assert any("funny" in text for text in of_reviews - of_topics)
    assert "the cat saw the dog and the bird" in of_topics & of_reviews
    assert max(map(len, of_reviews)) > 5 * inputs.MOST_SHOWN
    assert all(len(inputs._in_a_line({"text": text})) < 2 * inputs.MOST_SHOWN for text in of_reviews)


def test_both_directions_are_titled_by_the_side_that_attends(open_view: Open) -> None:
    page = open_view("decomposable", text="A man sleeps", text_pair="A man is in bed and sleeps")
    first, second = charts(page)
    assert title(first) == "each word of the premise over the hypothesis"
    assert first["encoding"]["y"]["title"] == "premise"
    assert first["encoding"]["x"]["title"] == "hypothesis"
    assert second["encoding"]["y"]["title"] == "hypothesis"
    for k, rows in ((0, 4), (1, 8)):
        sums = [0.0] * rows
        for cell in cells(page, k):
            sums[int(cell["i"])] += cell["weight"]
        assert sums == pytest.approx([1.0] * rows, abs=1e-5)


def test_every_hypothesis_of_the_search_has_its_own_map(open_view: Open) -> None:
    page = open_view("rnn_search", text="A man is reading a book.", beam="3")

    def choice() -> Any:
        return next(box for box in page.selectbox if box.label.startswith("Hypothesis"))

    assert len(choice().options) == 3
    seen = set()
    for k in range(3):
        choice().set_value(k).run()
        assert not page.exception
        seen.add(page.get("html")[0].proto.body)
        assert len(page.get("vega_lite_chart")) + len(page.get("plotly_chart")) == 1
    assert len(seen) == 3
    page.text_input(key="rnn_search_text").set_value("A dog.").run()
    assert choice().value == 0


def test_own_translation_is_decoded_as_given(open_view: Open) -> None:
    page = open_view("rnn_search", text="A man is reading a book.", target="Un homme lit un livre.")
    assert "Un homme lit un livre." in page.get("html")[0].proto.body


def test_output_cut_at_the_limit_is_said(open_view: Open) -> None:
    page = open_view("conv_s2s", text="a a a a a a a a a a")
    rows = json.loads(charts(page)[0]["encoding"]["y"]["axis"]["labelExpr"].rpartition("[")[0])
    if "</s>" not in rows:
        assert f"Cut at {len(rows)} tokens" in said(page.info)


def test_each_layer_and_their_mean_can_be_chosen_by_name(open_view: Open) -> None:
    page = open_view("conv_s2s", text="A man sleeps.", target="Un homme.")
    assert title(charts(page)[0]) == "mean of 2 layers"
    mean = cells(page, 0)
    layers = []
    for name in ("layer_1", "layer_2"):
        page.segmented_control(key="conv_s2s_map").set_value(name).run()
        assert title(charts(page)[0]) == f"{name.replace('_', ' ')} of 2"
        layers.append(cells(page, 0))
    for one, two, both in zip(*layers, mean, strict=True):
        assert both["weight"] == pytest.approx((one["weight"] + two["weight"]) / 2, abs=1e-6)


def test_unknown_words_are_counted_and_marked(open_view: Open) -> None:
    page = open_view("self_attentive", text="Quixotic zyzzyva sleeps")
    assert "2 of 3 tokens not in the vocabulary" in said(page.caption)
    assert page.get("html")[1].proto.body.count("underline wavy") == 2


def test_choosing_a_layer_runs_no_model(open_view: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_view("conv_s2s", text="A man sleeps.", target="Un homme.")
    asked = []
    model = type(state.load(SLUGS["conv-s2s"]))
    monkeypatch.setattr(model, "attend", lambda self, inputs: asked.append(inputs))
    page.segmented_control(key="conv_s2s_map").set_value("layer_1").run()
    page.button(key="conv_s2s_run").click().run()
    assert not page.exception
    assert asked == []


def test_numbers_are_made_when_they_are_opened(open_view: Open) -> None:
    page = open_view("rnn_search", text="A man.", target="Un homme.")
    assert not page.dataframe
    page.session_state["rnn_search_alignment_numbers"] = True
    page.run()
    assert page.dataframe[0].value.shape[0] == len(
        json.loads(charts(page)[0]["encoding"]["y"]["axis"]["labelExpr"].rpartition("[")[0])
    )


def test_large_map_is_one_image(open_view: Open) -> None:
    words = " ".join(["man"] * 60)
    page = open_view("decomposable", text=words, text_pair=words)
    assert not page.exception
    assert len(page.get("plotly_chart")) == 2


def test_input_survives_a_change_of_page(only_tiny: None) -> None:
    page = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    assert "Attention Atlas" in [element.value for element in page.title]
    page.switch_page("views/self_attentive.py").run()
    page.text_input(key="self_attentive_text").set_value("A cat sleeps on it.").run()
    page.switch_page("views/conv_s2s.py").run()
    page.segmented_control(key="conv_s2s_map").set_value("layer_1").run()
    page.query_params.clear()  # as a browser does on the way to another page
    page.switch_page("views/self_attentive.py").run()
    assert page.text_input(key="self_attentive_text").value == "A cat sleeps on it."
    page.query_params.clear()
    page.switch_page("views/conv_s2s.py").run()
    assert page.segmented_control(key="conv_s2s_map").value == "layer_1"
    assert not page.exception


def test_missing_checkpoint_names_the_file_and_the_command(
    open_view: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page = open_view("self_attentive")
    assert not page.exception
    assert "self-attentive-sst/card.json" in said(page.error)
    assert "python -m modelzoo train self-attentive-sst" in said(page.error)


def test_damaged_weights_are_said_and_other_pages_go_on(
    open_view: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_checkpoint(tmp_path, "self-attentive", "damaged")
    write_checkpoint(tmp_path, "rnn-search", SLUGS["rnn-search"])
    (tmp_path / "damaged" / cards.WEIGHTS_FILE).write_bytes(b"not weights")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page = open_view("self_attentive")
    assert not page.exception
    assert cards.WEIGHTS_FILE in said(page.error)
    assert "python -m modelzoo train damaged" in said(page.error)
    assert not open_view("rnn_search").error


def test_model_without_a_page_is_drawn_by_the_general_one(
    open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state.models, "OWN_PAGE", ("self-attentive", "rnn-search", "conv-s2s"))
    page = open_view("model")
    assert not page.exception
    assert page.segmented_control(key="model_map").value == "hypothesis_to_premise"
    assert title(charts(page)[0]) == "each word of the hypothesis over the premise"
