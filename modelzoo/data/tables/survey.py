"""A first pass over a file, before anything is computed: how many records, which labels, what is unread."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from modelzoo.data.tables.columns import Columns, Reader, gold_label
from modelzoo.data.tables.reading import records
from modelzoo.data.tables.records import Layout, Unread

MOST_LISTED = 1_000
"""Unread records, and different labels, that are listed; the rest is counted."""


@dataclass(frozen=True)
class Survey:
    """Records in all, those that cannot be read (the first of them listed), and the labels as typed, trimmed
    and in lower case, with their counts."""

    rows: int
    unread: int
    listed: tuple[Unread, ...]
    labels: Mapping[str, int]


@dataclass(frozen=True)
class LabelUse:
    """A label of a file: how often, and what it means: a label of the model, nothing, or None for unknown."""

    typed: str
    count: int
    meaning: str | None


def survey(layout: Layout, columns: Columns | None = None, *, limit: int | None = None) -> Survey:
    """Read the file once, or its first rows up to a limit. Without columns no labels are counted."""
    rows = unread = 0
    listed: list[Unread] = []
    labels: Counter[str] = Counter()
    column = columns.label if columns else None
    for found in itertools.islice(records(layout), limit):
        rows += 1
        if isinstance(found, Unread):
            unread += 1
            if len(listed) < MOST_LISTED:
                listed.append(found)
        elif column is not None:
            typed = found.cells[column].strip().lower()
            if typed in labels or len(labels) < MOST_LISTED:
                labels[typed] += 1
    return Survey(rows, unread, tuple(listed), dict(labels.most_common()))


def label_uses(
    counts: Mapping[str, int], reader: Reader, label_map: Mapping[str, str]
) -> tuple[LabelUse, ...]:
    """What becomes of each label of a file, the most frequent first."""
    return tuple(
        LabelUse(typed, count, gold_label(typed, reader.labels, label_map)) for typed, count in counts.items()
    )
