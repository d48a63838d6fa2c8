"""Measures of the texts themselves, one pair of texts at a time."""

from __future__ import annotations

import re
from math import nan

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")


def negation(text: str) -> int:
    """How many words of an English text negate."""
    return len(_NEGATION.findall(text))


def overlap(first: str, second: str) -> float:
    """The share of the second text's different words, case aside, that the first has; NaN without words."""
    words = set(_WORD.findall(second.lower()))
    return len(words & set(_WORD.findall(first.lower()))) / len(words) if words else nan
