"""How long a step of a page takes, beside a page that has one widget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

from playwright.sync_api import BrowserContext, Page

from tests.browser.conftest import Watched, free_port, serve

QUIET_MS, TIMES = 300, 5
ONE_WIDGET = "import streamlit as st\n\nst.toggle('One', key='one')\n"
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


def one_widget(context: BrowserContext, home: Path, checkpoints: Path) -> float:
    """Milliseconds that the only widget of a page takes, the median of some clicks."""
    home.mkdir()
    script, port = home / "one.py", free_port()
    script.write_text(ONE_WIDGET)
    with serve(home, checkpoints, port, script):
        visitor = Watched(context, f"http://127.0.0.1:{port}")
        visitor.page.goto(visitor.url)
        widget = visitor.page.locator(".st-key-one label")
        times = [measured(visitor.page, widget.click) for _ in range(TIMES + 1)]
        visitor.page.close()
    return median(times[1:])
