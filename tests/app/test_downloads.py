"""Taking a view away: every format, the lines of code, and none of it before it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import downloads, state
from app.downloads import mark, taken
from app.links import Picked
from modelzoo import export
from modelzoo.results import AttentionMap
from modelzoo.tasks import Sentence
from modelzoo.transform import Reading
from tests.app.test_views import said
from tests.checkpoints import SLUGS
from tests.samples import attention, label_result, text_result
from tests.tiny import tiny_model

Open = Callable[..., AppTest]
LINK = {"text": "A man sleeps.", "target": "Un homme."}
FORMATS = ["SVG", "PDF", "PNG", "HTML", "CSV", "JSON", "NPZ", "Code"]


def pills(page: AppTest, key: str) -> Any:
    return next(group for group in page.get("button_group") if str(group.key).startswith(f"{key}_format_"))


def opened(page: AppTest, key: str) -> AppTest:
    """The page with the panel of this map opened."""
    page.session_state[f"{key}_away"] = True
    return page.run()


def saves(page: AppTest) -> list[str]:
    labels = (button.proto.label for button in page.get("download_button"))
    return [label for label in labels if label != "Save view"]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The formats that are made, in order."""
    done: list[str] = []
    for name in ("to_svg", "to_pdf", "to_png", "to_html", "to_csv", "to_json", "to_npz"):
        real = getattr(export, name)

        def spy(*given: Any, name: str = name, real: Any = real, **options: Any) -> Any:
            done.append(name)
            return real(*given, **options)

        monkeypatch.setattr(export, name, spy)
    return done


def test_every_format_is_offered_once_opened_and_nothing_is_made(open_view: Open, made: list[str]) -> None:
    page = opened(open_view("rnn_search", **LINK), "rnn_search_alignment")
    assert not page.exception
    assert pills(page, "rnn_search_alignment").options == FORMATS
    assert saves(page) == []
    assert made == []


def test_file_is_made_when_asked_and_never_on_a_rerun(open_view: Open, made: list[str]) -> None:
    page = opened(open_view("rnn_search", **LINK), "rnn_search_alignment")
    pills(page, "rnn_search_alignment").set_value("CSV").run()
    assert saves(page) == ["Save CSV, 1 kB"]
    assert made == ["to_csv"]
    page.run()
    page.button(key="rnn_search_run").click().run()
    assert saves(page) == ["Save CSV, 1 kB"]
    assert made == ["to_csv"]


def test_choice_is_empty_again_when_the_view_changes(open_view: Open, made: list[str]) -> None:
    page = opened(open_view("rnn_search", **LINK), "rnn_search_alignment")
    pills(page, "rnn_search_alignment").set_value("CSV").run()
    page.selectbox(key="rnn_search_reading_scale").set_value("log").run()
    assert not page.exception
    assert saves(page) == []
    assert made == ["to_csv"]


def test_pins_formats_and_overviews_run_no_model(open_view: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_view("conv_s2s", text="A man.", target="Un homme.")
    asked: list[Any] = []
    model = type(state.load(SLUGS["conv-s2s"]))
    monkeypatch.setattr(model, "attend", lambda self, inputs: asked.append(inputs))
    page.multiselect(key="conv_s2s_mean_pins").set_value([0]).run()
    page = opened(page, "conv_s2s_mean")
    for name in FORMATS:
        pills(page, "conv_s2s_mean").set_value(name).run()
        assert not page.exception
        assert not page.error
    page.session_state["conv_s2s_overview"] = True
    page.run()
    page.selectbox(key="conv_s2s_sort").set_value("sharpest first (entropy)").run()
    assert page.query_params["sort"] == "sharpest first (entropy)"
    assert asked == []


def test_code_names_the_checkpoint(open_view: Open) -> None:
    page = opened(open_view("rnn_search", **LINK), "rnn_search_alignment")
    pills(page, "rnn_search_alignment").set_value("Code").run()
    assert "load('rnn-search-tiny')" in page.code[-1].value


def test_file_that_cannot_be_made_is_a_sentence_that_offers_others(
    open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    import vl_convert

    def fail(svg: str, **options: Any) -> bytes:
        raise RuntimeError("An error occurred while subsetting a font.")

    page = opened(open_view("rnn_search", **LINK), "rnn_search_alignment")
    for name, function in (("PDF", "svg_to_pdf"), ("PNG", "svg_to_png")):
        monkeypatch.setattr(vl_convert, function, fail)
        monkeypatch.setattr(export, "note", lambda texts: "A font is missing: PNG and PDF show boxes there.")
        pills(page, "rnn_search_alignment").set_value(name).run()
        assert not page.exception
        assert f"The {name} could not be made here (An error occurred while" in said(page.error)
        assert "SVG" in said(page.error)
        assert "A font is missing" in said(page.info)
        assert saves(page) == []
    pills(page, "rnn_search_alignment").set_value("SVG").run()
    assert len(saves(page)) == 1
    assert not page.error


def test_matrix_of_ones_own_and_a_difference_have_no_result_to_take(open_view: Open) -> None:
    page = open_view("viewer")
    key = next(str(box.key) for box in page.multiselect if str(box.key).endswith("_pins")).removesuffix(
        "_pins"
    )
    assert pills(opened(page, key), key).options == ["SVG", "PDF", "PNG", "HTML", "CSV"]
    result = label_result()
    both = taken(attention(("a",), ("b",)), Picked(), Reading(), result, result)
    assert both.result is None
    assert dict(both.view.facts()) == {
        "model": "A sample, B sample", "A sentence": "The cat zyzzyva", "B sentence": "The cat zyzzyva"
    }  # fmt: skip


def test_other_quantity_than_a_map_gives_the_result_and_no_code(open_view: Open) -> None:
    page = opened(open_view("self_attentive", text="two dogs"), "self_attentive_contribution")
    assert pills(page, "self_attentive_contribution").options == FORMATS[:-1]


@pytest.mark.parametrize("text", ["<script>alert(1)</script> $x$", "今天 天气"])
def test_what_is_taken_is_what_is_shown(text: str) -> None:
    result = tiny_model("self-attentive").attend([Sentence(text)])[0]
    grid = result.map("hops")
    view = taken(grid, Picked((1,)), Reading(), result).view
    assert isinstance(view.grid, AttentionMap)
    assert view.grid is grid
    assert view.pinned == (1,)
    csv = export.to_csv(view.grid)
    assert csv.count("\n") == 1 + grid.values.size
    assert "<script>alert" not in export.to_html(view).split("</head>")[-1].split("<script")[0]


def test_curves_that_do_not_fit_are_taken_as_the_matrix_that_is_shown() -> None:
    grid = attention(("a",), tuple(f"w{k}" for k in range(41)))
    assert taken(grid, Picked(), Reading(view="curves"), text_result()).view.kind == "matrix"
    assert taken(grid, Picked(), Reading(view="text"), text_result()).view.kind == "text"


def test_mark_changes_with_whatever_the_file_would_hold() -> None:
    result, grid = text_result(), text_result().maps[0]
    views = (
        taken(grid, Picked(), Reading(), result),
        taken(grid, Picked((0,)), Reading(), result),
        taken(grid, Picked((), (0,)), Reading(), result),
        taken(grid, Picked((), (), (range(1), range(2))), Reading(), result),
        taken(grid, Picked(), Reading(view="curves"), result),
        taken(grid, Picked(), Reading(scale="log"), result),
        taken(attention(grid.rows, grid.columns[::-1]), Picked(), Reading(), result),
        taken(grid, Picked(), Reading(), label_result()),
    )
    assert len({mark(one) for one in views}) == len(views)
    assert mark(views[0]) == mark(taken(text_result().maps[0], Picked(), Reading(), text_result()))


def test_file_names_are_names_only() -> None:
    assert downloads.file_name("../a b", "<x>") == "a-b_x"
