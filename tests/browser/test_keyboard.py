"""Everything on a page by keyboard alone: Tab reaches each control, which keeps the focus over a rerun."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from modelzoo.viz import theme
from tests.browser.conftest import WAIT_MS, Watched
from tests.browser.reading import choose, enter, field, open_page, said, settle
from tests.checkpoints import SLUGS

pytestmark = pytest.mark.browser

MOST_TABS = 150
CONTROLS = """view => {
  const takes = 'input:not([disabled]), textarea, button:not([disabled]), summary, [role=slider]';
  return [...document.querySelectorAll(`[data-testid=stMain] [class*="st-key-${view}_"]`)]
    .filter(box => box.checkVisibility() && box.querySelector(takes))
    .filter(box => !box.querySelector('[class*="st-key-"]') && !box.querySelector('.stVegaLiteChart'))
    .map(box => [...box.classList].find(name => name.startsWith('st-key-')));
}"""
FOCUSED = """() => {
  const box = document.activeElement.closest('[class*="st-key-"]');
  return box ? [...box.classList].find(name => name.startsWith('st-key-')) : '';
}"""
LIN = SLUGS["self-attentive"]
LINKS = {
    "self-attentive": {"model": LIN, "text": "two dogs", "edit": "True", "overview": "True"},
    "compare": {"a.model": LIN, "b.model": LIN, "a.text": "two dogs", "b.text": "two cats"},
    "viewer": {},
}


def reached(page: Page) -> set[str]:
    """The controls that Tab comes to, from the top of the page."""
    page.locator("h1").first.click()
    found: set[str] = set()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        found.add(page.evaluate(FOCUSED))
    return found


@pytest.mark.parametrize("path", LINKS)
def test_tab_reaches_every_control_and_a_rerun_leaves_the_focus(watched: Watched, path: str) -> None:
    view, page = path.replace("-", "_"), open_page(watched, path, **LINKS[path])
    page.locator(".stVegaLiteChart path[aria-label]").first.wait_for()
    controls = set(page.evaluate(CONTROLS, view))
    assert len(controls) > 5
    assert controls - reached(page) == set()
    page.get_by_role("radio", name="Matrix").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.get_by_role("radio", name="Curves")).to_be_checked()
    settle(page)
    assert page.evaluate(FOCUSED) == f"st-key-{view}_reading_view"
    page.locator(f".st-key-{view}_popover button").first.press("Enter")
    page.get_by_role("switch", name="Hide punctuation").press("Space")
    settle(page)
    expect(page.get_by_role("switch", name="Hide punctuation")).to_be_focused()


def test_text_field_keeps_the_focus_over_its_answer(watched: Watched) -> None:
    page = open_page(watched, "self-attentive", model=LIN, text="two dogs")
    enter(page, "self_attentive", "text", "two cats play")
    settle(page)
    expect(field(page, "self_attentive", "text")).to_be_focused()


def test_every_map_is_pinned_by_keyboard(watched: Watched) -> None:
    """Those too that no control of the page changes: contributions, overlaps, and a difference."""
    page = open_page(watched, "self-attentive", model=LIN, text="two dogs")
    pin(page, "self_attentive_contribution", "2 hop 2")
    said(page, "hop 2: ")
    pin(page, "self_attentive_AAT", "2 hop 2")
    open_page(watched, "compare", **LINKS["compare"] | {"b.text": "two dogs", "pair": "0"})
    pin(page, "compare_difference", "2 hop 2")


def pin(page: Page, key: str, row: str) -> None:
    """Choose one of several rows from the list of pins, and see it outlined."""
    choose(page, f"{key}_pins", row)
    found = page.locator(f".st-key-{key}_grid")
    labels = found.locator('g[aria-label^="X-axis"] .role-axis-label text')
    outlined = found.locator(f'.mark-rect.role-mark path[stroke="{theme.PIN_COLOUR}"]')
    until = time.monotonic() + WAIT_MS / 1000
    while not 0 < outlined.count() == labels.count():  # both anew: the choice draws the chart once more
        assert time.monotonic() < until, f"{outlined.count()} of {labels.count()} cells are outlined"
        page.wait_for_timeout(100)
