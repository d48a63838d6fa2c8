"""The controls of a page's maps over results made by hand, and once over a page: no control runs a model."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from app import state
from modelzoo.transform import READING_NAMES, Reading, options
from tests.checkpoints import SLUGS


def text_page() -> None:
    from app import panels, state
    from tests.samples import text_result

    state.open_page("page")
    result = text_result()
    panels.maps("page", result.maps, result)


def hop_page() -> None:
    from app import panels, state
    from tests.samples import label_result

    state.open_page("page")
    result = label_result()
    panels.maps("page", [result.map("hops")], result)
    panels.hops("page", result)
    panels.overlap("page", result)


def opened(page: Callable[[], None], **link: str) -> AppTest:
    made = AppTest.from_function(page, default_timeout=120)
    for name, value in link.items():
        made.query_params[name] = value
    made.run()
    assert not made.exception
    return made


def spec(page: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.get("vega_lite_chart")[0].proto.spec)
    return found


def cells(page: AppTest) -> list[float]:
    data = page.get("vega_lite_chart")[0].proto.datasets[0].data.data
    return [row["weight"] for row in pa.ipc.open_stream(data).read_all().to_pylist()]


def said(page: AppTest) -> str:
    return " ".join(html.unescape(element.value) for element in (*page.caption, *page.info))


def test_each_control_is_drawn_where_it_fits_and_changes_the_map() -> None:
    page = opened(text_page)
    before = cells(page)
    page.toggle(key="page_reading_special").set_value(True).run()
    assert len(cells(page)) == 4
    assert "special tokens hidden: 2 tokens" in spec(page)["title"]["subtitle"][0]
    assert page.query_params == {"special": "1"}
    page.button(key="page_reset").click().run()
    assert cells(page) == before
    assert page.query_params == {}
    page.selectbox(key="page_reading_scale").set_value("row").run()
    assert cells(page).count(1.0) == 3
    assert not [toggle for toggle in page.toggle if toggle.key == "page_reading_words"]


def test_link_sets_the_controls_and_says_what_it_cannot() -> None:
    page = opened(text_page, least="0.2", scale="huge", view="curves", pins="alignment:1,9;other:0")
    assert page.slider(key="page_reading_least").value == 0.2
    assert "The link's scale is 'huge'; accepted are weight, row, log, scores" in said(page)
    assert page.multiselect(key="page_alignment_pins").value == [1]
    assert not page.get("vega_lite_chart")
    assert any("data:image/svg+xml" in element.proto.body for element in page.get("html"))
    assert page.query_params == {"least": "0.2", "view": "curves", "pins": "alignment:1"}


def test_click_pins_a_row_and_the_list_releases_it() -> None:
    page = opened(text_page)
    page.multiselect(key="page_alignment_pins").set_value([0, 2]).run()
    assert "le looks at" in said(page)
    assert "</s> looks at" in said(page)
    assert "Together: sum of 2 looks at" in said(page)
    pin = next(param for param in spec(page)["params"] if param["name"] == "pin")
    assert pin["value"] == [{"i": 0, "j": -1}, {"i": 2, "j": -1}]
    page.multiselect(key="page_alignment_pins").set_value([]).run()
    assert "looks at" not in said(page)
    page.multiselect(key="page_alignment_columns").set_value([1]).run()
    assert "cat is looked at by" in said(page)
    assert page.query_params == {"column-pins": "alignment:1"}
    again = opened(text_page, **{"column-pins": "alignment:1,7"})
    assert "cat is looked at by" in said(again)
    assert "The link pins column 8 of" in said(again)
    pin = next(param for param in spec(again)["params"] if param["name"] == "pin")
    assert pin["value"] == [{"i": -1, "j": 1}]


def test_pins_of_a_grid_without_controls_have_lists_too() -> None:
    page = opened(hop_page, pins="AAT:1")
    assert page.multiselect(key="page_AAT_pins").value == [1]
    assert "hop 2: hop 2 0.62, hop 1 0.16" in said(page)
    page.multiselect(key="page_AAT_columns").set_value([0]).run()
    assert "hop 1: hop 1 " in said(page)
    assert page.query_params == {"pins": "AAT:1", "column-pins": "AAT:0"}


def test_what_a_click_selects_is_what_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    from app import pins

    cells = [{"i": 2, "j": 1}, {"i": 0, "j": -1}, {"i": -1, "j": 3}]
    session: dict[str, Any] = {"own": {"selection": {"pin": cells}}}
    monkeypatch.setattr(pins.st, "session_state", session)
    pins._clicked("page_alignment", "own")
    assert session["page_alignment_pins"] == [0, 2]
    assert session["page_alignment_columns"] == [1, 3]
    session["own"] = {"selection": {}}
    pins._clicked("page_alignment", "own")
    assert session["page_alignment_pins"] == session["page_alignment_columns"] == []


def test_text_view_has_a_line_for_each_row_or_for_the_pinned_ones() -> None:
    page = opened(hop_page, view="text")
    assert sum("zyzzyva" in element.proto.body for element in page.get("html")) == 2
    page.multiselect(key="page_hops_pins").set_value([1]).run()
    assert sum("zyzzyva" in element.proto.body for element in page.get("html")) == 1


def test_overview_is_made_when_opened_sorts_and_enlarges() -> None:
    page = opened(hop_page)
    assert not [button for button in page.button if "enlarge" in (button.key or "")]
    page.session_state["page_overview"] = True
    page.run()
    first = [button.label for button in page.button if "enlarge" in (button.key or "")]
    assert first == ["Enlarge hop 1", "Enlarge hop 2"]
    page.button(key="page_enlarge_hops_2").click().run()
    assert page.multiselect(key="page_hops_pins").value == [1]
    assert "hop 2 looks at" in said(page)


def test_changing_any_control_runs_no_model(
    open_view: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_view("rnn_search", text="A man sleeps.", target="Un homme.")
    asked: list[object] = []
    model = type(state.load(SLUGS["rnn-search"]))
    monkeypatch.setattr(model, "attend", lambda self, inputs: asked.append(inputs))
    read = Reading("curves", True, True, True, 0.9, "3", 0.05, "log", "1:4", "1:4")
    for option in options():
        page.session_state[f"rnn_search_reading_{option.link}"] = getattr(read, option.name)
        page.run()
        assert not page.exception
    assert asked == []
    assert set(READING_NAMES) <= set(page.query_params)
