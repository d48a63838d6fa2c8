"""The rows of a filter as a file to take away: CSV, TSV, JSON lines, Parquet, a few thousand at a time."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from modelzoo.analysis.filters import ALL, IN_ORDER, TOKENS, Filter, Sort
from modelzoo.analysis.run import OpenRun

Form = Literal["csv", "tsv", "jsonl", "parquet"]
FORMS: tuple[Form, ...] = ("csv", "tsv", "jsonl", "parquet")
FIRST = ("row", "line", "text", "text_pair", "gold", "prediction", "correct", "confidence", "log_probability")
SAID = ("labels", "note", "star")
FREE = "x_"
"""What stands before the name of a column of the file that the model did not read."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What begins a cell that a spreadsheet would run as a formula."""
BETWEEN = "; "
"""What stands between several error labels in one cell."""


@dataclass(frozen=True)
class Said:
    """What people said of rows: error labels, a note, a star."""

    labels: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    stars: Collection[int] = ()


@dataclass(frozen=True)
class Taken:
    """Which rows are taken, in which order, with what people said of them.

    `is_safe` is for spreadsheets: a text that would run as a formula gets a ' in front, and the file says
    that it is UTF-8.
    """

    chosen: Filter = ALL
    sort: Sort = IN_ORDER
    said: Said = field(default_factory=Said)
    is_safe: bool = False


def write_table(run: OpenRun, file: BinaryIO, form: Form, taken: Taken | None = None) -> int:
    """Write the rows; gives how many. ValueError for another form."""
    if form not in FORMS:
        raise ValueError(f"the form is {form!r}; accepted are {', '.join(FORMS)}")
    taken = taken or Taken()
    if form == "parquet":
        return _write_parquet(run, file, taken)
    text = io.TextIOWrapper(file, "utf-8-sig" if taken.is_safe else "utf-8", newline="", write_through=True)
    try:
        return _write_jsonl(run, text, taken) if form == "jsonl" else _write_csv(run, text, form, taken)
    finally:
        text.detach()


def _write_csv(run: OpenRun, file: io.TextIOWrapper, form: Form, taken: Taken) -> int:
    guard = _guarded if taken.is_safe else _plain
    names = [name for name in _names(run) if name not in TOKENS]
    file.write(_lines([map(guard, names)], form))
    kinds, rows = _schema(run), 0
    for columns in _batches(run, taken):
        cells = (_cells(columns[name], kinds.field(name).type, guard) for name in names)
        file.write(_lines(zip(*cells, strict=True), form))
        rows += len(columns["row"])
    return rows


def _lines(rows: Iterable[Iterable[Any]], form: Form) -> str:
    """Rows of cells as lines of CSV or TSV, put together before they are written: that is quicker."""
    text = io.StringIO()
    csv.writer(text, delimiter="\t" if form == "tsv" else ",", lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cells(values: list[Any], kind: pa.DataType, guard: Callable[[Any], Any]) -> Iterable[Any]:
    """A column as cells of a CSV."""
    if pa.types.is_list(kind):
        return map(guard, map(BETWEEN.join, values))
    return map(guard, values) if pa.types.is_string(kind) else values


def _write_jsonl(run: OpenRun, file: io.TextIOWrapper, taken: Taken) -> int:
    rows = 0
    for columns in _batches(run, taken):
        for row in zip(*columns.values(), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")
        rows += len(columns["row"])
    return rows


def _write_parquet(run: OpenRun, file: BinaryIO, taken: Taken) -> int:
    rows, schema = 0, _schema(run)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for columns in _batches(run, taken):
            writer.write_table(pa.Table.from_pydict(columns, schema=schema))
            rows += len(columns["row"])
    return rows


def _schema(run: OpenRun) -> pa.Schema:
    types = {"text": pa.string(), "truth": pa.bool_(), "number": pa.float32()}
    whole = {"row": pa.int64(), "line": pa.int64(), "star": pa.bool_(), "note": pa.string()}
    lists = {name: pa.list_(pa.string()) for name in (*TOKENS, "labels")}
    chances = {name: pa.float32() for name in _chances(run)}
    own = {shown: types.get(run.columns[name]) for name, shown in _own(run).items()}
    known = {**own, **chances, **whole, **lists}
    return pa.schema([(name, known[name]) for name in _names(run)])


def _names(run: OpenRun) -> list[str]:
    """The columns of the file in order."""
    own = list(_own(run).values())
    place = len([name for name in own if name in FIRST])
    return [*own[:place], *_chances(run), *own[place:], *SAID]


def _chances(run: OpenRun) -> list[str]:
    return [f"p_{label}" for label in run.labels]


def _own(run: OpenRun) -> dict[str, str]:
    """The run's columns that are taken, and their names in the file: one of the data has its own again,
    unless that is taken."""
    free = [name for name in run.columns if name.startswith(FREE)]
    measures = [name for name in run.measures if name not in FIRST]
    names = [name for name in (*FIRST, *TOKENS, *measures) if name in run.columns]
    found = {name: name for name in names}
    used = {*names, *SAID, *_chances(run)}
    for name in free:
        shown = name.removeprefix(FREE)
        found[name] = name if shown in used else shown
        used.add(found[name])
    return found


def _batches(run: OpenRun, taken: Taken) -> Iterator[dict[str, list[Any]]]:
    """The columns of the file in order, some rows at a time."""
    own, order = _own(run), _names(run)
    asked = [*own, *(["probabilities"] if run.labels else [])]
    for table in run.batches(taken.chosen, asked, sort=taken.sort):
        columns = {shown: _values(table[name]) for name, shown in own.items()}
        for k, name in enumerate(_chances(run)):
            columns[name] = _values(pc.list_element(table["probabilities"], k))
        rows = table["row"].to_pylist()
        columns["labels"] = [list(taken.said.labels.get(row, ())) for row in rows]
        columns["note"] = [taken.said.notes.get(row) for row in rows]
        columns["star"] = [row in taken.said.stars for row in rows]
        yield {name: columns[name] for name in order}


def _values(column: pa.ChunkedArray) -> list[Any]:
    """The values; a float32 with the fewest digits that give it again."""
    if pa.types.is_float32(column.type):
        column = column.cast(pa.string()).cast(pa.float64())
    values: list[Any] = column.to_pylist()
    return values


def _plain(value: Any) -> Any:
    return value


def _guarded(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
