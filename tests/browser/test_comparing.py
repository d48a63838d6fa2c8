"""Two results side by side in Chromium: the compare page, and a text that is edited."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from modelzoo.models.base import AttentionModel
from modelzoo.tasks import Sentence, SentencePair, SourceText
from tests.browser.conftest import Watched
from tests.browser.reading import (
    ask,
    assert_shows,
    chart,
    drawn,
    enter,
    expect_columns,
    field,
    open_page,
    said,
    settle,
    weights_of,
)
from tests.checkpoints import SLUGS

pytestmark = pytest.mark.browser

LIN, NLI = SLUGS["self-attentive"], SLUGS["decomposable"]


def compare(watched: Watched, a: dict[str, str], b: dict[str, str]) -> Page:
    """The compare page of two questions."""
    sides = (("a", a), ("b", b))
    return open_page(watched, "compare", **{f"{side}.{k}": v for side, one in sides for k, v in one.items()})


def test_a_thing_compared_with_itself_shows_zero(watched: Watched) -> None:
    same = {"model": LIN, "text": "the dog , the $x$"}
    page = compare(watched, same, same)
    said(page, "A and B are the same in every cell: the difference is 0.")
    found = chart(page, "compare", "difference")
    assert not weights_of(drawn(found)).any()
    expect_columns(found, ["the", "dog", ",", "the", "$", "x", "$"])


def test_two_checkpoints_of_one_task_differ_cell_by_cell(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    text = "The man reads ."
    page = compare(
        watched, {"model": SLUGS["rnn-search"], "text": text, "beam": "1"},
        {"model": SLUGS["conv-s2s"], "text": text, "beam": "1"},
    )  # fmt: skip
    first = ask(models, "rnn-search", SourceText(text))
    pieces = first.prediction.tokens  # type: ignore[union-attr]
    second = ask(models, "conv-s2s", SourceText(text, forced=pieces)).maps[-1]
    shown = weights_of(drawn(chart(page, "compare", "difference")))
    expected = (second.values - first.map("alignment").values).ravel()
    np.testing.assert_allclose(shown, expected, atol=2e-6)
    left, right = (
        chart(page, f"compare_{side}", name) for side, name in (("a", "alignment"), ("b", second.name))
    )
    for one in (left, right):
        expect(one.get_by_text("scale 0 to 1")).to_be_visible()
    boxes = [one.bounding_box() for one in (left, right)]
    assert boxes[0]
    assert boxes[1]
    assert abs(boxes[0]["y"] - boxes[1]["y"]) < 40, "the maps do not stand side by side"
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_axes_that_do_not_match_say_why(watched: Watched) -> None:
    page = compare(watched, {"model": LIN, "text": "the dog"}, {"model": LIN, "text": "the <b> dog"})
    said(page, "The axes of the maps do not match, so there is no difference map:")
    expect_columns(chart(page, "compare_a", "overall"), ["the", "dog"])
    expect_columns(chart(page, "compare_b", "overall"), ["the", "<b>", "dog"])
    expect(chart(page, "compare", "difference")).to_have_count(0)


def choose_word(page: Page, view: str, number: int) -> None:
    """Choose the word at that place in the editor."""
    page.locator(f".st-key-{view}_place button").nth(number - 1).click()
    settle(page)


def test_words_are_replaced_inserted_dropped_and_taken_back(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    view = "self_attentive"
    page = open_page(watched, "self-attentive", model=LIN, text="two $5 dogs play")
    page.locator(f".st-key-{view}_edit summary").click()
    said(page, "Once the text changes, the answer before and after it stand here side by side.")
    text = field(page, view, "text")
    choose_word(page, view, 4)
    enter(page, view, "own", "cats")
    expect(text).to_have_value("two $5 cats play")
    table = page.locator(f".st-key-{view}_edit [data-testid=stDataFrame]").first
    before, after = (
        ask(models, "self-attentive", Sentence(one)).prediction
        for one in ("two $5 dogs play", "two $5 cats play")
    )
    expect(table.locator("[role=columnheader]")).to_have_text(["label", "before", "after", "difference"])
    cells = table.locator("tr", has_text="negative").locator("[role=gridcell]")
    expect(cells).to_have_count(4)
    numbers = [one.probabilities[0] for one in (before, after)]  # type: ignore[union-attr]
    assert [float(cell) for cell in cells.all_text_contents()[1:3]] == pytest.approx(numbers, abs=1e-4)
    choose_word(page, view, 1)
    enter(page, view, "after", "<b>")
    expect(text).to_have_value("two <b> $5 cats play")
    expect_columns(chart(page, view, "hops"), ["two", "<b>", "$", "5", "cats", "play"])
    page.get_by_role("button", name="Drop it").click()
    expect(text).to_have_value("<b> $5 cats play")
    for earlier in ("two <b> $5 cats play", "two $5 cats play", "two $5 dogs play"):
        page.get_by_role("button", name="Back", exact=True).click()
        expect(text).to_have_value(earlier)


def test_premise_and_hypothesis_are_swapped_with_the_change_shown(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    view, premise, hypothesis = "decomposable", "The man reads", "A dog & a cat sleep"
    page = open_page(watched, "decomposable", model=NLI, text=premise, text_pair=hypothesis)
    page.locator(f".st-key-{view}_edit summary").click()
    page.get_by_role("button", name="Swap premise and hypothesis").click()
    expect(field(page, view, "text")).to_have_value(hypothesis)
    expect(field(page, view, "text-pair")).to_have_value(premise)
    result = ask(models, "decomposable", SentencePair(hypothesis, premise))
    for attention in result.maps:
        assert_shows(chart(page, view, attention.name), attention)
    table = page.locator(f".st-key-{view}_edit [data-testid=stDataFrame]").first
    expect(table.locator("[role=columnheader]")).to_have_text(["label", "before", "after", "difference"])


def test_swapped_source_words_move_the_columns(watched: Watched, models: dict[str, AttentionModel]) -> None:
    """Case 11: the map depends on the source."""
    page = open_page(
        watched, "rnn-search", model=SLUGS["rnn-search"], text="the cat saw the dog", target="Un chat"
    )
    found, seen = chart(page, "rnn_search", "alignment"), []
    for text in ("the cat saw the dog", "the dog saw the cat"):
        enter(page, "rnn_search", "text", text)
        assert_shows(found, ask(models, "rnn-search", SourceText(text, forced="Un chat")).map("alignment"))
        seen.append(weights_of(drawn(found)))
    assert len(seen[0]) != len(seen[1]) or np.abs(seen[0] - seen[1]).max() > 1e-6


@pytest.mark.parametrize("view", ["self-attentive", "decomposable", "rnn-search", "conv-s2s"])
def test_texts_of_one_word_are_drawn(watched: Watched, models: dict[str, AttentionModel], view: str) -> None:
    """Case 16: maps of one row or column."""
    inputs = {
        "self-attentive": Sentence("the"),
        "decomposable": SentencePair("the", "the"),
        "rnn-search": SourceText("the", forced="le"),
        "conv-s2s": SourceText("the", forced="le"),
    }[view]
    page = open_page(watched, view, model=SLUGS[view], text="the", text_pair="the", target="le")
    shown = ask(models, view, inputs)
    name = {"self-attentive": "hops"}.get(view, shown.maps[-1].name)
    assert_shows(chart(page, view.replace("-", "_"), name), shown.map(name))
