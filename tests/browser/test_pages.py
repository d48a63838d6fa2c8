"""Each page in Chromium: open, type, press Enter, and read every cell and label."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

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
    save,
    settle,
)
from tests.checkpoints import SLUGS

pytestmark = pytest.mark.browser

PATHS = {
    "self_attentive": "self-attentive",
    "decomposable": "decomposable",
    "rnn_search": "rnn-search",
    "conv_s2s": "conv-s2s",
}
FIRST_MAP = {
    "self_attentive": "hops",
    "decomposable": "premise_to_hypothesis",
    "rnn_search": "alignment",
    "conv_s2s": "mean",
}
ODD_TEXTS = (
    "the cat saw the dog and the bird",
    "in 1999 1 E 1 costs 10 or 2",
    "zebra yes xylophone what very under two some red quite old new",
    "<s> a <b> b </b> <br> <unk> x<y & &amp; </s>",
    "x<!-- y --> <script>alert(1)</script> & &amp; \"q\" <img src=x onerror=alert(1)>",
    "It cost $5 , not $10 .",
    "LITTLE Little little **bold** `code` :red[x] :smile:",
    "今天 天气 很 好",
    "هذا كتاب جديد",
    "I said שלום today",
    "the",
)  # fmt: skip


@pytest.mark.parametrize("view", PATHS)
def test_page_opens_with_its_first_example_drawn(watched: Watched, view: str) -> None:
    page = open_page(watched, PATHS[view])
    expect(field(page, view, "text")).not_to_have_value("")
    page.locator(".stVegaLiteChart path[aria-label], .stPlotlyChart .nsewdrag").first.wait_for()
    expect(page.get_by_text(" on cpu")).to_be_visible()
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


def test_home_page_leads_to_every_model(watched: Watched) -> None:
    page = open_page(watched, "")
    for view in PATHS:
        expect(page.locator(f'[data-testid=stMain] a[href$="{PATHS[view]}"]')).to_have_count(1)
    expect(page.locator("[data-testid=stMain] img")).to_have_count(4)
    loaded = "images => images.every(image => image.complete && image.naturalWidth > 0)"
    assert page.locator("[data-testid=stMain] img").evaluate_all(loaded)


def test_odd_texts_are_drawn_cell_by_cell_as_typed(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    """Cases 1, 2, 4, 7, 24, 25, 26: equal words, numbers, order, markup, scripts, right to left."""
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"])
    for text in ODD_TEXTS:
        enter(page, "self_attentive", "text", text)
        result = ask(models, "self-attentive", Sentence(text))
        assert_shows(chart(page, "self_attentive", "hops"), result.map("hops"))
        settle(page)
        words = page.locator("[data-testid=stHtml] bdi")
        expect(words).to_have_text([token.typed for token in result.tokens["sentence"]])


def test_both_directions_of_a_pair_are_drawn_cell_by_cell(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    """Case 23: each direction has its own title, axes and rows."""
    page = open_page(watched, "decomposable", model=SLUGS["decomposable"])
    premise, hypothesis = "The $5 cat <b>", "the cat saw the dog and it"
    field(page, "decomposable", "text").fill(premise)
    enter(page, "decomposable", "text-pair", hypothesis)
    result = ask(models, "decomposable", SentencePair(premise, hypothesis))
    for attention in result.maps:
        assert_shows(chart(page, "decomposable", attention.name), attention)


@pytest.mark.parametrize(("view", "model"), [("rnn_search", "rnn-search"), ("conv_s2s", "conv-s2s")])
def test_every_map_of_a_given_translation_is_drawn_cell_by_cell(
    watched: Watched, models: dict[str, AttentionModel], view: str, model: str
) -> None:
    """Case 22: every layer, and the mean, under its own name."""
    source, target = "The man reads 10 books .", "Un homme lit <b> $5 ."
    page = open_page(watched, PATHS[view], model=SLUGS[model], text=source)
    enter(page, view, "target", target)
    result = ask(models, model, SourceText(source, forced=target))
    for attention in reversed(result.maps):
        if len(result.maps) > 1:
            page.get_by_role("radio", name=attention.title).click()
        assert_shows(chart(page, view, attention.name), attention)


def test_each_hypothesis_of_the_search_has_its_map(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    """Cases 19 and 20: each hypothesis of a beam has the map of its own forced decoding."""
    text = "A man."
    page = open_page(watched, "rnn-search", model=SLUGS["rnn-search"], text=text, beam="3")
    found = ask(models, "rnn-search", SourceText(text, beam_size=3))
    for k, candidate in enumerate(found.prediction.candidates):  # type: ignore[union-attr]
        page.locator('[class*="st-key-rnn_search_hypothesis"] input').click()
        page.get_by_role("option").nth(k).click()
        settle(page)
        result = ask(models, "rnn-search", SourceText(text, forced=candidate.tokens))
        expect(page.locator("[data-testid=stHtml] p").first).to_have_text(candidate.text or "(an empty text)")
        assert_shows(chart(page, "rnn_search", "alignment"), result.map("alignment"))


def test_running_twice_gives_the_same_numbers(watched: Watched) -> None:
    """Case 21: bit for bit."""
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="two dogs play")
    first = drawn(chart(page, "self_attentive", "hops"))
    page.get_by_role("button", name="Run", exact=True).click()
    settle(page)
    assert drawn(chart(page, "self_attentive", "hops")) == first


@pytest.mark.parametrize("view", PATHS)
def test_blank_text_is_refused_and_other_pages_go_on(watched: Watched, view: str) -> None:
    """Case 15: length 0, only blanks, a zero-width space; the last good map stays."""
    pair = {"text_pair": "They play."} if view == "decomposable" else {}
    page = open_page(watched, PATHS[view], model=SLUGS[PATHS[view]], text="Two dogs play.", **pair)
    found = chart(page, view, FIRST_MAP[view])
    before = drawn(found).names
    for blank in ("", "   ", "\u200b"):
        enter(page, view, "text", blank)
        expect(page.get_by_text("empty; type at least one word")).to_be_visible()
        expect(page.get_by_text("the answer to what was asked before: 'Two dogs play.'")).to_be_visible()
        settle(page)
        assert drawn(found).names == before
    enter(page, view, "text", "A cat.")
    expect(page.get_by_text("Below stays")).to_have_count(0)
    other = next(path for path in PATHS.values() if path != PATHS[view])
    page.locator(f'a[data-testid=stTopNavLink][href$="{other}"]').click()
    page.locator(".stVegaLiteChart path[aria-label], .stPlotlyChart .nsewdrag").first.wait_for()
    page.go_back()


def test_over_long_text_is_refused_with_the_number(watched: Watched) -> None:
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"])
    enter(page, "self_attentive", "text", "word " * 401)
    expect(page.get_by_text("has 401 tokens; accepted are at most 400")).to_be_visible()


def test_input_survives_a_change_of_page_and_stays_in_the_address(watched: Watched) -> None:
    """Case 30: the text is there after a change of page."""
    page = open_page(watched, "self-attentive")
    enter(page, "self_attentive", "text", "a & b = $5 今天")
    expect_columns(chart(page, "self_attentive", "hops"), ("a", "&", "b", "=", "$", "5", "今天"))
    page.locator('a[data-testid=stTopNavLink][href$="decomposable"]').click()
    chart(page, "decomposable", "premise_to_hypothesis").locator("path[aria-label]").first.wait_for()
    page.locator('a[data-testid=stTopNavLink][href$="self-attentive"]').click()
    expect(field(page, "self_attentive", "text")).to_have_value("a & b = $5 今天")
    settle(page)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(field(page, "self_attentive", "text")).to_have_value("a & b = $5 今天")


@pytest.mark.parametrize("slug", ["no-such", "../../etc/passwd", "<b>$x$</b>"])
def test_slug_that_is_not_in_the_list_is_said_and_another_answers(watched: Watched, slug: str) -> None:
    page = open_page(watched, "self-attentive", model=slug, text="two dogs play")
    expect(page.get_by_text(f"There is no checkpoint '{slug}' for this page")).to_be_visible()
    expect_columns(chart(page, "self_attentive", "hops"), ("two", "dogs", "play"))


def test_hover_tells_row_column_and_weight(watched: Watched, models: dict[str, AttentionModel]) -> None:
    page = open_page(
        watched, "self-attentive", model=SLUGS["self-attentive"], text="a <b>bold</b> &amp; word"
    )
    grid = ask(models, "self-attentive", Sentence("a <b>bold</b> &amp; word")).map("hops")
    found = chart(page, "self_attentive", "hops")
    expect_columns(found, grid.columns)
    found.locator(".mark-rect path").nth(1).hover()
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_contain_text(f"{grid.values[0, 1]:.6f}")
    expect(tip).to_contain_text(grid.rows[0])
    expect(tip).to_contain_text(grid.columns[1])


def test_files_hold_what_the_page_shows_and_the_page_stays(
    watched: Watched, models: dict[str, AttentionModel], tmp_path: Path
) -> None:
    """Case 29: files equal the screen, which stays as it is."""
    text = 'the "cat", the <b> & 今天'
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text=text)
    grid = ask(models, "self-attentive", Sentence(text)).map("hops")
    expect_columns(chart(page, "self_attentive", "hops"), grid.columns)
    for kind in ("csv", "svg"):
        save(page, "self_attentive_hops", kind.upper(), tmp_path / f"map.{kind}")
    with (tmp_path / "map.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["column_token"] for row in rows[: len(grid.columns)]] == list(grid.columns)
    np.testing.assert_array_equal(np.float32([row["weight"] for row in rows]), grid.values.ravel())
    assert (tmp_path / "map.svg").read_text(encoding="utf-8").count("<path aria-label=") == grid.values.size
    assert_shows(chart(page, "self_attentive", "hops"), grid)


def test_numbers_are_a_table_with_tokens_as_typed(watched: Watched) -> None:
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="<b> $x the")
    page.locator(".st-key-self_attentive_hops_numbers summary").click()
    table = page.locator(".st-key-self_attentive_hops_numbers [data-testid=stDataFrame]")
    table.wait_for()
    expect(table.locator("[role=columnheader]")).to_have_text(["", "<b>", "$", "x", "the"])
    expect(table.locator("[role=gridcell]").first).to_have_text("hop 1")


def test_map_above_the_cell_limit_is_drawn_as_an_image(watched: Watched) -> None:
    """Case 6: 80 x 80 cells are drawn."""
    words = " ".join(f"w{k}" for k in range(80))
    page = open_page(watched, "decomposable", model=SLUGS["decomposable"], text=words, text_pair=words)
    expect(page.locator(".stPlotlyChart .heatmaplayer image")).to_have_count(2)


@pytest.mark.parametrize("view", PATHS)
def test_page_fits_a_narrow_screen(watched: Watched, view: str) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 800})
    page = open_page(watched, PATHS[view])
    page.locator(".stVegaLiteChart path[aria-label], .stPlotlyChart .nsewdrag").first.wait_for()
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollWidth") <= 390
    right = "charts => Math.max(...charts.map(chart => chart.getBoundingClientRect().right))"
    assert page.locator(".stVegaLiteChart svg, .stPlotlyChart svg").evaluate_all(right) <= 390


def test_colours_are_the_same_in_light_and_dark_and_labels_are_readable(watched: Watched) -> None:
    """Case 12: the theme leaves the scale as it is."""
    fills, labels = [], []
    for scheme in ("light", "dark"):
        watched.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="two dogs play")
        found = chart(page, "self_attentive", "hops")
        expect_columns(found, ("two", "dogs", "play"))
        fill = "cells => cells.map(cell => cell.getAttribute('fill'))"
        fills.append(found.locator(".mark-rect path").evaluate_all(fill))
        text = found.locator(".role-axis-label text").first
        labels.append(text.evaluate("text => getComputedStyle(text).fill"))
    assert fills[0] == fills[1]
    assert labels == ["rgb(31, 41, 51)", "rgb(228, 232, 236)"]
