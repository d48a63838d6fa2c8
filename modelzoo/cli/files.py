"""The options that name a labelled table, or parallel text, and how it is read and told."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from modelzoo.cards import ModelCard

SAMPLE_ROWS = 1_000
"""Rows that columns are proposed by."""
SHOWN = 10
"""Unread rows, and labels, that are printed."""


def add_files(command: argparse.ArgumentParser) -> None:
    """The options that name a labelled table, or parallel text."""
    command.add_argument("--data", type=Path, help="a CSV, TSV, JSONL or Parquet file, also .gz")
    command.add_argument("--text-column")
    command.add_argument("--pair-column")
    command.add_argument("--label-column")
    command.add_argument("--source", type=Path, help="a file of source lines")
    command.add_argument("--target", type=Path, help="the file of their translations")


def add_form(command: argparse.ArgumentParser) -> None:
    """The options for a file that is not what it looks like."""
    command.add_argument("--label-map", help="0=negative,1=positive (2= for a label that is none)")
    command.add_argument("--encoding", help="as utf-8, utf-16, cp1252 (default: found out)")
    command.add_argument("--separator", help="the character between fields (default: found out)")
    yes_no = argparse.BooleanOptionalAction
    command.add_argument("--quotes", action=yes_no, help="quotes enclose fields (default: found out)")
    command.add_argument("--header", action=yes_no, help="the first line names columns (default: found out)")


def told(arguments: argparse.Namespace) -> Any:
    """What the options of `add_form` say of a file."""
    from modelzoo.data.tables import Told

    separator = {"tab": "\t", "\\t": "\t"}.get(arguments.separator, arguments.separator)
    return Told(arguments.encoding, separator, arguments.quotes, arguments.header)


def proposed(card: ModelCard, layout: Any, arguments: argparse.Namespace) -> Any:
    """The columns and labels of a file, those that the options do not name proposed and said."""
    from modelzoo.data.tables import Proposal, as_rows, parse_label_map, preview, propose
    from modelzoo.runs.request import reader_of

    named = {"text": arguments.text_column, "label": arguments.label_column, "pair": arguments.pair_column}
    given = {role: name or None for role, name in named.items() if name is not None}
    found = propose(layout, as_rows(preview(layout, SAMPLE_ROWS)), reader_of(card), given)
    if found.label_map or any(name and role not in given for role, name in asdict(found.columns).items()):
        _tell_proposal(found)
    label_map = {**found.label_map, **parse_label_map(arguments.label_map)}
    return Proposal(found.data_set, found.columns, label_map)


def _tell_proposal(found: Any) -> None:
    columns = found.columns
    tell(
        f"{found.data_set or 'columns'}: text {columns.text!r}"
        + (f", second text {columns.pair!r}" if columns.pair else "")
        + (f", label {columns.label!r}" if columns.label else ", no label")
        + "".join(f", {typed}={label or 'none'}" for typed, label in found.label_map.items())
    )


def tell(line: str) -> None:
    """A line about the work, beside the answer."""
    sys.stderr.write(f"{line}\n")


def tell_unread(rows: Iterable[Mapping[str, Any]], count: int, where: str = "") -> None:
    """Say on stderr which rows cannot be read, and why: the first ones, and how many more."""
    for row, _ in zip(rows, range(SHOWN), strict=False):
        tell(f"line {row['line']}: {row['reason']}")
    if count > SHOWN:
        tell(f"and {count - SHOWN:,} more rows that cannot be read{where}")
