"""Change one word of a text and leave the rest exactly as it is typed, blanks included."""

from __future__ import annotations

import regex

from modelzoo.text.base import normalise
from modelzoo.text.words import words

_HAN = regex.compile(r"\p{Han}")
_PLACE = regex.compile(r"\p{Han}|[^\p{Han}]+")
"""Chinese is written without blanks, so each character is a place of its own."""
Span = tuple[int, int]


def places(text: str) -> list[str]:
    """What of a text can be edited, in order: its words as typed, Chinese by character."""
    return [part for typed, _ in words(text) for part in _PLACE.findall(typed)]


def replace_word(text: str, place: int, word: str) -> str:
    """The text with another word (or several) at one place, counted from 0.

    Raises ValueError for a blank word or a place that there is not.
    """
    text, (start, end) = _find(text, place)
    return _join(text[:start], _checked(word), text[end:])


def insert_word(text: str, place: int, word: str) -> str:
    """The text with a word (or several) after one place; raises as `replace_word`."""
    text, (_, end) = _find(text, place)
    before, word, after = text[:end], _checked(word), text[end:]
    blank = "" if _HAN.match(word) and _HAN.match(before[-1]) else " "
    goes_on = after[:1].isalnum() or after[:1] in ("'", "’")
    return _join(before + blank, word, (blank if goes_on else "") + after)


def drop_word(text: str, place: int) -> str:
    """The text without the word at one place. ValueError when no word would be left."""
    text, (start, end) = _find(text, place)
    before, after = text[:start], text[end:]
    if not normalise(before + after):
        raise ValueError(f"{text[start:end]!r} is the only word; replace it, for example by 'blue'")
    if not before.strip():
        return before + after.lstrip()
    if not after or after[0].isspace():
        before = before.rstrip()
    return _join(before, "", after)


def _checked(word: str) -> str:
    """The word without blanks around it; ValueError when nothing is left."""
    if not normalise(word):
        raise ValueError(f"the new word is {word!r}; accepted is at least one letter or sign, such as 'blue'")
    return word.strip()


def _find(text: str, place: int) -> tuple[str, Span]:
    """The text and where in it a place stands; ValueError when there is no such place."""
    text, spans = _spans(text)
    if not 0 <= place < len(spans):
        raise ValueError(f"there is no word {place + 1}; the text has {len(spans)}")
    return text, spans[place]


def _spans(text: str) -> tuple[str, list[Span]]:
    """Where each place stands. A text that only its normal form spells is taken in that form."""
    spans: list[Span] = []
    end = 0
    for part in places(text):
        start = text.find(part, end)
        if start < 0 or text[end:start].strip():
            return _spans(normalise(text))
        end = start + len(part)
        spans.append((start, end))
    return text, spans


def _join(before: str, word: str, after: str) -> str:
    """The three after one another, with a blank only where two words would otherwise become one."""
    expected = [*places(before), *places(word), *places(after)]
    for left, right in (("", ""), ("", " "), (" ", ""), (" ", " ")):
        joined = f"{before}{left}{word}{right}{after}"
        if places(joined) == expected:
            break
    return joined
