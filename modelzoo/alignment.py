"""Which word goes with which: attention over pieces as attention over words, links, and their score.

A link (i, j) joins word i of the source (or premise) to word j of the target (or hypothesis).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from modelzoo.results import Token
from modelzoo.text import WORD_START, normalise

Link = tuple[int, int]
Links = frozenset[Link]
TIE = 1e-3
"""Weights that differ by less are taken for equal."""
BESIDE = (-1, -1), (1, 1)
"""From a cell to the two beside it where words follow each other in the same order on both sides."""


@dataclass(frozen=True)
class LinkScore:
    """How good links are, summed over a set of sentences (Och and Ney 2003); each number is 0 to 1."""

    aer: float
    precision: float
    recall: float
    f1: float


def words_of_pieces(pieces: Sequence[str], words: Sequence[str]) -> tuple[int, ...]:
    """Per piece (typed form), the index of the word that holds most of its characters, by position.

    Blanks do not count, so pieces and words may be cut anywhere and words may repeat. A piece without
    characters (`▁`) goes with the next. ValueError when pieces and words do not spell the same.
    """
    spelled = [_letters(normalise(word)) for word in words]
    owners = [i for i, word in enumerate(spelled) for _ in word]
    cut = [_letters(piece) for piece in pieces]
    if "".join(cut) != "".join(spelled):
        raise ValueError(f"the pieces {' '.join(pieces)!r} do not spell the words {' '.join(words)!r}")
    found, start = [], 0
    for piece in cut:
        held = owners[start : start + len(piece)] or owners[start : start + 1] or owners[-1:]
        found.append(Counter(held).most_common(1)[0][0])
        start += len(piece)
    return tuple(found)


def _letters(text: str) -> str:
    return "".join(text.split()).replace(WORD_START, "")


def word_attention(
    weights: np.ndarray,
    sides: tuple[Sequence[Token], Sequence[Token]],
    words: tuple[Sequence[str], Sequence[str]],
) -> np.ndarray:
    """Attention over pieces as attention over words: what a word's pieces receive is added, what they
    give is averaged. Special tokens are left out, so a row may sum to less than 1; a word without
    pieces has only zeros.

    Shapes:
        weights  (pieces of the rows' side, pieces of the columns' side)
        result   (words of the rows' side, words of the columns' side)
    """
    return merged(weights, *(_membership(side, given) for side, given in zip(sides, words, strict=True)))


def merged(weights: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Weights over pieces as weights over words: what a word's pieces receive is added, what they give is
    averaged.

    Shapes:
        weights  (n, m)
        rows     (n, words) 1 where a piece is of a word
        columns  (m, words)
        result   (words of the rows, words of the columns)
    """
    found: np.ndarray = (rows / np.maximum(rows.sum(axis=0), 1)).T @ weights @ columns
    return found


def _membership(tokens: Sequence[Token], words: Sequence[str]) -> np.ndarray:
    """1 where a piece (row) is of a word (column); a special token is of none."""
    real = [i for i, token in enumerate(tokens) if not token.special]
    matrix = np.zeros((len(tokens), len(words)))
    matrix[real, list(words_of_pieces([tokens[i].typed for i in real], words))] = 1.0
    return matrix


def best_links(attention: np.ndarray) -> Links:
    """Each row's word with its most attended column, as (column, row): rows are the target."""
    strongest = attention.argmax(axis=1)
    return frozenset((int(column), row) for row, column in enumerate(strongest) if attention[row, column] > 0)


def mutual_links(weights: np.ndarray) -> Links:
    """The cells above 0 that are the largest of their row and of their column, as (row, column).

    Of cells that differ by less than TIE the one nearest to the diagonal counts as larger: a model
    that knows no order gives every "the" the same.
    """
    rows, columns = ((np.arange(size) + 0.5) / size for size in weights.shape)
    ranked = weights - TIE * np.abs(rows[:, None] - columns[None, :])
    best = (ranked == ranked.max(axis=1, keepdims=True)) & (ranked == ranked.max(axis=0, keepdims=True))
    return frozenset((int(i), int(j)) for i, j in np.argwhere(best & (weights > 0)))


def grown(links: Links, weights: np.ndarray, least: float = 0.0) -> Links:
    """The links, and beside them, strongest first, cells above `least` whose two words have no link yet.

    The growing of Koehn, Och and Marcu 2003 ("Statistical Phrase-Based Translation", section 3.1), kept to
    the diagonal and to one link a word.

    Shapes:
        weights  (rows, columns), to which the links belong
    """
    found = set(links)
    while True:
        rows, columns = {i for i, _ in found}, {j for _, j in found}
        beside = [
            (i + down, j + right)
            for i, j in sorted(found)
            for down, right in BESIDE
            if 0 <= i + down < weights.shape[0] and 0 <= j + right < weights.shape[1]
        ]
        free = [(i, j) for i, j in beside if i not in rows and j not in columns and weights[i, j] > least]
        if not free:
            return frozenset(found)
        found.add(max(free, key=lambda cell: float(weights[cell])))


def diagonal_links(source: int, target: int) -> Links:
    """Each target word with the source word at the same relative position: what a map that learned
    nothing but order would say."""
    return frozenset((min(int((j + 0.5) * source / target), source - 1), j) for j in range(target))


def same_words(source: Sequence[str], target: Sequence[str]) -> np.ndarray:
    """1 where two words are equal, case aside, else 0.

    Shapes:
        result  (source words, target words)
    """
    return np.array([[float(e.lower() == f.lower()) for f in target] for e in source])


def link_score(
    found: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> LinkScore:
    """Precision over sure and possible links, recall over sure ones, and
    AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|), where P holds S; counted over all sentences together."""
    allowed = [s | p for s, p in zip(sure, possible or [frozenset()] * len(sure), strict=True)]
    n_found, n_sure = _total(found), _total(sure)
    in_sure = _total(a & s for a, s in zip(found, sure, strict=True))
    in_allowed = _total(a & p for a, p in zip(found, allowed, strict=True))
    precision, recall = in_allowed / max(n_found, 1), in_sure / max(n_sure, 1)
    return LinkScore(
        aer=1 - (in_sure + in_allowed) / max(n_found + n_sure, 1),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if in_sure else 0.0,
    )


def _total(sets: Iterable[Links]) -> int:
    return sum(len(links) for links in sets)
