"""Every configuration the contract is tested under, its inputs, and how results are compared."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from modelzoo import registry
from modelzoo.models.base import AttentionModel
from modelzoo.results import AttentionResult, LabelPrediction
from modelzoo.tasks import Inputs, SentencePair, SourceText
from tests.tiny import ENGLISH, NASTY, tiny_model

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in registry.MODELS},
    "self-attentive, one hop": ("self-attentive", {"r": 1}),
    "self-attentive, max": ("self-attentive", {"pooling": "max"}),
    "self-attentive, mean": ("self-attentive", {"pooling": "mean"}),
    "self-attentive, last": ("self-attentive", {"pooling": "last"}),
    "self-attentive, tanh": ("self-attentive", {"activation": "tanh", "train_words": False}),
    "decomposable, intra": ("decomposable", {"intra": True}),
    "decomposable, signed": ("decomposable", {"intra": True, "distance": "signed", "max_distance": 3}),
    "decomposable, scaled": ("decomposable", {"intra": True, "scaled": True, "compare": "difference"}),
    "decomposable, no NULL": ("decomposable", {"null": "none", "projection_bias": True, "train_words": True}),
    "rnn-search, new state": ("rnn-search", {"readout_state": "new", "l": 8, "tie_embeddings": True}),
    "rnn-search, gru": ("rnn-search", {"cell": "gru", "readout": "linear", "initial_state": "both"}),
    "rnn-search, no attention": ("rnn-search", {"attention": False}),
    "rnn-search, gru, no attention": ("rnn-search", {"cell": "gru", "attention": False}),
    "rnn-search, words": ("rnn-search", {"annotation_words": True, "initial_state": "zero"}),
    "rnn-search, query": ("rnn-search", {"query_word": True}),
    "conv-s2s, one layer": ("conv-s2s", {"encoder": ((8, 3),), "decoder": ((8, 3),)}),
    "conv-s2s, plain": ("conv-s2s", {"weight_norm": False, "scale_gradients": False, "positions": False}),
    "conv-s2s, tied": ("conv-s2s", {"tie_embeddings": True}),
}
BATCH = (ENGLISH[0], "Dogs", ENGLISH[5], "The the the zyzzyva", NASTY[3])


def build(name: str) -> AttentionModel:
    model, overrides = VARIANTS[name]
    return tiny_model(model, **overrides)


variant = cache(build)


def asked(model: AttentionModel, text: str, second: str = "A dog runs.") -> Inputs:
    """The text as this model's inputs; `second` is the hypothesis of a pair."""
    kind = model.task.inputs
    return SentencePair(text, second) if kind is SentencePair else kind(text)


def batch_inputs(model: AttentionModel) -> list[Inputs]:
    """Inputs of different lengths, greedy and beam search mixed."""
    if model.task.inputs is SourceText:
        return [SourceText(text, beam_size=1 + 2 * (i % 2)) for i, text in enumerate(BATCH)]
    return [asked(model, text, BATCH[-1 - i]) for i, text in enumerate(BATCH)]


@cache
def answers(model: AttentionModel) -> list[AttentionResult]:
    """The batch's results, asked once."""
    return model.attend(batch_inputs(model))


def arrays(result: AttentionResult) -> dict[str, np.ndarray]:
    """Every array of a result by name."""
    prediction = result.prediction
    is_label = isinstance(prediction, LabelPrediction)
    answer = prediction.probabilities if is_label else prediction.log_probabilities
    shown = {f"{type(item).__name__} {item.name}": item.values for item in (*result.maps, *result.internals)}
    return {"prediction": answer, **shown}


def assert_same(one: AttentionResult, other: AttentionResult, tolerance: float) -> None:
    """Numbers up to 1 (weights, probabilities) differ by at most the tolerance, larger ones by that share."""
    assert one.tokens == other.tokens
    assert arrays(one).keys() == arrays(other).keys()
    for name, values in arrays(one).items():
        np.testing.assert_allclose(values, arrays(other)[name], rtol=tolerance, atol=tolerance, err_msg=name)
