"""The options that name a labelled table, or parallel text, and how it is read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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


def tell_unread(rows: Iterable[Mapping[str, Any]], count: int, where: str = "") -> None:
    """Say on stderr which rows cannot be read, and why: the first ones, and how many more."""
    for row, _ in zip(rows, range(SHOWN), strict=False):
        sys.stderr.write(f"line {row['line']}: {row['reason']}\n")
    if count > SHOWN:
        sys.stderr.write(f"and {count - SHOWN:,} more rows that cannot be read{where}\n")
