"""How good a model's attention is, beside simple baselines: `measure(model)` gives a table of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from modelzoo.cards import Measure
from modelzoo.measures import classification, entailment, translation
from modelzoo.models.base import AttentionModel
from modelzoo.tasks import CLASSIFICATION, ENTAILMENT, TRANSLATION, Example

__all__ = ["Measure", "measure"]

_OF_TASK = {
    TRANSLATION.name: translation.measures,
    ENTAILMENT.name: entailment.measures,
}


def measure(model: AttentionModel, dev: Sequence[Example] = ()) -> list[Measure]:
    """Every measure of a model's maps; of a classifier's, on the dev set it brings. Needs the data sets, but
    for translation and such a dev set.

    Raises ValueError for a model without attention, and where the data sets are needed and missing.
    """
    if model.task.name == CLASSIFICATION.name:
        return classification.measures(model, dev)
    return _OF_TASK[model.task.name](model)
