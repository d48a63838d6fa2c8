"""Captions and everyday sentences together, and some of both joined: English to French and to Chinese."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data import multi30k, tatoeba, three_am
from modelzoo.data.folder import Splits, letters
from modelzoo.data.joined import join_pairs
from modelzoo.tasks import Example, SourceText

TATOEBA_PAIRS = 20_000
MORE_TATOEBA_PAIRS = 40_000
FEW_PAIRS = 2_000
JOINED_SHARE = 0.1
"""Of the training pairs, how many are two to four pairs joined."""


def read(data: Path, pairs: int = TATOEBA_PAIRS) -> Splits:
    """Training pairs of both sets, so many of Tatoeba, with joined ones; dev and test are Multi30k's val
    and test_2016_flickr."""
    captions = multi30k.read(data, "en", "fr")
    everyday = tatoeba.read(data, "en", "fr", train_size=pairs)
    return Splits(_with_joined(captions.train + everyday.train, " "), captions.dev, captions.test)


def read_more(data: Path) -> Splits:
    """As `read`, with twice the everyday sentences."""
    return read(data, MORE_TATOEBA_PAIRS)


def read_few(data: Path) -> Splits:
    """The first training captions only; dev and test are those of `read`."""
    captions = multi30k.read(data, "en", "fr")
    return Splits(captions.train[:FEW_PAIRS], captions.dev, captions.test)


def read_chinese(data: Path) -> Splits:
    """Tatoeba and the captions of 3AM with joined pairs; dev and test are Tatoeba's."""
    everyday, captions = tatoeba.read(data, "en", "zh"), three_am.read(data)
    held_out = {_source(example) for example in everyday.dev + everyday.test}
    single = tuple(e for e in everyday.train + captions.train if _source(e) not in held_out)
    return Splits(_with_joined(single, ""), everyday.dev, everyday.test)


def _with_joined(single: tuple[Example, ...], blank: str) -> tuple[Example, ...]:
    count = round(len(single) * JOINED_SHARE / (1 - JOINED_SHARE))
    return single + join_pairs(single, count, seed=0, blank=blank)


def _source(example: Example) -> str:
    inputs = example.inputs
    if not isinstance(inputs, SourceText):
        raise TypeError("a translation example holds a SourceText")
    return letters(inputs.text)
