"""Links, saved views, files and sessions in Chromium: what is on the screen can be taken along."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from app import links
from modelzoo import export
from modelzoo.models.base import AttentionModel
from modelzoo.tasks import Sentence, SourceText
from tests.browser.conftest import Watched
from tests.browser.reading import (
    assert_shows,
    chart,
    choose,
    enter,
    field,
    open_page,
    save,
    settle,
)
from tests.checkpoints import SLUGS

pytestmark = pytest.mark.browser

RNN = SLUGS["rnn-search"]
FULL = {
    "model": RNN, "text": "Two dogs & $5 <b> 今天 play .", "target": "Deux chiens .", "beam": "1",
    "special": "1", "mass": "0.9", "scale": "row", "pins": "alignment:0,1",
}  # fmt: skip
PLAIN = {name: FULL[name] for name in ("model", "text", "target", "beam")}
MAPS = ".stVegaLiteChart path[aria-label]"


@pytest.fixture
def other(browser: Browser, app_url: str) -> Iterator[Watched]:
    """Another person: a browser context of their own."""
    context = browser.new_context(accept_downloads=True)
    visitor = Watched(context, app_url)
    visitor.page.set_viewport_size({"width": 1280, "height": 900})
    yield visitor
    visitor.check()
    context.close()


def link_of(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def expect_full_view(page: Page) -> None:
    """What FULL asks for is on the screen."""
    expect(field(page, "rnn_search", "target")).to_have_value("Deux chiens .")
    expect(field(page, "rnn_search", "text")).to_have_value(FULL["text"])
    page.locator(MAPS).first.wait_for()
    expect(page.locator(".st-key-rnn_search_alignment_pins")).to_contain_text(re.compile(r"1 \S+.*2 \S+"))
    expect(page.get_by_text("looks at").first).to_be_visible()


def open_saved(page: Page, path: Path) -> None:
    page.locator(".st-key-share button").first.click()
    page.locator("[data-testid=stFileUploaderDropzoneInput]").last.set_input_files(path)


def test_link_and_saved_view_give_the_whole_view_to_another_person(
    watched: Watched, other: Watched, tmp_path: Path
) -> None:
    page = open_page(watched, "rnn-search", **FULL)
    expect_full_view(page)
    settle(page)
    assert link_of(page) == FULL
    page.locator(".st-key-share button").first.click()
    with page.expect_download() as waiting:
        page.locator(".st-key-share_save button").click()
    path = tmp_path / "view.json"
    waiting.value.save_as(path)
    assert json.loads(path.read_text(encoding="utf-8"))["state"] == FULL

    other.page.goto(page.url)
    expect_full_view(other.page)
    settle(other.page)
    assert link_of(other.page) == FULL

    other.page.locator('a[data-testid=stTopNavLink][href$="zoo"]').click()
    expect(other.page.get_by_role("heading", name="Model cards")).to_be_visible()
    open_saved(other.page, path)
    expect(other.page.get_by_role("heading", name="RNNsearch")).to_be_visible()
    expect_full_view(other.page)


def test_what_a_stale_link_or_file_has_no_more_is_said_and_nothing_of_it_acts(
    watched: Watched, tmp_path: Path
) -> None:
    evil = "<img src=x onerror=alert(1)>"
    stale = {**FULL, "model": "../../etc", "scale": evil, "pins": f"alignment:1,90;{evil}:1", evil: "1"}
    sentences = (
        "There is no checkpoint '../../etc' for this page",
        f"The link's scale is '{evil}'; accepted are",
        "The link pins row 91 of",
        f"The link pins rows of '{evil}'",
        f"This page knows no '{evil}'",
    )
    page = open_page(watched, "rnn-search", **stale)
    for sentence in sentences:
        expect(page.get_by_text(sentence)).to_be_visible()
    page.locator(MAPS).first.wait_for()
    path = tmp_path / "stale.json"
    path.write_text(links.to_file("rnn_search", stale).replace("view-1", "view-9"), encoding="utf-8")
    open_saved(page, path)
    expect(page.get_by_text("another version (attention-atlas-view-9")).to_be_visible()
    for sentence in sentences[1:]:
        expect(page.get_by_text(sentence)).to_be_visible()
    expect(field(page, "rnn_search", "target")).to_have_value("Deux chiens .")
    path.write_text('{"format": "pickle"}', encoding="utf-8")
    page.keyboard.press("Escape")
    open_saved(page, path)
    expect(page.get_by_text("The file is no saved view; accepted is JSON")).to_be_visible()


def test_every_format_is_a_file_of_what_the_screen_shows(
    watched: Watched, models: dict[str, AttentionModel], tmp_path: Path
) -> None:
    page = open_page(watched, "rnn-search", **PLAIN)
    result = models["rnn-search"].attend([SourceText(FULL["text"], forced=FULL["target"])])[0]
    assert_shows(chart(page, "rnn_search", "alignment"), result.map("alignment"))
    key, paths = "rnn_search_alignment", {}
    starts = {
        "SVG": b"<svg", "PDF": b"%PDF", "PNG": b"\x89PNG", "HTML": b"<!DOCTYPE html>",
        "CSV": b"map,row_index", "JSON": b'{"format"', "NPZ": b"PK",
    }  # fmt: skip
    for kind, start in starts.items():
        paths[kind] = tmp_path / f"map.{kind.lower()}"
        save(page, key, kind, paths[kind])
        assert paths[kind].read_bytes().startswith(start)
    assert csv_weights(paths["CSV"]) == pytest.approx(result.map("alignment").values.ravel())
    back = (
        export.from_json(paths["JSON"].read_text(encoding="utf-8")),
        export.from_npz(paths["NPZ"].read_bytes()),
    )
    for one in back:
        np.testing.assert_allclose(one.map("alignment").values, result.map("alignment").values, atol=1e-6)
    np.testing.assert_array_equal(back[0].map("alignment").values, back[1].map("alignment").values)
    assert_shows(chart(page, "rnn_search", "alignment"), result.map("alignment"))
    draws_alone(page, paths["HTML"], result.map("alignment").values.size)


def draws_alone(page: Page, path: Path, cells: int) -> None:
    """Case 34: an exported page draws every cell and asks for nothing else."""
    drawn = page.context.new_page()
    asked: list[str] = []
    drawn.on("request", lambda request: asked.append(request.url))
    drawn.goto(path.as_uri())
    expect(drawn.locator("#chart .mark-rect.role-mark path")).to_have_count(cells)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    drawn.close()


def test_file_after_a_change_of_a_control_holds_the_changed_view(
    watched: Watched, models: dict[str, AttentionModel], tmp_path: Path
) -> None:  # case 29
    page = open_page(watched, "rnn-search", **PLAIN)
    result = models["rnn-search"].attend([SourceText(FULL["text"], forced=FULL["target"])])[0]
    key, paths = "rnn_search_alignment", {kind: tmp_path / f"map.{kind.lower()}" for kind in ("CSV", "SVG")}
    save(page, key, "CSV", paths["CSV"])
    assert csv_weights(paths["CSV"]) == pytest.approx(result.map("alignment").values.ravel())
    page.locator(".st-key-rnn_search_popover button").first.click()
    choose(page, "rnn_search_reading_scale", "per-row maximum")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=re.compile("Save CSV"))).to_have_count(0)
    save(page, key, "CSV", paths["CSV"])
    values = result.map("alignment").values
    np.testing.assert_allclose(
        csv_weights(paths["CSV"]), (values / values.max(axis=1, keepdims=True)).ravel(), rtol=1e-5
    )
    save(page, key, "SVG", paths["SVG"])
    assert "each row divided by its maximum" in paths["SVG"].read_text(encoding="utf-8")


def csv_weights(path: Path) -> list[float]:
    return [float(row["weight"]) for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]


def test_text_control_and_layer_are_there_after_a_change_of_page(watched: Watched) -> None:  # case 30
    page = open_page(watched, "conv-s2s", model=SLUGS["conv-s2s"], text="A man .", target="Un homme .")
    page.get_by_role("radio", name="layer 1 of 2").click()
    page.get_by_role("radio", name="Curves").click()
    expect(page.locator(".stVegaLiteChart")).to_have_count(0)
    settle(page)
    address = link_of(page)
    assert (address["map"], address["view"]) == ("layer_1", "curves")
    page.locator('a[data-testid=stTopNavLink][href$="zoo"]').click()
    expect(page.get_by_role("heading", name="Model cards")).to_be_visible()
    page.locator('a[data-testid=stTopNavLink][href$="conv-s2s"]').click()
    expect(field(page, "conv_s2s", "target")).to_have_value("Un homme .")
    expect(page.get_by_role("radio", name="layer 1 of 2")).to_be_checked()
    expect(page.get_by_role("radio", name="Curves")).to_be_checked()
    settle(page)
    assert link_of(page) == address


def test_two_sessions_at_once_do_not_mix(
    watched: Watched, other: Watched, models: dict[str, AttentionModel]
) -> None:
    pages = [open_page(one, "self-attentive", model=SLUGS["self-attentive"]) for one in (watched, other)]
    texts = ("two dogs play", "a cat")
    for page, text in zip(pages, texts, strict=True):
        enter(page, "self_attentive", "text", text)
    for page, text in zip(pages, texts, strict=True):
        result = models["self-attentive"].attend([Sentence(text)])[0]
        assert_shows(chart(page, "self_attentive", "hops"), result.map("hops"))
        expect(field(page, "self_attentive", "text")).to_have_value(text)


@pytest.mark.parametrize("words", [10, 50, 100, 200, 400])
def test_longer_texts_are_drawn_up_to_the_limit(watched: Watched, words: int) -> None:  # case 35
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="w " * words)
    page.locator(".stVegaLiteChart path[aria-label], .stPlotlyChart .heatmaplayer image").first.wait_for()
    expect(page.locator("[data-testid=stAlertContentError]")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("decomposable", "text-pair", "has 201 tokens; accepted are at most 200"),
        ("rnn-search", "target", "accepted are at most 200"),
    ],
)
def test_longer_ones_are_refused_with_the_number(watched: Watched, path: str, name: str, told: str) -> None:
    page = open_page(watched, path, model=SLUGS[path], text="A man .")
    enter(page, path.replace("-", "_"), name, "w " * 201)
    expect(page.get_by_text(told)).to_be_visible()


def test_output_that_meets_no_end_is_cut_and_said(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:  # case 18
    text = "a a a a a a a a a a a a"
    page = open_page(watched, "rnn-search", model=RNN, text=text, beam="1")
    result = models["rnn-search"].attend([SourceText(text, beam_size=1)])[0]
    for note in result.notes:
        expect(page.get_by_text(note[1:])).to_be_visible()
    assert_shows(chart(page, "rnn_search", "alignment"), result.map("alignment"))


STATUS = Path("/proc/self/status")
MEGABYTES_OF_GROWTH = 40


@pytest.mark.skipif(not STATUS.exists(), reason="reads the memory of the app from /proc")
def test_memory_is_flat_once_the_pages_are_warm(watched: Watched, log_of_app: Path) -> None:  # case 32
    process = Path("/proc") / (log_of_app.parent / "pid").read_text() / "status"
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"])
    megabytes = []
    for turn in range(3):
        for path in ("self-attentive", "rnn-search"):
            page.locator(f'a[data-testid=stTopNavLink][href$="{path}"]').click()
            page.locator(MAPS).first.wait_for()
            for k in range(2):
                enter(page, path.replace("-", "_"), "text", f"two dogs play {turn} {k} .")
                settle(page)
        found = re.search(r"VmRSS:\s+(\d+) kB", process.read_text())
        assert found is not None
        megabytes.append(int(found[1]) / 1000)
    assert megabytes[-1] - megabytes[0] < MEGABYTES_OF_GROWTH, megabytes


def test_start_log_is_clean(app_url: str, log_of_app: Path, watched: Watched) -> None:  # case 33
    open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="two dogs")
    watched.page.locator(MAPS).first.wait_for()
    told = log_of_app.read_text(encoding="utf-8")
    assert "torch.classes" not in told
    assert not re.search(r"Traceback|Error|Warning|WARN", told)
