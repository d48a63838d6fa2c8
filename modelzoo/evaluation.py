"""A model over labelled examples: one prediction a row, and the metrics by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from modelzoo.intervals import Interval, label_intervals, text_intervals
from modelzoo.metrics import label_metrics, text_metrics
from modelzoo.models.base import AttentionModel, EncodedInputs
from modelzoo.results import LabelPrediction, Prediction, TextPrediction
from modelzoo.tasks import Example, SourceText
from modelzoo.text import SubwordText

BATCH_TOKENS = 4_000
"""Tokens, padding included, that one evaluation batch may hold."""


@dataclass(frozen=True)
class Evaluation:
    """Predictions in the order of the examples, and metric values; `unread` rows the model refused, by
    index, with the reason: they have no prediction and are out of the metrics."""

    examples: tuple[Example, ...]
    predictions: tuple[Prediction | None, ...]
    metrics: dict[str, float]
    unread: dict[int, str]


def evaluate(model: AttentionModel, examples: Sequence[Example], *, beam_size: int = 1) -> Evaluation:
    """Predict every example and score. Raises ValueError when no example can be read."""
    encoded, unread = _encode(model, examples, beam_size)
    if not encoded:
        reason = next(iter(unread.values()), "there are no rows")
        raise ValueError(f"no row can be evaluated: {reason}")
    predictions: list[Prediction | None] = [None] * len(examples)
    training = model.training
    model.eval()
    with torch.inference_mode():
        for indices in batches_by_size({i: item.size for i, item in encoded.items()}):
            for i, found in zip(indices, model.predict([encoded[i] for i in indices]), strict=True):
                predictions[i] = found
    model.train(training)
    return Evaluation(tuple(examples), tuple(predictions), _score(model, examples, predictions), unread)


def _encode(
    model: AttentionModel, examples: Sequence[Example], beam_size: int
) -> tuple[dict[int, EncodedInputs], dict[int, str]]:
    encoded, unread = {}, {}
    for i, example in enumerate(examples):
        inputs = example.inputs
        if isinstance(inputs, SourceText):
            inputs = replace(inputs, beam_size=beam_size)
        try:
            encoded[i] = model.encode(inputs)
        except ValueError as error:
            unread[i] = str(error)
    return encoded, unread


def batches_by_size(sizes: dict[int, int], budget: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Indices in batches of similar size, each at most `budget` tokens with padding, largest first."""
    batch: list[int] = []
    for index in sorted(sizes, key=lambda i: -sizes[i]):
        if batch and (len(batch) + 1) * sizes[batch[0]] > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def answer(prediction: Prediction) -> str:
    """What a prediction says: its most probable label, or its text."""
    return prediction.label if isinstance(prediction, LabelPrediction) else prediction.text


def intervals(model: AttentionModel, found: Evaluation) -> dict[str, Interval]:
    """The 95 % intervals of an evaluation's metrics, as far as they have one."""
    gold, predicted = answered(found.examples, found.predictions)
    if _writes(found.predictions):
        return text_intervals(gold, predicted, _language(model))
    return label_intervals(gold, predicted)


def _score(
    model: AttentionModel, examples: Sequence[Example], predictions: Sequence[Prediction | None]
) -> dict[str, float]:
    gold, predicted = answered(examples, predictions)
    if _writes(predictions):
        return text_metrics(gold, predicted, _language(model))
    return label_metrics(gold, predicted)


def answered(
    examples: Sequence[Example], predictions: Sequence[Prediction | None]
) -> tuple[list[str], list[str]]:
    """What is right and what the model said, of the rows that it read."""
    pairs = [(e.gold, answer(p)) for e, p in zip(examples, predictions, strict=True) if p is not None]
    return [g for g, _ in pairs], [p for _, p in pairs]


def _writes(predictions: Sequence[Prediction | None]) -> bool:
    return any(isinstance(prediction, TextPrediction) for prediction in predictions)


def _language(model: AttentionModel) -> str:
    return model.text.target_language if isinstance(model.text, SubwordText) else "en"
