"""Editing one word of a text keeps the rest as typed; near words come from the vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelzoo.text import WordVectors, normalise
from modelzoo.text.edits import drop_word, insert_word, places, replace_word
from tests.tiny import NASTY

TEXT = "The  red,fast car — don't  stop the car."


def without_blanks(text: str) -> str:
    return normalise("".join(normalise(text).split()))


def test_places_are_the_words_as_typed_and_chinese_characters() -> None:
    assert places("The  red,fast car — don't") == ["The", "red", ",", "fast", "car", "—", "do", "n't"]
    assert places("今天 rouge") == ["今", "天", "rouge"]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, "blue  red,fast car — don't  stop the car."),
        (1, "The  blue,fast car — don't  stop the car."),
        (2, "The  red blue fast car — don't  stop the car."),
        (4, "The  red,fast blue — don't  stop the car."),
        (7, "The  red,fast car — do blue  stop the car."),
        (10, "The  red,fast car — don't  stop the blue."),
    ],
)
def test_replacing_changes_one_place_and_no_other_blank(place: int, expected: str) -> None:
    assert replace_word(TEXT, place, "blue") == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, "red,fast car — don't  stop the car."),
        (2, "The  red fast car — don't  stop the car."),
        (4, "The  red,fast — don't  stop the car."),
        (11, "The  red,fast car — don't  stop the car"),
    ],
)
def test_dropping_leaves_no_hole_and_joins_no_words(place: int, expected: str) -> None:
    assert drop_word(TEXT, place) == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, "The very  red,fast car — don't  stop the car."),
        (1, "The  red very,fast car — don't  stop the car."),
        (6, "The  red,fast car — do very n't  stop the car."),
        (11, "The  red,fast car — don't  stop the car. very"),
    ],
)
def test_inserting_puts_a_word_after_the_place(place: int, expected: str) -> None:
    assert insert_word(TEXT, place, "very") == expected


def test_chinese_is_edited_by_character_without_blanks() -> None:
    assert replace_word("今天天气很好", 2, "人") == "今天人气很好"
    assert insert_word("今天天气很好", 2, "人") == "今天天人气很好"
    assert drop_word("今天天气很好", 2) == "今天气很好"


@pytest.mark.parametrize("text", [*NASTY, TEXT])
def test_exactly_one_place_changes(text: str) -> None:
    before = places(text)
    for k in range(len(before)):
        assert places(replace_word(text, k, "blue")) == [*before[:k], "blue", *before[k + 1 :]]
        assert places(insert_word(text, k, "blue")) == [*before[: k + 1], "blue", *before[k + 1 :]]
        if len(before) > 1:
            assert places(drop_word(text, k)) == [*before[:k], *before[k + 1 :]]


@given(st.text(alphabet="ab é\u0301\u200b'’n't.,-$ 今<br/>", min_size=1), st.integers(0, 5))
@settings(max_examples=100)
def test_any_other_character_stays(text: str, k: int) -> None:
    before = places(text)
    if k < len(before):
        changed = "".join([*before[:k], "blue", *before[k + 1 :]])
        assert without_blanks(replace_word(text, k, "blue")) == without_blanks(changed)
        longer = "".join([*before[: k + 1], "blue", *before[k + 1 :]])
        assert without_blanks(insert_word(text, k, "blue")) == without_blanks(longer)


def test_what_cannot_be_done_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="such as 'blue'"):
        replace_word(TEXT, 1, " \u200b ")
    with pytest.raises(ValueError, match="no word 13; the text has 12"):
        insert_word(TEXT, 12, "x")
    with pytest.raises(ValueError, match="'Yes' is the only word"):
        drop_word("Yes", 0)


# --- near words --------------------------------------------------------------------------------


def vectors() -> WordVectors:
    matrix = np.array([[1, 0], [2, 0.1], [0, 3], [-1, 0], [0, 0]], dtype=np.float32)
    return WordVectors("hand", ("red", "blue", "dog", "not", "zero"), matrix)


def test_near_words_are_ordered_by_cosine_and_leave_out_the_word() -> None:
    found = vectors().neighbours("red", 3)
    assert [word for word, _ in found] == ["blue", "dog", "zero"]
    assert found[0][1] == pytest.approx(2 / np.hypot(2, 0.1))
    assert len(vectors().neighbours("red", 99)) == 4


def test_a_word_without_a_vector_has_no_near_words() -> None:
    assert vectors().neighbours("zyzzyva", 3) == ()
