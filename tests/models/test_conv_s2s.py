"""ConvS2S: its equations against plain loops, and what each step sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from modelzoo.batching import Padded, pad
from modelzoo.models.conv_s2s import ConvS2S
from modelzoo.text import BOS, PAD
from tests.models.tiny_conv_s2s import CPU, EVEN, SIZES, SOURCES, TARGETS, batch_of, model_of

# --- the equations, one number at a time -------------------------------------------------------


def affine(layer: nn.Module, x: np.ndarray) -> np.ndarray:
    if isinstance(layer, nn.Identity):
        return x
    W, b = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    return np.array([sum(W[o, i] * x[i] for i in range(len(x))) + b[o] for o in range(len(b))])


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gated(layer: nn.Module, window: list[np.ndarray]) -> np.ndarray:
    """The convolution of one window: its k inputs one after another, value half times gate half."""
    both = affine(layer.W, np.concatenate(window))
    d = len(both) // 2
    return both[:d] * sigmoid(both[d:])


def embedded(elements: nn.Module, ids: tuple[int, ...]) -> list[np.ndarray]:
    words = elements.words.weight.detach().numpy()
    positions = elements.positions.weight.detach().numpy()
    return [words[x] + positions[t] for t, x in enumerate(ids)]


def loop_encoder(model: ConvS2S, source: tuple[int, ...]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    e = embedded(model.encoder.elements, source)
    h = [affine(model.encoder.fc1, x) for x in e]
    for block, (_, k) in zip(model.encoder.blocks, model.config.encoder, strict=True):
        zero, m = np.zeros_like(h[0]), len(h)
        windows = [
            [h[j] if 0 <= j < m else zero for j in range(i - k // 2, i + k // 2 + 1)] for i in range(m)
        ]
        glu = [gated(block.convolution, window) for window in windows]
        h = [(v + affine(block.residual, x)) * np.sqrt(0.5) for v, x in zip(glu, h, strict=True)]
    z = [affine(model.encoder.fc2, x) for x in h]
    return z, [(z_j + e_j) * np.sqrt(0.5) for z_j, e_j in zip(z, e, strict=True)]


def loop_model(model: ConvS2S, source: tuple[int, ...], y: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Attention (L, n, m) and logits (n, V) of one pair, written from the equations."""
    z, values = loop_encoder(model, source)
    g = embedded(model.decoder.elements, y)
    h, m = [affine(model.decoder.fc1, x) for x in g], len(source)
    attention = []
    for block, (_, k) in zip(model.decoder.blocks, model.config.decoder, strict=True):
        zero, rows, out = np.zeros_like(h[0]), [], []
        for i in range(len(y)):
            glu = gated(block.convolution, [h[j] if j >= 0 else zero for j in range(i - k + 1, i + 1)])
            d = (affine(block.W_d, glu) + g[i]) * np.sqrt(0.5)
            exponentials = [np.exp(sum(d * z_j)) for z_j in z]
            a = [x / sum(exponentials) for x in exponentials]
            c = sum(a[j] * values[j] for j in range(m)) * m * np.sqrt(1 / m)
            after = (affine(block.W_c, c) + glu) * np.sqrt(0.5)
            out.append((after + affine(block.residual, h[i])) * np.sqrt(0.5))
            rows.append(a)
        attention.append(rows)
        h = out
    logits = [affine(model.decoder.fc3, affine(model.decoder.fc2, x)) for x in h]
    return np.array(attention), np.array(logits)


@SIZES
def test_keys_and_values_equal_plain_loops(sizes: dict[str, Any]) -> None:
    model = model_of(sizes)
    z, values = model.encoder(pad(SOURCES[:1], CPU))
    expected = loop_encoder(model, SOURCES[0])
    np.testing.assert_allclose(z[0].detach(), expected[0], atol=1e-12)
    np.testing.assert_allclose(values[0].detach(), expected[1], atol=1e-12)


@SIZES
def test_attention_and_logits_of_every_step_equal_plain_loops(sizes: dict[str, Any]) -> None:
    model = model_of(sizes)
    batch = batch_of(SOURCES, TARGETS)
    output = model(batch)
    for b, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        attention, logits = loop_model(model, source, (BOS, *target[:-1]))
        n, m = len(target), len(source)
        ours = torch.stack([layer.attention[b, :n, :m] for layer in output.layers])
        np.testing.assert_allclose(ours.detach(), attention, atol=1e-12)
        np.testing.assert_allclose(output.logits[b, :n].detach(), logits, atol=1e-12)


def test_rows_of_attention_sum_to_one_and_padding_gets_none() -> None:
    output = model_of(EVEN)(batch_of(SOURCES, TARGETS))
    mask = pad(SOURCES, CPU).mask
    for layer in output.layers:
        assert torch.allclose(layer.attention.sum(-1), torch.ones(()).double())
        assert not layer.attention.masked_select(~mask.unsqueeze(1)).any()


# --- what sees what ----------------------------------------------------------------------------


@SIZES
def test_a_target_piece_changes_nothing_before_it(sizes: dict[str, Any]) -> None:
    model = model_of(sizes)
    y = [BOS, 15, 16, 13, 9, 8, 44]
    before = logits_of(model, y)
    for j in range(1, len(y)):
        changed = logits_of(model, [*y[:j], 20, *y[j + 1 :]])
        assert torch.equal(changed[:j], before[:j])
        assert not torch.allclose(changed[j], before[j])


def logits_of(model: ConvS2S, y: list[int]) -> Tensor:
    state = model.start(pad(SOURCES[:1], CPU))
    output, _ = model.decoder(torch.tensor([y]), state)
    return output.logits[0].detach()


@SIZES
def test_a_step_sees_one_plus_the_sum_of_k_minus_one_inputs(sizes: dict[str, Any]) -> None:
    model = model_of(sizes)
    y = torch.arange(4, 18).unsqueeze(0)  # 14 different pieces
    output, _ = model.decoder(y, model.start(pad(SOURCES[:1], CPU)))
    output.logits[0, -1].sum().backward()
    seen = model.decoder.elements.words.weight.grad[y[0]].abs().sum(-1) > 0
    field = 1 + sum(k - 1 for _, k in model.config.decoder)
    assert seen.tolist() == [False] * (14 - field) + [True] * field


@SIZES
def test_a_batch_gives_what_each_pair_gives_alone(sizes: dict[str, Any]) -> None:
    model = model_of(sizes)
    together = model(batch_of(SOURCES, TARGETS))
    for b, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        alone = model(batch_of([source], [target]))
        n, m = len(target), len(source)
        assert torch.allclose(together.logits[b, :n], alone.logits[0], atol=1e-12)
        assert torch.allclose(together.values[b, :m], alone.values[0], atol=1e-12)
        assert not together.z[b, m:].any()
        assert not together.values[b, m:].any()


def left_padded(sources: list[tuple[int, ...]]) -> Padded:
    size = max(map(len, sources))
    ids = torch.tensor([[PAD] * (size - len(source)) + list(source) for source in sources])
    return Padded(ids, torch.tensor([len(source) for source in sources]), ids != PAD)


def test_padding_the_source_left_or_right_is_the_same() -> None:
    model = model_of(EVEN)
    right = batch_of(SOURCES, TARGETS)
    left = right._replace(source=left_padded(SOURCES))
    assert torch.allclose(model(left).logits, model(right).logits, atol=1e-12)


def test_without_positions_equal_windows_get_equal_logits() -> None:
    y = [20] * 9
    with_positions, without = (logits_of(model_of(EVEN, positions=p), y) for p in (True, False))
    assert not torch.allclose(with_positions[-1], with_positions[-2])
    assert torch.allclose(without[-1], without[-2], atol=1e-12)
