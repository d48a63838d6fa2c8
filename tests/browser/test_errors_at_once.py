"""Two visitors and the shell at one store of runs and notes: nothing is lost, nothing is crossed."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Browser, Page, expect

from modelzoo.cards import ROOT
from modelzoo.runs import Notes, Run, list_runs, part_files
from tests.browser.conftest import Watched, free_port, serve
from tests.browser.reading import open_page
from tests.browser.test_errors import RUN_SECONDS, send_file, wait_for_labels
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH, SENTIMENTS

pytestmark = pytest.mark.browser

ROWS = 2_500
WHO = ("first", "second", "shell")


def write_file(path: Path, who: str) -> None:
    """A labelled file whose every text names its owner."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        for row in range(ROWS):
            writer.writerow((f"{who} {row} {ENGLISH[row % len(ENGLISH)]}", SENTIMENTS[row % 2]))


def start_in_shell(path: Path, home: Path, checkpoints: Path) -> subprocess.Popen[bytes]:
    """The same store of runs as the app's, from the command line."""
    environment = {**os.environ, "HOME": str(home), "ATLAS_CHECKPOINTS": str(checkpoints)}
    for name in ("ATLAS_RUNS", "XDG_DATA_HOME"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "modelzoo", "run", SLUGS["self-attentive"], "--data", str(path)]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)


def runs_by_owner(data: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Run]:
    """Each owner's run, found by the texts in it; every text of a run is its owner's, in order."""
    monkeypatch.setenv("ATLAS_RUNS", str(data))
    until = time.monotonic() + RUN_SECONDS
    while [run.state for run in list_runs()] != ["done"] * len(WHO) and time.monotonic() < until:
        time.sleep(0.2)
    found: dict[str, Run] = {}
    for run in list_runs():
        texts = [text for part in part_files(run) for text in pq.read_table(part)["text"].to_pylist()]
        owner = texts[0].split()[0]
        assert [text.split()[:2] for text in texts] == [[owner, str(row)] for row in range(ROWS)]
        found[owner] = run
    return found


def label(page: Page, run: Run, row: int, text: str) -> None:
    field = page.locator(f".st-key-errors_labels_{run.id}_{row} input")
    field.fill(text)
    field.press("Enter")


def test_two_visitors_and_the_shell_lose_nothing_and_cross_nothing(
    browser: Browser, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, port = tmp_path / "home", free_port()
    home.mkdir()
    data = home / ".local" / "share" / "attention-atlas"
    for who in WHO:
        write_file(tmp_path / f"{who}.csv", who)
    with serve(home, tiny_folder, port):
        url = f"http://127.0.0.1:{port}"
        visitors = [Watched(browser.new_context(), url) for _ in WHO[:2]]
        pages = [open_page(visitor, "errors") for visitor in visitors]
        shell = start_in_shell(tmp_path / "shell.csv", home, tiny_folder)
        for page, who in zip(pages, WHO, strict=False):
            send_file(page, tmp_path / f"{who}.csv", ROWS)
        assert shell.wait(timeout=RUN_SECONDS) == 0
        runs = runs_by_owner(data, monkeypatch)
        assert set(runs) == set(WHO)
        for page in pages:
            expect(page.get_by_text(f"{ROWS:,} rows are answered")).to_be_visible()
        both = runs["shell"]  # both visitors say something of the same run
        for k, visitor in enumerate(visitors):
            open_page(visitor, "errors", run=both.id, part="examples", row=str(7 + k))
        for k, page in enumerate(pages):
            label(page, both, 7 + k, f"said by {k}")
        notes = Notes(data / "notes.sqlite")
        wait_for_labels(notes, both.id, [7, 8])
        assert notes.labels(both.id) == {7: ("said by 0",), 8: ("said by 1",)}
        assert not notes.labels(runs["first"].id)
        for visitor in visitors:
            visitor.check()
            visitor.page.context.close()
