"""Each step of error analysis over 20,000 rows, against a rerun of a page with one widget.

    python benchmarks/error_steps.py [--rows 20000] [--rounds 7] [--data FOLDER]

A step is timed from its click or Enter to the last change of what the settled page shows, an export to the
whole file. What a table tells screen readers stands inside its canvas, and follows a third of a second later.
Each is followed by one rerun of the other page, so that both see the same machine. Times are medians in
milliseconds; the first round warms up, and each searches for another word. With --data the runs are kept in
that folder, and found there again. The exit status is 1 when a ratio is over 3.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Error, Page, sync_playwright  # noqa: E402

from benchmarks.enter_to_map import WORDS, launch, served  # noqa: E402

LIMIT, SLUG, FEW = 3.0, "self-attentive-sst", 50
"""FEW: the rows of the other run, from which the walk comes."""
SEARCHED = tuple(dict.fromkeys(WORDS.split()))
"""A text for each round: of one that was looked for before, the second page is already open."""
QUIET_MS, WAIT_MS = 300, 60_000
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
HEADER, LINE, OPENER = 37, 35, 70
"""Pixels of a table's head, of a row of it, and of the column whose buttons open rows."""

ANSWERED = """WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', () => { window.answered = performance.now(); });
  }
};"""
"""When the server last sent something: a fast script has ended before the page can say that it runs."""

UNSEEN = "canvas, [data-live-announcer]"
"""What stands in these is for screen readers alone."""

MEASURE = """([quiet, wait, unseen]) => new Promise((done, fail) => {
  const app = document.querySelector('[data-testid=stApp]'), installed = performance.now();
  let start = null, last = 0;
  const begin = event => {
    if (event.type === 'pointerdown' || event.key === 'Enter') start ??= performance.now();
  };
  const ran = () => start !== null && window.answered > start;
  const isIdle = () => app.dataset.testScriptState === 'notRunning';
  const isShown = ({target}) => !(target.closest ? target : target.parentElement)?.closest(unseen);
  const observer = new MutationObserver(changes => {
    if (changes.some(isShown)) last = performance.now();
  });
  const timer = setInterval(() => {
    const now = performance.now(), quietly = now - Math.max(last, window.answered) > quiet;
    const settled = ran() && isIdle() && quietly;
    if (!settled && now - installed < wait) return;
    clearInterval(timer);
    observer.disconnect();
    for (const kind of ['pointerdown', 'keydown']) document.removeEventListener(kind, begin, true);
    if (settled) done(last - start);
    else fail(new Error(ran() ? 'the page does not settle' : 'the step makes no script run'));
  }, 10);
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, begin, true);
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})"""

Act = Callable[[], object]


class Step(NamedTuple):
    """What a person does: `lead` comes before it, `act` is timed."""

    name: str
    act: Act
    lead: Act = lambda: None


def rerun(page: Page, act: Act) -> float:
    """Milliseconds from the click or Enter of `act` to the last change on the page that it settles to."""
    page.wait_for_timeout(QUIET_MS)
    page.locator(IDLE).wait_for()
    page.evaluate(f"given => {{ window.settled = ({MEASURE})(given); }}", [QUIET_MS, WAIT_MS, UNSEEN])
    act()
    found: float = page.evaluate("window.settled")
    return found


def export(page: Page, act: Act) -> float:
    """Milliseconds from the click of `act` to the whole file; no script runs."""
    start = time.perf_counter()
    with page.expect_download() as download:
        act()
    download.value.path()
    return 1000 * (time.perf_counter() - start)


class Hand:
    """Does things on the page on errors; what gives an `Act` does it when that is called."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def click(self, key: str, what: str) -> Act:
        return self.page.locator(f".st-key-errors_{key}").locator(what).first.click

    def show(self, part: str) -> Act:
        return self.page.locator(".st-key-errors_part").get_by_text(part, exact=True).click

    def click_cell(self) -> None:
        self.page.locator(".stVegaLiteChart .mark-rect.role-mark path").first.click()

    def click_row(self) -> None:
        box = self.page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
        assert box is not None
        self.page.mouse.click(box["x"] + OPENER / 2, box["y"] + HEADER + LINE / 2)

    def press(self, keys: str) -> Act:
        return lambda: self.page.keyboard.press(keys)

    def fill(self, key: str, field: str, text: str) -> Act:
        return lambda: self.page.locator(f"[class*=st-key-errors_{key}] {field}").fill(text)

    def point_at(self, run_id: str, before: str = "") -> None:
        """Let Enter choose this run; first go to the one `before`."""
        if before:
            self.point_at(before)
            rerun(self.page, self.press("Enter"))
        self.fill("run", "input", run_id[:4])()
        self.page.get_by_role("option").wait_for()

    def search(self, text: str) -> None:
        self.click("filter", "button")()
        self.fill("filter_search", "input", text)()


def steps(hand: Hand, turn: int, run_id: str, other_id: str) -> list[Step]:
    """What a person does with a run, in an order in which each can be done."""
    said, enter = f"kind {os.getpid()} {turn}", hand.press("Enter")
    return [
        Step("open the run", enter, partial(hand.point_at, run_id, other_id)),
        Step("search", enter, partial(hand.search, SEARCHED[turn])),
        Step("overview", hand.show("Overview"), hand.press("Escape")),
        Step("filter by a cell", hand.click_cell),
        Step("sort", hand.click("descending", "label")),
        Step("next page", hand.page.locator("[class*=errors_page_]").get_by_text("2", exact=True).click),
        Step("open a row", hand.click_row),
        Step("label", enter, hand.fill("labels_", "input", said)),
        Step("note", hand.press("Control+Enter"), hand.fill("note_", "textarea", said)),
        Step("next row", hand.click("next", "button")),
        Step("back to the table", hand.click("back", "button")),
        Step("attention", hand.show("Attention")),
        Step("take away", hand.show("Take away")),
        Step("export", hand.click("away_csv", "button")),
        Step("clear the filter", hand.click("clear", "button")),
        Step("export of all", hand.click("away_csv", "button")),
        Step("examples", hand.show("Examples")),
    ]


def timed(page: Page, bare: Page, rounds: int, ids: tuple[str, str]) -> dict[str, list[tuple[float, float]]]:
    """By step, its time and the one widget's after it, in every round but the first."""
    found: dict[str, list[tuple[float, float]]] = {}
    for turn in range(rounds + 1):
        for step in steps(Hand(page), turn, *ids):
            page.bring_to_front()
            try:
                step.lead()
                ours = (export if step.name.startswith("export") else rerun)(page, step.act)
            except Error as error:
                raise SystemExit(f"{step.name}, round {turn}: {error}") from error
            bare.bring_to_front()
            one = rerun(bare, bare.locator(".st-key-one label").click)
            if turn:
                found.setdefault(step.name, []).append((ours, one))
    return found


def make_runs(folder: Path, rows: int) -> tuple[str, str]:
    """The ids of a run over generated rows and of one over the first few of them, made in the shell."""
    pick, path = random.Random(0), folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        writer.writerows(
            (" ".join(pick.choices(WORDS.split(), k=12)), pick.choice(("negative", "positive")))
            for _ in range(rows)
        )
    command = [
        sys.executable,
        "-m",
        "modelzoo",
        "run",
        SLUG,
        "--data",
        str(path),
        "--runs",
        str(folder),
        "--json",
    ]
    answers = [
        subprocess.run([*command, *limit], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
        for limit in ([], ["--limit", str(FEW)])
    ]
    whole, few = (str(json.loads(answer)["id"]) for answer in answers)
    return whole, few


def report(times: dict[str, list[tuple[float, float]]]) -> bool:
    """Print a line a step; whether all are within the limit."""
    one = median(bare for found in times.values() for _, bare in found)
    print(f"{'one widget':20} {one:6.0f}")
    ratios = {name: median(ours for ours, _ in found) / one for name, found in times.items()}
    for name, ratio in ratios.items():
        print(f"{name:20} {ratio * one:6.0f}  ratio {ratio:5.2f}  limit {LIMIT}")
    return max(ratios.values()) <= LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, help="the folder of the runs (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = options.data or Path(made)
        ids = make_runs(folder, options.rows)
        browser = launch(playwright)
        ours, bare = (browser.new_page(viewport={"width": 1280, "height": 900}) for _ in range(2))
        with (
            served(ROOT / "app" / "main.py", ATLAS_RUNS=str(folder)) as app_url,
            served(ROOT / "benchmarks" / "one_widget.py") as bare_url,
        ):
            for page in (ours, bare):
                page.add_init_script(ANSWERED)
            bare.goto(bare_url)
            bare.locator(".st-key-one").wait_for()
            ours.goto(f"{app_url}/errors?run={ids[0]}&part=examples")
            ours.locator(".st-key-errors_descending").wait_for()
            ours.wait_for_timeout(2000)
            within = report(timed(ours, bare, options.rounds, ids))
        browser.close()
    return 0 if within else 1


if __name__ == "__main__":
    raise SystemExit(main())
