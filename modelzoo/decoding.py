"""Greedy and beam search over a step function; knows no model.

The beam keeps the k best open hypotheses of each sentence. A candidate that ends is set aside as
finished when it ranks among the first k of its step. A sentence stops when k are finished, when no
open one can score better than the best finished one, or at its limit; only then do open ones, cut,
follow the finished ones in the answer. A sentence that stopped leaves the batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from modelzoo.tasks import LengthPenalty

State = dict[str, Tensor]
"""What decoding carries from step to step; the first dimension of every tensor is the batch."""


class Step(NamedTuple):
    """What one step gives.

    Shapes:
        log_probabilities  (B, V)
        attention          per map (B, m), padding 0; empty for a model without attention
    """

    log_probabilities: Tensor
    state: State
    attention: tuple[Tensor, ...]


StepFunction = Callable[[Tensor, State], Step]
"""(previous pieces (B,), state) -> Step."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """An output: its ids (end token included when reached), their log-probabilities, the attention
    of every step per map (n, m), the score after length normalisation, and whether it ended."""

    ids: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    attention: tuple[Tensor, ...]
    score: float
    finished: bool


@dataclass(frozen=True)
class Bounds:
    """The ids that start and end an output, the most pieces of each sentence, and ids never emitted."""

    bos: int
    eos: int
    limits: tuple[int, ...]
    forbidden: tuple[int, ...] = ()


def greedy(step: StepFunction, state: State, bounds: Bounds) -> list[Hypothesis]:
    """Each sentence's likeliest piece at every step: a beam of one. The score is the log-probability."""
    found = beam_search(step, state, bounds, beam_size=1, length_penalty=LengthPenalty("none"))
    return [hypotheses[0] for hypotheses in found]


def beam_search(
    step: StepFunction, state: State, bounds: Bounds, *, beam_size: int, length_penalty: LengthPenalty
) -> list[list[Hypothesis]]:
    """At most `beam_size` hypotheses of each sentence, finished ones first, best first."""
    beams = [_Beam(bounds.eos, limit, beam_size, length_penalty) for limit in bounds.limits]
    device = next(iter(state.values())).device
    y = torch.full((len(beams),), bounds.bos, dtype=torch.int64, device=device)
    live, attentions, first_row = beams, [], 0
    while live:
        now = step(y, state)
        attentions.append(now.attention)
        pieces = _likeliest_pieces(now.log_probabilities, beam_size + 1, bounds.forbidden)
        parents: list[int] = []  # the row that each hypothesis now open goes on from
        row = 0
        for beam in live:
            rows = range(row, row + len(beam.open))
            row = rows.stop
            parents += beam.advance([pieces[i] for i in rows], rows, first_row)
        first_row += row
        live = [beam for beam in live if beam.open]
        last = [path.ids[-1] for beam in live for path in beam.open]
        y = torch.tensor(last, dtype=torch.int64, device=device)
        index = torch.tensor(parents, dtype=torch.int64, device=device)
        state = {name: tensor.index_select(0, index) for name, tensor in now.state.items()}
    tables = tuple(torch.cat(table) for table in zip(*attentions, strict=True))
    return [beam.hypotheses(tables) for beam in beams]


Pieces = list[tuple[float, int]]
"""Candidates for the next piece of one hypothesis: log-probability and id, best first."""


def _likeliest_pieces(log_probabilities: Tensor, count: int, forbidden: Sequence[int]) -> list[Pieces]:
    """The best `count` of every row; of k + 1 at most one ends, so k that go on are among them."""
    allowed = log_probabilities.detach().clone()
    allowed[:, list(forbidden)] = -math.inf
    values, ids = allowed.topk(min(count, allowed.shape[1]))
    return [
        [(value, piece) for value, piece in zip(*row, strict=True) if value > -math.inf]
        for row in zip(values.tolist(), ids.tolist(), strict=True)
    ]


class _Path(NamedTuple):
    """A hypothesis during the search; `rows` are those of its pieces in the attention of all steps."""

    ids: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()
    rows: tuple[int, ...] = ()
    total: float = 0.0

    def extended(self, piece: int, log_p: float, row: int) -> _Path:
        ids, log_probabilities, rows = (*self.ids, piece), (*self.log_probabilities, log_p), (*self.rows, row)
        return _Path(ids, log_probabilities, rows, self.total + log_p)


class _Beam:
    """One sentence's hypotheses: open, finished, and cut at the limit. It stops when none is open."""

    def __init__(self, eos: int, limit: int, size: int, penalty: LengthPenalty) -> None:
        self.eos, self.limit, self.size, self.penalty = eos, limit, size, penalty
        self.open = [_Path()]
        self.finished: list[_Path] = []
        self.cut: list[_Path] = []

    def advance(self, pieces: list[Pieces], rows: range, first_row: int) -> list[int]:
        """Extend the open hypotheses, each by its pieces; gives the row that each one now open came from.

        `rows` are theirs in the batch; `first_row` is the batch's first in the attention of all steps.
        """
        candidates = [
            (path.total + log_p, path, piece, log_p, row)
            for path, row, likeliest in zip(self.open, rows, pieces, strict=True)
            for log_p, piece in likeliest
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        self.open, parents = [], []
        for rank, (_, path, piece, log_p, row) in enumerate(candidates):
            if piece == self.eos and rank < self.size:
                self.finished.append(path.extended(piece, log_p, first_row + row))
            elif piece != self.eos and len(self.open) < self.size:
                self.open.append(path.extended(piece, log_p, first_row + row))
                parents.append(row)
        self._stop_if_due()
        return parents[: len(self.open)]

    def _stop_if_due(self) -> None:
        if self.open and len(self.open[0].ids) >= self.limit:
            self.open, self.cut = [], self.open
        elif len(self.finished) >= self.size or self._is_decided():
            self.open = []

    def _is_decided(self) -> bool:
        """No open hypothesis can end with a better score than the best finished one.

        A log-probability only falls, so today's, divided by the divisor that flatters it most, is the
        bound; divisors are monotone in the length, hence that is the one of the next length or the limit.
        """
        if not self.finished or not self.open:
            return False
        best = self.open[0]
        bound = best.total / max(self.penalty.divisor(n) for n in (len(best.ids) + 1, self.limit))
        return bound <= max(self.score(path) for path in self.finished)

    def score(self, path: _Path) -> float:
        return path.total / self.penalty.divisor(len(path.ids))

    def hypotheses(self, tables: tuple[Tensor, ...]) -> list[Hypothesis]:
        """The finished ones, then those cut, each best first; `tables` is the attention of all steps."""
        finished = sorted(self.finished, key=self.score, reverse=True)
        ranked = [*finished, *sorted(self.cut, key=self.score, reverse=True)][: self.size]
        return [
            Hypothesis(
                path.ids,
                path.log_probabilities,
                tuple(table[list(path.rows)] for table in tables),
                self.score(path),
                finished=path.ids[-1] == self.eos,
            )
            for path in ranked
        ]
