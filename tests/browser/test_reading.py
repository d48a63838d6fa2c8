"""Reading a map in Chromium: pins, controls, views, overview, large and wide maps."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from modelzoo.models.base import AttentionModel
from modelzoo.results import Grid
from modelzoo.tasks import Sentence, SourceText
from modelzoo.transform import Reading, apply, rows_apart, sheet_of, summaries
from modelzoo.viz import theme
from tests.browser.conftest import WAIT_MS, Watched
from tests.browser.reading import (
    ask,
    assert_shows,
    cell,
    chart,
    choose,
    expect_columns,
    image,
    open_page,
    said,
    settle,
)
from tests.checkpoints import SLUGS

pytestmark = pytest.mark.browser

TEXT = "the dog , the <b> $x$"
SOURCE, TARGET = "The man reads 10 books .", "Un homme lit <b> $5 ."


def hops(watched: Watched, models: dict[str, AttentionModel], text: str = TEXT) -> tuple[Page, Locator, Grid]:
    """The self-attentive page of a text, its chart of hops, and the grid that it shows."""
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text=text)
    grid = ask(models, "self-attentive", Sentence(text)).map("hops")
    found = chart(page, "self_attentive", "hops")
    expect_columns(found, grid.columns)
    return page, found, grid


def expect_outlined(found: Locator, colour: str, places: list[int]) -> None:
    """Wait until just the cells at these places have an outline of this colour."""
    read = "cells => cells.map(cell => cell.getAttribute('stroke'))"
    until = time.monotonic() + WAIT_MS / 1000
    while True:
        strokes = found.last.locator(".mark-rect.role-mark path").evaluate_all(read)
        seen = [k for k, stroke in enumerate(strokes) if stroke == colour]
        if seen == places or time.monotonic() > until:
            break
        found.page.wait_for_timeout(100)
    assert seen == places


def cross(grid: Grid, i: int, j: int) -> list[int]:
    """The places of all cells in the row or the column of a cell."""
    rows, columns = np.indices(grid.values.shape)
    return [int(k) for k in np.flatnonzero((rows == i) | (columns == j))]


def test_click_pins_a_cell_shift_adds_and_again_releases(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, found, grid = hops(watched, models)
    cell(found, grid, 0, 1).click()
    said(page, f"{grid.rows[0]} looks at ")
    said(page, "dog is looked at by ")
    expect_outlined(found, theme.PIN_COLOUR, cross(grid, 0, 1))
    assert cell(found, grid, 0, 1).get_attribute("stroke-width") == str(theme.PIN_WIDTH)
    cell(found, grid, 2, 4).click(modifiers=["Shift"])
    said(page, "<b> is looked at by ")
    said(page, "Together: sum of 2 looks at ")
    cell(found, grid, 2, 4).click()
    expect(page.get_by_text("Together:")).to_have_count(0)
    said(page, f"{grid.rows[0]} looks at ")
    cell(found, grid, 0, 1).click()
    expect(page.get_by_text(f"{grid.rows[0]} looks at ")).to_have_count(0)


def test_pins_are_set_by_keyboard_and_the_focus_stays(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, found, grid = hops(watched, models)
    choose(page, "self_attentive_hops_pins", f"1 {grid.rows[0]}")
    box = page.locator(".st-key-self_attentive_hops_pins input")
    said(page, f"{grid.rows[0]} looks at ")
    settle(page)
    expect(box).to_be_focused()
    expect_outlined(found, theme.PIN_COLOUR, list(range(len(grid.columns))))
    box.press("Backspace")
    expect(page.get_by_text(f"{grid.rows[0]} looks at ")).to_have_count(0)


def test_pointer_marks_the_row_and_column_and_tells_weight_and_rank(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, found, grid = hops(watched, models)
    cell(found, grid, 1, 2).hover()
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_contain_text(f"{grid.values[1, 2]:.6f}")
    rank = 1 + int((grid.values[1] > grid.values[1, 2]).sum())
    expect(tip.locator("tr", has_text="rank in its row")).to_contain_text(str(rank))
    expect_outlined(found, theme.HOVER_COLOUR, cross(grid, 1, 2))


def test_chart_is_told_in_words_and_has_a_table_beside_it(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, _, grid = hops(watched, models)
    told = page.locator('.st-key-self_attentive_hops_grid [aria-label^="Heat map,"]')
    expect(told).to_have_count(1)
    label = str(told.get_attribute("aria-label"))
    for place in np.argsort(-grid.values, axis=None, kind="stable")[:3]:
        i, j = divmod(int(place), len(grid.columns))
        assert f"{grid.rows[i]} and {grid.columns[j]} {grid.values[i, j]:.3f}" in label
    expect(page.locator(".st-key-self_attentive_hops_numbers summary")).to_be_visible()


def test_controls_change_the_map_as_they_say_and_none_changes_the_question(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page = open_page(watched, "rnn-search", model=SLUGS["rnn-search"], text=SOURCE, target=TARGET)
    result = ask(models, "rnn-search", SourceText(SOURCE, forced=TARGET))
    found, sheet = chart(page, "rnn_search", "alignment"), sheet_of(result, result.map("alignment"))

    def shows(**read: object) -> None:
        shown = apply(sheet, Reading(**read)).grid  # type: ignore[arg-type]
        assert_shows(found, shown)
        expect(found.locator(".role-title-subtitle text")).to_have_count(min(len(shown.notes), 1))
        for line in theme.note_lines(shown):
            expect(found.locator(".role-title-subtitle")).to_contain_text(line)

    shows()
    page.get_by_role("button", name="Reading").click()
    for label, name in (("Words, not pieces", "words"), ("Hide special tokens", "hide_special")):
        page.get_by_label(label).locator("xpath=ancestor::label").click()
        shows(**{name: True})
        page.get_by_label(label).locator("xpath=ancestor::label").click()
    for label, key, name, value in (
        ("Share of a row kept", "Home", "mass", 0.1),
        ("Least weight shown", "End", "threshold", 0.5),
    ):
        thumb = page.get_by_role("slider", name=label)
        thumb.focus()
        thumb.press(key)
        shows(**{name: value})
        thumb.press("End" if key == "Home" else "Home")
    for scale, label in (("row", "per-row maximum"), ("log", "log"), ("scores", "scores before softmax")):
        choose(page, "rnn_search_reading_scale", label)
        shows(scale=scale)
    search = page.locator(".st-key-rnn_search_reading_columns input")
    search.fill("1:3")
    search.press("Enter")
    shows(scale="scores", columns="1:3")
    expect(search).to_be_focused()
    page.get_by_role("button", name="As it is").click()
    shows()
    expect(page.locator(".st-key-rnn_search_target input")).to_have_value(TARGET)


def test_hidden_tokens_are_counted_with_their_weight(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, found, grid = hops(watched, models)
    page.get_by_role("button", name="Reading").click()
    page.get_by_label("Hide punctuation").locator("xpath=ancestor::label").click()
    expect_columns(found, ["the", "dog", "the", "<b>", "x"])
    hidden = [j for j, column in enumerate(grid.columns) if column in (",", "$")]
    most = grid.values[:, hidden].sum(axis=1).max()
    told = f"punctuation hidden: {len(hidden)} tokens, up to {most:.2f} of a row"
    expect(found.locator(".role-title-subtitle")).to_contain_text(told)


@pytest.mark.parametrize(
    "text", ["It cost $5 , not $10 .", "a <b> b </b> <unk> x<y & &amp; **m**", "I said שלום"]
)
def test_curves_and_text_show_every_token_as_typed(
    watched: Watched, models: dict[str, AttentionModel], text: str
) -> None:
    """Cases 7, 24, 26: the other two views."""
    page, _, grid = hops(watched, models, text)
    page.get_by_role("radio", name="Curves").click()
    shown = [text.text for text in image(page, "self_attentive_hops_grid") if text.tag.endswith("text")]
    assert [word for word in shown if word not in ("hop", "sentence", *grid.rows)] == list(grid.columns)
    page.get_by_role("radio", name="Text").click()
    line = page.locator(".st-key-self_attentive_hops_grid [data-testid=stHtml] p").first
    expect(line.locator("bdi")).to_have_text(list(grid.columns))
    expect(line).to_have_attribute("dir", "auto")


def test_overview_sorts_and_a_click_enlarges(watched: Watched, models: dict[str, AttentionModel]) -> None:
    page, _, grid = hops(watched, models)
    page.locator(".st-key-self_attentive_overview summary").click()
    numbers = summaries(rows_apart(grid))
    choose(page, "self_attentive_sort", "sharpest first (entropy)")
    order = sorted(range(len(numbers)), key=lambda k: numbers[k].entropy)
    assert len([part for part in image(page, "self_attentive_overview") if part.tag.endswith("rect")]) == len(
        grid.columns
    )
    buttons = page.locator('[class*="st-key-self_attentive_enlarge"] button')
    expect(buttons).to_have_text([f"Enlarge {grid.rows[k]}" for k in order])
    buttons.first.click()
    said(page, f"{grid.rows[order[0]]} looks at ")


def test_mean_of_layers_is_named_and_is_their_mean(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    """Case 22: the mean is called so."""
    page = open_page(watched, "conv-s2s", model=SLUGS["conv-s2s"], text=SOURCE, target=TARGET)
    result = ask(models, "conv-s2s", SourceText(SOURCE, forced=TARGET))
    *layers, mean = result.maps
    assert_shows(chart(page, "conv_s2s", mean.name), mean)
    assert f"mean of {len(layers)}" in mean.title
    np.testing.assert_allclose(mean.values, np.mean([layer.values for layer in layers], axis=0), atol=1e-6)


def test_colours_stay_and_labels_turn_when_the_theme_is_switched(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, found, _ = hops(watched, models)
    fills = "cells => cells.map(cell => cell.getAttribute('fill'))"
    light = found.locator(".mark-rect.role-mark path").evaluate_all(fills)
    label = found.locator(".role-axis-label text").first
    expect(label).to_have_css("fill", "rgb(31, 41, 51)")
    page.emulate_media(color_scheme="dark")
    expect(label).to_have_css("fill", "rgb(228, 232, 236)")
    assert found.locator(".mark-rect.role-mark path").evaluate_all(fills) == light
    page.emulate_media(color_scheme="light")


def test_wide_map_scrolls_in_its_frame_and_its_row_heads_stay(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 800})
    page, found, _ = wide(watched)
    frame = page.locator('[class*="self_attentive_hops_mapframe"]')
    head = found.locator('g[aria-label^="Y-axis"] .role-axis-label text').first
    cells = found.locator(".mark-rect.role-mark path")
    expect(cells.first).to_be_visible()
    before, first = box(head)["x"], box(cells.first)
    assert first["width"] >= theme.LEAST_CELL_WIDTH * 0.9
    frame.evaluate("frame => { frame.scrollLeft = 300 }")
    page.wait_for_timeout(200)
    assert abs(box(head)["x"] - before) < 2
    assert abs(box(cells.first)["x"] - (first["x"] - 300)) < 2
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollWidth") <= 390


def wide(watched: Watched) -> tuple[Page, Locator, int]:
    """A map of 60 words."""
    text = " ".join(f"w{k}" for k in range(60))
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text=text)
    return page, chart(page, "self_attentive", "hops"), 60


def box(found: Locator) -> dict[str, float]:
    """Where the first of these is on the screen."""
    place = found.bounding_box()
    assert place is not None
    return dict(place)  # type: ignore[arg-type]


def test_part_of_a_large_map_is_swept_and_given_back(watched: Watched, tmp_path: Path) -> None:
    values = np.random.default_rng(0).dirichlet(np.ones(80), 60)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["", *(f"c{j}" for j in range(80))])
    writer.writerows([f"r{i}", *map(repr, row.tolist())] for i, row in enumerate(values))
    (tmp_path / "large.csv").write_text(text.getvalue(), encoding="utf-8")
    page = open_page(watched, "viewer")
    page.locator("[data-testid=stFileUploader] input").set_input_files(tmp_path / "large.csv")
    image = page.locator(".stPlotlyChart .nsewdrag")
    image.wait_for()
    image.scroll_into_view_if_needed()
    pixels = box(image)

    def at(row: float, column: float) -> tuple[float, float]:
        return pixels["x"] + column / 80 * pixels["width"], pixels["y"] + row / 60 * pixels["height"]

    page.mouse.move(*at(5.5, 10.5))
    page.mouse.down()
    page.mouse.move(*at(9, 15), steps=4)
    page.mouse.move(*at(14.5, 29.5), steps=4)
    page.mouse.up()
    part = page.locator(".stVegaLiteChart")
    expect_columns(part, [f"c{j}" for j in range(10, 30)])
    rows = part.locator('g[aria-label^="Y-axis"] .role-axis-label text')
    expect(rows).to_have_text([f"r{i}" for i in range(5, 15)])
    expect(part.locator(".role-title-subtitle")).to_contain_text("rows 6 to 15 of 60, columns 11 to 30 of 80")
    page.get_by_role("button", name="Whole map").click()
    image.wait_for()
