"""Fewer rows and columns: special tokens and punctuation hidden, others looked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from modelzoo.results import Token
from modelzoo.transform.sheet import Sheet, keep, remark

_RANGE = re.compile(r"(\d{1,4}):(\d{1,4})")


def is_punctuation(token: Token) -> bool:
    """Whether a token is written with punctuation marks and symbols alone."""
    text = token.typed.strip("▁")
    return not token.special and bool(text) and all(unicodedata.category(c)[0] in "PS" for c in text)


def hide_special(sheet: Sheet) -> Sheet:
    """Without the tokens that the model adds by itself."""
    return _hide(sheet, lambda token: token.special, "special tokens")


def hide_punctuation(sheet: Sheet) -> Sheet:
    """Without punctuation."""
    return _hide(sheet, is_punctuation, "punctuation")


def _hide(sheet: Sheet, hidden: Callable[[Token], bool], what: str) -> Sheet:
    """Both axes without these tokens; the note says how much of a row's weight that hides."""
    rows = _left(sheet.rows, len(sheet.grid.rows), hidden)
    columns = _left(sheet.columns, len(sheet.grid.columns), hidden)
    count = len(sheet.grid.rows) - len(rows) + len(sheet.grid.columns) - len(columns)
    if not count:
        return sheet
    if not rows or not columns:
        return remark(sheet, f"{what} shown: there is nothing else")
    gone = [j for j in range(len(sheet.grid.columns)) if j not in set(columns)]
    most = float(sheet.weights.values[rows][:, gone].sum(axis=1).max())
    how_much = f", up to {most:.2f} of a row" if gone else ""
    return keep(sheet, rows, columns, f"{what} hidden: {count} {_tokens(count)}{how_much}")


def _left(tokens: Sequence[Token], size: int, hidden: Callable[[Token], bool]) -> list[int]:
    return [k for k in range(size) if not (tokens and hidden(tokens[k]))]


def _tokens(count: int) -> str:
    return "token" if count == 1 else "tokens"


def find(labels: Sequence[str], search: str) -> list[int]:
    """Positions that a search text names: words that labels contain, or `first:last`, counted from 1.

    Upper and lower case are one; any of several words will do.
    """
    found: set[int] = set()
    for term in search.casefold().split():
        if window := _RANGE.fullmatch(term):
            first, last = (int(number) for number in window.groups())
            found.update(range(max(first - 1, 0), min(last, len(labels))))
        else:
            found.update(k for k, label in enumerate(labels) if term in label.casefold())
    return sorted(found)


def rows_found(sheet: Sheet, search: str) -> Sheet:
    """Only the rows that the text finds."""
    rows = find(sheet.grid.rows, search)
    if not rows:
        return _nothing(sheet, "row", search)
    note = f"{len(rows)} of {len(sheet.grid.rows)} rows"
    return keep(sheet, rows, range(len(sheet.grid.columns)), note)


def columns_found(sheet: Sheet, search: str) -> Sheet:
    """Only the columns that the text finds; the note says how much of a row they leave out."""
    columns = find(sheet.grid.columns, search)
    if not columns:
        return _nothing(sheet, "column", search)
    total, left = sheet.weights.values.sum(axis=1), sheet.weights.values[:, columns].sum(axis=1)
    rest = float((total - left).max())
    note = f"{len(columns)} of {len(sheet.grid.columns)} columns, up to {rest:.2f} of a row left out"
    return keep(sheet, range(len(sheet.grid.rows)), columns, note)


def window(sheet: Sheet, rows: range, columns: range) -> Sheet:
    """Only these rows and columns; the note says which, and how much of a row the rest holds."""
    weights = sheet.weights.values[rows.start : rows.stop]
    rest = float((weights.sum(axis=1) - weights[:, columns.start : columns.stop].sum(axis=1)).max())
    note = (
        f"rows {rows.start + 1} to {rows.stop} of {len(sheet.grid.rows)}, "
        f"columns {columns.start + 1} to {columns.stop} of {len(sheet.grid.columns)}, "
        f"up to {rest:.2f} of a row left out"
    )
    return keep(sheet, rows, columns, note)


def _nothing(sheet: Sheet, what: str, search: str) -> Sheet:
    return remark(sheet, f"no {what} has {search.strip()!r}, so all are shown")
