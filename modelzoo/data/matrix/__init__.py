"""A person's own tokens and matrices: CSV, TSV, JSON and NPZ → grids.

Accepted forms: a table whose first row and first column are tokens (several, parted by an empty line),
one cell a line as the atlas writes it, JSON with rows, columns and values, and NPZ. Whatever is refused
is told with its place, the rule, and an example. Values are never changed.
"""

from __future__ import annotations

import numpy as np

from modelzoo.data import archive
from modelzoo.data.matrix.grid import COLUMN, ROW
from modelzoo.data.matrix.objects import of_json, of_npz
from modelzoo.data.matrix.table import TABLE_EXAMPLE, of_table
from modelzoo.data.tables.lines import BOMS
from modelzoo.number import formatted
from modelzoo.results import ROW_SUM_TOLERANCE, Grid
from modelzoo.tasks import MAX_FILE_BYTES, MAX_MATRICES

__all__ = ["COLUMN", "ROW", "read_matrices", "row_sum_note"]

TOLD = 5
"""Rows that a note names."""


def read_matrices(raw: bytes | str) -> tuple[Grid, ...]:
    """The grids of a paste or a file, by its content. ValueError names place, rule and example."""
    if len(raw) > MAX_FILE_BYTES:
        raise ValueError(f"it has {len(raw):,} bytes; accepted are at most {MAX_FILE_BYTES:,}")
    if isinstance(raw, bytes) and raw.startswith(archive.START):
        grids = of_npz(archive.read_npz(raw))
    else:
        text = _text(raw).strip("\r\n").removeprefix("\ufeff")
        if not text.strip():
            raise ValueError(f"it is empty; accepted is a table such as {TABLE_EXAMPLE}")
        grids = of_json(text) if text.lstrip()[0] in "[{" else of_table(text)
    if not 1 <= len(grids) <= MAX_MATRICES:
        raise ValueError(f"it holds {len(grids)} matrices; accepted are 1 to {MAX_MATRICES}")
    return tuple(grids)


def row_sum_note(grid: Grid) -> str:
    """Which rows do not sum to 1, said for the reader; empty when all do."""
    sums = grid.values.sum(axis=1, dtype=np.float64)
    off = [i for i, total in enumerate(sums) if abs(total - 1) > ROW_SUM_TOLERANCE]
    if not off:
        return ""
    told = [f"{grid.rows[i]} ({formatted(sums[i], '.4g')})" for i in off[:TOLD]]
    told += [f"{len(off) - TOLD} more"] * (len(off) > TOLD)
    return f"{len(off)} of {len(sums)} rows do not sum to 1: {', '.join(told)}. Drawn as given, not rescaled"


def _text(raw: bytes | str) -> str:
    if isinstance(raw, str):
        return raw
    encoding = next((name for mark, name in BOMS if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        raise ValueError(f"it is not {name}: byte {error.start} cannot be read; save it as UTF-8") from error
