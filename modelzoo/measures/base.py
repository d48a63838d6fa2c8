"""What the measures of all tasks share: results a few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modelzoo.models.base import AttentionModel
from modelzoo.results import AttentionResult
from modelzoo.tasks import Inputs

BATCH = 32
"""Inputs attended to at a time: results hold every internal array, so not all of a set at once."""


def attended(model: AttentionModel, inputs: Sequence[Inputs]) -> Iterator[AttentionResult]:
    """The result of each input, in order. Raises ValueError for a model without attention."""
    for start in range(0, len(inputs), BATCH):
        for result in model.attend(inputs[start : start + BATCH]):
            if not result.maps:
                raise ValueError(f"{model.checkpoint or model.name} has no attention, so none to measure")
            yield result
