from __future__ import annotations

import html

import pytest

from app.message import WORD_JOINER, literal

ODD = (
    "It cost $5 , not $10 .",
    "x<!-- y --> <script>alert(1)</script> & &amp; \"q\"",
    ":red[x] :material/home: :smile: **m** _n_ `c` [a](b) ![i](j) # h ~~s~~",
    "<- -> <-> -- ~= >= 1. one - two",
    "www.example.org and http://example.org and a@b.org",
)  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_references_stand_for_the_text_itself(text: str) -> None:
    assert html.unescape(literal(text)).replace(WORD_JOINER, "") == text


@pytest.mark.parametrize("mark", ["$", "<", "&amp", "`", "*", "_", "[", ":r", "~~", "#h", "://", "www.", "@"])
def test_no_markup_is_left(mark: str) -> None:
    left = literal(" ".join(ODD) + " #h").replace("&#", "")
    assert mark not in left


def test_file_names_and_commands_stay_as_they_are() -> None:
    text = "assets/checkpoints/rnn-search-en-fr/card.json; python -m modelzoo train rnn-search-en-fr"
    assert literal(text) == text
