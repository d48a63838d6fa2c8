"""Text with weights as a picture: every word in its box, in reading order, on its line."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from modelzoo.results import AttentionMap
from modelzoo.viz import passage, theme
from tests.samples import ODD_TOKENS, attention

SVG = "{http://www.w3.org/2000/svg}"


def words_of(svg: str) -> list[tuple[str, float, float, float, float]]:
    """Of each word its text, its box's left, top and width, and how strong its colour is."""
    found = []
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        box, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        assert box is not None
        assert text is not None
        x, y, width, shade = (float(box.get(name, "")) for name in ("x", "y", "width", "fill-opacity"))
        found.append((text.text or "", x, y, width, shade))
    return found


def test_every_word_is_shown_as_typed_once_a_row() -> None:
    words = tuple(token.replace("\n", "⏎") for token in ODD_TOKENS)
    shown = words_of(passage.passage(attention(("a", "b"), ODD_TOKENS)))
    assert [word[0] for word in shown] == [*words, *words]


def test_strongest_word_of_a_row_has_the_most_colour_and_none_has_none() -> None:
    grid = AttentionMap("m", np.array([[0.8, 0.2, 0.0]]), ("a",), ("x", "y", "z"))
    assert [word[4] for word in words_of(passage.passage(grid))] == pytest.approx(
        [theme.HIGHLIGHT_MOST, theme.HIGHLIGHT_MOST / 4, 0.0], abs=1e-4
    )


@pytest.mark.parametrize(("words", "leftward"), [(("one", "هذا"), False), (("هذا", "one"), True)])
def test_words_stand_in_reading_order_without_overlap(words: tuple[str, ...], leftward: bool) -> None:
    shown = words_of(passage.passage(attention(("a",), words * 40)))
    lines: dict[float, list[tuple[float, float]]] = {}
    for _, x, y, width, _ in shown:
        lines.setdefault(y, []).append((x, x + width))
    assert len(lines) > 1
    for boxes in lines.values():
        ordered = boxes[::-1] if leftward else boxes
        assert all(end < start for (_, end), (start, _) in pairwise(ordered))
        assert all(start >= 0 and end <= passage.WIDTH for start, end in boxes)


def test_pinned_rows_are_shown_else_as_many_as_the_page_has() -> None:
    grid = attention(tuple(f"r{k}" for k in range(300)), ("x", "y") * 50)
    assert list(passage.lines_shown(grid, (7, 9))) == [7, 9]
    assert list(passage.lines_shown(grid, ())) == list(range(theme.CELL_LIMIT // 100))
    told = re.findall(r"r(\d+) \(strongest", passage.passage(grid, (7, 9)))
    assert told == ["7", "9"]
