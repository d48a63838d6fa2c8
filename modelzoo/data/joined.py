"""Longer texts from short ones: pairs of a translation set joined, two to four at a time.

Sentences over 25 words hardly occur in the corpora, and a model that never saw them attends badly.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from modelzoo.tasks import Example, SourceText


def join_pairs(examples: Sequence[Example], count: int, seed: int) -> tuple[Example, ...]:
    """`count` examples, each of two to four of the given ones, drawn with the seed."""
    generator = random.Random(seed)
    return tuple(_join(generator.sample(examples, generator.randint(2, 4))) for _ in range(count))


def _join(parts: Sequence[Example]) -> Example:
    sources = [part.inputs.text.strip() for part in parts if isinstance(part.inputs, SourceText)]
    return Example(SourceText(" ".join(sources)), " ".join(part.gold.strip() for part in parts))
