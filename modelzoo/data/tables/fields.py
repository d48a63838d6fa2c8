"""The fields of a table's lines. A quotation mark that opens no whole field is a character.

Quoted fields follow RFC 4180: they may hold separators, line breaks and doubled quotation marks. Where
that fails, the record is its first line alone, split at the separators, quotation marks and all; so a lone
one never swallows the lines that follow.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from modelzoo.data.tables.lines import LONGEST_LINE, NumberedLines, without_end

MOST_LINES = 2_000
"""Lines that one quoted record may span."""
OPEN = "unexpected end of data"
"""What the csv module says of a quotation mark that is not closed yet."""


@dataclass(frozen=True, slots=True)
class Fields:
    """One record's fields, the line it starts on, and its text as it stands in the file."""

    line: int
    raw: str
    values: list[str]
    is_well_formed: bool = True


def split_records(
    lines: NumberedLines, separator: str, is_quoted: bool, width: int | None = None
) -> Iterator[Fields]:
    """The records of the lines to come. `width` is the number of columns, by default that of the first."""
    while (line := lines.take()) is not None:
        if is_quoted and '"' in line:
            found = _quoted(line, lines, separator, width)
        else:
            found = Fields(lines.number, line, without_end(line).split(separator))
        if width is None:
            width = len(found.values)
        yield found


def _quoted(first: str, lines: NumberedLines, separator: str, width: int | None) -> Fields:
    start, taken = lines.number, [first]
    values, said = _parse(taken, separator)
    size = len(first)
    while said == OPEN and len(taken) < MOST_LINES and size < LONGEST_LINE:
        line = lines.take()
        if line is None:
            break
        taken.append(line)
        size += len(line)
        if '"' in line:
            values, said = _parse(taken, separator)
    if not said and (width is None or len(values) == width):
        return Fields(start, "".join(taken), values)
    literal = without_end(first).split(separator)
    if said or len(literal) == width:
        lines.put_back(taken[1:])
        return Fields(start, first, literal, is_well_formed=False)
    return Fields(start, "".join(taken), values, is_well_formed=False)


def _parse(taken: list[str], separator: str) -> tuple[list[str], str]:
    """The fields of a whole record and nothing, or no fields and what is wrong."""
    try:
        return next(csv.reader(taken, delimiter=separator, strict=True)), ""
    except csv.Error as error:
        return [], str(error)


def find_separator(sample: list[str], preferred: str) -> str:
    """The candidate in the first line by which most lines of a sample have as many fields as it has."""
    candidates = [mark for mark in preferred if mark in sample[0]]
    return max(candidates, key=lambda mark: _evenness(sample, mark), default=preferred[0])


def _evenness(sample: list[str], separator: str) -> float:
    widths = [
        len(found.values)
        for found in split_records(NumberedLines(sample), separator, True)
        if found.raw.strip()
    ]
    return widths.count(widths[0]) / len(widths)


def find_quoting(sample: list[str], separator: str) -> bool:
    """Whether fields may stand in quotation marks.

    Between commas and the like they may. Between tabs they mostly do not: there it takes whole fields that
    need it (they hold a doubled quotation mark), or lines that are uneven without it and even with it.
    """
    if separator != "\t":
        return True
    bad_plain, bad_quoted = _uneven(sample, False), _uneven(sample, True)
    if bad_plain:
        return bad_quoted < bad_plain
    doubled = re.compile(r'(?:^|\t)"(?:[^"\t\n]|"")*""(?:[^"\t\n]|"")*"(?=\t|\r?\n?$)')
    return not bad_quoted and any('""' in line and doubled.search(line) for line in sample)


def _uneven(sample: list[str], is_quoted: bool) -> int:
    """How many records are not whole, or of another width than the first."""
    records = [
        found for found in split_records(NumberedLines(sample), "\t", is_quoted) if found.raw.strip("\r\n")
    ]
    return sum(not found.is_well_formed or len(found.values) != len(records[0].values) for found in records)
