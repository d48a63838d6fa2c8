"""Labelled examples of anybody's file: what can be scored or learned from; the rest is counted and listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modelzoo.data.tables import (
    Columns,
    Layout,
    Record,
    Unread,
    check_columns,
    find_layout,
    gold_label,
    make_inputs,
    records,
)
from modelzoo.tasks import TRANSLATION, Example, Task

DASH = "-"


@dataclass(frozen=True)
class Labelled:
    """Examples with a usable label; how many rows were left out; labels that no one knows, counted; the
    rows that could not be read, which are among those left out; and the line of each example."""

    examples: tuple[Example, ...]
    skipped: int
    unknown_labels: Mapping[str, int]
    unread: tuple[Unread, ...] = ()
    lines: tuple[int, ...] = ()


def read_labelled(
    file: Path | Layout, columns: Columns, task: Task, labels: Sequence[str], label_map: Mapping[str, str]
) -> Labelled:
    """Examples of a labelled file.

    Labels are trimmed and lower-cased, then mapped. Rows without a label, or with one that is not in
    `labels`, are left out and counted. ValueError when a column is missing or no row can be read.
    """
    found, unread = _read(_layout(file), columns, task)
    examples, lines, unknown = [], [], Counter[str]()
    for record in found:
        typed = record.cells[_label(columns)]
        label = gold_label(typed, labels, label_map)
        if label:
            examples.append(Example(make_inputs(task, record.cells, columns), label))
            lines.append(record.line)
        elif label is None:
            unknown[typed.strip().lower()] += 1
    return Labelled(tuple(examples), len(found) + len(unread) - len(examples), unknown, unread, tuple(lines))


def labels_of(path: Path, columns: Columns, task: Task) -> set[str]:
    """The labels that a file's rows have, trimmed and lower-cased (in pair files without `-`)."""
    found, _ = _read(find_layout(path), columns, task)
    given = {record.cells[_label(columns)].strip().lower() for record in found}
    return given - ({"", DASH} if columns.pair else {""})


def read_written(file: Path | Layout, columns: Columns) -> Labelled:
    """Examples whose gold is a text (a translation, a headline); rows with a blank side are counted."""
    return _written(_layout(file), columns)


def read_parallel(source: Path, target: Path) -> Labelled:
    """Examples of two files whose lines belong together; pairs with a blank side are left out and counted."""
    layout = find_layout(source, target)
    return _written(layout, Columns(*layout.columns))


def _written(layout: Layout, columns: Columns) -> Labelled:
    found, unread = _read(layout, columns, TRANSLATION)
    usable = [r for r in found if r.cells[columns.text].strip() and r.cells[_label(columns)].strip()]
    examples = tuple(
        Example(make_inputs(TRANSLATION, r.cells, columns), r.cells[_label(columns)]) for r in usable
    )
    lines = tuple(record.line for record in usable)
    return Labelled(examples, len(found) + len(unread) - len(usable), {}, unread, lines)


def _layout(file: Path | Layout) -> Layout:
    return file if isinstance(file, Layout) else find_layout(file)


def _label(columns: Columns) -> str:
    if columns.label is None:
        raise ValueError("a labelled table needs --label-column")
    return columns.label


def _read(layout: Layout, columns: Columns, task: Task) -> tuple[list[Record], tuple[Unread, ...]]:
    check_columns(layout, columns, task)
    found: list[Record] = []
    unread: list[Unread] = []
    for each in records(layout):
        if isinstance(each, Unread):
            unread.append(each)
        else:
            found.append(each)
    if unread and not found:
        first = unread[0]
        raise ValueError(f"no row of {layout.files[0]} can be read; line {first.line}: {first.reason}")
    return found, tuple(unread)
