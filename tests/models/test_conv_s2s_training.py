"""ConvS2S: gradients, initial weights, weight normalisation, and its configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.utils.parametrize import is_parametrized

from modelzoo.batching import pad
from modelzoo.models.conv_s2s import ConvS2S, ConvS2SConfig, ConvS2SOutput
from modelzoo.models.conv_s2s.encoder import ScaleGradient
from modelzoo.models.conv_s2s.layers import SQRT_HALF
from modelzoo.models.translation import TranslationBatch
from modelzoo.tasks import Example, SourceText
from modelzoo.text import BOS, PAD
from tests.models.tiny_conv_s2s import CPU, EVEN, SIZES, SOURCES, TARGETS, WIDTHS, batch_of, model_of
from tests.tiny import tiny_subwords

# --- gradients ---------------------------------------------------------------------------------


def test_scaling_a_gradient_leaves_the_value_alone() -> None:
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    y = ScaleGradient.apply(x, 0.125)
    assert torch.equal(y, x)
    (gradient,) = torch.autograd.grad((y**2).sum(), x)
    assert torch.equal(gradient, 2 * x * 0.125)


def test_the_gradient_into_z_is_divided_by_twice_the_layers_and_that_of_e_is_not() -> None:
    batch = batch_of(SOURCES, TARGETS)
    scaled, plain = model_of(EVEN), model_of(EVEN, scale_gradients=False)
    for model in (scaled, plain):
        model.loss(batch).backward()
    factor = 1 / (2 * len(EVEN["decoder"]))
    assert torch.allclose(scaled.encoder.fc2.bias.grad, plain.encoder.fc2.bias.grad * factor)
    direct = direct_gradient(plain, batch)
    through_z = plain.encoder.elements.words.weight.grad - direct
    assert torch.allclose(scaled.encoder.elements.words.weight.grad, direct + through_z * factor)
    assert direct.any()


def direct_gradient(model: ConvS2S, batch: TranslationBatch) -> Tensor:
    """The gradient that reaches the source's word vectors without passing z."""
    words = model.encoder.elements.words.weight
    z = model.encoder(batch.source)[0].detach()
    e = model.encoder.elements(batch.source.ids, torch.arange(z.shape[1]).expand(len(z), -1))
    values = (z + e * batch.source.mask.unsqueeze(-1)) * SQRT_HALF
    output, _ = model.decoder(batch.target_in.ids, model.decoder.start(z, values, batch.source.mask))
    loss = nn.functional.cross_entropy(
        output.logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD
    )
    return torch.autograd.grad(loss, words)[0]


def test_the_padding_row_gets_no_gradient() -> None:
    model = model_of(EVEN)
    model.loss(batch_of(SOURCES, TARGETS)).backward()
    for side in (model.encoder, model.decoder):
        assert not side.elements.words.weight.grad[PAD].any()
        assert side.elements.words.weight.grad.any()


def test_training_under_bfloat16_keeps_attention_in_float32() -> None:
    model = model_of(EVEN, noise=0.0, dropout=0.5).float().train()
    batch = batch_of(SOURCES, TARGETS)
    with torch.autocast("cpu", torch.bfloat16):
        loss, output = model.loss(batch), model(batch)
    loss.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())
    for layer in output.layers:
        assert layer.attention.dtype == torch.float32
        assert torch.allclose(layer.attention.sum(-1), torch.ones(()))  # dropout spares attention


def test_training_learns_one_batch() -> None:
    model = model_of(EVEN, noise=0.0).float().train()
    pairs = [("A man is riding.", "Un homme."), ("Two dogs.", "Deux chiens."), ("A cat.", "Un chat.")]
    batch = model.collate([model.encode_example(Example(SourceText(a), b)) for a, b in pairs])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = model.loss(batch)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


# --- parameters --------------------------------------------------------------------------------


def linear_maps(model: ConvS2S) -> dict[str, nn.Linear]:
    return {name: module for name, module in model.named_modules() if isinstance(module, nn.Linear)}


@SIZES
def test_every_weight_is_g_times_the_direction_of_v(sizes: dict[str, Any]) -> None:
    model = model_of(sizes)
    assert all(is_parametrized(layer) for layer in linear_maps(model).values())
    for layer in linear_maps(model).values():
        g, v = (p.detach().numpy() for p in layer.parametrizations.weight.parameters())
        rows = [g[o, 0] * v[o] / np.sqrt(sum(x * x for x in v[o])) for o in range(len(v))]
        np.testing.assert_allclose(layer.weight.detach(), rows, atol=1e-12)


def test_without_weight_normalisation_weights_are_plain_parameters() -> None:
    model = model_of(EVEN, weight_norm=False)
    assert not any(is_parametrized(layer) for layer in linear_maps(model).values())
    assert model(batch_of(SOURCES, TARGETS)).logits.isfinite().all()


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_initial_weights_have_the_papers_variance(dropout: float) -> None:
    sizes = {"f": 120, "f_out": 110, "encoder": ((100, 3), (130, 5)), "decoder": ((140, 3), (150, 1))}
    model, p = model_of(sizes, noise=0.0, dropout=dropout), 1 - dropout
    for name, layer in linear_maps(model).items():
        gain = 4 * p if name.endswith("W") else p if name.endswith(("fc1", "fc3")) else 1.0
        expected = np.sqrt(gain / layer.in_features)
        assert layer.weight.std().item() == pytest.approx(expected, rel=0.05), name
        assert not layer.bias.any()
    for side in (model.encoder, model.decoder):
        words, positions = side.elements.words.weight, side.elements.positions.weight
        assert words[1:].std().item() == pytest.approx(0.1, rel=0.05)
        assert positions.std().item() == pytest.approx(0.1, rel=0.05)
        assert not words[PAD].any()


def test_tied_output_vectors_are_the_targets_word_vectors() -> None:
    model = model_of({**EVEN, "f_out": EVEN["f"]}, tie_embeddings=True)
    state = model.start(pad(SOURCES[:1], CPU))
    output, _ = model.decoder(torch.tensor([[BOS]]), state)
    h = torch.linalg.lstsq(
        model.decoder.elements.words.weight, output.logits[0, 0] - model.decoder.bias
    ).solution
    assert torch.allclose(model.decoder.elements.words.weight @ h + model.decoder.bias, output.logits[0, 0])
    assert "decoder.fc3.weight" not in model.state_dict()


@pytest.mark.parametrize("tied", [False, True])
def test_weights_survive_safetensors(tmp_path: Path, tied: bool) -> None:
    sizes = {**EVEN, "f_out": EVEN["f"], "tie_embeddings": tied}
    model, other = model_of(sizes), model_of(sizes, noise=0.5)
    save_file(model.state_dict(), tmp_path / "weights.safetensors")
    other.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    batch = batch_of(SOURCES, TARGETS)
    assert torch.equal(model(batch).logits, other(batch).logits)


# --- configuration -----------------------------------------------------------------------------


def test_a_configuration_read_from_json_equals_the_one_written() -> None:
    lists = ConvS2SConfig(encoder=[[8, 3]], decoder=[[8, 2], [6, 1]])  # type: ignore[arg-type]
    assert lists == ConvS2SConfig(encoder=((8, 3),), decoder=((8, 2), (6, 1)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoder": ()}, "at least one layer"),
        ({"decoder": ((8, 0),)}, "k of at least 1"),
        ({"encoder": ((8, 4),)}, "odd widths"),
        ({"f": 8, "f_out": 6, "tie_embeddings": True}, "f_out equal to f"),
    ],
)
def test_impossible_sizes_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConvS2SConfig(**options)


def test_too_small_position_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="max_positions is 30"):
        ConvS2S(ConvS2SConfig(max_positions=30), tiny_subwords())


def test_output_holds_the_layers_in_order() -> None:
    output = model_of(WIDTHS)(batch_of(SOURCES, TARGETS))
    assert isinstance(output, ConvS2SOutput)
    assert [layer.glu.shape[-1] for layer in output.layers] == [d for d, _ in WIDTHS["decoder"]]
