"""Tables of tokens and numbers: CSV, TSV, and what is copied from a spreadsheet → grids."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from modelzoo.data.matrix.grid import MAX_SIDE, make_grid
from modelzoo.results import Grid

TABLE_EXAMPLE = ",the,cat ⏎ le,0.9,0.1"
LONG_NAMES = ("row_index", "row_token", "column_index", "column_token", "weight")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
Block = list[tuple[int, list[str]]]


def of_table(text: str) -> list[Grid]:
    """The matrices of a table. ValueError names the row, the rule and an example."""
    first = text.split("\n", 1)[0]
    readings = {mark: _rows(text, mark) for mark in "\t;," if mark in first}
    if not readings:
        parted = f"accepted are tokens parted by commas, semicolons or tabs, such as {TABLE_EXAMPLE}"
        raise ValueError(f"row 1 is {first[:60]!r}; {parted}")
    even = (mark for mark, rows in readings.items() if _is_even(rows))
    mark = next(even, next(iter(readings)))  # a token may hold another mark
    lines = readings[mark]
    point = "." if mark == "," else _point(lines)
    header = [cell.strip().lower() for cell in lines[0]]
    return _of_cells(header, lines[1:], point) if "row_index" in header else _of_blocks(lines, point)


def _point(lines: Sequence[list[str]]) -> str:
    """The decimal sign of a table: a comma where a number has one that cannot stand before thousands, and
    none has a point."""
    cells = [cell.strip() for row in lines[1:] for cell in row[1:]]
    if any("." in cell and _is_number(cell) for cell in cells):
        return "."
    with_comma = (cell for cell in cells if "," in cell and _is_number(cell.replace(",", ".")))
    return "," if any(not _THOUSANDS.fullmatch(cell) for cell in with_comma) else "."


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


def _of_blocks(lines: Sequence[list[str]], point: str) -> list[Grid]:
    """Tables with tokens in the first row and column, one after an empty line after the other."""
    return [_of_block(block, f"matrix {k}", point) for k, block in enumerate(_blocks(lines), start=1)]


def _blocks(lines: Sequence[list[str]]) -> list[Block]:
    """Rows that stand together, with their numbers from 1."""
    numbered = enumerate(lines, start=1)
    together = itertools.groupby(numbered, key=lambda line: any(cell.strip() for cell in line[1]))
    return [list(block) for is_filled, block in together if is_filled]


def _of_block(block: Block, name: str, point: str) -> Grid:
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
    values = [
        [_number(cell, f"row {n}, column {k}", point) for k, cell in enumerate(row[1:], 2)] for n, row in body
    ]
    return make_grid(header[0].strip() or name, [row[0] for _, row in body], header[1:], values)


def _of_cells(header: Sequence[str], body: Iterable[list[str]], point: str) -> list[Grid]:
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
        weight = _number(cell["weight"], f"row {number}, weight", point)
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


def _number(text: str, place: str, point: str) -> float:
    """The number of a cell; `point` is the table's decimal sign, and U+2212 the minus of printed numbers."""
    number = text.replace(point, ".").replace("\u2212", "-")
    if point == "." and _THOUSANDS.fullmatch(text.strip()):
        raise ValueError(
            f"{place} is {text.strip()[:60]!r}, which is two numbers to different readers; accepted is one "
            "without a comma between thousands, such as 1234 or 1.234"
        )
    if not _is_number(number):
        hint = " with a point, not a comma" if "," in text and point == "." else ""
        raise ValueError(f"{place} is {text.strip()[:60]!r}; accepted is a number{hint}, such as 0.25")
    return float(number)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text
