"""Captions and everyday sentences together: Multi30k, a part of Tatoeba, and some of both joined."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data import multi30k, tatoeba
from modelzoo.data.folder import Splits
from modelzoo.data.joined import join_pairs

TATOEBA_PAIRS = 20_000
JOINED_SHARE = 0.1
"""Of the training pairs, how many are two to four pairs joined."""


def read(data: Path, source: str = "en", target: str = "fr") -> Splits:
    """Training pairs of both sets with joined ones; dev and test are Multi30k's val and test_2016_flickr."""
    captions = multi30k.read(data, source, target)
    everyday = tatoeba.read(data, source, target, train_size=TATOEBA_PAIRS)
    single = captions.train + everyday.train
    count = round(len(single) * JOINED_SHARE / (1 - JOINED_SHARE))
    return Splits(single + join_pairs(single, count, seed=0), captions.dev, captions.test)
