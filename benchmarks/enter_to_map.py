"""From Enter, and from a control, to the map: our pages against a bare Streamlit page with the same chart.

    python benchmarks/enter_to_map.py [--runs 15] [--slug SLUG] [--tokens 20 --tokens 50]

Runs alternate between the two pages, at 20, 50, 100 and 200 tokens. Times are medians in milliseconds, the
model's own time taken off those from Enter; a control asks no model. The exit status is 1 when a ratio is
over its limit (1.3 to the first painted map, 2.0 to the settled page), or when a step takes over two minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, Playwright, TimeoutError, sync_playwright  # noqa: E402

from modelzoo.cards import ModelCard, list_cards  # noqa: E402
from modelzoo.tasks import Inputs, Sentence, SentencePair, SourceText  # noqa: E402

PAINTED_LIMIT, SETTLED_LIMIT = 1.3, 2.0
TOKENS = (20, 50, 100, 200)
PIECES_OF_A_NAME = 9
"""Pieces that the one new word of a text may need in a translation."""
QUIET_MS, WAIT_MS = 400, 120_000
WORDS = "a man in a red coat and two small dogs are walking along the beach near the old white"
HYPOTHESIS = "A man is outside."


class View(NamedTuple):
    """One of our pages: its address, its name in keys, and its main map."""

    path: str
    name: str
    map: str


VIEWS = {
    "self-attentive": View("self-attentive", "self_attentive", "hops"),
    "decomposable": View("decomposable", "decomposable", "premise_to_hypothesis"),
    "rnn-search": View("rnn-search", "rnn_search", "alignment"),
    "conv-s2s": View("conv-s2s", "conv_s2s", "mean"),
}

MEASURE = """([kind, map, quiet]) => {
  window.times = null;
  let start = null, painted = null, last = 0;
  const texts = () => document.querySelector(map)?.querySelector('svg')?.textContent;
  const before = texts();
  document.addEventListener(kind, event => {
    if ((kind === 'click' || event.key === 'Enter') && start === null) start = last = performance.now();
  }, {capture: true});
  const shown = () => texts() && texts() !== before;
  new MutationObserver(() => {
    if (start === null) return;
    last = performance.now();
    if (painted === null && shown()) requestAnimationFrame(() => {
      if (painted === null) painted = last = performance.now();
    });
  }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  const timer = setInterval(() => {
    const idle = document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning';
    if (painted !== null && idle && performance.now() - last > quiet) {
      clearInterval(timer);
      window.times = [painted - start, last - start];
    }
  }, 20);
}"""


def text_of(run: int, task: str, tokens: int = 20) -> str:
    """A text of about so many tokens that nobody asked before: its first word is new, and its others stand
    in other places than in the run before, so that a map with thinned labels differs too."""
    words = tokens - (PIECES_OF_A_NAME if task == "translation" else 1)
    first = run % len(WORDS.split())
    return " ".join([f"house{run}", *(WORDS.split() * 20)[first : first + words]])


def inputs_of(task: str, text: str) -> Inputs:
    """What both pages ask."""
    if task == "classification":
        return Sentence(text)
    return SentencePair(text, HYPOTHESIS) if task == "entailment" else SourceText(text)


@contextmanager
def served(script: Path, **environment: str) -> Iterator[str]:
    """A Streamlit script served on a free port, with our configuration."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    flags = [
        "--server.headless",
        "true",
        "--server.fileWatcherType",
        "none",
        "--browser.gatherUsageStats",
        "false",
    ]
    with tempfile.TemporaryDirectory() as home:
        variables = {**os.environ, **environment, "HOME": home}
        server = subprocess.Popen([*command, *flags], env=variables, cwd=home, stdout=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_healthy(f"{url}/_stcore/health")
            yield url
        finally:
            server.kill()  # it has nothing to keep, and may be busy
            server.wait()


def wait_until_healthy(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the page did not start")


def launch(playwright: Playwright) -> Browser:
    """The machine's Chromium, else Playwright's."""
    return playwright.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
    )


class Side(NamedTuple):
    """One of the two pages: where its text and its map stand, and what it shows instead of the map."""

    page: Page
    field: str
    frame: str
    other: str

    @property
    def map(self) -> str:
        """The main map alone: other charts of the page stay while it goes."""
        return f"{self.frame} :is(.stVegaLiteChart, .stPlotlyChart)"


def enter(side: Side, text: str) -> tuple[float, float]:
    """Milliseconds from Enter to the painted map and to the settled page."""
    box = side.page.locator(side.field)
    box.fill(text)
    return measure(side, "keydown", lambda: box.press("Enter"))


def control(side: Side) -> tuple[float, float]:
    """Milliseconds from the control that shows the map again to the painted map and the settled page."""
    side.page.get_by_role("radio", name=side.other).click()
    side.page.locator(side.map).first.wait_for(state="detached")
    side.page.wait_for_timeout(QUIET_MS)
    return measure(side, "click", side.page.get_by_role("radio", name="Matrix").click)


def measure(side: Side, kind: str, act: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds from an event of this kind, which `act` brings about, to the map and the settled page."""
    side.page.evaluate(MEASURE, [kind, side.map, QUIET_MS])
    act()
    painted, settled = side.page.wait_for_function("window.times", polling=QUIET_MS).json_value()
    return painted, settled


def model_time(slug: str, task: str, runs: int, tokens: int) -> float:
    """Median milliseconds of the attend call alone, on one thread as in the pages."""
    import torch

    from modelzoo import registry

    torch.set_num_threads(1)
    model = registry.load(slug)
    times = []
    for run in range(runs + 2):
        start = time.perf_counter()
        model.attend([inputs_of(task, text_of(10_000 + run, task, tokens))])
        times.append(1000 * (time.perf_counter() - start))
    return median(times[2:])


def compare(card: ModelCard, runs: int, lengths: Sequence[int]) -> bool:
    """Measure both pages at every length and print the ratios; whether all are within their limits."""
    slug, task, view = card.slug, card.task, VIEWS[card.model]
    link = urllib.parse.urlencode({"model": slug, "text": "two dogs", "text-pair": HYPOTHESIS, "beam": "1"})
    bare_script = ROOT / "benchmarks" / "bare_page.py"
    within = True
    with (
        served(ROOT / "app" / "main.py") as ours_url,
        served(bare_script, BARE_SLUG=slug, BARE_MAP=view.map) as bare_url,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        ours = opened(browser, f"{ours_url}/{view.path}?{link}")
        frame = f".st-key-{view.name}_{view.map}_grid"
        sides = {
            "ours": Side(ours, f".st-key-{view.name}_text input", frame, "Text"),
            "bare": Side(opened(browser, bare_url), ".st-key-bare_text input", "body", "Nothing"),
        }
        for tokens in lengths:
            alone = model_time(slug, task, runs, tokens)
            texts = [text_of(1000 * tokens + run, task, tokens) for run in range(runs + 2)]
            name = f"{slug} {tokens}"
            entered, controlled = times_of(name, sides, texts)
            within &= report(f"{name} enter", alone, entered) & report(f"{name} control", 0.0, controlled)
            print(f"{name:40} model    {alone:12.0f}", flush=True)
        browser.close()
    return within


def opened(browser: Browser, address: str) -> Page:
    """A page of its own at this address."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(WAIT_MS)
    page.goto(address)
    return page


Times = dict[str, list[tuple[float, float]]]


def times_of(name: str, sides: dict[str, Side], texts: Sequence[str]) -> tuple[Times, Times]:
    """Of both pages in turn, the times from Enter and those from the control."""
    entered: Times = {page: [] for page in sides}
    controlled: Times = {page: [] for page in sides}
    for text in texts:
        for page, side in sides.items():
            side.page.bring_to_front()
            with in_time(f"{name} enter, {page}"):
                entered[page].append(enter(side, text))
            with in_time(f"{name} control, {page}"):
                controlled[page].append(control(side))
    return entered, controlled


@contextmanager
def in_time(step: str) -> Iterator[None]:
    """End with one sentence where a step of a page does not come."""
    try:
        yield
    except TimeoutError as error:
        raise SystemExit(f"{step}: not there after {WAIT_MS // 1000} seconds\n{error}") from None


def report(name: str, alone: float, times: Times) -> bool:
    """Print one line for each time; the first two runs warm up and do not count."""
    within = True
    for k, (what, limit) in enumerate((("painted", PAINTED_LIMIT), ("settled", SETTLED_LIMIT))):
        ours, bare = (median(run[k] for run in times[page][2:]) - alone for page in ("ours", "bare"))
        ratio = ours / bare
        within &= ratio <= limit
        print(f"{name:40} {what:8} ours {ours:7.0f}  bare {bare:7.0f}  ratio {ratio:5.2f}  limit {limit}")
    return within


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument(
        "--slug", action="append", help="a checkpoint; default: every one with a page of its own"
    )
    parser.add_argument("--tokens", type=int, action="append", help=f"default: {', '.join(map(str, TOKENS))}")
    options = parser.parse_args()
    cards = [
        card for card in list_cards() if card.model in VIEWS and card.slug in (options.slug or [card.slug])
    ]
    if not cards:
        print("there is no such checkpoint; `python -m modelzoo list` names those there are", file=sys.stderr)
        return 2
    within = [compare(card, options.runs, options.tokens or TOKENS) for card in cards]
    return 0 if all(within) else 1


if __name__ == "__main__":
    raise SystemExit(main())
