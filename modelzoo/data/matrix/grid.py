"""A grid of a person's own tokens and numbers: what is refused is told with its place and the rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from modelzoo.results import ROW_SUM_TOLERANCE, AttentionMap, Grid
from modelzoo.tasks import HALF_CHARACTER, MAX_TOKEN_CHARACTERS
from modelzoo.tasks import MAX_MATRIX_SIDE as MAX_SIDE

ROW, COLUMN = "row", "column"
"""The kinds of the axes."""
Tokens = tuple[str, ...]


def make_grid(name: str, rows: Sequence[Any], columns: Sequence[Any], values: Any) -> Grid:
    """A checked grid: an attention map where every row sums to 1 and none is negative, else a plain one."""
    if HALF_CHARACTER.search(name):
        raise ValueError(f"the name {name!r} holds half a character; accepted are whole ones")
    row_tokens, column_tokens = _tokens(rows, name, "row"), _tokens(columns, name, "column")
    array = _numbers(values, name)
    if array.shape != (len(row_tokens), len(column_tokens)):
        raise ValueError(
            f"matrix {name!r} has values of shape {' x '.join(map(str, array.shape))} for {len(row_tokens)} "
            f"row and {len(column_tokens)} column tokens; accepted is one token a row and a column"
        )
    _check_finite(array, name)
    sums = array.sum(axis=1, dtype=np.float64)
    if (array >= 0).all() and np.abs(sums - 1).max() <= ROW_SUM_TOLERANCE:
        return AttentionMap(name, array, row_tokens, column_tokens, row_kind=ROW, column_kind=COLUMN)
    most = _round_up(float(np.abs(array).max()))
    low = -most if (array < 0).any() else 0.0
    scale = ((low, most), low < 0)
    return Grid(name, array, row_tokens, column_tokens, *scale, row_kind=ROW, column_kind=COLUMN)


def _tokens(given: Sequence[Any], name: str, side: str) -> Tokens:
    if not isinstance(given, list | tuple | np.ndarray) or not all(isinstance(t, str) for t in given):
        raise ValueError(f"the {side} tokens of {name!r} are {repr(given)[:60]}; accepted is a list of texts")
    if not 1 <= len(given) <= MAX_SIDE:
        raise ValueError(f"{name!r} has {len(given)} {side}s; accepted are 1 to {MAX_SIDE}")
    for k, token in enumerate(given, start=1):
        wrong = _wrong_token(token)
        if wrong:
            raise ValueError(f"the token of {side} {k} of {name!r} {wrong}")
    return tuple(str(token) for token in given)


def _wrong_token(token: str) -> str:
    if len(token) > MAX_TOKEN_CHARACTERS:
        return f"has {len(token)} characters; accepted are at most {MAX_TOKEN_CHARACTERS}"
    return "holds half a character; accepted are whole ones" if HALF_CHARACTER.search(token) else ""


def _numbers(values: Any, name: str) -> np.ndarray:
    try:
        with np.errstate(over="ignore"):
            return np.array(values, dtype=np.float64).astype(np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"the values of {name!r} are no matrix of numbers; accepted are rows of the same length, "
            "such as [[0.9, 0.1], [0.2, 0.8]]"
        ) from error


def _check_finite(array: np.ndarray, name: str) -> None:
    for i, j in np.argwhere(~np.isfinite(array))[:1]:
        place = f"row {i + 1}, column {j + 1} of the weights of {name!r}"
        raise ValueError(f"{place} is {array[i, j]}; accepted are finite numbers up to 3.4e38, such as 0.25")


def _round_up(most: float) -> float:
    """1 for what lies within it; else the next number of two digits."""
    if most <= 1:
        return 1.0
    unit = 10.0 ** (math.floor(math.log10(most)) - 1)
    return math.ceil(most / unit) * unit
