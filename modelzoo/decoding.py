"""Greedy and beam search over a step function; knows no model.

`greedy(step, state, *, bos, eos, limits, forbidden)` and
`beam_search(step, state, *, bos, eos, limits, forbidden, beam_size, length_penalty)`.

The beam keeps the k best open hypotheses of each sentence. A candidate that ends is set aside as
finished when it ranks among the first k of its step. A sentence stops when k are finished, when no
open one can score better than the best finished one, or at its limit; only then do open ones, cut,
follow the finished ones in the answer. A sentence that stopped leaves the batch.
"""

from __future__ import annotations

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


def greedy(
    step: StepFunction, state: State, *, bos: int, eos: int, limits: Sequence[int], forbidden: Sequence[int]
) -> list[Hypothesis]:
    """Each sentence's likeliest piece at every step: a beam of one. The score is the log-probability."""
    found = beam_search(
        step,
        state,
        bos=bos,
        eos=eos,
        limits=limits,
        forbidden=forbidden,
        beam_size=1,
        length_penalty=LengthPenalty("none"),
    )
    return [hypotheses[0] for hypotheses in found]


def beam_search(
    step: StepFunction,
    state: State,
    *,
    bos: int,
    eos: int,
    limits: Sequence[int],
    forbidden: Sequence[int],
    beam_size: int,
    length_penalty: LengthPenalty,
) -> list[list[Hypothesis]]:
    """At most `beam_size` hypotheses of each sentence: the finished ones, best first, then those cut
    at the limit. `limits` bounds the pieces of each sentence; `forbidden` ids are never emitted.
    """
    beams = [_Beam(eos, limit, beam_size, length_penalty) for limit in limits]
    device = next(iter(state.values())).device
    y = torch.full((len(beams),), bos, dtype=torch.int64, device=device)
    live, attentions, first_row = beams, [], 0
    while live:
        now = step(y, state)
        attentions.append(now.attention)
        candidates = _likeliest_pieces(now.log_probabilities, beam_size + 1, forbidden)
        parents: list[int] = []  # the row that each open hypothesis goes on from
        row = 0
        for beam in live:
            mine = candidates[row : row + len(beam.open)]
            row += len(mine)
            parents += beam.advance(mine, row - len(mine), first_row)
        first_row += row
        live = [beam for beam in live if beam.open]
        y = torch.tensor([path.ids[-1] for beam in live for path in beam.open], dtype=torch.int64, device=device)
        rows = torch.tensor(parents, dtype=torch.int64, device=device)
        state = {name: tensor.index_select(0, rows) for name, tensor in now.state.items()}
    tables = tuple(torch.cat(table) for table in zip(*attentions, strict=True))
    return [beam.hypotheses(tables) for beam in beams]


def _likeliest_pieces(
    log_probabilities: Tensor, count: int, forbidden: Sequence[int]
) -> list[list[tuple[float, int]]]:
    """Per row the best (log-probability, id) pairs, best first; fewer than `count` where fewer are allowed."""
    allowed = log_probabilities.detach().clone()
    allowed[:, list(forbidden)] = float("-inf")
    values, ids = allowed.topk(min(count, allowed.shape[1]))
    return [
        [(value, piece) for value, piece in zip(*row, strict=True) if value > float("-inf")]
        for row in zip(values.tolist(), ids.tolist(), strict=True)
    ]


class _Path(NamedTuple):
    """A hypothesis during the search; `rows` says where in the attention of all steps its own lies."""

    ids: tuple[int, ...] = ()
    log_probabilities: tuple[float, ...] = ()
    rows: tuple[int, ...] = ()

    @property
    def total(self) -> float:
        return sum(self.log_probabilities)

    def extended(self, piece: int, log_probability: float, row: int) -> _Path:
        return _Path((*self.ids, piece), (*self.log_probabilities, log_probability), (*self.rows, row))


class _Beam:
    """One sentence's hypotheses: open, finished, and cut at the limit. Without open ones it is done."""

    def __init__(self, eos: int, limit: int, size: int, penalty: LengthPenalty) -> None:
        self.eos, self.limit, self.size, self.penalty = eos, limit, size, penalty
        self.open = [_Path()]
        self.finished: list[_Path] = []
        self.cut: list[_Path] = []

    def advance(self, pieces: list[list[tuple[float, int]]], row: int, first_row: int) -> list[int]:
        """Extend the open hypotheses by the candidates of their rows, which start at `row` of the batch.

        Gives the batch rows that the hypotheses now open came from.
        """
        candidates = [
            (path.total + log_p, path, piece, log_p, row + i)
            for i, path in enumerate(self.open)
            for log_p, piece in pieces[i]
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        self.open, parents = [], []
        for rank, (_, path, piece, log_p, parent) in enumerate(candidates):
            if piece == self.eos and rank < self.size:
                self.finished.append(path.extended(piece, log_p, first_row + parent))
            elif piece != self.eos and len(self.open) < self.size:
                self.open.append(path.extended(piece, log_p, first_row + parent))
                parents.append(parent)
        if self.open and len(self.open[0].ids) == self.limit:
            self.cut, self.open = self.open, []
        elif len(self.finished) >= self.size or self._finished_one_wins():
            self.open = []
        return parents if self.open else []

    def _finished_one_wins(self) -> bool:
        """No open hypothesis can score better than the best finished one.

        Log-probabilities only fall, so the bound divides today's by the divisor that flatters it most;
        divisors are monotone in the length, hence that of the next length or of the limit.
        """
        if not self.finished or not self.open:
            return False
        best = self.open[0]
        divisors = (self.penalty.divisor(length) for length in (len(best.ids) + 1, self.limit))
        return best.total / max(divisors) <= max(map(self.score, self.finished))

    def score(self, path: _Path) -> float:
        return path.total / self.penalty.divisor(len(path.ids))

    def hypotheses(self, tables: tuple[Tensor, ...]) -> list[Hypothesis]:
        """Finished ones before cut ones, each best first, with their rows of the attention tables."""
        ranked = [(path, True) for path in sorted(self.finished, key=self.score, reverse=True)]
        ranked += [(path, False) for path in sorted(self.cut, key=self.score, reverse=True)]
        return [
            Hypothesis(
                path.ids,
                path.log_probabilities,
                tuple(table[list(path.rows)] for table in tables),
                self.score(path),
                is_finished,
            )
            for path, is_finished in ranked[: self.size]
        ]
