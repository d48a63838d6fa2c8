"""The options that name a labelled table, or parallel text, and how it is read."""

from __future__ import annotations

import argparse
from pathlib import Path


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
    command.add_argument("--no-header", action="store_true", help="the first line names no columns")
