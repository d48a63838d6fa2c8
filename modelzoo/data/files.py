"""Labelled files of anybody's: TSV, CSV, JSONL, and parallel text, plain or compressed with gzip.

TSV is split on tabs alone, so a lone quotation mark is a character; CSV follows its quoting rules.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modelzoo.tasks import Example, Inputs, Sentence, SentencePair, SourceText, Task


@dataclass(frozen=True)
class Columns:
    """Which columns hold the text, the second text of a pair, and the label."""

    text: str
    label: str
    pair: str | None = None


@dataclass(frozen=True)
class Labelled:
    """Examples with a usable label; how many rows were left out; labels that no one knows, counted."""

    examples: tuple[Example, ...]
    skipped: int
    unknown_labels: Mapping[str, int]


def read_text(path: Path) -> str:
    """A file's text, decompressed when it ends in .gz; ValueError when it is missing or not UTF-8."""
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"the file {path} cannot be read: {error.strerror or error}") from error
    except EOFError as error:
        raise ValueError(f"the file {path} is a damaged gzip file") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"the file {path} is not UTF-8: byte {error.start} cannot be read") from error


def read_lines(path: Path) -> list[str]:
    """The lines of a text file; only a line feed (with or without a carriage return) ends a line."""
    lines = read_text(path).split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines and not lines[-1] else lines)]


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table by column name. ValueError for another format, or a row of another length."""
    kind = path.name.removesuffix(".gz").rsplit(".", 1)[-1].lower()
    if kind == "jsonl":
        return _json_rows(path)
    if kind == "csv":
        rows = list(csv.reader(io.StringIO(read_text(path), newline=""), strict=False))
    elif kind == "tsv":
        rows = [line.split("\t") for line in read_lines(path)]
    else:
        raise ValueError(
            f"the file {path} ends in .{kind}; accepted are .tsv, .csv and .jsonl, also with .gz"
        )
    if not rows:
        raise ValueError(f"the file {path} is empty; its first line names the columns")
    header, *body = rows
    for number, row in enumerate(body, start=2):
        if row and len(row) != len(header):
            raise ValueError(f"row {number} of {path} has {len(row)} columns; the header has {len(header)}")
    return [dict(zip(header, row, strict=True)) for row in body if row]


def _json_rows(path: Path) -> list[dict[str, str]]:
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number} of {path} is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise ValueError(f'line {number} of {path} is not a JSON object such as {{"text": "…"}}')
        rows.append({str(k): "" if v is None else str(v) for k, v in value.items()})
    return rows


def read_labelled(
    path: Path, columns: Columns, task: Task, labels: Sequence[str], label_map: Mapping[str, str]
) -> Labelled:
    """Examples of a labelled file.

    Labels are trimmed and lower-cased, then mapped. Rows without a label (in pair files also `-`), or
    with one that is not in `labels`, are left out and counted. ValueError when a column is missing.
    """
    examples, skipped, unknown = [], 0, Counter[str]()
    for row in _rows_with(path, columns):
        label = row[columns.label].strip().lower()
        label = label_map.get(label, label)
        if label in labels:
            examples.append(Example(_inputs(task, row, columns), label))
            continue
        skipped += 1
        if label and not (label == "-" and columns.pair):
            unknown[label] += 1
    return Labelled(tuple(examples), skipped, unknown)


def labels_of(path: Path, columns: Columns) -> set[str]:
    """The labels that a file's rows have, trimmed and lower-cased (in pair files without `-`)."""
    found = {row[columns.label].strip().lower() for row in _rows_with(path, columns)}
    return found - ({"", "-"} if columns.pair else {""})


def _rows_with(path: Path, columns: Columns) -> list[dict[str, str]]:
    """The rows of a table, every one of which has the columns."""
    rows = read_rows(path)
    for number, row in enumerate(rows, start=1):
        for name in (columns.text, columns.label, columns.pair):
            if name is not None and name not in row:
                raise ValueError(f"row {number} of {path} has no column {name!r}; it has: {', '.join(row)}")
    return rows


def read_written(path: Path, columns: Columns) -> Labelled:
    """Examples whose gold is a text (a translation, a headline); rows with a blank side are counted."""
    return _written([(row[columns.text], row[columns.label]) for row in _rows_with(path, columns)])


def _inputs(task: Task, row: Mapping[str, str], columns: Columns) -> Inputs:
    if task.inputs is SentencePair:
        if columns.pair is None:
            raise ValueError("this model reads pairs; name the second text's column with --pair-column")
        return SentencePair(row[columns.text], row[columns.pair])
    if task.inputs is Sentence:
        if columns.pair is not None:
            raise ValueError("this model reads one text; --pair-column is for models that read pairs")
        return Sentence(row[columns.text])
    return SourceText(row[columns.text])


def read_parallel(source: Path, target: Path) -> Labelled:
    """Examples of two files whose lines belong together; pairs with a blank side are left out and counted."""
    sources, targets = read_lines(source), read_lines(target)
    if len(sources) != len(targets):
        raise ValueError(
            f"{source} has {len(sources)} lines and {target} has {len(targets)}; they must be as many"
        )
    return _written(list(zip(sources, targets, strict=True)))


def _written(pairs: Sequence[tuple[str, str]]) -> Labelled:
    usable = [(s, t) for s, t in pairs if s.strip() and t.strip()]
    return Labelled(tuple(Example(SourceText(s), t) for s, t in usable), len(pairs) - len(usable), {})


def parse_label_map(given: str | None) -> dict[str, str]:
    """`0=negative,1=positive` as a dict, both sides trimmed and lower-cased; ValueError when it is not so."""
    pairs = {}
    for part in (given or "").split(","):
        if not part.strip():
            continue
        label, separator, name = part.partition("=")
        if not separator or not label.strip():
            raise ValueError(f"the label map has {part!r}; accepted is 0=negative,1=positive")
        pairs[label.strip().lower()] = name.strip().lower()
    return pairs
