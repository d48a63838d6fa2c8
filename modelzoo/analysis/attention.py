"""Attention over a data set: words with most of it, who attends to whom, where in a text, which rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from modelzoo.analysis.filters import ALL, Filter
from modelzoo.analysis.run import OpenRun
from modelzoo.analysis.weights import MapAbout, RowMap, map_of, row_maps, sampled
from modelzoo.analysis.words import word_maps
from modelzoo.results import Grid

MOST_WORDS, MOST_FOUND = 20, 100
"""Words that a list has, and rows that are found by a word."""
WORDS_AT_A_TIME = 10_000


@dataclass(frozen=True)
class WordMass:
    """A word, case aside: the share of all weight that it has, its mean weight each time, how often it stood
    there."""

    word: str
    share: float
    mean: float
    times: int


@dataclass(frozen=True)
class TopWords:
    """Per hop (or one group, for a map whose rows are words) the words with most weight; rows read."""

    groups: Mapping[str, tuple[WordMass, ...]]
    rows: int


@dataclass(frozen=True)
class Lexicon:
    """What a word attends to, and what attends to it, over a data set; rows read."""

    word: str
    attends_to: tuple[WordMass, ...]
    attended_by: tuple[WordMass, ...]
    rows: int


@dataclass(frozen=True)
class RowFound:
    """A row, and the weight that a word has in it: the mean over the map's rows, its places added up."""

    row: int
    weight: float


class _Places(dict[str, int]):
    """By a word as it is written the place of that word, case aside; a new one comes last."""

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        place = self[word] = self.words.setdefault(word.lower(), len(self.words))
        return place


class _Tally:
    """Weights by word; `groups` numbers each. What is added is summed up a few thousand words at a time."""

    def __init__(self, groups: int) -> None:
        self.places = _Places()
        self.mass = np.zeros((0, groups))
        self.times = np.zeros(0, dtype=np.int64)
        self._words: list[int] = []
        self._weights: list[np.ndarray] = []

    def add(self, words: Iterable[str], weights: np.ndarray) -> None:
        """Shapes: weights (words, groups)."""
        self._words += map(self.places.__getitem__, words)
        self._weights.append(weights)
        if len(self._words) > WORDS_AT_A_TIME:
            self.sum()

    def sum(self) -> None:
        """Add up what has come."""
        new, groups = len(self.places.words) - len(self.mass), self.mass.shape[1]
        self.mass = np.concatenate([self.mass, np.zeros((new, groups))])
        self.times = np.concatenate([self.times, np.zeros(new, dtype=np.int64)])
        np.add.at(self.mass, self._words, np.concatenate([np.zeros((0, groups)), *self._weights]))
        np.add.at(self.times, self._words, 1)
        self._words, self._weights = [], []

    def top(self, group: int, most: int) -> tuple[WordMass, ...]:
        self.sum()
        mass = self.mass[:, group]
        total, words = float(mass.sum()) or 1.0, list(self.places.words)
        best = sorted(range(len(words)), key=lambda k: (-mass[k], words[k]))[:most]
        return tuple(self._word(words[k], float(mass[k]), int(self.times[k]), total) for k in best)

    def _word(self, word: str, mass: float, times: int, total: float) -> WordMass:
        return WordMass(word, mass / total, mass / times, times)


def _maps(run: OpenRun, about: MapAbout, rows: np.ndarray, by_piece: bool) -> Iterator[RowMap]:
    """The maps by words, which the tokens are already where a model reads words."""
    return word_maps(run, about, rows) if run.writes and not by_piece else row_maps(run, about, rows)


def _with_word(run: OpenRun, chosen: Filter, word: str, by_piece: bool) -> Filter:
    """The rows of a filter that may have the word among what `_maps` shows."""
    if by_piece or not run.writes:
        return replace(chosen, word=word)
    sql = (
        'SELECT "row" FROM run WHERE contains(lower(text), lower(?)) OR contains(lower(prediction), lower(?))'
    )
    found = run.fetch(f"{sql} OR list_contains(tokens, ?) OR list_contains(tokens_pair, ?)", [word] * 4)
    return chosen.within(found["row"].to_pylist())


def top_words(
    run: OpenRun, name: str, chosen: Filter = ALL, by_piece: bool = False, *, most: int = MOST_WORDS
) -> TopWords:
    """The words with most weight in a map, per hop; `by_piece` leaves the pieces of subword models apart."""
    about, rows = map_of(run, name), sampled(run, chosen)
    tally: _Tally | None = None
    for one in _maps(run, about, rows, by_piece):
        weights = one.weights if about.has_hops else one.weights.mean(axis=0, keepdims=True)
        tally = tally or _Tally(len(weights))
        tally.add(one.columns, weights.T.astype(np.float64))
    if tally is None:
        return TopWords({}, 0)
    groups = tally.mass.shape[1]
    names = [f"hop {k + 1}" for k in range(groups)] if about.has_hops else [name]
    return TopWords({label: tally.top(k, most) for k, label in enumerate(names)}, len(rows))


def lexicon(run: OpenRun, name: str, word: str, chosen: Filter = ALL, by_piece: bool = False) -> Lexicon:
    """A word's partners, weighted by attention, both ways. ValueError for a map whose rows are no words."""
    about = map_of(run, name)
    if about.has_hops:
        raise ValueError(f"the rows of {name!r} are hops; a lexicon needs a map from words to words")
    rows, key = sampled(run, _with_word(run, chosen, word, by_piece)), word.lower()
    onto, by = _Tally(1), _Tally(1)
    for one in _maps(run, about, rows, by_piece):
        labels = one.rows or []
        for i, label in enumerate(labels):
            if label.lower() == key:
                onto.add(one.columns, one.weights[i][:, None].astype(np.float64))
        for j, label in enumerate(one.columns):
            if label.lower() == key:
                by.add(labels, one.weights[:, j][:, None].astype(np.float64))
    return Lexicon(word, onto.top(0, MOST_WORDS), by.top(0, MOST_WORDS), len(rows))


def profile(run: OpenRun, name: str, chosen: Filter = ALL, *, bins: int = 10) -> Grid:
    """The average map by position: of each part (or hop) of the rows, the weight on each part of the columns.

    A word that lies across two parts is shared between them, so short and long texts count alike.
    """
    about, rows = map_of(run, name), sampled(run, chosen)
    total, counted = np.zeros((1, bins)), 0
    for one in row_maps(run, about, rows):
        found = one.weights @ _cover(one.weights.shape[1], bins)  # (rows, bins)
        if not about.has_hops:
            spread = _cover(len(found), bins)  # (rows, bins)
            found = (spread / spread.sum(axis=0)).T @ found
        total, counted = total + found, counted + 1
    if not counted:
        raise ValueError("no row is left, so there is no average map")
    tenths = tuple(f"{round(100 * k / bins)}–{round(100 * (k + 1) / bins)} %" for k in range(bins))
    labels = tuple(f"hop {k + 1}" for k in range(len(total))) if about.has_hops else tenths
    return _grid(about, total / counted, (labels, tenths), f"mean of {counted:,} rows")


def _grid(
    about: MapAbout, values: np.ndarray, labels: tuple[tuple[str, ...], tuple[str, ...]], note: str
) -> Grid:
    limits, kinds = (0.0, float(values.max())), (about.row_kind, about.column_kind)
    title = f"average of {about.name} by position"
    return Grid(about.name, values, *labels, limits, False, title, *kinds, quantity="weight", notes=(note,))


@lru_cache(maxsize=1024)
def _cover(size: int, bins: int) -> np.ndarray:
    """How much of each of `size` equal pieces of a line lies in each of `bins`; rows sum to 1."""
    pieces, edges = np.linspace(0, 1, size + 1), np.linspace(0, 1, bins + 1)
    ends = np.minimum(pieces[1:, None], edges[None, 1:]) - np.maximum(pieces[:-1, None], edges[None, :-1])
    found: np.ndarray = np.maximum(ends, 0) * size
    return found


def rows_of_word(
    run: OpenRun, name: str, word: str, chosen: Filter = ALL, by_piece: bool = False
) -> tuple[RowFound, ...]:
    """The rows in which a word gets most weight, most first."""
    rows, key, found = sampled(run, _with_word(run, chosen, word, by_piece)), word.lower(), []
    for one in _maps(run, map_of(run, name), rows, by_piece):
        places = [j for j, label in enumerate(one.columns) if label.lower() == key]
        if places:
            found.append(RowFound(one.row, float(one.weights[:, places].sum(axis=1).mean())))
    return tuple(sorted(found, key=lambda each: (-each.weight, each.row))[:MOST_FOUND])
