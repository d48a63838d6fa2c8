"""Taking a view away: every format, the lines of code, and none of it before it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.downloads import taken
from modelzoo import export
from modelzoo.results import AttentionMap
from modelzoo.tasks import Sentence
from modelzoo.transform import Reading
from tests.tiny import tiny_model

Open = Callable[..., AppTest]


def buttons(page: AppTest) -> set[str]:
    return {button.proto.label for button in page.get("download_button")}


def test_formats_are_offered_once_opened(open_view: Open) -> None:
    page = open_view("rnn_search")
    assert buttons(page) == {"Save view", "CSV", "SVG"}
    page.session_state["rnn_search_alignment_away"] = True
    page.run()
    assert not page.exception
    assert buttons(page) >= {"SVG", "PDF", "PNG", "HTML", "CSV", "JSON", "NPZ"}
    assert "load('rnn-search-tiny')" in page.code[-1].value


def test_matrix_of_ones_own_has_no_result_to_take(open_view: Open) -> None:
    page = open_view("viewer")
    key = next(box.key for box in page.get("download_button") if box.key.endswith("_csv"))
    page.session_state[key.removesuffix("_csv") + "_away"] = True
    page.run()
    assert not page.exception
    assert "PDF" in buttons(page)
    assert not {"JSON", "NPZ"} & buttons(page)


@pytest.mark.parametrize("text", ["<script>alert(1)</script> $x$", "今天 天气"])
def test_what_is_taken_is_what_is_shown(text: str) -> None:
    result = tiny_model("self-attentive").attend([Sentence(text)])[0]
    grid = result.map("hops")
    view = taken(grid, (1,), Reading(), result).view
    assert isinstance(view.grid, AttentionMap)
    assert view.grid is grid
    assert view.pinned == (1,)
    csv = export.to_csv(view.grid)
    assert csv.count("\n") == 1 + grid.values.size
    assert "<script>alert" not in export.to_html(view).split("</head>")[-1].split("<script")[0]
