"""Longer texts from short ones: pairs of a translation set joined, two to four at a time.

Sentences over 25 words hardly occur in the corpora, and a model that never saw them attends badly.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from modelzoo.tasks import Example, SourceText

BUCKETS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60))
"""Words of the source, from and to."""


def join_pairs(examples: Sequence[Example], count: int, seed: int, blank: str = " ") -> tuple[Example, ...]:
    """`count` examples, each of two to four of the given ones, drawn with the seed; `blank` stands
    between their targets."""
    generator = random.Random(seed)
    return tuple(_join(generator.sample(examples, generator.randint(2, 4)), blank) for _ in range(count))


def length_buckets(
    examples: Sequence[Example], count: int, seed: int, blank: str = " "
) -> dict[tuple[int, int], tuple[Example, ...]]:
    """By the number of source words, `count` examples for each of BUCKETS, joined from as many of the given
    ones as it takes; a bucket that none fits is left out."""
    generator = random.Random(seed)
    found: dict[tuple[int, int], tuple[Example, ...]] = {}
    for low, high in BUCKETS:
        tries = (_of_length(examples, low, generator, blank) for _ in range(20 * count))
        fitting = [example for example in tries if low <= _length(example) <= high][:count]
        if fitting:
            found[low, high] = tuple(fitting)
    return found


def _of_length(examples: Sequence[Example], least: int, generator: random.Random, blank: str) -> Example:
    """Examples drawn until they have `least` words together, joined."""
    parts = [generator.choice(examples)]
    while sum(map(_length, parts)) < least:
        parts.append(generator.choice(examples))
    return _join(parts, blank)


def _length(example: Example) -> int:
    return len(example.inputs.text.split()) if isinstance(example.inputs, SourceText) else 0


def _join(parts: Sequence[Example], blank: str) -> Example:
    sources = [part.inputs.text.strip() for part in parts if isinstance(part.inputs, SourceText)]
    return Example(SourceText(" ".join(sources)), blank.join(part.gold.strip() for part in parts))
