"""Whether a run's attention agrees with people: words they marked, links they drew between two texts.

Marks and links stand in a column of the data: `2,5` are words by their place, counted from 0 between blanks
(as in e-SNLI), `0-0 2-1` links of a word of the first text with one of the second (as in gold alignments).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from modelzoo.alignment import Links, LinkScore, best_links, link_score, merged
from modelzoo.analysis.filters import ALL, Filter, name_of
from modelzoo.analysis.run import OpenRun
from modelzoo.analysis.weights import SIDE, MapAbout, RowMap, map_of, row_maps
from modelzoo.analysis.words import TEXT, owners
from modelzoo.metrics import auc

_MARKS = re.compile(r"\s*\d+(?:[\s,;]+\d+)*\s*")
_LINKS = re.compile(r"\s*\d+-\d+(?:[\s,;]+\d+-\d+)*\s*")


@dataclass(frozen=True)
class Agreement:
    """Attention beside people's marks.

    `auc` is the chance that a marked word gets more attention than another of its row (0.5: no better than
    chance), mean over rows. `token_f1` is that of as many words as people marked, those with most attention,
    over all rows together; `every_word` is what marking every word would give. Rows where all words or none
    are marked, or whose words the tokens do not spell, are left out.
    """

    rows: int
    auc: float
    token_f1: float
    every_word: float


class _Marked(NamedTuple):
    """Shapes: people (words,) bool, scores (words,)."""

    people: np.ndarray
    scores: np.ndarray


def marks_agreement(run: OpenRun, name: str, column: str, chosen: Filter = ALL) -> Agreement:
    """A map's columns against the words that people marked, by a column of the data.

    ValueError where no row has marks that can be compared.
    """
    about = map_of(run, name)
    found = list(_marked(run, about, column, chosen))
    if not found:
        raise ValueError(f"no marks in {column!r} can be compared; accepted are places of words such as 2,5")
    shared = sum(int(one.people[_highest(one)].sum()) for one in found)
    marked, words = sum(int(one.people.sum()) for one in found), sum(len(one.people) for one in found)
    areas = [auc(one.people, one.scores) for one in found]
    return Agreement(len(found), float(np.mean(areas)), shared / marked, 2 * marked / (marked + words))


def _highest(one: _Marked) -> np.ndarray:
    """The places of the highest scores, as many as are marked; of equal ones the first."""
    return np.argsort(-one.scores, kind="stable")[: int(one.people.sum())]


def _marked(run: OpenRun, about: MapAbout, column: str, chosen: Filter) -> Iterator[_Marked]:
    for one, cell, words in _with_cells(run, about, column, chosen, _MARKS):
        places = {int(place) for place in re.findall(r"\d+", cell)}
        people = np.isin(np.arange(len(words[1])), list(places))
        held = owners(one.columns, words[1])
        if held is None or max(places) >= len(people) or people.all():
            continue
        scores = one.weights.mean(axis=0) @ held
        yield _Marked(people, scores)


def links_agreement(run: OpenRun, name: str, column: str, chosen: Filter = ALL) -> LinkScore:
    """Each word of the map's rows with the column word it attends to most, against people's links.

    Where the rows are a written text only those rows of the run count whose text is the gold one. ValueError
    where no row has links that can be compared, and for a map whose rows are hops.
    """
    about = map_of(run, name)
    if about.has_hops:
        raise ValueError(f"the rows of {name!r} are hops; links need a map from words to words")
    is_first = TEXT.get(about.column_kind) == "text"
    found: list[Links] = []
    gold: list[Links] = []
    for one, cell, words in _with_cells(run, about, column, chosen, _LINKS):
        rows, columns = owners(one.rows or [], words[0]), owners(one.columns, words[1])
        if rows is None or columns is None:
            continue
        weights = merged(one.weights, rows, columns)
        links = best_links(weights)  # (column, row)
        found.append(links if is_first else frozenset((i, j) for j, i in links))
        gold.append(frozenset((int(i), int(j)) for i, j in re.findall(r"(\d+)-(\d+)", cell)))
    if not found:
        raise ValueError(f"no links in {column!r} can be compared; accepted are pairs such as 0-0 2-1")
    return link_score(found, gold)


def _with_cells(
    run: OpenRun, about: MapAbout, column: str, chosen: Filter, form: re.Pattern[str]
) -> Iterator[tuple[RowMap, str, tuple[list[str], list[str]]]]:
    """The map, the cell and the words of rows and columns, of each row whose cell has this form."""
    name = name_of(column, run.columns, "text")
    given = run.ask(f'SELECT "row", {name} FROM {run.of(chosen)} WHERE {name} IS NOT NULL ORDER BY "row"')
    rows = np.array([row for row, cell in given if form.fullmatch(cell)], dtype=np.int64)
    for one in row_maps(run, about, rows, column, "text", "text_pair", "gold", "prediction"):
        row = one.cells
        if about.row_kind in TEXT or about.has_hops or row["prediction"] == row["gold"]:
            yield one, row[column] or "", (_words(row, about.row_kind), _words(row, about.column_kind))


def _words(row: dict[str, str | None], kind: str) -> list[str]:
    return (row[TEXT.get(kind, "prediction")] or "").split() if kind in SIDE else []
