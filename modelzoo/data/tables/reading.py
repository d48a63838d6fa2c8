"""Records of a file in its order, streamed: memory does not grow with the file, and nothing is dropped.

A record that cannot be used comes as `Unread`, with its line and the reason. Blank lines are such records,
but for those at the end of a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from modelzoo.data.tables.fields import split_records
from modelzoo.data.tables.layout import json_object
from modelzoo.data.tables.lines import (
    LONGEST_LINE,
    SURROGATE,
    NumberedLines,
    read_lines,
    readable,
    without_end,
)
from modelzoo.data.tables.records import RAW_CHARACTERS, Found, Kind, Layout, Record, Unread
from modelzoo.data.tables.trees import read_tree

BATCH_ROWS = 1_000
BLANK, BLANKS = "the line is blank", "both lines are blank"


def records(layout: Layout) -> Iterator[Record | Unread]:
    """Every record, in order; ValueError when the file itself cannot be read."""
    for row, found in enumerate(_without_last_blanks(READERS[layout.kind](layout))):
        reason = found.reason or _damage(found)
        if found.cells is None or reason:
            yield Unread(row, found.line, reason, _shown(found.raw))
        else:
            yield Record(row, found.line, found.cells)


def preview(layout: Layout, count: int = 10) -> tuple[Record | Unread, ...]:
    """The first records."""
    return tuple(islice(records(layout), count))


def _without_last_blanks(found: Iterator[Found]) -> Iterator[Found]:
    blank: list[Found] = []
    for each in found:
        if each.reason == BLANK:
            blank.append(each)
            continue
        yield from blank
        blank.clear()
        yield each


def _damage(found: Found) -> str:
    if len(found.raw) >= LONGEST_LINE:
        return f"it has more than {LONGEST_LINE:,} characters"
    for name, cell in (found.cells or {}).items():
        if not cell.isascii() and SURROGATE.search(cell):
            return f"the column {name!r} has bytes that are not of the file's encoding"
    return ""


def _shown(raw: str) -> str:
    """The start of a record, with a sign for bytes that are no text."""
    return SURROGATE.sub("\ufffd", without_end(raw)[:RAW_CHARACTERS])


def _table(layout: Layout) -> Iterator[Found]:
    names, width = layout.columns, len(layout.columns)
    lines = NumberedLines(read_lines(layout.files[0], layout.forms[0]))
    in_header = layout.has_header
    for fields in split_records(lines, layout.separator, layout.is_quoted, width):
        is_blank = not fields.raw.strip("\r\n")
        if in_header:  # the first line that is not blank
            in_header = is_blank
        elif is_blank:
            yield Found(fields.line, "", None, BLANK)
        elif len(fields.values) != width:
            reason = f"it has {len(fields.values)} columns; the header has {width}"
            yield Found(fields.line, fields.raw, None, reason)
        else:
            yield Found(fields.line, fields.raw, dict(zip(names, fields.values, strict=True)))


def _json(layout: Layout) -> Iterator[Found]:
    for number, line in enumerate(read_lines(layout.files[0], layout.forms[0]), start=1):
        value = json_object(line) if line.strip() else BLANK
        if isinstance(value, dict):
            given = {str(key): cell_text(each) for key, each in value.items()}
            yield Found(number, line, {name: given.get(name, "") for name in layout.columns})
        else:
            yield Found(number, line, None, str(value))


def cell_text(value: Any) -> str:
    """A value of JSON or Parquet as a cell: texts as they are, nothing as nothing, lists as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool | list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _parquet(layout: Layout) -> Iterator[Found]:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    row = 0
    try:
        with readable(layout.files[0]), ParquetFile(layout.files[0]) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                columns = [column.to_pylist() for column in batch.columns]
                for values in zip(*columns, strict=True):
                    row += 1
                    cells = dict(zip(layout.columns, map(cell_text, values), strict=True))
                    yield Found(row, "\t".join(cell[:RAW_CHARACTERS] for cell in cells.values()), cells)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"the file {layout.files[0]} is a damaged Parquet file") from error


def _parallel(layout: Layout) -> Iterator[Found]:
    """Pairs of lines; ValueError at the end when one file has more of them."""
    sides = [map(without_end, read_lines(*side)) for side in zip(layout.files, layout.forms, strict=True)]
    counts = [0, 0]
    for pair in zip_longest(*sides):
        counts = [count + (line is not None) for count, line in zip(counts, pair, strict=True)]
        if None not in pair:
            cells = dict(zip(layout.columns, pair, strict=True))
            yield Found(counts[0], "\t".join(pair), cells if any(pair) else None, "" if any(pair) else BLANKS)
    if counts[0] != counts[1]:
        (source, target), (first, second) = layout.files, counts
        raise ValueError(f"{source} has {first} lines and {target} has {second}; they must be as many")


def _lines(layout: Layout) -> Iterator[Found]:
    for number, line in enumerate(map(without_end, read_lines(layout.files[0], layout.forms[0])), start=1):
        yield Found(number, line, {layout.columns[0]: line} if line else None, "" if line else BLANK)


def _trees(layout: Layout) -> Iterator[Found]:
    for number, line in enumerate(map(without_end, read_lines(layout.files[0], layout.forms[0])), start=1):
        tree = read_tree(line)
        cells = dict(zip(layout.columns, tree, strict=True)) if tree else None
        reason = "" if tree else "it is no labelled tree such as (3 (2 A) (3 film))"
        yield Found(number, line, cells, reason if line.strip() else BLANK)


def _reviews(layout: Layout) -> Iterator[Found]:
    """Files named `12_8.txt`: the review's number and its rating; in the order of their numbers."""
    for label in ("neg", "pos"):
        for path in sorted((layout.files[0] / label).glob("*.txt"), key=_number):
            text = "".join(read_lines(path, layout.forms[0]))
            name, _, rating = path.stem.partition("_")
            yield Found(1, text, dict(zip(layout.columns, (name, rating, label, text), strict=True)))


def _number(path: Path) -> tuple[int, str]:
    digits = re.match(r"\d+", path.stem)
    return (int(digits[0]) if digits else 0, path.stem)


READERS: Mapping[Kind, Callable[[Layout], Iterator[Found]]] = {
    "table": _table,
    "jsonl": _json,
    "parquet": _parquet,
    "parallel": _parallel,
    "lines": _lines,
    "trees": _trees,
    "reviews": _reviews,
}


def as_rows(found: Sequence[Record | Unread]) -> list[dict[str, str]]:
    """The cells of the records that can be used."""
    return [dict(each.cells) for each in found if isinstance(each, Record)]
