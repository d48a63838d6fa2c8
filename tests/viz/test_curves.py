"""Curves and small multiples: every label as typed, strength as the weight, nothing becomes markup."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from modelzoo.results import Grid
from modelzoo.viz import curves, multiples, theme
from modelzoo.viz.image import image
from tests.samples import ODD_TOKENS, attention

SVG = "{http://www.w3.org/2000/svg}"


def drawn(source: str) -> list[tuple[float, str]]:
    """Width and text of every curve, in the order of drawing."""
    return [
        (float(path.get("stroke-width", "0")), path.findtext(f"{SVG}title") or "")
        for path in ET.fromstring(source).iter(f"{SVG}path")
    ]


def test_curves_show_every_token_as_typed_on_its_side() -> None:
    words = (*ODD_TOKENS, "<script>alert(1)</script>")
    root = ET.fromstring(curves.curves(attention(words, words[::-1])))
    told = [text.findtext(f"{SVG}title") for text in root.iter(f"{SVG}text")]
    shown = [word.replace("\n", "⏎") for word in words]
    assert [text for text in told if text is not None] == shown + shown[::-1]
    assert not list(root.iter(f"{SVG}script"))


def test_curve_is_as_wide_as_its_weight_and_the_strongest_is_drawn_last() -> None:
    grid = Grid("g", [[0.8, 0.2], [0.001, 0.999]], ("a", "b"), ("x", "y"))
    found = drawn(curves.curves(grid))
    assert [text for _, text in found] == ["a → y: 0.2000", "a → x: 0.8000", "b → y: 0.9990"]
    np.testing.assert_allclose([width for width, _ in found], np.array([0.2, 0.8, 0.999]) * 6, atol=0.01)


def test_weak_curve_is_a_hairline() -> None:
    found = drawn(curves.curves(Grid("g", [[0.02]], ("a",), ("x",))))
    assert found == [(0.5, "a → x: 0.0200")]


def test_curves_of_other_rows_are_faint_when_a_row_is_pinned() -> None:
    source = curves.curves(Grid("g", [[1.0], [1.0]], ("a", "b"), ("x",)), pinned=(1,))
    assert re.findall(r'stroke-opacity="([\d.]+)"', source) == ["0.150", "1.000"]


def test_signs_of_a_difference_have_the_colours_of_the_scales_ends() -> None:
    grid = Grid("d", [[-0.5, 0.5]], ("a",), ("x", "y"), limits=(-0.5, 0.5), diverging=True)
    source = curves.curves(grid)
    assert theme.colour(grid, -0.5) in source
    assert theme.colour(grid, 0.5) in source


@pytest.mark.parametrize(("size", "fits"), [(40, True), (41, False)])
def test_curves_fit_up_to_forty_words(size: int, fits: bool) -> None:
    assert curves.fits(attention(("a",), ("w",) * size)) is fits


def test_card_has_a_cell_for_every_weight_in_the_colours_of_the_scale() -> None:
    grid = attention(("<b>", "b"), ("x", "y", "z"))
    source = multiples.card(grid, {"entropy <i>": "1.00"})
    drawn = base64.b64decode(source.partition("base64,")[2].partition('"')[0]).decode()
    assert drawn.count("<rect") == 6
    assert theme.colour(grid, float(grid.values[0, 0])) in drawn
    assert "<b>, " not in source
    assert "entropy &lt;i&gt;" in source


def test_card_of_a_large_map_leaves_out_rows_and_columns() -> None:
    words = tuple("w" for _ in range(200))
    assert multiples.small(attention(words, words)).count("<rect") <= multiples.MOST_CELLS


@pytest.mark.parametrize(("name", "colour"), [("dark", "#fafafa"), ("light", "#31333f"), (None, "#31333f")])
def test_image_has_the_colour_of_the_theme_and_says_what_it_shows(name: str | None, colour: str) -> None:
    source = image('<svg fill="currentColor"/>', 'a "map"', 100, name)
    assert 'alt="a &quot;map&quot;"' in source
    drawn = base64.b64decode(source.partition("base64,")[2].partition('"')[0]).decode()
    assert drawn == f'<svg fill="{colour}"/>'
