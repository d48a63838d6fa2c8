"""Error analysis from a file to a table in Chromium: five labels outlive a server that is killed."""

from __future__ import annotations

import csv
import random
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from modelzoo.runs import Notes
from tests.browser.conftest import WAIT_MS, Watched, free_port, serve
from tests.browser.reading import open_page, settle
from tests.tiny import ENGLISH, SENTIMENTS

pytestmark = pytest.mark.browser

ROWS, LABELLED = 20_000, 5
ODD = (
    ' "quoted"',
    "\ta tab",
    " 今天 天气 很 好",
    "\nand a second line",
    " $5 or $10",
    " <b>x</b>",
    " not good",
    "",
)
RUN_SECONDS = 600
HEADER, LINE = 37, 35
"""Pixels of a table's head and of a row of it."""


@pytest.fixture
def rows(tmp_path: Path) -> list[tuple[str, str]]:
    """The texts and labels of a file that is written beside them."""
    pick = random.Random(0)
    made = [(pick.choice(ENGLISH) + pick.choice(ODD), pick.choice(SENTIMENTS)) for _ in range(ROWS)]
    with (tmp_path / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        writer.writerows(made)
    return made


def start_run(page: Page, path: Path) -> None:
    """Send the file, take the tiny classifier, start, and wait for the end of the run."""
    page.locator(".st-key-errors_draft_model input").click()
    page.get_by_role("option", name="self-attentive-tiny").click()
    page.locator(".st-key-errors_draft_file input[type=file]").set_input_files(path)
    expect(page.get_by_text(f"{ROWS:,} rows, 0 of them unusable")).to_be_visible()
    page.locator(".st-key-errors_draft_start button").click()
    expect(page.get_by_text(f"{ROWS:,} rows are answered")).to_be_visible(timeout=RUN_SECONDS * 1000)


def show(page: Page, part: str) -> None:
    page.locator(".st-key-errors_part").get_by_text(part, exact=True).click()
    settle(page)


def search(page: Page, text: str) -> None:
    """Look at the rows that contain a text."""
    page.locator(".st-key-errors_filter button").first.click()
    field = page.locator(".st-key-errors_filter_search input")
    field.fill(text)
    field.press("Enter")
    expect(page.locator(".st-key-errors_without_search_0")).to_be_visible()
    page.keyboard.press("Escape")


def open_first(page: Page) -> None:
    """Select the first row of the table by the box at its left."""
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 14, box["y"] + HEADER + LINE / 2)
    page.locator(".st-key-errors_words").wait_for()


def label_rows(page: Page, notes: Notes, run_id: str) -> list[int]:
    """Give the rows that come up one after the other a label each, and the last one a note."""
    done: list[int] = []
    for k in range(LABELLED):
        field = page.locator("[class*=st-key-errors_labels_] input")
        field.fill(f"kind {k % 2}")
        field.press("Enter")
        done = wait_for_labels(notes, run_id, k + 1)
        if k + 1 < LABELLED:
            page.locator(".st-key-errors_next button").click()
            expect(page.get_by_text(f", {k + 2} of ")).to_be_visible()
    page.locator("[class*=st-key-errors_note_] textarea").fill("killed with this in the field\nand left")
    page.locator(".st-key-errors_next button").click()
    expect(page.get_by_text(f", {LABELLED + 1} of ")).to_be_visible()
    return done


def wait_for_labels(notes: Notes, run_id: str, count: int) -> list[int]:
    until = time.monotonic() + WAIT_MS / 1000
    while len(found := notes.labels(run_id)) < count and time.monotonic() < until:
        time.sleep(0.05)
    assert len(found) == count
    return sorted(found)


def take(page: Page, ending: str, path: Path) -> None:
    """Download the table, texts as they are."""
    show(page, "Take away")
    page.locator(".st-key-errors_safe label").click()
    settle(page)
    with page.expect_download() as download:
        page.locator(f".st-key-errors_away_{ending} button").click()
    download.value.save_as(path)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_five_labels_outlive_a_killed_server_and_the_table_reads_back_equal(
    browser: Browser, tiny_folder: Path, tmp_path: Path, rows: list[tuple[str, str]]
) -> None:
    home, port = tmp_path / "home", free_port()
    home.mkdir()
    data = home / ".local" / "share" / "attention-atlas"
    context = browser.new_context(accept_downloads=True, viewport={"width": 1280, "height": 900})
    with serve(home, tiny_folder, port) as server:
        before = Watched(context, f"http://127.0.0.1:{port}")
        page = open_page(before, "errors")
        start_run(page, tmp_path / "rows.csv")
        (run_id,) = (path.name for path in (data / "runs").iterdir())
        show(page, "Examples")
        search(page, "not good")
        count = sum("not good" in text for text, _ in rows)
        expect(page.get_by_text(f"{count:,} of {ROWS:,} rows.")).to_be_visible()
        open_first(page)
        labelled = label_rows(page, Notes(data / "notes.sqlite"), run_id)
        assert labelled == [row for row, (text, _) in enumerate(rows) if "not good" in text][:LABELLED]
        before.check()
        server.kill()
        server.wait(timeout=20)
        page.close()
    with serve(home, tiny_folder, port):
        after = Watched(context, f"http://127.0.0.1:{port}")
        page = open_page(
            after, "errors", run=run_id, part="examples", filter='{"labels":["kind 0","kind 1"]}'
        )
        expect(page.get_by_text(f"{LABELLED} of {ROWS:,} rows.")).to_be_visible()
        take(page, "csv", tmp_path / "labelled.csv")
        found = read(tmp_path / "labelled.csv")
        assert [(int(row["row"]), row["text"]) for row in found] == [(row, rows[row][0]) for row in labelled]
        assert [row["labels"] for row in found] == [f"kind {k % 2}" for k in range(LABELLED)]
        assert found[-1]["note"] == "killed with this in the field\nand left"
        page.locator(".st-key-errors_clear button").click()
        expect(page.get_by_text(f"{ROWS:,} of {ROWS:,} rows.")).to_be_visible()
        with page.expect_download() as download:
            page.locator(".st-key-errors_away_csv button").click()
        download.value.save_as(tmp_path / "all.csv")
        assert [(row["text"], row["gold"]) for row in read(tmp_path / "all.csv")] == rows
        after.check()
    context.close()
