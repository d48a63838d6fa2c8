"""The viewer: our example, a person's own matrix, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.downloads import file_name
from tests.app.test_views import cells, charts, column_labels, said, title

Open = Callable[..., AppTest]


def paste(page: AppTest, text: str) -> AppTest:
    return page.text_area(key="viewer_text").set_value(text).run()


def test_viewer_opens_with_the_textbook_matrix_titled_as_invented(open_view: Open) -> None:
    page = open_view("viewer")
    assert not page.exception
    assert "Invented" in title(charts(page)[0])
    assert column_labels(charts(page)[0]) == ["汤姆", "追逐", "杰瑞"]
    weights = [cell["weight"] for cell in cells(page, 0)]
    assert weights == pytest.approx([0.6, 0.2, 0.2, 0.2, 0.7, 0.1, 0.3, 0.2, 0.5])


def test_own_matrix_is_drawn_marked_and_not_rescaled(open_view: Open) -> None:
    page = paste(open_view("viewer"), ",the,the\n<b>x</b>,0.5,0.4\n$y$,3,0")
    assert not page.exception
    assert "2 of 2 rows do not sum to 1: <b>x</b> (0.9), $y$ (3)" in said(page.info)
    assert [cell["weight"] for cell in cells(page, 0)] == pytest.approx([0.5, 0.4, 3, 0])
    assert "invented" not in title(charts(page)[0])


def test_refused_paste_names_row_and_example_and_the_last_matrix_stays(open_view: Open) -> None:
    page = paste(open_view("viewer"), ",the,cat\nle,0.9,0.1")
    page.multiselect(key="viewer_matrix 1_pins").set_value([0]).run()
    before = charts(page)
    paste(page, ",a,b\nx,1,maybe")
    assert not page.exception
    assert "Row 2, column 3 is 'maybe'; accepted is a number, such as 0.25" in said(page.error)
    assert "Below stays what was given before: ',the,cat\\nle,0.9,0.1'." in said(page.info)
    assert charts(page) == before
    paste(page, ",a,b\nx,1,0")
    assert not page.error
    assert not page.info
    assert column_labels(charts(page)[0]) == ["a", "b"]


def test_refused_matrix_of_a_link_has_none_before_it(open_view: Open) -> None:
    page = open_view("viewer", text=",a,b\nx,1,maybe")
    assert "Row 2, column 3 is 'maybe'" in said(page.error)
    assert not page.info
    assert not charts(page)


def test_several_matrices_are_chosen_by_name(open_view: Open) -> None:
    text = json.dumps(
        [{"name": n, "tokens": ["a", "b"], "values": [[1, 0], [v, 1 - v]]} for n, v in (("p", 0), ("q", 1))]
    )
    page = paste(open_view("viewer"), text)
    page.selectbox(key="viewer_matrix").set_value(1).run()
    assert not page.exception
    assert title(charts(page)[0]) == "q"


def test_link_carries_the_matrix(open_view: Open) -> None:
    page = open_view("viewer", text=",a\nx,1")
    assert column_labels(charts(page)[0]) == ["a"]
    assert paste(page, ",b\nx,1").query_params["text"] in (",b\nx,1", [",b\nx,1"])


def test_file_names_are_only_names() -> None:
    assert file_name("../../etc <b>", "hop.1/x") == "etc-b_hop-1-x"
    assert file_name("", "///") == "view"
