"""Which rows of a run: one frozen value, as SQL whose every text is a bound parameter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from modelzoo.export.codec import decode

Kind = Literal["text", "number", "truth", "other"]
Columns = Mapping[str, Kind]
"""The columns of a run and what they hold."""
Bound = tuple[str, list[Any]]
"""SQL and the parameters of its question marks."""
SEARCHED = ("text", "text_pair", "gold", "prediction")
"""The columns that a search text and a pattern are looked for in."""
TOKENS = ("tokens", "tokens_pair")
"""The columns that hold tokens."""
_HAS_TOKEN = (
    "coalesce(list_contains(string_split(lower(array_to_string({}, chr(31))), chr(31)), lower(?)), false)"
)
MOST_ROW = 2**63 - 1
"""The highest number that a row could have."""
MAX_SEARCH = 1_000
"""Characters a search text or a pattern may have."""
RIGHT = "is_right"
"""Whether an answer is right: a label that is the gold one, a text that is not in the worst quarter."""


@dataclass(frozen=True)
class Between:
    """A number from `low` to `high`, both counted; None has no end. A missing value is never between."""

    column: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class OneOf:
    """A column's value is one of these; None is a missing one."""

    column: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Filter:
    """What a row must be, all of it at once; what is left empty asks nothing.

    `search` is found as it is, upper and lower case alike; `pattern` is a regular expression (RE2); `word`
    is a whole token, upper and lower case alike. `rows` are row ids, of an error label or a star.
    """

    gold: tuple[str | None, ...] = ()
    prediction: tuple[str | None, ...] = ()
    right: bool | None = None
    between: tuple[Between, ...] = ()
    one_of: tuple[OneOf, ...] = ()
    search: str = ""
    pattern: str = ""
    word: str = ""
    rows: tuple[int, ...] | None = None

    def within(self, rows: Iterable[int]) -> Filter:
        """The filter and, beside what it asks, one of these rows."""
        given = rows if self.rows is None else set(self.rows).intersection(rows)
        return replace(self, rows=tuple(sorted(given)))

    def to_json(self) -> str:
        """The filter as text, to be saved."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Filter:
        """The filter that `to_json` wrote. ValueError says where the text is none."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the filter is no JSON: {error}") from error
        found: Filter = decode(value, cls, np.asarray, "the filter")
        return found


ALL = Filter()
"""Every row."""


@dataclass(frozen=True)
class Sort:
    """The order of rows: by a column, missing values last, equal ones in the order of the data."""

    column: str = "row"
    descending: bool = False


IN_ORDER = Sort()
"""The order of the data."""


def where(chosen: Filter, columns: Columns) -> Bound:
    """The condition in SQL. ValueError for a column the run lacks and for a text that is too long."""
    parts: list[Bound] = []
    for name in ("gold", "prediction"):
        if getattr(chosen, name):
            parts.append(_one_of(OneOf(name, getattr(chosen, name)), columns))
    if chosen.right is not None:
        parts.append((f"{RIGHT} = ?", [chosen.right]))
    parts += [_between(one, columns) for one in chosen.between]
    parts += [_one_of(one, columns) for one in chosen.one_of]
    if chosen.search:
        parts.append(_anywhere("contains(lower({}), lower(?))", _short(chosen.search), columns))
    if chosen.pattern:
        parts.append(_anywhere("regexp_matches({}, ?)", _short(chosen.pattern), columns))
    if chosen.word:
        parts.append((" OR ".join(_HAS_TOKEN.format(name) for name in TOKENS), [chosen.word] * len(TOKENS)))
    if chosen.rows is not None:
        parts.append(('"row" IN (SELECT unnest(?::BIGINT[]))', [list(chosen.rows)]))
    return " AND ".join(f"({sql})" for sql, _ in parts) or "true", [v for _, values in parts for v in values]


def order(sort: Sort, columns: Columns) -> str:
    """The order in SQL."""
    direction = "DESC" if sort.descending else "ASC"
    return f'{name_of(sort.column, columns)} {direction} NULLS LAST, "row"'


def name_of(column: str, columns: Columns, *kinds: Kind) -> str:
    """The column's quoted name. ValueError names the columns there are, of these kinds."""
    if column not in columns or (kinds and columns[column] not in kinds):
        accepted = [name for name, kind in columns.items() if not kinds or kind in kinds]
        raise ValueError(f"there is no such column as {column!r}; accepted are {', '.join(accepted)}")
    return quoted(column)


def quoted(name: str) -> str:
    """A column's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _between(one: Between, columns: Columns) -> Bound:
    name = name_of(one.column, columns, "number")
    ends = ((">=", one.low), ("<=", one.high))
    given = [(sign, end) for sign, end in ends if end is not None]
    sql = " AND ".join(f"{name} {sign} ?" for sign, _ in given) or f"{name} IS NOT NULL"
    return sql, [end for _, end in given]


def _one_of(one: OneOf, columns: Columns) -> Bound:
    name = name_of(one.column, columns, "text", "number", "truth")
    texts = [value for value in one.values if value is not None]
    sql = f"CAST({name} AS VARCHAR) IN (SELECT unnest(?::VARCHAR[]))"
    missing = f" OR {name} IS NULL" if None in one.values else ""
    return sql + missing, [texts]


def _anywhere(condition: str, text: str, columns: Columns) -> Bound:
    names = [f'"{name}"' for name in SEARCHED if name in columns]
    return " OR ".join(f"coalesce({condition.format(name)}, false)" for name in names), [text] * len(names)


def _short(text: str) -> str:
    if len(text) > MAX_SEARCH:
        raise ValueError(f"the search has {len(text):,} characters; accepted are at most {MAX_SEARCH:,}")
    return text
