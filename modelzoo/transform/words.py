"""The word view: subword pieces merged to words, columns summed and rows averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from modelzoo.results import Grid, Token
from modelzoo.transform.sheet import Sheet, noted, plain

WORD_START = "▁"
"""What begins the model's form of a piece that begins a word."""
Groups = list[list[int]]


def word_groups(tokens: Sequence[Token]) -> Groups:
    """Positions of the pieces of each word, in order; a special token is a word of its own."""
    groups: Groups = []
    for k, token in enumerate(tokens):
        begins = token.special or token.model.startswith(WORD_START)
        if not groups or begins or tokens[groups[-1][-1]].special:
            groups.append([])
        groups[-1].append(k)
    return groups


def is_pieces(tokens: Sequence[Token]) -> bool:
    """Whether tokens are pieces of words; tokens of a word model are words already."""
    return any(token.model.startswith(WORD_START) for token in tokens)


def has_pieces(sheet: Sheet) -> bool:
    """Whether an axis of the sheet has pieces of words."""
    return is_pieces(sheet.rows) or is_pieces(sheet.columns)


def merged(tokens: Sequence[Token], groups: Groups) -> tuple[Token, ...]:
    """One token a group; `model` keeps the pieces, apart."""
    return tuple(_word([tokens[k] for k in group]) for group in groups)


def _word(pieces: Sequence[Token]) -> Token:
    if len(pieces) == 1:
        return pieces[0]
    typed = _joined([piece.typed for piece in pieces])
    known = all(piece.known for piece in pieces)
    return Token(typed, " ".join(piece.model for piece in pieces), known)


def merge(grid: Grid, rows: Groups, columns: Groups) -> Grid:
    """Columns of a group summed, rows of a group averaged: a row still sums to what it did."""
    values = np.stack([grid.values[:, group].sum(axis=1) for group in columns], axis=1)
    values = np.stack([values[group].mean(axis=0) for group in rows])
    labels = (_labels(grid.rows, rows), _labels(grid.columns, columns))
    return replace(plain(grid), values=values, rows=labels[0], columns=labels[1])


def _labels(pieces: Sequence[str], groups: Groups) -> tuple[str, ...]:
    return tuple(_joined([pieces[k] for k in group]) for group in groups)


def _joined(pieces: Sequence[str]) -> str:
    """The word that pieces spell; a mark that stands alone for a word's start is no part of it."""
    return "".join(pieces).lstrip(WORD_START) if len(pieces) > 1 else pieces[0]


def by_word(sheet: Sheet) -> Sheet:
    """The sheet by words. Scores have no sum that means anything, so a word view has none."""
    axes = ((sheet.rows, len(sheet.grid.rows)), (sheet.columns, len(sheet.grid.columns)))
    rows, columns = (
        word_groups(tokens) if is_pieces(tokens) else [[k] for k in range(size)] for tokens, size in axes
    )
    if len(rows) == len(sheet.grid.rows) and len(columns) == len(sheet.grid.columns):
        return sheet
    by_words = merge(sheet.weights, rows, columns)
    whole = replace(
        sheet,
        weights=by_words,
        rows=merged(sheet.rows, rows) if sheet.rows else (),
        columns=merged(sheet.columns, columns) if sheet.columns else (),
        scores=None,
    )
    return noted(whole, by_words, "by word: pieces of a column summed, of a row averaged")
