"""Everything on a page by keyboard alone: Tab reaches each control, which keeps the focus over a rerun."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Watched
from tests.browser.reading import enter, field, open_page, settle
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
