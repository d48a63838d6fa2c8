"""One part of a run: a fixed range of records, asked in batches of similar length, in the file's order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from modelzoo.data.tables import Record, Unread, gold_label, make_inputs
from modelzoo.data.tables.records import RAW_CHARACTERS
from modelzoo.runs.folder import PARTS, UNREAD, whole
from modelzoo.runs.record import Run
from modelzoo.tasks import MAX_SENTENCE_TOKENS, TASKS
from modelzoo.text import first_words

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel, EncodedInputs

Found = Record | Unread
UNREAD_SCHEMA = pa.schema(
    [("row", pa.int64()), ("line", pa.int64()), ("reason", pa.string()), ("raw", pa.string())]
)
FREE = "x_"
"""How columns begin that came with the file and have no other use."""


def part_path(run: Run, part: int) -> Path:
    """The file of a part."""
    return run.folder / PARTS / f"part-{part:05d}.parquet"


def unread_path(run: Run, part: int) -> Path:
    """The file of the unread records of a part; it is there when the part is."""
    return run.folder / UNREAD / f"part-{part:05d}.parquet"


def ranges(found: Iterable[Found], size: int, limit: int | None = None) -> Iterator[list[Found]]:
    """Records in ranges of a fixed size, up to a limit of rows."""
    part: list[Found] = []
    for each in found:
        if limit is not None and each.row >= limit:
            break
        part.append(each)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def compute(
    run: Run, model: AttentionModel, found: Sequence[Found], report: Callable[[int], None]
) -> tuple[pa.Table, list[Unread]]:
    """The table of a range of records, and those of them that cannot be read by file or model.

    `report` is told of every batch how many rows it had; what it raises ends the part.
    """
    from modelzoo.evaluation import batches_by_size
    from modelzoo.rows import batch_columns

    encoded, unread = _encode(run, model, found)
    report(len(unread))
    tables, order = [], []
    for batch in batches_by_size({row: item.size for row, (_, item) in encoded.items()}):
        asked = [encoded[row][1] for row in batch]
        tables.append(batch_columns(model, asked, beam_size=run.settings.beam_size))
        order += batch
        report(len(batch))
    answers = pa.concat_tables(tables or [batch_columns(model, [])])
    by_row = sorted(range(len(order)), key=order.__getitem__)
    return _table(
        run, [encoded[row][0] for row in sorted(order)], answers.take(pa.array(by_row, pa.int64()))
    ), unread


def _encode(
    run: Run, model: AttentionModel, found: Sequence[Found]
) -> tuple[dict[int, tuple[Record, EncodedInputs]], list[Unread]]:
    encoded, unread = {}, []
    for each in found:
        if isinstance(each, Unread):
            unread.append(each)
            continue
        try:
            encoded[each.row] = _encode_record(run, model, each)
        except ValueError as error:
            text = each.cells[run.columns.text]
            unread.append(Unread(each.row, each.line, str(error), text[:RAW_CHARACTERS]))
    return encoded, unread


def _encode_record(run: Run, model: AttentionModel, record: Record) -> tuple[Record, EncodedInputs]:
    """The record as the model reads it: where that is wanted, only the first words of a long text."""
    try:
        return record, model.encode(make_inputs(TASKS[run.task], record.cells, run.columns))
    except ValueError:
        text = record.cells[run.columns.text]
        if not run.settings.is_cut or len(text) <= MAX_SENTENCE_TOKENS:  # a word has a letter
            raise
    cut = {**record.cells, run.columns.text: first_words(text, MAX_SENTENCE_TOKENS)}
    return replace(record, cells=cut), model.encode(make_inputs(TASKS[run.task], cut, run.columns))


def _table(run: Run, rows: Sequence[Record], answers: pa.Table) -> pa.Table:
    from modelzoo.rows import gold_columns

    writes = TASKS[run.task].output == "text"
    gold = [_gold(run, record) for record in rows]
    language = run.languages[-1] if writes else None
    verdict = gold_columns(gold, answers["prediction"].to_pylist(), language=language)
    pair = run.columns.pair
    known = {
        "row": pa.array([record.row for record in rows], pa.int64()),
        "line": pa.array([record.line for record in rows], pa.int64()),
        "text": pa.array([record.cells[run.columns.text] for record in rows], pa.string()),
        "text_pair": pa.array([record.cells[pair] if pair else None for record in rows], pa.string()),
        "gold": pa.array(gold, pa.string()),
    }
    free = {
        FREE + name: pa.array([record.cells[name] for record in rows], pa.string())
        for name in free_columns(run)
    }
    return pa.table(
        known
        | dict(zip(verdict.column_names, verdict.columns, strict=True))
        | dict(zip(answers.column_names, answers.columns, strict=True))
        | free
    )


def free_columns(run: Run) -> list[str]:
    """The columns of the file that are kept as they are; the typed label among them, where it is a label."""
    is_label = TASKS[run.task].output == "label"
    used = {run.columns.text, run.columns.pair} | (set() if is_label else {run.columns.label})
    return [name for name in run.layout.columns if name not in used]


def _gold(run: Run, record: Record) -> str | None:
    if run.columns.label is None:
        return None
    typed = record.cells[run.columns.label]
    if TASKS[run.task].output == "text":
        return typed if typed.strip() else None
    return gold_label(typed, run.labels, run.label_map) or None


def write_part(run: Run, part: int, table: pa.Table, unread: Sequence[Unread]) -> None:
    """Write a part: what cannot be read first, so that the part's file says that all of it is there."""
    _write(unread_path(run, part), unread_table(unread))
    _write(part_path(run, part), table)


def unread_table(unread: Sequence[Unread]) -> pa.Table:
    """Unread records as a table."""
    columns = {name: [getattr(each, name) for each in unread] for name in UNREAD_SCHEMA.names}
    return pa.table(columns, schema=UNREAD_SCHEMA)


def _write(path: Path, table: pa.Table) -> None:
    with whole(path) as aside:
        pq.write_table(table, aside, compression="zstd")


def read_unread(run: Run) -> pa.Table:
    """The unread records of the parts that are there, in the file's order."""
    paths = [unread_path(run, part) for part in range(run.parts)]
    there = [pq.read_table(path) for path in paths if path.is_file()]
    return pa.concat_tables(there) if there else UNREAD_SCHEMA.empty_table()


def write_unread(path: Path, table: pa.Table) -> None:
    """Write all unread records of a run to one file."""
    _write(path, table)
