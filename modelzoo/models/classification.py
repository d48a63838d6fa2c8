"""What the models that choose a label share: gold labels, loss, probabilities and results.

Not a network: a model adds `encode`, `collate`, `forward`, `frames` and `internals`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from modelzoo.models.base import AttentionModel, BatchAnswer, EncodedInputs, label_index
from modelzoo.results import AttentionResult, Internal, LabelPrediction, Prediction


class LabelOutput(Protocol):
    """What `forward` gives at least.

    Shapes:
        logits     (B, labels)
        attention  per map of the model's `frames` (B, rows, columns)
    """

    @property
    def logits(self) -> Tensor: ...

    @property
    def attention(self) -> tuple[Tensor, ...]: ...


class LabelModel(AttentionModel):
    """A model whose answer is one of `config.labels`."""

    @abstractmethod
    def forward(self, batch: Any) -> LabelOutput:
        """Every named quantity of a batch."""

    @abstractmethod
    def internals(self, item: EncodedInputs, output: Any, row: int) -> tuple[Internal, ...]:
        """The other quantities of one row of the batch, padding cut."""

    def gold(self, encoded: Sequence[EncodedInputs]) -> Tensor | None:
        """The index of each label, (B,) int64; None when an item has none."""
        if any(item.gold is None for item in encoded):
            return None
        indices = [label_index(self.config.labels, item.gold) for item in encoded]
        return torch.tensor(indices, dtype=torch.int64, device=self.device)

    def loss(self, batch: Any) -> Tensor:
        """The mean cross-entropy of the batch."""
        return label_loss(self(batch).logits, batch.gold)

    def predict(self, encoded: Sequence[EncodedInputs]) -> list[Prediction]:
        return list(self._predictions(self(self.collate(encoded))))

    def answer(self, encoded: Sequence[EncodedInputs]) -> BatchAnswer:
        output = self(self.collate([replace(item, gold=None) for item in encoded]))
        probabilities = output.logits.float().softmax(dim=-1)  # (B, labels)
        answers = [self.config.labels[i] for i in probabilities.argmax(dim=-1).tolist()]
        return BatchAnswer(encoded, answers, probabilities, None, output.attention)

    def explain(self, encoded: Sequence[EncodedInputs]) -> list[AttentionResult]:
        output = self(self.collate(encoded))
        results = []
        for row, (item, prediction) in enumerate(zip(encoded, self._predictions(output), strict=True)):
            maps = self.maps(output.attention, row, item.typed)
            internals = self.internals(item, output, row)
            results.append(AttentionResult(item.inputs, item.tokens, prediction, maps, internals))
        return results

    def _predictions(self, output: LabelOutput) -> list[LabelPrediction]:
        probabilities = array(output.logits.float().softmax(dim=-1))
        return [LabelPrediction(self.config.labels, row) for row in probabilities]


def label_loss(logits: Tensor, gold: Tensor | None) -> Tensor:
    """The mean cross-entropy of a batch; ValueError when it has no labels.

    Shapes:
        logits  (B, labels)
        gold    (B,)
    """
    if gold is None:
        raise ValueError("the loss needs a label for every example of the batch; at least one has none")
    return cross_entropy(logits, gold)


def array(tensor: Tensor) -> np.ndarray:
    """The tensor's numbers, float32, for a result."""
    return tensor.detach().float().cpu().numpy()
