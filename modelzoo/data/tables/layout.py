"""How a file is laid out, found out from its content: kind, encoding, separator, quoting, columns."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from modelzoo.data.tables.fields import find_quoting, find_separator, split_records
from modelzoo.data.tables.lines import NumberedLines, find_form, opened, read_lines, readable
from modelzoo.data.tables.records import Layout, TextForm

SAMPLE_LINES, MOST_COLUMNS = 2_000, 1_000
ACCEPTED = "accepted are .tsv, .csv, .txt, .jsonl and .parquet, all but the last also with .gz"
PREFERRED = {"tsv": "\t,;|", "csv": ",;\t|", "txt": "\t"}
"""The separators that a table may have, the likeliest first, by the end of the file's name."""
TREE = re.compile(r"\(\d \(?")
PARQUET = b"PAR1"
LONGEST_NAME, SENTENCE_ENDS, FEW_ROWS = 60, (".", "!", "?", "。"), 3
TEXT_COLUMN, LABEL_COLUMN, SOURCE_COLUMN, TARGET_COLUMN = "text", "label", "source", "target"


@dataclass(frozen=True)
class Told:
    """What a person knows of a file's layout; None where it is to be found out."""

    encoding: str | None = None
    separator: str | None = None
    is_quoted: bool | None = None
    has_header: bool | None = None


def find_layout(*files: Path, told: Told | None = None) -> Layout:
    """The layout of one file or folder, or of a source and a target file. ValueError for another kind."""
    told = told or Told()
    if len(files) == 2:
        forms = tuple(find_form(file, told.encoding) for file in files)
        return Layout(files, "parallel", (SOURCE_COLUMN, TARGET_COLUMN), forms)
    if len(files) != 1:
        raise ValueError(f"{len(files)} files were given; accepted are one, or a source and a target")
    path = files[0]
    if path.is_dir():
        return _folder(path)
    ending = file_ending(path)
    with readable(path), opened(path) as file:
        is_parquet = file.read(len(PARQUET)) == PARQUET
    if is_parquet:
        return _parquet(path)
    if ending in ("jsonl", "ndjson"):
        return _json(path, find_form(path, told.encoding))
    if ending not in PREFERRED:
        raise ValueError(f"the file {path} ends in .{ending}; {ACCEPTED}")
    return _text(path, ending, find_form(path, told.encoding), told)


def file_ending(path: Path) -> str:
    """What a file's name ends in, without .gz, in lower case."""
    return path.name.lower().removesuffix(".gz").rsplit(".", 1)[-1]


def _folder(path: Path) -> Layout:
    if not ((path / "pos").is_dir() and (path / "neg").is_dir()):
        raise ValueError(f"the folder {path} has no folders pos and neg of reviews; name a file in it")
    return Layout((path,), "reviews", ("id", "rating", LABEL_COLUMN, TEXT_COLUMN), (TextForm(),))


def _parquet(path: Path) -> Layout:
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_schema

    try:
        with readable(path):
            return Layout((path,), "parquet", unique(read_schema(path).names))
    except ArrowInvalid as error:
        raise ValueError(f"the file {path} is a damaged Parquet file") from error


def _json(path: Path, form: TextForm) -> Layout:
    """The columns are all keys of all objects, in the order in which they first occur."""
    columns: dict[str, None] = {}
    wrong = ""
    for number, line in enumerate(read_lines(path, form), start=1):
        value = json_object(line) if line.strip() else {}
        if isinstance(value, dict):
            columns.update(dict.fromkeys(map(str, value)))
        elif not wrong:
            wrong = f"line {number}: {value}"
    if not columns:
        raise ValueError(f"no row of {path} can be read; {wrong or 'the file is empty'}")
    if len(columns) > MOST_COLUMNS:
        raise ValueError(f"the objects of {path} have {len(columns):,} keys; accepted are {MOST_COLUMNS:,}")
    return Layout((path,), "jsonl", tuple(columns), (form,))


def json_object(line: str) -> object:
    """What a line of JSON holds; the reason, a text, when it is no object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"it is no JSON: {error}"
    return value if isinstance(value, dict) else 'it is not a JSON object such as {"text": "…"}'


def _text(path: Path, ending: str, form: TextForm, told: Told) -> Layout:
    sample = list(itertools.islice(_filled(read_lines(path, form)), SAMPLE_LINES))
    if not sample:
        raise ValueError(f"the file {path} is empty; its first line names the columns")
    if TREE.match(sample[0]) and all(TREE.match(line) for line in sample):
        return Layout((path,), "trees", (LABEL_COLUMN, TEXT_COLUMN), (form,))
    if ending == "txt" and told.separator is None and "\t" not in sample[0]:
        return Layout((path,), "lines", (TEXT_COLUMN,), (form,))
    separator = told.separator or find_separator(sample, PREFERRED[ending])
    if len(separator) != 1 or separator in '"\r\n':
        raise ValueError(f"the separator is {separator!r}; accepted is one character, such as , or ;")
    is_quoted = find_quoting(sample, separator) if told.is_quoted is None else told.is_quoted
    cells = [found.values for found in split_records(NumberedLines(sample), separator, is_quoted)]
    has_header = _is_header(cells[0], cells[1:]) if told.has_header is None else told.has_header
    names = [name.strip() for name in cells[0]] if has_header else [""] * len(cells[0])
    if len(names) > MOST_COLUMNS:
        raise ValueError(f"{path} has {len(names):,} columns; accepted are at most {MOST_COLUMNS:,}")
    return Layout((path,), "table", unique(names), (form,), separator, is_quoted, has_header)


def _filled(lines: Iterable[str]) -> Iterator[str]:
    return itertools.dropwhile(lambda line: not line.strip("\r\n"), lines)


def _is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line names columns. It does not when a cell is a sentence as most of its column are,
    or one of the few values that its column has over and over, such as a label."""
    for position, cell in enumerate(name.strip() for name in first):
        column = [row[position].strip() for row in rows if len(row) == len(first)]
        if _is_sentence(cell) and 2 * sum(map(_is_sentence, column)) > len(column):
            return False
        if cell and 2 * column.count(cell) * len(set(column)) > len(column) > FEW_ROWS:
            return False
    return True


def _is_sentence(cell: str) -> bool:
    return len(cell) > LONGEST_NAME or cell.endswith(SENTENCE_ENDS)


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """The names of columns: blank ones become `column 3`, repeated ones get a number."""
    found: dict[str, str] = {}
    for position, given in enumerate(names, start=1):
        name = base = given or f"column {position}"
        number = 2
        while name.lower() in found:  # a query does not tell `Text` from `text`
            name, number = f"{base} {number}", number + 1
        found[name.lower()] = name
    return tuple(found.values())
