"""A run on disk, opened for questions: DuckDB in memory over its Parquet parts."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from modelzoo.analysis.filters import (
    ALL,
    IN_ORDER,
    MOST_ROW,
    RIGHT,
    TOKENS,
    Columns,
    Filter,
    Kind,
    Sort,
    name_of,
    order,
    where,
)
from modelzoo.columns import COUNTS

MEMORY = "512MB"
"""What one run's questions may hold at a time; more goes to disk."""
THREADS = 2
MOST_HELD = 32_000_000
"""Bytes of the parts of a run whose rows are held in memory, attention apart, where a question takes an
eighth to two fifths of the time; of a larger one every question reads what it asks from the files."""
ATTENTION = "attention"
HEAVY = (ATTENTION, *COUNTS)
"""Columns that are read only when they are asked for by name."""
LONG = (*HEAVY, *TOKENS, "text", "text_pair", "probabilities")
"""Columns that the rows picked by a filter do without."""
MOST_PICKED = 16
"""Filters whose rows are held; before the oldest is dropped as many others have been asked."""
WORST = 0.25
"""The share of a run's written texts, by chrF, that counts as wrong."""


class OpenRun:
    """The rows of a run. Safe in several threads: every question has its own cursor.

    In SQL they are `run`, and with their attention `whole`. ValueError where there is no part to read.
    """

    def __init__(self, parts: Sequence[Path], *, labels: Sequence[str] = ()) -> None:
        if not parts:
            raise ValueError("the run has no rows yet")
        self.parts, self.labels = tuple(parts), tuple(labels)
        aside = str(Path(gettempdir()) / f"atlas-{os.getpid()}")  # where what is too much for memory goes
        limits: dict[str, Any] = {"memory_limit": MEMORY, "threads": THREADS, "temp_directory": aside}
        self._connection = duckdb.connect(config=limits)
        self._connection.execute("SET autoload_known_extensions = false")
        paths = [_literally(str(path)) for path in parts]
        self._connection.read_parquet(paths, union_by_name=True).create_view("parts")
        sql = f"SELECT *, coalesce(correct, m_chrf >= {self._chrf_limit()}) AS {RIGHT} FROM parts"
        self._connection.execute(f"CREATE VIEW whole AS {sql}")
        kind = "TABLE" if sum(path.stat().st_size for path in parts) <= MOST_HELD else "VIEW"
        self._connection.execute(f"CREATE {kind} run AS SELECT * EXCLUDE ({ATTENTION}) FROM whole")
        self._picked: dict[Filter, str] = {}
        self._picking = Lock()
        self._names = itertools.count()

    def _chrf_limit(self) -> float:
        """The chrF under which a written text counts as wrong; 0 for labels."""
        (limit,) = self.ask("SELECT quantile_cont(m_chrf, ?) FROM parts", [WORST])[0]
        return 0.0 if limit is None else float(limit)

    @cached_property
    def columns(self) -> Columns:
        """Every column by name, and what it holds."""
        described = self.ask("SELECT column_name, column_type FROM (DESCRIBE whole)")
        return {name: _kind(kind) for name, kind in described}

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The number columns that have a value in some row."""
        names = [
            name for name, kind in self.columns.items() if kind == "number" and name not in ("row", "line")
        ]
        counted = ", ".join(f"count({name_of(name, self.columns)})" for name in names)
        counts = self.ask(f"SELECT {counted} FROM run")[0]
        return tuple(name for name, count in zip(names, counts, strict=True) if count)

    @property
    def writes(self) -> bool:
        """Whether the answers are texts."""
        return "m_chrf" in self.measures or "log_probability" in self.measures

    def of(self, chosen: Filter) -> str:
        """What the rows of a filter are in SQL, all columns but the LONG ones: they are looked for once."""
        if chosen == ALL:
            return "run"
        with self._picking:
            name = self._picked.pop(chosen, None) or self._pick(chosen)
            self._picked[chosen] = name
            if len(self._picked) > MOST_PICKED:
                oldest = self._picked.pop(next(iter(self._picked)))
                self._connection.cursor().execute(f"DROP TABLE {oldest}")
            return name

    def _pick(self, chosen: Filter) -> str:
        sql, values = where(chosen, self.columns)
        name = f"picked_{next(self._names)}"
        held = ", ".join(name_of(one, self.columns) for one in self.columns if one not in LONG)
        with _told():
            made = f"CREATE TABLE {name} AS SELECT {held} FROM run WHERE {sql}"
            self._connection.cursor().execute(made, values)
        return name

    def count(self, chosen: Filter = ALL) -> int:
        """How many rows the filter leaves."""
        return int(self.ask(f"SELECT count(*) FROM {self.of(chosen)}")[0][0])

    def parts_of(self, chosen: Filter, parts: Iterable[Filter]) -> pa.Table:
        """Of each row of a filter `row`, whether it `is_right`, and whether it is in each of these parts:
        `part_0` and so on, null where a value that is asked for is missing."""
        conditions = [where(part, self.columns) for part in parts]
        asked = "".join(f", ({sql}) AS part_{k}" for k, (sql, _) in enumerate(conditions))
        values = [value for _, given in conditions for value in given]
        return self.fetch(f'SELECT "row", {RIGHT}{asked} FROM {self.whole(chosen)}', values)

    def whole(self, chosen: Filter) -> str:
        """The rows of a filter in SQL, with all columns but attention."""
        return "run" if chosen == ALL else f'run SEMI JOIN {self.of(chosen)} USING ("row")'

    def rows(self, chosen: Filter = ALL, sort: Sort = IN_ORDER) -> np.ndarray:
        """The ids of the rows the filter leaves, in order, int64: what pages and next and previous go by."""
        return self._ordered(chosen, sort)["row"].to_numpy()

    def page(
        self,
        chosen: Filter = ALL,
        sort: Sort = IN_ORDER,
        *,
        offset: int = 0,
        count: int = 50,
    ) -> pa.Table:
        """Some rows of a filter in order, every column but the heavy ones."""
        return self.table(self._ordered(chosen, sort, "LIMIT ? OFFSET ?", count, offset)["row"].to_pylist())

    def _ordered(self, chosen: Filter, sort: Sort, part: str = "", *values: int) -> pa.Table:
        rows = self.whole(chosen) if sort.column in LONG else self.of(chosen)
        return self.fetch(f'SELECT "row" FROM {rows} ORDER BY {self.order(sort)} {part}', values)

    def table(self, rows: Sequence[int], *columns: str) -> pa.Table:
        """These rows in this order; without names every column but the heavy ones."""
        names = columns or tuple(name for name in self.columns if name not in HEAVY)
        picked = ", ".join(name_of(name, self.columns) for name in dict.fromkeys(("row", *names)))
        low, high = (min(rows), max(rows)) if len(rows) else (0, 0)
        if low < 0 or high > MOST_ROW:
            raise ValueError(f"the run has no row {low if low < 0 else high}")
        inside = '"row" BETWEEN ? AND ? AND "row" IN (SELECT unnest(?::BIGINT[]))'
        source = "whole" if ATTENTION in names else "run"
        found = self.fetch(f"SELECT {picked} FROM {source} WHERE {inside}", [low, high, list(rows)])
        places = {row: place for place, row in enumerate(found["row"].to_pylist())}
        missing = [row for row in rows if row not in places]
        if missing:
            raise ValueError(f"the run has no row {missing[0]}")
        return found.take(pa.array([places[row] for row in rows], pa.int64()))

    def values(self, column: str, most: int) -> tuple[str, ...]:
        """The most frequent values of a text column."""
        name = name_of(column, self.columns, "text")
        sql = f"SELECT {name} FROM run WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ?"
        return tuple(str(value) for (value,) in self.ask(sql, [most]))

    def stream(self, rows: np.ndarray, *columns: str, size: int) -> Iterator[pa.RecordBatch]:
        """These rows by one pass over the files, at most `size` at a time and in any order."""
        picked = ", ".join(name_of(name, self.columns) for name in dict.fromkeys(("row", *columns)))
        with closing(self._connection.cursor()) as cursor:
            cursor.register("asked", pa.table({"row": rows}))
            found = cursor.sql(f'SELECT {picked} FROM whole SEMI JOIN asked USING ("row")')
            yield from found.to_arrow_reader(size)

    def write(self, sql: str, path: Path, form: str, **tables: pa.Table) -> int:
        """Write the answer to a question, which may name these tables too, by a COPY; gives its rows."""
        with closing(self._connection.cursor()) as cursor:
            for name, table in tables.items():
                cursor.register(name, table)
            (rows,) = cursor.execute(f"COPY ({sql}) TO {_text(str(path))} ({form})").fetchall()
        return int(rows[0])

    @cached_property
    def first_attention(self) -> list[dict[str, Any]]:
        """The maps of the run's first row; none of a model without attention."""
        found = self.ask(f"SELECT {ATTENTION} FROM parts LIMIT 1")
        return (found[0][0] if found else None) or []

    def order(self, sort: Sort) -> str:
        """The order in SQL."""
        return order(sort, self.columns)

    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The answer's rows. ValueError for a pattern that is no regular expression."""
        with _told():
            return self._connection.cursor().sql(sql, params=list(values)).fetchall()

    def fetch(self, sql: str, values: Sequence[Any] = ()) -> pa.Table:
        """The answer as columns."""
        with _told():
            return self._connection.cursor().sql(sql, params=list(values)).to_arrow_table()

    def close(self) -> None:
        """Let go of the files."""
        self._connection.close()


@contextmanager
def _told() -> Iterator[None]:
    """A pattern that DuckDB refuses, as a sentence."""
    try:
        yield
    except duckdb.InvalidInputException as error:
        raise ValueError(f"the pattern is no regular expression: {error}") from error


def _literally(path: str) -> str:
    """A path of which no character stands for others."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _text(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def _kind(duckdb_type: str) -> Kind:
    if duckdb_type == "VARCHAR":
        return "text"
    if duckdb_type == "BOOLEAN":
        return "truth"
    is_number = duckdb_type in ("FLOAT", "DOUBLE", "BIGINT", "INTEGER")
    return "number" if is_number else "other"
