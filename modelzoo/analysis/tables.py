"""The rows of a filter as a file to take away: CSV, TSV, JSON lines, Parquet, written by DuckDB."""

from __future__ import annotations

import codecs
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Literal

import pyarrow as pa

from modelzoo.analysis.filters import ALL, IN_ORDER, TOKENS, Filter, Kind, Sort, name_of, quoted
from modelzoo.analysis.run import OpenRun

Form = Literal["csv", "tsv", "jsonl", "parquet"]
WRITTEN: Mapping[Form, str] = {
    "csv": "FORMAT csv, HEADER",
    "tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
"""How DuckDB writes each form."""
FORMS: tuple[Form, ...] = tuple(WRITTEN)
SHEETS: tuple[Form, ...] = ("csv", "tsv")
"""Forms that spreadsheets open; a cell holds one text."""
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
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{form}"
        rows = run.write(_question(run, form, taken), path, WRITTEN[form], said=_said(taken.said))
        if form in SHEETS and taken.is_safe:
            file.write(codecs.BOM_UTF8)
        with path.open("rb") as made:
            shutil.copyfileobj(made, file)
    return rows


def _said(said: Said) -> pa.Table:
    """What was said of rows, those of which something was."""
    rows = sorted({*said.labels, *said.notes, *said.stars})
    return pa.table(
        {
            "row": pa.array(rows, pa.int64()),
            "labels": pa.array([list(said.labels.get(row, ())) for row in rows], pa.list_(pa.string())),
            "note": pa.array([said.notes.get(row) for row in rows], pa.string()),
            "star": pa.array([row in said.stars for row in rows], pa.bool_()),
        }
    )


def _question(run: OpenRun, form: Form, taken: Taken) -> str:
    """The file's columns in SQL, in order; names are guarded as texts are. They are given last, for a name
    or a guarded text is not what the rows are in order of."""
    guard = taken.is_safe and form in SHEETS
    columns = list(_columns(run, form))
    cells = ", ".join(f"{_cell(sql, kind, form, guard)} AS c{k}" for k, (_, sql, kind) in enumerate(columns))
    names = ", ".join(
        f"c{k} AS {quoted(_guarded(name) if guard else name)}" for k, (name, _, _) in enumerate(columns)
    )
    rows = f'(FROM {run.whole(taken.chosen)}) AS rows LEFT JOIN said USING ("row")'
    return f"SELECT {names} FROM (SELECT {cells} FROM {rows} ORDER BY {run.order(taken.sort)})"


def _cell(sql: str, kind: Kind, form: Form, guard: bool) -> str:
    """A column's value in SQL as the form has it: a sheet says True and False; in JSON a float32 has the
    fewest digits that give it again."""
    if kind == "truth" and form in SHEETS:
        return f"CASE WHEN {sql} THEN 'True' WHEN NOT {sql} THEN 'False' END"
    if kind == "number" and form == "jsonl":
        return f"CAST(CAST({sql} AS VARCHAR) AS DOUBLE)"
    if kind == "text" and guard:
        begins = ", ".join(f"chr({ord(one)})" for one in FORMULA)
        return f"CASE WHEN left({sql}, 1) IN ({begins}) THEN chr(39) || {sql} ELSE {sql} END"
    return sql


def _columns(run: OpenRun, form: Form) -> Iterator[tuple[str, str, Kind]]:
    """The columns of the file in order: name, SQL, and what it holds."""
    own = [(shown, name_of(name, run.columns), _kind(run, name)) for name, shown in _own(run).items()]
    first = [one for one in own if one[0] in FIRST]
    yield from first
    for k, label in enumerate(run.labels):
        yield f"p_{label}", f"probabilities[{k + 1}]", "number"
    yield from (one for one in own if one not in first and (one[0] not in TOKENS or form not in SHEETS))
    yield "labels", *_labels(form)
    yield "note", "note", "text"
    yield "star", "coalesce(star, false)", "truth"


def _kind(run: OpenRun, name: str) -> Kind:
    return "other" if name in ("row", "line") else run.columns[name]


def _labels(form: Form) -> tuple[str, Kind]:
    if form in SHEETS:
        return f"coalesce(array_to_string(labels, '{BETWEEN}'), '')", "text"
    return "coalesce(labels, [])", "other"


def _own(run: OpenRun) -> dict[str, str]:
    """The run's columns that are taken, and their names in the file: one of the data has its own again,
    unless that is taken, capitals or not."""
    free = [name for name in run.columns if name.startswith(FREE)]
    measures = [name for name in run.measures if name not in FIRST]
    names = [name for name in (*FIRST, *TOKENS, *measures) if name in run.columns]
    found = {name: name for name in names}
    used = {name.lower() for name in (*names, *SAID, *(f"p_{label}" for label in run.labels))}
    for name in free:
        shown = name.removeprefix(FREE)
        found[name] = name if shown.lower() in used else shown
        used.add(found[name].lower())
    return found


def _guarded(name: str) -> str:
    return f"'{name}" if name.startswith(FORMULA) else name
