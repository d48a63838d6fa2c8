"""Maps by words: the pieces of a model that reads subwords are merged to the words they spell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from modelzoo.alignment import merged, words_of_pieces
from modelzoo.analysis.run import OpenRun
from modelzoo.analysis.weights import SIDE, MapAbout, RowMap, row_maps
from modelzoo.tasks import TASKS

TEXT = {
    side: column
    for task in TASKS.values()
    for side, column in zip(task.sides, ("text", "text_pair"), strict=False)
}
"""The column that holds the text of a side of the input; what a model writes stands in `prediction`."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*['’]?|[^\w\s]+")


def owners(tokens: Sequence[str], words: Sequence[str]) -> np.ndarray | None:
    """1 where a token (row) is of a word (column); a token that the model adds before or after is of none.
    None where the tokens do not spell the words."""
    for start, end in ((0, 0), (0, 1), (1, 0)):
        inner = tokens[start : len(tokens) - end]
        try:
            held = words_of_pieces(inner, words)
        except ValueError:
            continue
        found = np.zeros((len(tokens), len(words)))
        found[np.arange(start, len(tokens) - end), list(held)] = 1.0
        return found
    return None


class _Axis(NamedTuple):
    """Shapes: owners (tokens, words), each token of one word."""

    words: list[str]
    owners: np.ndarray


def word_maps(run: OpenRun, about: MapAbout, rows: np.ndarray) -> Iterator[RowMap]:
    """The map of each of these rows by words: what a word's pieces receive is added, what they give is
    averaged. Added tokens are words of their own; a side whose text its pieces do not spell keeps them."""
    sides = {
        kind: TEXT.get(kind, "prediction") for kind in (about.row_kind, about.column_kind) if kind in SIDE
    }
    for one in row_maps(run, about, rows, *dict.fromkeys(sides.values())):
        texts = {kind: one.cells[column] or "" for kind, column in sides.items()}
        columns = _axis(one.columns, texts[about.column_kind])
        if one.rows is None:
            weights, labels = one.weights @ columns.owners, None
        else:
            rows_of_map = _axis(one.rows, texts[about.row_kind])
            weights, labels = merged(one.weights, rows_of_map.owners, columns.owners), rows_of_map.words
        yield RowMap(one.row, weights.astype(np.float32), labels, columns.words, one.cells)


def _axis(tokens: Sequence[str], text: str) -> _Axis:
    """The words of a side, in order, added tokens at their ends."""
    words = _WORD.findall(text)
    held = owners(tokens, words) if words else None
    if held is None:
        return _Axis(list(tokens), np.eye(len(tokens)))
    has_piece = held.sum(axis=0) > 0  # a word that lies within a piece of another has none of its own
    words, held = [word for word, has in zip(words, has_piece, strict=True) if has], held[:, has_piece]
    added = np.flatnonzero(held.sum(axis=1) == 0).tolist()
    own, names = np.eye(len(tokens))[:, added], [tokens[k] for k in added]
    if added == [0]:
        return _Axis([*names, *words], np.concatenate([own, held], axis=1))
    return _Axis([*words, *names], np.concatenate([held, own], axis=1))
