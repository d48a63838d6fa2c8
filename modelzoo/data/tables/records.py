"""What reading a file of anybody's gives: how it is laid out, its records, and what cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["table", "jsonl", "parquet", "parallel", "lines", "trees", "reviews"]
RAW_CHARACTERS = 200
"""So much of a record that cannot be read is shown."""


@dataclass(frozen=True)
class TextForm:
    """How the bytes of a text file become lines."""

    encoding: str = "utf-8"
    newline: str = "\n"


@dataclass(frozen=True)
class Layout:
    """How data is read, as it was found out: shown to a person, who may have another one made.

    `files` is one file or folder, or a source and a target file, with one text form each. Of tables,
    `is_quoted` says that a field may stand in quotation marks, and then hold separators and line breaks.
    """

    files: tuple[Path, ...]
    kind: Kind
    columns: tuple[str, ...]
    forms: tuple[TextForm, ...] = ()
    separator: str = ""
    is_quoted: bool = False
    has_header: bool = True

    @property
    def description(self) -> str:
        """The layout in a few words, such as `table, UTF-8, separated by tabs, quotes are characters`."""
        said = [KINDS[self.kind]]
        said += sorted({form.encoding.upper().replace("CP", "Windows-") for form in self.forms})
        if self.kind == "table":
            said.append(f"separated by {SEPARATORS.get(self.separator, self.separator)}")
            said.append("quotes enclose fields" if self.is_quoted else "quotes are characters")
            said += [] if self.has_header else ["no line of column names"]
        return ", ".join(said)


KINDS: Mapping[Kind, str] = {
    "table": "table",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "parallel": "parallel text",
    "lines": "one text a line",
    "trees": "labelled trees, one a line",
    "reviews": "folders pos and neg, one review a file",
}
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its index in the file from 0, the line it starts on from 1, and its cells by column."""

    row: int
    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Unread:
    """A record that cannot be used: where it stands, why, and how it begins."""

    row: int
    line: int
    reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader of one kind finds: cells, or the reason why there are none."""

    line: int
    raw: str
    cells: Mapping[str, str] | None
    reason: str = ""
