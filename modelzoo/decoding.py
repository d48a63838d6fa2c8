"""Greedy and beam search over a step function; knows no model.

`greedy(step, state, *, bos, eos, limits, forbidden)` and
`beam_search(step, state, *, bos, eos, limits, forbidden, beam_size, length_penalty)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

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
