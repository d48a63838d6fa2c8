"""Measures of attention, of a whole batch at once: f(map) → (B,). `columns.MEASURES` says what they mean.

Sums run over real rows and columns only, so an example gets the same numbers alone and in company.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, nan
from typing import NamedTuple

import torch
from torch import Tensor

from modelzoo.alignment import TIE
from modelzoo.columns import DROPPED, REPEATED
from modelzoo.models.base import MapFrame
from modelzoo.rows.sides import Side


class MapBatch(NamedTuple):
    """One map of a batch, exactly 0 beyond an item's tokens.

    Shapes:
        weights  (B, R, C) float32
        rows     (B, R) True at real rows
        columns  (B, C) True at real columns
    """

    frame: MapFrame
    weights: Tensor
    rows: Tensor
    columns: Tensor
    side: Side


def map_batch(frame: MapFrame, weights: Tensor, sides: Mapping[str, Side]) -> MapBatch:
    """A map with its masks; what is beyond an item's tokens becomes 0."""
    side = sides[frame.column_kind]
    B, R, C = weights.shape
    rows = sides[frame.row_kind].mask if not frame.rows else side.mask.new_ones(B, R)
    columns = side.mask[:, :C]
    weights = weights.float().masked_fill(~(rows.unsqueeze(2) & columns.unsqueeze(1)), 0.0)
    return MapBatch(frame, weights, rows, columns, side)


def mean(values: Tensor, mask: Tensor) -> Tensor:
    """The mean of each item's real values; NaN where it has none.

    Shapes:
        values, mask  (B, n)
        result        (B,)
    """
    return (values * mask).sum(dim=1) / mask.sum(dim=1)


def entropy(one: MapBatch) -> Tensor:
    """In bits."""
    return mean(torch.special.entr(one.weights).sum(dim=2) / log(2), one.rows)


def maximum(one: MapBatch) -> Tensor:
    """The largest weight of a row."""
    return mean(one.weights.amax(dim=2), one.rows)


def coverage(one: MapBatch) -> Tensor:
    """What a column receives, as a share of what it would from uniform rows, at most 1."""
    fair = one.rows.sum(dim=1, keepdim=True) / one.columns.sum(dim=1, keepdim=True)
    return mean((one.weights.sum(dim=1) / fair).clamp_max(1.0), one.columns)


def diagonal(one: MapBatch) -> Tensor:
    """NaN where rows are no tokens, or one side has a single one: then there is no line."""
    rows, columns = (mask.sum(dim=1).double() for mask in (one.rows, one.columns))
    i = torch.arange(one.rows.shape[1], device=rows.device)
    j = torch.arange(one.columns.shape[1], device=rows.device)
    line = i * (columns - 1).unsqueeze(1) / (rows - 1).clamp_min(1).unsqueeze(1)  # (B, R)
    near = (j - line.unsqueeze(2)).abs() <= 1  # (B, R, C)
    found = mean((one.weights * near).sum(dim=2), one.rows)
    return found.masked_fill((torch.minimum(rows, columns) < 2) | bool(one.frame.rows), nan)


def punctuation(one: MapBatch) -> Tensor:
    """The weight on marks."""
    return _weight_on(one, one.side.marks)


def end(one: MapBatch) -> Tensor:
    """The weight on added tokens; NaN where there are none."""
    return _weight_on(one, one.side.added).masked_fill(~one.side.added.any(dim=1), nan)


def _weight_on(one: MapBatch, columns: Tensor) -> Tensor:
    return mean((one.weights * columns.unsqueeze(1)).sum(dim=2), one.rows)


def hop_overlap(one: MapBatch) -> Tensor:
    """NaN where rows are no hops, or there is one: then none overlaps."""
    r = len(one.frame.rows)
    if r < 2:
        return torch.full_like(one.weights[:, 0, 0], nan)
    together = one.weights.sum(dim=1).square().sum(dim=1) - one.weights.square().sum(dim=(1, 2))
    return together / (r * (r - 1))


OF_A_MAP: dict[str, Callable[[MapBatch], Tensor]] = {
    "entropy": entropy,
    "maximum": maximum,
    "coverage": coverage,
    "diagonal": diagonal,
    "punctuation": punctuation,
    "end": end,
    "hop_overlap": hop_overlap,
}


def attention_measures(maps: Sequence[MapBatch]) -> dict[str, Tensor]:
    """The measures of the maps that count, by name; none without attention."""
    counted = [one for one in maps if one.frame.is_measured]
    if not counted:
        return {}
    found = {
        name: torch.stack([measure(one) for one in counted]).mean(dim=0) for name, measure in OF_A_MAP.items()
    }
    kinds = {(one.frame.row_kind, one.frame.column_kind): one for one in counted}
    for (rows, columns), one in kinds.items():
        if rows < columns and (columns, rows) in kinds:
            found["unaligned"] = unaligned(one, kinds[columns, rows])
    if "target" in {rows for rows, _ in kinds}:
        found |= reading(counted[0])
    return found


def unaligned(forth: MapBatch, back: MapBatch) -> Tensor:
    """The share of both sides' words that are in no link: `alignment.mutual_links` of the joint attention
    of `measures.entailment`, for a batch."""
    rows, columns = back.side.real, forth.side.real  # (B, R), (B, C)
    n, m = rows.sum(dim=1)[:, None, None], columns.sum(dim=1)[:, None, None]
    joint = torch.minimum(forth.weights * m, back.weights.transpose(1, 2) * n).double()  # (B, R, C)
    row, column = ((mask.cumsum(dim=1) - 0.5) / mask.sum(dim=1, keepdim=True) for mask in (rows, columns))
    ranked = joint - TIE * (row.double().unsqueeze(2) - column.double().unsqueeze(1)).abs()
    ranked = ranked.masked_fill(~(rows.unsqueeze(2) & columns.unsqueeze(1)), -torch.inf)
    best = (ranked == ranked.amax(dim=2, keepdim=True)) & (ranked == ranked.amax(dim=1, keepdim=True))
    best &= (joint > 0) & (ranked > -torch.inf)
    linked = best.any(dim=2).sum(dim=1) + best.any(dim=1).sum(dim=1)
    return 1 - linked / (n + m)[:, 0, 0]


def reading(one: MapBatch) -> dict[str, Tensor]:
    """How a source is read over a whole output: pieces that get too little, and too much."""
    received, real = one.weights.sum(dim=1), one.side.real[:, : one.columns.shape[1]]
    return {
        "dropped": mean((received < DROPPED).float(), real),
        "repeated": mean((received > REPEATED).float(), real),
    }
