"""How good a model's attention is, beside simple baselines: `measure(model)` gives a table of numbers."""

from __future__ import annotations

from modelzoo.cards import Measure
from modelzoo.measures import classification, entailment, translation
from modelzoo.models.base import AttentionModel
from modelzoo.tasks import CLASSIFICATION, ENTAILMENT, TRANSLATION

__all__ = ["Measure", "measure"]

_OF_TASK = {
    TRANSLATION.name: translation.measures,
    ENTAILMENT.name: entailment.measures,
    CLASSIFICATION.name: classification.measures,
}


def measure(model: AttentionModel) -> list[Measure]:
    """Every measure of a model's maps. Needs the data sets, of which translation can do without.

    Raises ValueError for a model without attention, and where the data sets are needed and missing.
    """
    return _OF_TASK[model.task.name](model)
