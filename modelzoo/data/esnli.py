"""e-SNLI: SNLI pairs in which people marked the words that make the label right (Camburu et al. 2018)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from modelzoo.data.folder import table

ANNOTATORS = (1, 2, 3)
AGREEING = 2
"""A word counts as marked when so many of the three marked it."""
SIDES = ("premise", "hypothesis")


@dataclass(frozen=True)
class MarkedPair:
    """A pair in words (split at blanks, marks of punctuation at their word) and the words marked a side."""

    words: dict[str, tuple[str, ...]]
    marked: dict[str, frozenset[int]]
    label: str


def read(data: Path, split: Literal["dev", "test"]) -> tuple[MarkedPair, ...]:
    """Every pair with the words that at least two of the three annotators marked (often none a side:
    neutral pairs have no marks in the premise)."""
    return tuple(_pair(row) for row in table(data / "nli" / "esnli" / f"{split}.tsv.gz"))


def _pair(row: dict[str, str]) -> MarkedPair:
    words = {side: tuple(row[side].split()) for side in SIDES}
    return MarkedPair(words, {side: _marked(row, side) for side in SIDES}, row["label"])


def _marked(row: dict[str, str], side: str) -> frozenset[int]:
    """By the `*word*` marks: they are right where the indices beside them are not."""
    votes: Counter[int] = Counter()
    for k in ANNOTATORS:
        marked = row[f"{side}_marked_{k}"].split()
        votes.update(i for i, word in enumerate(marked) if len(word) > 2 and word[0] == word[-1] == "*")
    return frozenset(i for i, count in votes.items() if count >= AGREEING)
