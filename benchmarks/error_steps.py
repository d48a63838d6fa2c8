"""Each step of error analysis over 20,000 rows, against a page with one widget.

    python benchmarks/error_steps.py [--rows 20000] [--runs 5]

A step is timed from the click or Enter to the last change on the page. Medians in milliseconds; the first
time of each step, when nothing is cached, stands beside them. The exit status is 1 when a median is over
3 times the one widget's.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.enter_to_map import WAIT_MS, WORDS, launch, served  # noqa: E402

LIMIT, QUIET_MS = 3.0, 300
SLUG, SEARCHED = "self-attentive-sst", "red"
HEADER, LINE = 37, 35
"""Pixels of a table's head and of a row of it."""

MEASURE = """quiet => new Promise(done => {
  const app = document.querySelector('[data-testid=stApp]');
  let start = null, last = 0, ran = false;
  const begin = () => { if (start === null) start = last = performance.now(); };
  document.addEventListener('click', begin, {capture: true, once: true});
  document.addEventListener('keydown', event => event.key === 'Enter' && begin(), {capture: true});
  new MutationObserver(() => {
    last = performance.now();
    ran ||= start !== null && app.dataset.testScriptState === 'running';
  }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  const timer = setInterval(() => {
    const settled = ran && app.dataset.testScriptState === 'notRunning';
    if (settled && performance.now() - last > quiet) { clearInterval(timer); done(last - start); }
  }, 10);
})"""


def measured(page: Page, act: Callable[[], None]) -> float:
    """Milliseconds from the click or Enter of `act` to the last change on the page that follows."""
    page.evaluate(f"quiet => {{ window.settled = ({MEASURE})(quiet); }}", QUIET_MS)
    act()
    found: float = page.evaluate("window.settled")
    return found


def made_run(folder: Path, rows: int) -> str:
    """A run of a shipped checkpoint over generated rows, made in the shell; gives its id."""
    pick, path = random.Random(0), folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("text", "label"))
        writer.writerows(
            (" ".join(pick.choices(WORDS.split(), k=12)), pick.choice(("negative", "positive")))
            for _ in range(rows)
        )
    command = [sys.executable, "-m", "modelzoo", "run", SLUG, "--data", str(path)]
    subprocess.run(command, env={**os.environ, "ATLAS_RUNS": str(folder / "data")}, cwd=ROOT, check=True)
    return next((folder / "data" / "runs").iterdir()).name


def steps(page: Page) -> dict[str, Callable[[], None]]:
    """What a person does, in an order in which each can be done."""

    def part(name: str) -> Callable[[], None]:
        return page.locator(".st-key-errors_part").get_by_text(name, exact=True).click

    def search() -> None:
        page.locator(".st-key-errors_filter button").first.click()
        field = page.locator(".st-key-errors_filter_search input")
        field.fill(SEARCHED)
        page.wait_for_timeout(500)

    def open_row() -> None:
        box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 14, box["y"] + HEADER + LINE / 2)

    enter = page.locator(".st-key-errors_filter_search input")
    return {
        "overview": part("Overview"),
        "attention": part("Attention"),
        "take away": part("Take away"),
        "data and runs": part("Data and runs"),
        "examples": part("Examples"),
        "sort": page.locator(".st-key-errors_descending label").first.click,
        "next page": page.locator(".st-key-errors_page button").nth(2).click,
        "(filter)": search,
        "search": lambda: enter.press("Enter"),
        "(close)": lambda: page.keyboard.press("Escape"),
        "open a row": open_row,
        "next row": page.locator(".st-key-errors_next button").click,
        "clear the filter": page.locator(".st-key-errors_clear button").click,
    }


def timed(page: Page, runs: int) -> dict[str, list[float]]:
    """The times of every step; what stands in brackets only leads to the next."""
    found: dict[str, list[float]] = {}
    for _ in range(runs + 1):
        for name, act in steps(page).items():
            if name.startswith("("):
                act()
            else:
                found.setdefault(name, []).append(measured(page, act))
            page.wait_for_timeout(QUIET_MS)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        run = made_run(folder, options.rows)
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(WAIT_MS)
        with served(ROOT / "benchmarks" / "one_widget.py") as url:
            page.goto(url)
            toggle = page.locator(".st-key-one label")
            one = median([measured(page, toggle.click) for _ in range(options.runs + 1)][1:])
        with served(ROOT / "app" / "main.py", ATLAS_RUNS=str(folder / "data")) as url:
            page.goto(f"{url}/errors?run={run}&part=examples")
            page.locator(".st-key-errors_descending").wait_for()
            page.wait_for_timeout(2000)
            times = timed(page, options.runs)
        browser.close()
    print(f"{'one widget':20} {one:7.0f}")
    for name, found in times.items():
        again = median(found[1:])
        print(f"{name:20} {again:7.0f}  first {found[0]:7.0f}  ratio {again / one:5.2f}  limit {LIMIT}")
    return 0 if all(median(found[1:]) <= LIMIT * one for found in times.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
