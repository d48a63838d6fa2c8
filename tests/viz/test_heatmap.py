from __future__ import annotations

import json
import re
from typing import Any

import altair as alt
import numpy as np
import plotly.graph_objects as go
import pytest

from modelzoo.results import AttentionMap, Grid
from modelzoo.viz import heatmap, large, theme
from tests.samples import ODD_TOKENS, attention


def labels(expression: str) -> list[str]:
    """The tokens that a label expression looks up."""
    found: list[str] = json.loads(expression.rpartition("[")[0])
    return found


def encodings(spec: dict[str, Any]) -> dict[str, Any]:
    """How the cells are drawn: what all layers share, and what is the cells' own."""
    return {**spec["encoding"], **spec["layer"][0]["encoding"]}


def numbers(spec: dict[str, Any]) -> list[dict[str, float]]:
    """The cells that a chart draws, one record each."""
    found: list[dict[str, float]] = spec["data"]["values"]
    return found


def test_repeated_tokens_keep_a_column_each_with_its_own_weights() -> None:
    words = ("the", "cat", "saw", "the", "dog", "and", "the", "bird")
    grid = attention(("hop 1", "hop 2"), words)
    spec = heatmap.cells(grid, inline=True)
    assert labels(spec["encoding"]["x"]["axis"]["labelExpr"]) == list(words)
    drawn = np.zeros(grid.values.shape)
    for cell in numbers(spec):
        drawn[cell["i"], cell["j"]] += cell["weight"]
    np.testing.assert_array_equal(drawn, grid.values)


def test_tokens_that_look_like_numbers_are_labels_of_positions() -> None:
    words = ("in", "1999", "1", "E", "1", "costs", "10", "or", "2")
    spec = heatmap.cells(attention(("a",), words), inline=True)
    assert spec["encoding"]["x"]["type"] == "ordinal"
    assert labels(spec["encoding"]["x"]["axis"]["labelExpr"]) == list(words)
    assert [cell["j"] for cell in numbers(spec)] == list(range(9))


def test_user_text_is_never_a_field_name() -> None:
    grid = AttentionMap("hop.1 [a]:x", [[1.0]], ("r.1",), ("c[2]",), row_kind="a.b", column_kind="c:d")
    encoding = encodings(heatmap.cells(grid))
    fields = {encoding[channel]["field"] for channel in ("x", "y", "color", "description")}
    assert fields == {"i", "j", "weight", "about"}
    assert [tip["field"] for tip in encoding["tooltip"]] == ["row", "column", "weight", "rank"]


def test_scale_is_0_to_1_and_said_on_the_bar() -> None:
    color = encodings(heatmap.cells(attention(("a",), ("b", "c"))))["color"]
    assert color["scale"]["domain"] == [0.0, 1.0]
    assert color["legend"]["title"] == "weight, scale 0 to 1"


def test_other_limits_are_said_on_the_bar() -> None:
    grid = Grid("difference", [[-0.5, 0.5]], ("a",), ("b", "c"), limits=(-1.0, 1.0), diverging=True)
    color = encodings(heatmap.cells(grid))["color"]
    assert color["scale"]["domain"] == [-1.0, 1.0]
    assert color["scale"]["scheme"] == theme.DIVERGING.vega
    assert color["legend"]["title"] == "value, scale \u22121 to 1"


@pytest.mark.parametrize(
    ("rows", "columns", "kind"),
    [(50, 50, dict), (51, 51, go.Figure), (60, 7, dict), (61, 7, go.Figure),
     (8, 200, dict)],
)  # fmt: skip
def test_limits_of_cells_and_rows_decide_between_marks_and_an_image(
    rows: int, columns: int, kind: type
) -> None:
    grid = attention(tuple(f"w{k}" for k in range(rows)), tuple(f"w{k}" for k in range(columns)))
    assert isinstance(heatmap.heatmap(grid), kind)


def test_image_has_first_row_on_top_labels_by_position_and_the_same_limits() -> None:
    grid = attention(ODD_TOKENS * 5, ODD_TOKENS * 5)
    figure = heatmap.image(grid)
    trace = figure.data[0]
    assert figure.layout.yaxis.autorange == "reversed"
    assert (trace.zmin, trace.zmax) == (0.0, 1.0)
    assert trace.colorbar.title.text == "weight, scale 0 to 1"
    np.testing.assert_array_equal(trace.z, grid.values)
    alias = figure.layout.xaxis.labelalias
    assert len(alias) == 60
    assert alias["1"] == "&lt;b&gt;bold&lt;/b&gt;"
    assert alias["2"] == "&amp;amp;"
    assert alias["10"] == "a⏎b"


def test_picture_is_described_by_its_three_strongest_pairs() -> None:
    grid = Grid("g", [[0.5, 0.1], [0.4, 0.3]], ("r1", "r2"), ("c1", "c2"), title="a title")
    said = heatmap.describe(grid)
    assert said == (
        "Heat map, a title, 2 rows by 2 columns. "
        "Strongest: r1 and c1 0.500; r2 and c1 0.400; r2 and c2 0.300."
    )


def test_a_single_cell_is_drawn() -> None:
    spec = heatmap.cells(attention(("a",), ("b",)), inline=True)
    assert numbers(spec) == [{"i": 0, "j": 0, "weight": 1.0, "rank": 1, "light": False}]


def test_image_of_400_words_by_30_hops_thins_its_labels() -> None:
    grid = attention(tuple(f"hop {k}" for k in range(30)), tuple("w" for _ in range(400)))
    figure = heatmap.image(grid)
    assert figure.layout.xaxis.dtick == 10
    assert figure.layout.yaxis.dtick == 1


def test_hover_of_an_image_tells_the_rank_and_marks_row_and_column() -> None:
    figure = heatmap.image(Grid("g", [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]], ("a", "b"), ("x", "y", "z")))
    np.testing.assert_array_equal(figure.data[0].customdata, [[3, 1, 2], [1, 2, 3]])
    assert "rank in its row %{customdata}" in figure.data[0].hovertemplate
    assert all((axis.showspikes, axis.spikemode) == (True, "across") for axis in figure.select_xaxes())
    assert all((axis.showspikes, axis.spikemode) == (True, "across") for axis in figure.select_yaxes())


def test_colour_bar_of_a_difference_has_its_middle_and_true_ends() -> None:
    grid = Grid("d", [[-0.4835, 0.4]], ("a",), ("b", "c"), limits=(-0.4835, 0.4835), diverging=True)
    legend = encodings(heatmap.cells(grid))["color"]["legend"]
    assert legend["values"] == pytest.approx([-0.4835, -0.24175, 0.0, 0.24175, 0.4835])
    assert legend["format"] == ".3~g"


def test_a_map_has_a_width_below_which_it_scrolls() -> None:
    few, many = (heatmap.least_width(attention(("a",), ("w",) * n)) for n in (10, 60))
    assert many - few == 50 * theme.LEAST_CELL_WIDTH
    assert few < heatmap.width(attention(("a",), ("w",) * 10))
    image = heatmap.least_width(attention(("a",) * 200, ("w",) * 200))
    assert image == large.SIDES + theme.LABEL_LIMIT * theme.LABEL_STEP


def test_hover_text_of_an_image_is_escaped() -> None:
    grid = AttentionMap("m", [[1.0]], ("r",), ("c",), row_kind="<b>", column_kind="c")
    assert re.search("&lt;b&gt; %{y}", heatmap.image(grid).data[0].hovertemplate)


def test_rank_counts_from_the_strongest_of_a_row() -> None:
    grid = Grid("g", [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]], ("a", "b"), ("x", "y", "z"))
    drawn = numbers(heatmap.cells(grid, inline=True))
    assert [cell["rank"] for cell in drawn] == [3, 1, 2, 1, 2, 3]


def test_pinned_rows_and_columns_are_where_the_selection_starts() -> None:
    spec = heatmap.cells(attention(("a", "b", "c"), ("x", "y")), pinned=(0, 2), columns=(1,))
    pin = next(param for param in spec["params"] if param["name"] == heatmap.PIN)
    assert pin["value"] == [{"i": 0, "j": -1}, {"i": 2, "j": -1}, {"i": -1, "j": 1}]
    assert pin["select"]["fields"] == ["i", "j"]
    assert "shiftKey" in pin["select"]["toggle"]


def test_small_grids_show_their_numbers_and_larger_ones_do_not() -> None:
    words = tuple(f"w{k}" for k in range(13))
    marks = [
        [layer["mark"]["type"] for layer in heatmap.cells(attention(words[:n], words[:n]))["layer"]]
        for n in (12, 13)
    ]
    assert marks == [["rect", "text"], ["rect"]]


def test_what_was_done_stands_under_the_title() -> None:
    grid = Grid("g", [[0.5]], ("a",), ("b",), title="a title", notes=("<b>one</b>", "two"))
    spec = heatmap.cells(grid)
    assert (spec["title"]["text"], spec["title"]["subtitle"]) == ("a title", ["<b>one</b>", "two"])
    shown = heatmap.image(grid).layout.title.text
    assert shown == "a title<br><sub>&lt;b&gt;one&lt;/b&gt;</sub><br><sub>two</sub>"
    assert "a title, <b>one</b>, two" in heatmap.describe(grid)


def test_a_long_note_is_drawn_in_lines_of_a_narrow_screen() -> None:
    note = "rows 5 to 20 of 51, columns 4 to 22 of 52, up to 0.31 of a row left out"
    lines = heatmap.cells(Grid("g", [[0.5]], ("a",), ("b",), notes=(note,)))["title"]["subtitle"]
    assert len(lines) == 2
    assert " ".join(lines) == note


def luminance(colour: str) -> float:
    parts = [int(part) for part in re.findall(r"\d+", colour)] if colour.startswith("rgb") else []
    channels = parts or [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("diverging", [False, True])
def test_numbers_are_readable_on_every_colour_of_the_scale(diverging: bool) -> None:
    grid = Grid("g", [[0.0]], ("a",), ("b",), limits=(-1.0, 1.0), diverging=diverging)
    for value in np.linspace(-1, 1, 201):
        colours = (theme.colour(grid, float(value)), theme.text_on(grid, float(value)))
        darker, lighter = sorted(map(luminance, colours))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, value


@pytest.mark.parametrize("pins", [{}, {"pinned": (1,), "columns": (0,)}])
def test_specification_is_valid_vega_lite(pins: dict[str, tuple[int, ...]]) -> None:
    signed = Grid("d", [[-0.5, 0.4]] * 2, ("a", "b"), ("c", "d"), limits=(-0.5, 0.5), diverging=True)
    noted = Grid("g", np.eye(13), ("a",) * 13, ("b",) * 13, row_kind="hop", notes=("one",))
    for grid in (signed, noted, attention(("a", "b"), ("x", "y"))):
        spec = heatmap.cells(grid, inline=True, **pins)
        assert alt.LayerChart.from_dict(spec).to_dict(validate=True)["layer"] == spec["layer"]


def test_cells_of_a_page_are_a_frame_by_name() -> None:
    grid = attention(("a", "b"), ("x", "y"))
    spec = heatmap.cells(grid)
    (name,) = spec["datasets"]
    assert spec["data"] == {"name": name}
    assert spec["datasets"][name]["weight"].tolist() == grid.values.ravel().tolist()
