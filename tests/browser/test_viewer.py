"""A person's own matrix in Chromium: pasted, uploaded, marked, refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from modelzoo.data.matrix import read_matrices
from modelzoo.viz import theme
from tests.browser.conftest import Watched
from tests.browser.reading import assert_shows, cell, choose, expect_columns, open_page, said, settle

pytestmark = pytest.mark.browser

ODD = ',the,"a, <b>",the\n$x$,0.5,0.25,0.25\n1,0,1,0\n10,0,0,1'
PASTES = {
    "csv": ODD,
    "tsv": "\t.\t[x]:y\n<script>\t0.5\t0.5\n&amp;\t1\t0",
    "json": '{"name": "hop.1 [a]:x", "rows": ["le"], "columns": ["the", "cat"], "values": [[0.9, 0.1]]}',
}


def paste(page: Page, text: str) -> None:
    """Put a text into the field and leave it."""
    box = page.locator(".st-key-viewer_text textarea")
    box.fill(text)
    box.press("Control+Enter")


def test_pasted_matrices_are_drawn_cell_by_cell(watched: Watched) -> None:
    """Case 5: names with dots, brackets and quotes are only data."""
    page = open_page(watched, "viewer")
    expect(page.get_by_text("invented numbers")).to_be_visible()
    for text in PASTES.values():
        paste(page, text)
        (grid,) = read_matrices(text)
        found = page.locator(".stVegaLiteChart")
        expect_columns(found, grid.columns)
        assert_shows(found, replace(grid, title=grid.name))
    assert page.locator("script", has_text="alert").count() == 0


def test_uploaded_archive_holds_several_maps(watched: Watched, tmp_path: Path) -> None:
    values = np.array([[0.7, 0.3], [0.1, 0.9]], dtype=np.float32)
    tokens = {"rows": np.array(["le", "<b>"]), "columns": np.array(["the", "$x$"])}
    np.savez(tmp_path / "two.npz", first=values, second=values[::-1], **tokens)
    page = open_page(watched, "viewer")
    page.locator("[data-testid=stFileUploader] input").set_input_files(tmp_path / "two.npz")
    expect(page.locator(".st-key-viewer_matrix")).to_be_visible()
    found = page.locator(".stVegaLiteChart")
    expect(found.locator(".mark-rect.role-mark path")).to_have_count(4)
    expect(found.locator(".mark-rect.role-mark path").nth(1)).to_have_attribute(
        "aria-label", "le; $x$: 0.300000"
    )


def test_rows_that_do_not_sum_to_1_are_drawn_and_marked(watched: Watched) -> None:
    page = open_page(watched, "viewer", text=",a,b\n<b>x</b>,0.5,0.4\n$y$,1,0")
    said(page, "1 of 2 rows do not sum to 1: <b>x</b> (0.9). Drawn as given, not rescaled.")
    expect(page.locator(".mark-rect.role-mark path").first).to_have_attribute(
        "aria-label", "<b>x</b>; a: 0.500000"
    )


def test_refused_paste_or_file_leaves_the_last_matrix_and_the_next_is_drawn(
    watched: Watched, tmp_path: Path
) -> None:
    """Case 15 for matrices: the row, the rule and an example, and what stays is said to be from before."""
    page = open_page(watched, "viewer", text=",<b>,$x$\nrow,1,0")
    paste(page, ",a,b\nx,1,<i>maybe</i>")
    alert = page.locator("[data-testid=stAlertContentError]")
    expect(alert).to_contain_text("Row 2, column 3 is '<i>maybe</i>'; accepted is a number, such as 0.25")
    said(page, r"Below stays what was given before: ',<b>,$x$\nrow,1,0'.")
    expect_columns(page.locator(".stVegaLiteChart"), ["<b>", "$x$"])
    (tmp_path / "refused.csv").write_bytes(b"\xff,a")
    page.locator("[data-testid=stFileUploader] input").set_input_files(tmp_path / "refused.csv")
    expect(alert).to_contain_text("not UTF-8")
    expect_columns(page.locator(".stVegaLiteChart"), ["<b>", "$x$"])
    page.get_by_role("button", name="Remove refused.csv").click()
    paste(page, ",a,b\nx,1,0")
    expect_columns(page.locator(".stVegaLiteChart"), ["a", "b"])
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)


def test_flat_and_peaked_rows_look_different_on_one_stated_scale(watched: Watched) -> None:
    """Case 10: the scale is stated, and one for all rows."""
    text = ",a,b,c,d\nflat,.26,.25,.25,.24\npeaked,.97,.01,.01,.01"
    page = open_page(watched, "viewer", text=text)
    (grid,) = read_matrices(text)
    found = page.locator(".stVegaLiteChart")
    expect(found.get_by_text("weight, scale 0 to 1")).to_be_visible()
    flat, peaked = (cell(found, grid, i, 0).get_attribute("fill") for i in (0, 1))
    assert flat != peaked
    page.get_by_role("button", name="Reading").click()
    choose(page, "viewer_reading_scale", "per-row maximum")
    expect(found.get_by_text("share of the row's maximum, scale 0 to 1")).to_be_visible()
    expect(found.locator(".role-title-subtitle")).to_contain_text("each row divided by its maximum")


def test_large_matrix_scrolls_on_a_narrow_screen_and_its_labels_are_apart(
    watched: Watched,
) -> None:
    """Case 35: 200 x 200 cells at 390 pixels: thinned labels do not meet, and those of rows stay in view."""
    watched.page.set_viewport_size({"width": 390, "height": 900})
    names = [f"w{k}" for k in range(200)]
    rows = [f"r{k}," + ",".join(["0.005"] * 200) for k in range(200)]
    page = open_page(watched, "viewer")
    paste(page, "\n".join([",".join(["", *names]), *rows]))
    frame = page.locator('[class*="_mapframe"]')
    columns, heads = frame.locator(".xtick text"), frame.locator(".ytick text")
    expect(columns).to_have_count(theme.LABEL_LIMIT)
    lefts = sorted(box["x"] for box in map(Locator.bounding_box, columns.all()) if box)
    assert np.diff(lefts).min() > 12
    before = heads.first.bounding_box()
    frame.evaluate("frame => { frame.scrollLeft = 300 }")
    page.wait_for_timeout(200)
    after = heads.first.bounding_box()
    assert before
    assert after
    assert abs(before["x"] - after["x"]) < 2
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("rows", "columns", "heads"),
    [(50, 10, 'g[aria-label^="X-axis"] .role-axis-label text'), (80, 40, ".xtick text")],
    ids=["cells", "image"],
)
def test_column_heads_of_a_high_map_stay_below_the_head_of_the_page(
    watched: Watched, rows: int, columns: int, heads: str
) -> None:
    watched.page.set_viewport_size({"width": 1280, "height": 600})
    lines = [f"r{k}," + ",".join([str(1 / columns)] * columns) for k in range(rows)]
    page = open_page(watched, "viewer")
    paste(page, "\n".join([",".join(["", *(f"c{k}" for k in range(columns))]), *lines]))
    frame = page.locator('[class*="_mapframe"]')
    frame.locator(heads).first.wait_for()
    settle(page)
    for beyond in (200, 400):
        top = frame.evaluate(
            "(frame, beyond) => { const main = frame.closest('[data-testid=stMain]');"
            " main.scrollTop += frame.getBoundingClientRect().top + beyond;"
            " return frame.getBoundingClientRect().top }",
            beyond,
        )
        page.wait_for_timeout(200)
        place = frame.locator(heads).first.bounding_box()
        assert top < -150
        assert place
        assert 0 < place["y"] < 160
