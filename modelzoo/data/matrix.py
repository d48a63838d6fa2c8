"""A person's own tokens and matrices: CSV, TSV, JSON and NPZ → grids.

Accepted forms: a table whose first row and first column are tokens (several, parted by an empty line),
one cell a line as the atlas writes it, JSON with rows, columns and values, and NPZ. Whatever is refused
is told with its place, the rule, and an example. Values are never changed.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from modelzoo.data import archive
from modelzoo.number import formatted
from modelzoo.results import ROW_SUM_TOLERANCE, AttentionMap, Grid
from modelzoo.tasks import HALF_CHARACTER, MAX_FILE_BYTES, MAX_MATRICES, MAX_TOKEN_CHARACTERS
from modelzoo.tasks import MAX_MATRIX_SIDE as MAX_SIDE

TABLE_EXAMPLE = ",the,cat ⏎ le,0.9,0.1"
LONG_NAMES = ("row_index", "row_token", "column_index", "column_token", "weight")
JSON_EXAMPLE = '{"rows": ["le"], "columns": ["the", "cat"], "values": [[0.9, 0.1]]}'
ROW, COLUMN = "row", "column"
"""The kinds of the axes."""
Tokens = tuple[str, ...]
Block = list[tuple[int, list[str]]]


def read_matrices(raw: bytes | str) -> tuple[Grid, ...]:
    """The grids of a paste or a file, by its content. ValueError names place, rule and example."""
    if len(raw) > MAX_FILE_BYTES:
        raise ValueError(f"it has {len(raw):,} bytes; accepted are at most {MAX_FILE_BYTES:,}")
    if isinstance(raw, bytes) and raw.startswith(archive.START):
        grids = _of_npz(archive.read_npz(raw))
    else:
        text = _text(raw).strip("\r\n").removeprefix("\ufeff")
        if not text.strip():
            raise ValueError(f"it is empty; accepted is a table such as {TABLE_EXAMPLE}")
        grids = _of_json(text) if text.lstrip()[0] in "[{" else _of_table(text)
    if not 1 <= len(grids) <= MAX_MATRICES:
        raise ValueError(f"it holds {len(grids)} matrices; accepted are 1 to {MAX_MATRICES}")
    return tuple(grids)


def row_sum_note(grid: Grid) -> str:
    """Which rows do not sum to 1, said for the reader; empty when all do."""
    sums = grid.values.sum(axis=1, dtype=np.float64)
    off = [i for i, total in enumerate(sums) if abs(total - 1) > ROW_SUM_TOLERANCE]
    if not off:
        return ""
    told = [f"{grid.rows[i]} ({formatted(sums[i], '.4g')})" for i in off[:5]] + ["…"] * (len(off) > 5)
    return f"{len(off)} of {len(sums)} rows do not sum to 1: {', '.join(told)}. Drawn as given, not rescaled"


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


def _text(raw: bytes | str) -> str:
    if isinstance(raw, str):
        return raw
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8: byte {error.start} cannot be read; save it as UTF-8") from error


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
        accepted = "accepted are finite numbers up to 3.4e38, such as 0.25"
        raise ValueError(f"row {i + 1}, column {j + 1} of {name!r} is {array[i, j]}; {accepted}")


def _round_up(most: float) -> float:
    """1 for what lies within it; else the next number of two digits."""
    if most <= 1:
        return 1.0
    unit = 10.0 ** (math.floor(math.log10(most)) - 1)
    return math.ceil(most / unit) * unit


# --- tables ----------------------------------------------------------------------------------------


def _of_table(text: str) -> list[Grid]:
    first = text.split("\n", 1)[0]
    readings = [_rows(text, mark) for mark in "\t;," if mark in first]
    if not readings:
        parted = f"accepted are tokens parted by commas, semicolons or tabs, such as {TABLE_EXAMPLE}"
        raise ValueError(f"row 1 is {first[:60]!r}; {parted}")
    lines = next(filter(_is_even, readings), readings[0])  # a token may hold another mark
    header = [cell.strip().lower() for cell in lines[0]]
    return _of_cells(header, lines[1:]) if "row_index" in header else _of_blocks(lines)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The cells of each row. Between tabs a lone quotation mark is a character, as it is in a CSV that
    its quoting rules make uneven."""
    plain = [line.removesuffix("\r").split(delimiter) for line in text.split("\n")]
    if delimiter == "\t":
        return [[] if row == [""] else row for row in plain]
    quoted = []
    with contextlib.suppress(csv.Error):  # a cell longer than any token: its quotation mark encloses nothing
        quoted = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return quoted if quoted and _is_even(quoted) else [[] if row == [""] else row for row in plain]


def _is_even(lines: Sequence[list[str]]) -> bool:
    """Whether the rows of each table have the same number of cells."""
    return all(len({len(row) for _, row in block}) == 1 for block in _blocks(lines))


def _of_blocks(lines: Sequence[list[str]]) -> list[Grid]:
    """Tables with tokens in the first row and column, one after an empty line after the other."""
    return [_of_block(block, f"matrix {k}") for k, block in enumerate(_blocks(lines), start=1)]


def _blocks(lines: Sequence[list[str]]) -> list[Block]:
    """Rows that stand together, with their numbers from 1."""
    numbered = enumerate(lines, start=1)
    together = itertools.groupby(numbered, key=lambda line: any(cell.strip() for cell in line[1]))
    return [list(block) for is_filled, block in together if is_filled]


def _of_block(block: Block, name: str) -> Grid:
    (first, header), *body = block
    if not body:
        raise ValueError(
            f"row {first} stands alone; accepted is a row of tokens with rows below, such as {TABLE_EXAMPLE}"
        )
    if header[0].strip() and all(_is_number(cell) for cell in header):
        raise ValueError(
            f"row {first} holds only numbers; the first row names the columns and the first cell of each row "
            f"names it, such as {TABLE_EXAMPLE}"
        )
    for number, row in body:
        if len(row) != len(header):
            raise ValueError(
                f"row {number} has {len(row)} cells and row {first} has {len(header)}; accepted is a token "
                f"and one number a column, such as {TABLE_EXAMPLE}"
            )
    values = [[_number(cell, f"row {n}, column {k}") for k, cell in enumerate(row[1:], 2)] for n, row in body]
    return make_grid(header[0].strip() or name, [row[0] for _, row in body], header[1:], values)


def _of_cells(header: Sequence[str], body: Iterable[list[str]]) -> list[Grid]:
    """One cell a line, under the names that the atlas writes."""
    absent = [name for name in LONG_NAMES if name not in header]
    if absent:
        raise ValueError(f"row 1 lacks {', '.join(absent)}; accepted is map,{','.join(LONG_NAMES)}")
    found: dict[str, dict[tuple[int, int], tuple[str, str, float]]] = {}
    for number, row in enumerate(body, start=2):
        if not row:
            continue
        if len(row) != len(header):
            raise ValueError(
                f"row {number} has {len(row)} cells; the header has {len(header)}: {','.join(header)}"
            )
        cell = dict(zip(header, row, strict=True))
        place = (_index(cell["row_index"], number), _index(cell["column_index"], number))
        cells = found.setdefault(cell.get("map") or "matrix 1", {})
        if place in cells:
            raise ValueError(f"row {number} gives cell {place} a second time; accepted is one line a cell")
        weight = _number(cell["weight"], f"row {number}, weight")
        cells[place] = (cell["row_token"], cell["column_token"], weight)
    return [_of_places(name, cells) for name, cells in found.items()]


def _of_places(name: str, cells: Mapping[tuple[int, int], tuple[str, str, float]]) -> Grid:
    rows, columns = (1 + max(place[axis] for place in cells) for axis in (0, 1))
    if len(cells) != rows * columns:
        place = next((i, j) for i in range(rows) for j in range(columns) if (i, j) not in cells)
        raise ValueError(f"matrix {name!r} lacks cell {place}; accepted is one line for every row and column")
    values = [[cells[i, j][2] for j in range(columns)] for i in range(rows)]
    row_tokens = [cells[i, 0][0] for i in range(rows)]
    return make_grid(name, row_tokens, [cells[0, j][1] for j in range(columns)], values)


def _index(text: str, number: int) -> int:
    if text.isascii() and text.isdigit() and int(text[:6]) < MAX_SIDE and len(text) <= 6:
        return int(text)
    raise ValueError(
        f"row {number} has the index {text[:20]!r}; accepted are whole numbers from 0 to {MAX_SIDE - 1}"
    )


def _number(text: str, place: str) -> float:
    if not _is_number(text):
        hint = " with a point, not a comma" if "," in text else ""
        raise ValueError(f"{place} is {text.strip()[:60]!r}; accepted is a number{hint}, such as 0.25")
    return float(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


# --- JSON and NPZ ----------------------------------------------------------------------------------


def _of_json(text: str, arrays: Mapping[str, np.ndarray] | None = None) -> list[Grid]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "lineno", 1)
        raise ValueError(f"line {at} is no JSON, or nested too deeply; accepted is {JSON_EXAMPLE}") from error
    many = value.get("maps", [value]) if isinstance(value, dict) else value
    if not isinstance(many, list) or not all(isinstance(one, dict) for one in many):
        raise ValueError(f"it holds no named rows and columns; accepted is {JSON_EXAMPLE}, or a list of such")
    return [_of_object(one, f"matrix {k}", arrays or {}) for k, one in enumerate(many[: MAX_MATRICES + 1], 1)]


def _of_object(given: Mapping[str, Any], name: str, arrays: Mapping[str, np.ndarray]) -> Grid:
    name = str(given.get("name") or name)[:MAX_TOKEN_CHARACTERS]
    values = given.get("values", given.get("weights"))
    rows, columns = given.get("rows", given.get("tokens")), given.get("columns", given.get("tokens"))
    if values is None or rows is None or columns is None:
        lacking = [k for k, v in (("rows", rows), ("columns", columns), ("values", values)) if v is None]
        raise ValueError(f"{name} has no {' and no '.join(lacking)}; accepted is {JSON_EXAMPLE}")
    if isinstance(values, dict):
        values = arrays.get(str(values.get("array")))
    return make_grid(name, rows, columns, values)


def _of_npz(arrays: Mapping[str, np.ndarray]) -> list[Grid]:
    """The maps of a result, else every matrix with its own or the shared tokens; a stack is many."""
    if "document" in arrays:
        return _of_json(str(arrays["document"]), arrays)
    grids = []
    for name, array in arrays.items():
        if array.ndim not in (2, 3) or array.dtype.kind not in "fiu":
            continue
        sides = [arrays.get(f"{name}_{side}", arrays.get(side)) for side in ("rows", "columns")]
        if sides[0] is None or sides[1] is None:
            raise ValueError(
                f"array {name!r} has no tokens; accepted are arrays of texts named {name}_rows and "
                f"{name}_columns, or rows and columns for all"
            )
        rows, columns = (archive.texts(side, name) for side in sides if side is not None)
        many = array[: MAX_MATRICES + 1] if array.ndim == 3 else [array]
        names = [f"{name} {k}" for k in range(1, len(many) + 1)] if array.ndim == 3 else [name]
        grids += [make_grid(n, rows, columns, one) for n, one in zip(names, many, strict=True)]
    return grids
