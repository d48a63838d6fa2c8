"""Highlighted text, token rows and bars: what is typed never becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np

from modelzoo.results import LabelPrediction, Token
from modelzoo.viz import bars, highlight, theme
from tests.samples import ODD_TOKENS, tokens


class Reader(HTMLParser):
    """The tags, titles and text of some HTML."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.titles: list[str] = []
        self.texts: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.titles += [value or "" for name, value in attrs if name == "title"]

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data)


def test_highlight_shows_every_token_as_typed_in_order() -> None:
    words = (*ODD_TOKENS, "<script>alert(1)</script>", "x<!-- y -->")
    read = Reader(highlight.highlight(tokens(*words), np.full(len(words), 1 / len(words))))
    assert read.texts == list(words)
    assert set(read.tags) == {"p", "bdi"}


def test_highlight_is_strongest_at_the_maximum_and_absent_at_zero() -> None:
    source = highlight.highlight(tokens("a", "b"), np.array([0.0, 0.5]))
    red, green, blue = theme.HIGHLIGHT_RGB
    assert f"rgba({red}, {green}, {blue}, 0.0)" in source
    assert f"rgba({red}, {green}, {blue}, {theme.HIGHLIGHT_MOST})" in source


def test_hover_has_the_weight_and_the_form_the_model_reads() -> None:
    words = (Token("The", "the"), Token("zyzzyva", "<unk>", known=False))
    read = Reader(highlight.highlight(words, np.array([0.25, 0.75])))
    assert read.titles == [
        "0.250000 · The: read as the",
        "0.750000 · zyzzyva: not in the vocabulary, read as <unk>",
    ]


def test_unknown_tokens_are_marked_and_known_ones_are_not() -> None:
    source = highlight.token_row((Token("cat", "cat"), Token("zyzzyva", "<unk>", known=False)))
    assert source.count("underline wavy") == 1


def test_direction_follows_the_text() -> None:
    assert 'dir="auto"' in highlight.token_row(tokens("هذا", "كتاب"))
    assert 'dir="auto"' in highlight.quote("هذا كتاب")


def test_quoted_text_is_escaped() -> None:
    assert Reader(highlight.quote("<b>$5</b>")).texts == ["<b>$5</b>"]


def test_bars_name_each_label_with_its_probability() -> None:
    read = Reader(bars.bars(LabelPrediction(("no", "yes"), np.array([0.25, 0.75]))))
    assert read.texts == ["no", "0.250", "yes", "0.750"]


def blend(over: tuple[int, int, int], page: tuple[int, int, int], opacity: float) -> list[float]:
    return [opacity * top + (1 - opacity) * under for top, under in zip(over, page, strict=True)]


def luminance(colour: list[float]) -> float:
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_text_on_the_strongest_highlight_is_readable_on_light_and_dark_pages() -> None:
    for text, page in (((31, 41, 51), (255, 255, 255)), ((228, 232, 236), (21, 25, 30))):
        behind = luminance(blend(theme.HIGHLIGHT_RGB, page, theme.HIGHLIGHT_MOST))
        darker, lighter = sorted((behind, luminance(list(map(float, text)))))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5
