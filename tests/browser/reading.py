"""Reading what a page shows: heat maps cell by cell, labels, messages."""

from __future__ import annotations

import base64
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Error, Locator, Page, expect

from modelzoo.models.base import AttentionModel
from modelzoo.results import AttentionResult, Grid
from modelzoo.tasks import Inputs
from tests.browser.conftest import WAIT_MS, Watched

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
PIXEL = 1.0
MOST_OPTIONS = 30
SIDES = ("x", "y", "width", "height")


@dataclass
class Drawn:
    """One heat map as drawn: labels from the axes, one entry a cell in the order of the page's marks."""

    title: str
    rows: list[str]
    columns: list[str]
    names: list[str]
    boxes: list[dict[str, float]]


READ = """chart => {
  const texts = (group) => [...group.querySelectorAll('.role-axis-label text')]
    .filter(text => text.getAttribute('opacity') !== '0').map(text => text.textContent);
  const axis = (letter) => chart.querySelector(`g[aria-label^="${letter}-axis"]`);
  const cells = [...chart.querySelectorAll('.mark-rect.role-mark path')];
  return {
    title: chart.querySelector('.role-title-text')?.textContent ?? '',
    rows: texts(axis('Y')), columns: texts(axis('X')),
    names: cells.map(cell => cell.getAttribute('aria-label')),
    boxes: cells.map(cell => {
      const {x, y, width, height} = cell.getBoundingClientRect(); return {x, y, width, height}}),
  }
}"""


def ask(models: dict[str, AttentionModel], model: str, inputs: Inputs) -> AttentionResult:
    """What a model of the app answers."""
    return models[model].attend([inputs])[0]


def open_page(visitor: Watched, path: str, **link: str) -> Page:
    """Open a page of the app, with the parameters of a link, and wait until it is settled."""
    query = urlencode({name.replace("_", "-"): value for name, value in link.items()})
    visitor.page.goto(f"{visitor.url}/{path}{'?' if query else ''}{query}")
    visitor.page.locator("h1").first.wait_for()
    settle(visitor.page)
    return visitor.page


def settle(page: Page) -> None:
    """Wait until the script has ended; what follows from a click is waited for by what it shows."""
    page.wait_for_timeout(150)
    page.locator(IDLE).wait_for()


def enter(page: Page, view: str, name: str, text: str) -> None:
    """Type into a field and press Enter."""
    box = field(page, view, name)
    box.fill(text)
    box.press("Enter")


def field(page: Page, view: str, name: str) -> Locator:
    """A field; while the page replaces one, the new one, which stands after the old."""
    return page.locator(f".st-key-{view}_{name} input").last


def save(page: Page, key: str, kind: str, path: Path) -> None:
    """Take the map of this key away in a format, as a file."""
    frame = page.locator(f".st-key-{key}_away")
    choice = frame.get_by_role("radio", name=kind, exact=True)
    if not choice.is_visible():
        frame.locator("summary").click()
    check(choice)
    with page.expect_download() as waiting:
        frame.locator("button", has_text=f"Save {kind},").click()
    waiting.value.save_as(path)


def check(choice: Locator) -> None:
    """Choose it, and once more where a busy page moved it away under the pointer."""
    until = time.monotonic() + WAIT_MS / 1000
    while choice.get_attribute("aria-checked") != "true":
        choice.click()
        try:
            expect(choice).to_have_attribute("aria-checked", "true", timeout=WAIT_MS / 6)
        except AssertionError:
            if time.monotonic() > until:
                raise


def chart(page: Page, view: str, name: str) -> Locator:
    """The heat map of that name, once it is drawn."""
    return page.locator(f".st-key-{view}_{name}_grid .stVegaLiteChart")


def drawn(found: Locator) -> Drawn:
    """What the newest of the charts found shows; read again while the page is replacing one."""
    until = time.monotonic() + WAIT_MS / 1000
    while True:
        try:
            found.last.locator("path[aria-label]").first.wait_for()
            return Drawn(**found.last.evaluate(READ))
        except Error:
            if time.monotonic() > until:
                raise


def expect_columns(found: Locator, columns: Sequence[str]) -> None:
    """Wait until the heat map's columns are these tokens."""
    labels = found.locator('g[aria-label^="X-axis"] .role-axis-label text')
    expect(labels).to_have_text(list(columns))


def assert_shows(found: Locator, grid: Grid) -> None:
    """Every label as typed and every cell with its own weight, equal in size and in the order of the text."""
    until = time.monotonic() + WAIT_MS / 1000
    while (seen := drawn(found)) and (wrong := difference(seen, grid)) and time.monotonic() < until:
        found.page.wait_for_timeout(100)
    expect(found).to_have_count(1)
    assert wrong == ""
    x, y, width, height = (np.reshape([box[side] for box in seen.boxes], grid.values.shape) for side in SIDES)
    assert (np.diff(x, axis=1) > 0).all(), "the first column is not on the left"
    assert (np.diff(y, axis=0) > 0).all(), "the first row is not on top"
    assert np.ptp(width) < PIXEL
    assert np.ptp(height) < PIXEL


def difference(seen: Drawn, grid: Grid) -> str:
    """What of the grid is not drawn as it is; empty when all is."""
    labels, expected = (
        [seen.title, seen.rows, seen.columns],
        [grid.title, list(grid.rows), list(grid.columns)],
    )
    if labels != expected:
        return f"drawn: {labels}; expected: {expected}"
    pairs = [f"{row}; {column}" for row in grid.rows for column in grid.columns]
    if (names := [name.rpartition(": ")[0] for name in seen.names]) != pairs:
        return f"cells drawn: {names}; expected: {pairs}"
    weights = weights_of(seen)
    worst = float(np.abs(weights - grid.values.ravel()).max())
    return "" if worst < 1e-6 else f"a weight is off by {worst}"


def weights_of(seen: Drawn) -> np.ndarray:
    """The weights that the cells are said to have, in the order of the marks."""
    return np.array([float(name.rpartition(": ")[2].replace("\u2212", "-")) for name in seen.names])


def said(page: Page, text: str) -> None:
    """Wait until the page says this in one of its small sentences or notices."""
    expect(
        page.locator("[data-testid=stCaptionContainer], [data-testid=stAlert]", has_text=text)
    ).not_to_have_count(0)


def cell(found: Locator, grid: Grid, i: int, j: int) -> Locator:
    """The mark of one cell of a heat map."""
    return found.locator(".mark-rect.role-mark path").nth(i * len(grid.columns) + j)


ACTIVE = """() => {
  const id = document.activeElement.getAttribute('aria-activedescendant');
  return id ? document.getElementById(id)?.textContent ?? '' : '';
}"""


def choose(page: Page, key: str, option: str) -> None:
    """Choose from the list of that key, by keyboard: down to the option, and Enter."""
    box = page.locator(f".st-key-{key} input")
    offered = page.get_by_role("option", name=option, exact=True)
    settle(page)
    until = time.monotonic() + WAIT_MS / 1000
    while not offered.is_visible():
        box.focus()
        box.press("ArrowDown")
        try:
            offered.wait_for(timeout=WAIT_MS / 6)
        except Error:
            if time.monotonic() > until:
                raise
    for _ in range(MOST_OPTIONS):
        if page.evaluate(ACTIVE) == option:
            break
        box.press("ArrowDown")
    box.press("Enter")


def image(page: Page, key: str) -> ET.Element:
    """The first SVG that the container of this key shows as an image, once it is drawn."""
    shown = page.locator(f".st-key-{key} [data-testid=stHtml] img").first
    expect(shown).to_have_js_property("complete", True)
    assert shown.evaluate("image => image.naturalWidth") > 0
    source = shown.get_attribute("src")
    assert source is not None
    return ET.fromstring(base64.b64decode(source.partition("base64,")[2]))
