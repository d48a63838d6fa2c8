"""IBM Model 1: word alignment from counts alone, the baseline that attention is measured against.

Brown, Della Pietra, Della Pietra, Mercer (1993). The Mathematics of Statistical Machine Translation.
Computational Linguistics 19(2), section 4.1. Letters: e a source word, f a target word, t(f | e) the
probability that e is translated as f; e_0 is the empty word, to which a target word without
counterpart goes. Every alignment of a sentence is as likely as any other, so t is all there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from modelzoo.alignment import Links

Words = Sequence[str]
EMPTY = 0
"""The index of e_0 among source words."""


@dataclass(frozen=True, eq=False)
class IBM1:
    """A trained table: t(f | e) of every pair of words that occurred together, sorted by key."""

    sources: dict[str, int]
    targets: dict[str, int]
    keys: np.ndarray  # (cells,) int64, e * len(targets) + f
    t: np.ndarray  # (cells,)

    def probabilities(self, source: Words, target: Words) -> np.ndarray:
        """t(f | e), 0 for words that never occurred together.

        Shapes:
            result  (target words, 1 + source words), the empty word first
        """
        e = np.array([EMPTY, *(self.sources.get(word, -1) for word in source)])
        f = np.array([self.targets.get(word, -1) for word in target])
        wanted = e[None, :] * len(self.targets) + f[:, None]
        places = np.searchsorted(self.keys, wanted).clip(max=len(self.keys) - 1)
        known = (e[None, :] >= 0) & (f[:, None] >= 0) & (self.keys[places] == wanted)
        return np.where(known, self.t[places], 0.0)

    def links(self, source: Words, target: Words) -> Links:
        """Each target word with its most probable source word; none where that is the empty word."""
        t = self.probabilities(source, target)
        best = t.argmax(axis=1)
        return frozenset((int(i) - 1, j) for j, i in enumerate(best) if i != EMPTY and t[j, i] > 0)


def train(pairs: Sequence[tuple[Words, Words]], iterations: int = 5) -> IBM1:
    """Expectation maximisation from a uniform t over (source words, target words) pairs."""
    sources, targets = _index((e for e, _ in pairs), first=1), _index((f for _, f in pairs), first=0)
    keys, columns = _meetings(pairs, sources, targets)
    cells, cell = np.unique(keys, return_inverse=True)
    e_of_cell = cells // len(targets)
    t = np.full(len(cells), 1.0)
    for _ in range(iterations):
        # E step: how much of each f its sentence's words e explain, t(f | e) / sum of t(f | e_i)
        share = t[cell]
        share /= np.bincount(columns, share)[columns]
        # M step: expected counts c(f | e), divided by their sum over f
        counts = np.bincount(cell, share, minlength=len(cells))
        t = counts / np.bincount(e_of_cell, counts)[e_of_cell]
    return IBM1(sources, targets, cells, t)


def _index(texts: Iterable[Words], *, first: int) -> dict[str, int]:
    """Word → number, from `first` on in order of appearance."""
    found: dict[str, int] = {}
    for text in texts:
        for word in text:
            found.setdefault(word, first + len(found))
    return found


def _meetings(
    pairs: Sequence[tuple[Words, Words]], sources: dict[str, int], targets: dict[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Every meeting of a source word (or e_0) and a target word in a pair: the key of the two, and the
    number of the target word's place in the corpus.

    Shapes:
        result  both (meetings,) int64
    """
    keys, places, start = [], [], 0
    for source, target in pairs:
        e = np.array([EMPTY, *(sources[word] for word in source)])
        f = np.array([targets[word] for word in target], dtype=np.int64)
        keys.append((e[None, :] * len(targets) + f[:, None]).ravel())
        places.append(np.repeat(np.arange(start, start + len(f)), len(e)))
        start += len(f)
    return np.concatenate(keys), np.concatenate(places)
