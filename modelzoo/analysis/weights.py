"""The maps of a run, row after row, read from its compact arrays; nothing holds all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from modelzoo.analysis.filters import ALL, TOKENS, Filter
from modelzoo.analysis.run import ATTENTION, OpenRun
from modelzoo.columns import WEIGHT
from modelzoo.tasks import TASKS

MOST_ROWS = 20_000
"""Rows that a question about attention reads at most, evenly over the filter's."""
BATCH = 500
SIDE = {side: column for task in TASKS.values() for side, column in zip(task.sides, TOKENS, strict=False)} | {
    "target": TOKENS[1]
}
"""The column that holds the tokens of a side; a hop has none."""


@dataclass(frozen=True)
class MapAbout:
    """A map that the run's rows have: its name and what its axes are."""

    name: str
    row_kind: str
    column_kind: str

    @property
    def has_hops(self) -> bool:
        """Whether its rows are no tokens."""
        return self.row_kind not in SIDE


class RowMap(NamedTuple):
    """The map of one row; `rows` are None where they are hops; `cells` is what else was asked of the row.

    Shapes:
        weights  (rows, columns) float32, rows sum to 1
    """

    row: int
    weights: np.ndarray
    rows: list[str] | None
    columns: list[str]
    cells: dict[str, str | None]


def maps_of(run: OpenRun) -> tuple[MapAbout, ...]:
    """The maps of the run's rows, in the model's order; none for a model without attention."""
    maps = run.first_attention
    return tuple(MapAbout(one["name"], one["row_kind"], one["column_kind"]) for one in maps)


def map_of(run: OpenRun, name: str) -> MapAbout:
    """The map of that name. ValueError names the maps there are."""
    maps = {one.name: one for one in maps_of(run)}
    if name not in maps:
        raise ValueError(f"the run has no map {name!r}; it has {', '.join(maps) or 'none'}")
    return maps[name]


def sampled(run: OpenRun, chosen: Filter = ALL) -> np.ndarray:
    """The rows of a filter that are read: all, or MOST_ROWS of them at equal distances."""
    rows = run.rows(chosen)
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MOST_ROWS).round().astype(np.int64)]


def row_maps(run: OpenRun, about: MapAbout, rows: np.ndarray, *cells: str) -> Iterator[RowMap]:
    """The map of each of these rows, in any order, with the row's cells in these text columns."""
    for batch in run.stream(rows, ATTENTION, *TOKENS, *cells, size=BATCH):
        tokens = {column: batch[column].to_pylist() for column in TOKENS}
        columns = tokens[SIDE[about.column_kind]]
        labels = [None] * len(batch) if about.has_hops else tokens[SIDE[about.row_kind]]
        texts = batch.select(list(cells)).to_pylist() if cells else [{}] * len(batch)
        weights = _matrices(batch[ATTENTION], about.name)
        yield from map(RowMap, batch["row"].to_pylist(), weights, labels, columns, texts)


def _matrices(attention: pa.ListArray, name: str) -> Iterator[np.ndarray]:
    """The matrix of that name of every row, its rows scaled to sum to 1: from the bytes of all at once."""
    flat = attention.flatten()
    chosen = flat.filter(pa.compute.equal(flat.field("name"), name))
    if len(chosen) != len(attention):
        raise ValueError(f"some rows have no map {name!r}")
    if not len(chosen):
        return
    rows, columns = (chosen.field(side).to_numpy() for side in ("rows", "columns"))
    weights = np.frombuffer(b"".join(chosen.field("values").to_pylist()), WEIGHT).astype(np.float32)
    lengths = np.repeat(columns, rows)  # of every row of every map
    sums = np.add.reduceat(weights, np.cumsum(lengths) - lengths)
    weights /= np.repeat(np.maximum(sums, 1e-12), lengths)
    ends = np.cumsum(rows * columns)
    for end, height, width in zip(ends.tolist(), rows.tolist(), columns.tolist(), strict=True):
        yield weights[end - height * width : end].reshape(height, width)
