"""Error analysis from a file to a table in Chromium: five labels outlive a server that is killed."""

from __future__ import annotations

import csv
import random
import re
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
NOTE = "killed after this\nwas left"
SEARCHED = "not good"
ODD = (
    ' "quoted"',
    "\ta tab",
    " 今天 天气 很 好",
    "\nand a second line",
    " $5 or $10",
    " <b>x</b>",
    f" {SEARCHED}",
    "",
)
RUN_SECONDS = 600
HEADER, LINE, OPENER = 37, 35, 70
"""Pixels of a table's head, of a row of it, and of the column whose buttons open rows."""


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


def send_file(page: Page, path: Path, rows: int) -> None:
    """Send the file, take the tiny classifier, and start."""
    page.locator(".st-key-errors_draft_model input").click()
    page.get_by_role("option", name="self-attentive-tiny").click()
    page.locator(".st-key-errors_draft_file input[type=file]").set_input_files(path)
    expect(page.get_by_text(f"{rows:,} rows, 0 of them unusable")).to_be_visible()
    page.locator(".st-key-errors_draft_start button").click()


def start_run(page: Page, path: Path) -> None:
    """Send the file, start, and wait for the end of the run."""
    send_file(page, path, ROWS)
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
    """Open the first row of the table."""
    settle(page)
    cells = page.locator("[data-testid=stDataFrame] [role=gridcell]")
    cells.filter(has_text=SEARCHED).first.wait_for(state="attached")  # the table of the filter is drawn
    open_nth(page, 0)


def open_nth(page: Page, nth: int) -> None:
    """Open a row of the table by the button at its left."""
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + OPENER / 2, box["y"] + HEADER + LINE * (nth + 0.5))
    page.locator(".st-key-errors_words").wait_for()


def label_rows(page: Page, notes: Notes, run_id: str, rows: list[int]) -> None:
    """Give these rows, which come up one after the other, a label each, and the last one a note."""
    for k, row in enumerate(rows):
        expect(page.get_by_text(f"Row {row:,} of the run")).to_be_visible()
        expect(page.get_by_text(re.compile(f"^{k + 1} of "))).to_be_visible()
        field = page.locator(f".st-key-errors_labels_{run_id}_{row} input")
        field.fill(f"kind {k % 2}")
        field.press("Enter")
        wait_for_labels(notes, run_id, rows[: k + 1])
        settle(page)  # the label is on the disk; what follows from it is drawn
        if row == rows[-1]:
            page.locator(f".st-key-errors_note_{run_id}_{row} textarea").fill(NOTE)
        page.locator(".st-key-errors_next button").click()
    expect(page.get_by_text(re.compile(f"^{len(rows) + 1} of "))).to_be_visible()


def wait_for_labels(notes: Notes, run_id: str, rows: list[int]) -> None:
    until = time.monotonic() + WAIT_MS / 1000
    while sorted(notes.labels(run_id)) != rows and time.monotonic() < until:
        time.sleep(0.05)
    assert sorted(notes.labels(run_id)) == rows


def take(page: Page, path: Path) -> list[dict[str, str]]:
    """Download the table of the filter, and read it."""
    with page.expect_download() as download:
        page.locator(".st-key-errors_away_csv button").click()
    download.value.save_as(path)
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def analyse(page: Page, path: Path, data: Path, rows: list[tuple[str, str]]) -> tuple[str, list[int]]:
    """From the file to five labels; gives the run and the rows that have one."""
    start_run(page, path)
    (run_id,) = (path.name for path in (data / "runs").iterdir())
    show(page, "Examples")
    search(page, SEARCHED)
    matching = [row for row, (text, _) in enumerate(rows) if SEARCHED in text]
    expect(page.get_by_text(f"{len(matching):,} of {ROWS:,} rows.")).to_be_visible()
    open_first(page)
    label_rows(page, Notes(data / "notes.sqlite"), run_id, matching[:LABELLED])
    return run_id, matching[:LABELLED]


def test_five_labels_outlive_a_killed_server_and_the_table_reads_back_equal(
    browser: Browser, tiny_folder: Path, tmp_path: Path, rows: list[tuple[str, str]]
) -> None:
    home, port = tmp_path / "home", free_port()
    home.mkdir()
    data = home / ".local" / "share" / "attention-atlas"
    context = browser.new_context(accept_downloads=True, viewport={"width": 1280, "height": 900})
    with serve(home, tiny_folder, port) as server:
        before = Watched(context, f"http://127.0.0.1:{port}")
        run_id, labelled = analyse(open_page(before, "errors"), tmp_path / "rows.csv", data, rows)
        before.check()
        server.kill()
        before.page.close()
    with serve(home, tiny_folder, port):
        after = Watched(context, f"http://127.0.0.1:{port}")
        page = open_page(after, "errors", run=run_id, part="away", filter='{"labels":["kind 0","kind 1"]}')
        expect(page.get_by_text(f"{LABELLED} of {ROWS:,} rows.")).to_be_visible()
        page.locator(".st-key-errors_safe label").click()  # texts as they are
        settle(page)
        found = take(page, tmp_path / "labelled.csv")
        assert [(int(row["row"]), row["text"]) for row in found] == [(row, rows[row][0]) for row in labelled]
        assert [row["labels"] for row in found] == [f"kind {k % 2}" for k in range(LABELLED)]
        assert found[-1]["note"] == NOTE
        page.locator(".st-key-errors_clear button").click()
        expect(page.get_by_text(f"{ROWS:,} of {ROWS:,} rows.")).to_be_visible()
        assert [(row["text"], row["gold"]) for row in take(page, tmp_path / "all.csv")] == rows
        after.check()
    context.close()
