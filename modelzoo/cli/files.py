"""The options that name a labelled table, or parallel text."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_files(command: argparse.ArgumentParser) -> None:
    """The options that name a labelled table, or parallel text."""
    command.add_argument("--data", type=Path, help="a TSV, CSV or JSONL file, also .gz")
    command.add_argument("--text-column")
    command.add_argument("--pair-column")
    command.add_argument("--label-column")
    command.add_argument("--source", type=Path, help="a file of source lines")
    command.add_argument("--target", type=Path, help="the file of their translations")
