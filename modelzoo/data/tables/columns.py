"""What the columns of a table are for: known data sets by their form, others by the names of columns.

Everything here is a proposal that a person sees and may change. Labels are never guessed: one that neither
the model nor the label map knows is listed, and its rows are out of the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modelzoo.data.tables.records import Layout
from modelzoo.tasks import Inputs, Sentence, SentencePair, SourceText, Task

NO_GOLD = ("", "-", "-1")
"""Labels that say there is none, unless a model or a label map knows them."""
TEXTS = ("text", "sentence", "review", "source", "src", "content", "tweet", "comment", "document", "story")
FIRSTS = ("premise", "sentence1", "text1", "question1", "text", "sentence")
SECONDS = ("hypothesis", "sentence2", "text2", "question2", "text_pair", "pair")
LABELS = ("label", "gold_label", "gold", "labels", "class", "sentiment", "category", "polarity")
TARGETS = ("target", "tgt", "translation", "reference", "ref", "summary", "headline", "title")
MULTI30K = ("train", "val", "test_2016_flickr", "test_2016_val", "test_2017_flickr", "test_2017_mscoco")
DEGREES = {"0": "negative", "1": "negative", "2": "", "3": "positive", "4": "positive"}
"""SST's five degrees as two labels; neutral has none, as in SST-2."""
BINARY = {"0": "negative", "1": "positive"}


@dataclass(frozen=True)
class Columns:
    """Which columns hold the text, its label (or the text a person wrote), and the second text of a pair."""

    text: str
    label: str | None = None
    pair: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are used."""
        return tuple(name for name in (self.text, self.pair, self.label) if name is not None)


@dataclass(frozen=True)
class Proposal:
    """How a file may be used: the data set it looks like (or nothing), its columns and its label map."""

    data_set: str
    columns: Columns
    label_map: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reader:
    """Who is to read the rows: the task of a model, its labels, and its languages."""

    task: Task
    labels: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


def propose(
    layout: Layout,
    rows: Sequence[Mapping[str, str]],
    reader: Reader,
    given: Mapping[str, str | None] | None = None,
) -> Proposal:
    """Columns and label map for the first rows of a file; `given` are roles (text, label, pair) that a
    person has named. ValueError when no column can be the text, or the second text of a pair."""
    found = _known(layout, rows) or Proposal("", _guess(layout, rows, reader))
    columns = _with_given(found.columns, given or {})
    if reader.task.inputs is not SentencePair:
        columns = columns if (given or {}).get("pair") else Columns(columns.text, columns.label)
    elif columns.pair is None:
        raise ValueError(
            f"no column of {layout.files[0]} looks like the second text of a pair; name it "
            f"with --pair-column (there are: {', '.join(layout.columns)})"
        )
    useful = {
        typed: label
        for typed, label in found.label_map.items()
        if typed not in reader.labels and (label in reader.labels or not label)
    }
    return Proposal(found.data_set, columns, useful)


def _with_given(columns: Columns, given: Mapping[str, str | None]) -> Columns:
    """The columns with those that a person named, which have no second role."""
    guessed = {"text": columns.text, "label": columns.label, "pair": columns.pair}
    free = {role: name for role, name in guessed.items() if name not in given.values()}
    roles = {**free, **given}
    return Columns(roles.get("text") or columns.text, roles.get("label"), roles.get("pair"))


def _known(layout: Layout, rows: Sequence[Mapping[str, str]]) -> Proposal | None:
    by_name = {name.lower(): name for name in layout.columns}
    place = "/".join(layout.files[0].parts[-2:]).lower()
    seen = {row.get("label", "").strip() for row in rows}
    if {"gold_label", "sentence1", "sentence2"} <= set(by_name):
        columns = Columns(by_name["sentence1"], by_name["gold_label"], by_name["sentence2"])
        return Proposal("SNLI", columns, {"-": ""})
    if layout.kind == "trees":
        return Proposal("SST", Columns("text", "label"), DEGREES)
    if "sst" in place and {"text", "label"} == set(layout.columns) and seen <= set(DEGREES):
        return Proposal("SST", Columns("text", "label"), BINARY if seen <= set(BINARY) else DEGREES)
    if layout.columns == ("sentence", "label") and seen <= set(BINARY):
        return Proposal("SST-2", Columns("sentence", "label"), BINARY)
    if layout.kind == "reviews":
        return Proposal("IMDB", Columns("text", "label"), {"neg": "negative", "pos": "positive"})
    if layout.columns == ("id", "rating", "label", "text") and seen <= set(BINARY):
        return Proposal("IMDB", Columns("text", "label"), BINARY)
    if layout.columns == ("review", "sentiment"):
        return Proposal("IMDB", Columns("review", "sentiment"))
    if layout.kind == "parallel":
        stems = {file.name.removesuffix(".gz").rsplit(".", 1)[0] for file in layout.files}
        is_multi30k = len(stems) == 1 and stems <= set(MULTI30K)
        return Proposal("Multi30k" if is_multi30k else "", Columns("source", "target"))
    return None


def _guess(layout: Layout, rows: Sequence[Mapping[str, str]], reader: Reader) -> Columns:
    writes = reader.task.output == "text"
    languages = reader.languages if writes and len(reader.languages) == 2 else ("", "")
    pair = None
    if reader.task.inputs is SentencePair:
        pair = _named(layout.columns, SECONDS)
        text = _named(layout.columns, FIRSTS, {pair})
    else:
        text = _named(layout.columns, (*TEXTS, languages[0], *FIRSTS))
    label = _named(layout.columns, (*TARGETS, languages[1]) if writes else LABELS, {text, pair})
    if label is None and not writes:
        label = _labelled(layout, rows, reader, {text, pair})
    if label is None and writes and len(layout.columns) == 2:
        label = layout.columns[1] if text in (None, layout.columns[0]) else layout.columns[0]
    text = text or _longest(layout, rows, {label, pair})
    if text is None:
        raise ValueError(
            f"no column of {layout.files[0]} is left to be the text; there are: {', '.join(layout.columns)}"
        )
    return Columns(text, label, pair)


def _named(columns: Sequence[str], names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """The first column that bears one of the names, in the order of the names."""
    free = {column.lower(): column for column in reversed(columns) if column not in set(taken)}
    return next((free[name] for name in names if name in free), None)


def _labelled(
    layout: Layout, rows: Sequence[Mapping[str, str]], reader: Reader, taken: set[str | None]
) -> str | None:
    """The column in which most cells are labels of the model, when there are any."""
    counts = {
        name: sum(row[name].strip().lower() in reader.labels for row in rows)
        for name in layout.columns
        if name not in taken
    }
    best = max(counts, key=lambda name: counts[name], default=None)
    return best if best is not None and counts[best] else None


def _longest(layout: Layout, rows: Sequence[Mapping[str, str]], taken: set[str | None]) -> str | None:
    free = [name for name in layout.columns if name not in taken]
    return max(free, key=lambda name: sum(len(row[name]) for row in rows), default=None)


def check_columns(layout: Layout, columns: Columns, task: Task) -> None:
    """ValueError when the file lacks a column, or the task cannot use one."""
    for name in columns.names:
        if name not in layout.columns:
            raise ValueError(f"{layout.files[0]} has no column {name!r}; it has: {', '.join(layout.columns)}")
    if task.inputs is SentencePair and columns.pair is None:
        raise ValueError("this model reads pairs; name the second text's column with --pair-column")
    if task.inputs is not SentencePair and columns.pair is not None:
        raise ValueError("this model reads one text; --pair-column is for models that read pairs")
    if len(set(columns.names)) < len(columns.names):
        raise ValueError(f"the columns are {', '.join(columns.names)}; each may be used once")


def make_inputs(task: Task, cells: Mapping[str, str], columns: Columns, **options: Any) -> Inputs:
    """The inputs of one record."""
    if task.inputs is SentencePair and columns.pair is not None:
        return SentencePair(cells[columns.text], cells[columns.pair])
    if task.inputs is Sentence:
        return Sentence(cells[columns.text])
    return SourceText(cells[columns.text], **options)


def gold_label(typed: str, labels: Sequence[str], label_map: Mapping[str, str]) -> str | None:
    """The label that a cell means, trimmed and in lower case; empty for none; None for one nobody knows."""
    given = typed.strip().lower()
    meant = label_map.get(given, given)
    if meant in labels:
        return meant
    return "" if meant in NO_GOLD else None


def parse_label_map(given: str | None) -> dict[str, str]:
    """`0=negative,1=positive` as a dict, both sides trimmed and lower-cased; ValueError when it is not so.

    A label that is to count as none has nothing after its sign: `2=`.
    """
    pairs = {}
    for part in (given or "").split(","):
        if not part.strip():
            continue
        label, separator, name = part.partition("=")
        if not separator or not label.strip():
            raise ValueError(f"the label map has {part!r}; accepted is 0=negative,1=positive")
        pairs[label.strip().lower()] = name.strip().lower()
    return pairs


def check_label_map(label_map: Mapping[str, str], labels: Sequence[str]) -> None:
    """ValueError for a name in the map that the model does not have."""
    for typed, label in label_map.items():
        if label not in labels and label not in NO_GOLD:
            raise ValueError(
                f"the label map gives {typed!r} the name {label!r}; accepted are {', '.join(labels)}"
            )
