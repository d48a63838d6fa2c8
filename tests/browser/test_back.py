"""The browser's Back and Forward: texts, controls and pins come back, a step each."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched
from tests.browser.reading import chart, enter, expect_columns, field, open_page, settle
from tests.checkpoints import SLUGS

pytestmark = pytest.mark.browser


def test_back_from_another_text_brings_the_pins_of_the_first(watched: Watched) -> None:
    """One step back, not one for the text and another for its pins."""
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="two dogs")
    found = chart(page, "self_attentive", "hops")
    expect_columns(found, ("two", "dogs"))
    found.locator(".mark-rect.role-mark path").first.click()
    expect(page).to_have_url(re.compile("[?&]pins="))
    enter(page, "self_attentive", "text", "a cat sleeps")
    expect_columns(found, ("a", "cat", "sleeps"))
    expect(page).not_to_have_url(re.compile("pins="))
    settle(page)
    page.go_back()
    expect_columns(found, ("two", "dogs"))
    expect(page).to_have_url(re.compile("[?&]pins="))


def test_back_and_forward_bring_earlier_texts_and_controls_back(watched: Watched) -> None:
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="two dogs")
    found = chart(page, "self_attentive", "hops")
    expect_columns(found, ("two", "dogs"))
    enter(page, "self_attentive", "text", "a cat sleeps")
    expect_columns(found, ("a", "cat", "sleeps"))
    settle(page)
    page.get_by_role("radio", name="Curves").click()
    expect(found).to_have_count(0)
    settle(page)
    page.go_back()
    expect_columns(found, ("a", "cat", "sleeps"))
    page.go_back()
    expect_columns(found, ("two", "dogs"))
    expect(field(page, "self_attentive", "text")).to_have_value("two dogs")
    page.go_forward()
    expect_columns(found, ("a", "cat", "sleeps"))


def test_back_brings_a_matrix_that_no_link_holds(watched: Watched) -> None:
    """Its address says nothing of it, so it is the one of this session."""
    names = [f"w{k}" for k in range(40)]
    long = "\n".join(["," + ",".join(names), *(f"{name}{',0.025' * 40}" for name in names)])
    short = ",a,b\nx,0.1,0.9"
    page = open_page(watched, "viewer", text=short)
    found = chart(page, "viewer", "matrix-1")
    box = page.locator(".st-key-viewer_text textarea")
    for text, columns in ((long, names), (",c,d\ny,0.3,0.7", ("c", "d"))):
        box.fill(text)
        box.press("Control+Enter")
        expect_columns(found, columns)
        settle(page)
    page.go_back()
    expect_columns(found, names)
    page.go_back()
    expect_columns(found, ("a", "b"))
