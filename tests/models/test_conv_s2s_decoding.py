"""ConvS2S: decoding step by step, and the results it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from modelzoo.decoding import State
from modelzoo.models.conv_s2s import ConvS2S
from modelzoo.models.translation import TranslationBatch
from modelzoo.tasks import MAX_SOURCE_TOKENS, SourceText
from tests.models.tiny_conv_s2s import EVEN, SIZES, SOURCES, TARGETS, WIDTHS, batch_of, model_of
from tests.tiny import tiny_subwords

# --- decoding step by step ---------------------------------------------------------------------


def decoded(model: ConvS2S, batch: TranslationBatch, sizes: list[int]) -> Tensor:
    """Logits of the target, given to the decoder in pieces of these sizes."""
    state, logits = model.start(batch.source), []
    for y in batch.target_in.ids.split(sizes, dim=1):
        output, state = model.decoder(y, state)
        logits.append(output.logits)
    return torch.cat(logits, dim=1)


@SIZES
@pytest.mark.parametrize(("precision", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_step_by_step_equals_the_full_pass(
    sizes: dict[str, Any], precision: torch.dtype, tolerance: float
) -> None:
    model, batch = model_of(sizes, noise=0.1).to(precision), batch_of(SOURCES, TARGETS)
    full = model(batch).logits
    for pieces in ([1] * 7, [2, 3, 2]):
        assert torch.allclose(decoded(model, batch, pieces), full, rtol=0, atol=tolerance)


def test_a_step_gives_probabilities_every_layer_and_the_mean() -> None:
    model, batch = model_of(WIDTHS), batch_of(SOURCES, TARGETS)
    step = model.step(batch.target_in.ids[:, 0], model.start(batch.source))
    output = model(batch)
    assert torch.allclose(step.log_probabilities, output.logits[:, 0].log_softmax(-1))
    *layers, mean = step.attention
    for ours, layer in zip(layers, output.layers, strict=True):
        assert torch.allclose(ours, layer.attention[:, 0])
    assert torch.allclose(mean, sum(layers) / len(layers))


def test_reordering_the_state_reorders_what_follows() -> None:
    model, batch = model_of(WIDTHS), batch_of(SOURCES, TARGETS)
    state, order = model.start(batch.source), torch.tensor([2, 2, 0, 1])
    for y in (batch.target_in.ids[:, 0], torch.tensor([5, 6, 7])):
        state = model.step(y, state).state
    y = torch.tensor([8, 9, 10])
    straight = model.step(y, state).log_probabilities[order]
    reordered: State = {name: tensor.index_select(0, order) for name, tensor in state.items()}
    assert torch.allclose(model.step(y[order], reordered).log_probabilities, straight, atol=1e-12)


def test_the_state_given_to_a_step_is_left_as_it_was() -> None:
    model, batch = model_of(EVEN), batch_of(SOURCES, TARGETS)
    state = model.start(batch.source)
    copies = {name: tensor.clone() for name, tensor in state.items()}
    model.step(batch.target_in.ids[:, 0], state)
    assert all(torch.equal(state[name], copies[name]) for name in copies)


# --- results -----------------------------------------------------------------------------------


def test_maps_are_the_layers_and_their_mean_by_name() -> None:
    (result,) = model_of(EVEN).float().attend([SourceText("Two dogs are playing.", forced="Deux chiens.")])
    assert [m.name for m in result.maps] == ["layer_1", "layer_2", "layer_3", "mean"]
    assert [m.title for m in result.maps] == [*(f"layer {i} of 3" for i in (1, 2, 3)), "mean of 3 layers"]
    layers = np.stack([m.values for m in result.maps[:-1]])
    np.testing.assert_allclose(result.map("mean").values, layers.mean(axis=0), atol=1e-7)
    for shown in result.maps:
        assert (shown.row_kind, shown.column_kind) == ("target", "source")
        assert shown.rows == tuple(token.typed for token in result.tokens["target"])
        assert shown.columns == tuple(token.typed for token in result.tokens["source"])


def test_internals_are_gates_norms_and_scores_without_padding() -> None:
    model = model_of(EVEN).float()
    texts = [SourceText("A cat.", forced="Un chat."), SourceText("Two dogs are playing.", forced="Deux.")]
    for result in model.attend(texts):
        n, m = len(result.tokens["target"]), len(result.tokens["source"])
        assert result.internal("gate_open").values.shape == (3, n)
        assert result.internal("conditional_norm").values.shape == (3, n)
        for i in (1, 2, 3):
            scores, weights = result.internal(f"scores_{i}").values, result.map(f"layer_{i}").values
            assert scores.shape == (n, m)
            softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
            np.testing.assert_allclose(softmax, weights, atol=1e-5)
            gate = result.internal(f"gate_{i}").values
            np.testing.assert_allclose(
                gate.mean(axis=1), result.internal("gate_open").values[i - 1], atol=1e-6
            )


def test_one_layer_and_one_piece_give_one_by_one_maps() -> None:
    model = model_of({**EVEN, "decoder": ((8, 3),)}).float()
    (result,) = model.attend([SourceText("a", forced=("</s>",))])
    assert result.map("layer_1").values.shape[0] == 1
    assert np.array_equal(result.map("mean").values, result.map("layer_1").values)


def test_the_longest_text_and_output_fit_the_position_tables() -> None:
    model = model_of(EVEN, noise=1.0).float()
    piece = tiny_subwords().token(20).model
    source = " ".join(["a"] * (MAX_SOURCE_TOKENS - 1))
    forced, free = model.attend([SourceText(source, forced=(piece,) * MAX_SOURCE_TOKENS), SourceText(source)])
    assert forced.map("mean").values.shape == (MAX_SOURCE_TOKENS, MAX_SOURCE_TOKENS)
    assert len(free.prediction.tokens) <= MAX_SOURCE_TOKENS
