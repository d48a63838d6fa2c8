"""Asks a model in training about fixed inputs and keeps its answers in `probes.npz`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from modelzoo import probes
from modelzoo.models.base import AttentionModel
from modelzoo.probes import PROBES_FILE, Moment
from modelzoo.results import AttentionResult
from modelzoo.tasks import Inputs, SourceText

MOST_CELLS = 36_000
"""Cells of all maps of one moment: 25 moments stay under 2 MB."""


class Recorder:
    """The record of one run. Asking draws no random number, so training goes on as if no one had asked.

    Inputs whose maps are too large for the file are left out.
    """

    def __init__(self, inputs: Sequence[Inputs], folder: Path) -> None:
        self.inputs = tuple(inputs)
        self.file = folder / PROBES_FILE
        self.moments: list[Moment] = []

    def resume(self, step: int) -> None:
        """Go on from what the file holds up to the step; what a broken-off run had beyond it comes again."""
        found = probes.read(self.file) if self.inputs and step else ()
        self.moments = [moment for moment in found if moment.step <= step]

    def record(self, model: AttentionModel, step: int, dev: float | None) -> None:
        """Ask the model and write the file, unless this step is in it already."""
        if not self.inputs or any(moment.step == step for moment in self.moments):
            return
        most = MOST_CELLS // len(self.inputs)
        found = (result for result in answers(model, self.inputs) if cells(result) <= most)
        self.moments.append(Moment(step, dev, tuple(found)))
        probes.write(self.file, self.moments)


def answers(model: AttentionModel, inputs: Sequence[Inputs]) -> list[AttentionResult]:
    """A result for each input; a given translation's maps come with what the model writes by itself."""
    free = [replace(one, forced=None) for one in inputs if isinstance(one, SourceText)]
    written = iter(model.attend(free))
    return [
        replace(found, prediction=next(written).prediction) if isinstance(one, SourceText) else found
        for one, found in zip(inputs, model.attend(inputs), strict=True)
    ]


def cells(result: AttentionResult) -> int:
    """The number of weights in all maps of a result."""
    return sum(attention.values.size for attention in result.maps)
