"""The decoder: causal layers, each with its own attention. Letters: see the package."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from modelzoo.batching import masked_softmax
from modelzoo.decoding import State
from modelzoo.models.conv_s2s.layers import (
    SQRT_HALF,
    ConvS2SConfig,
    Elements,
    GatedConvolution,
    layer_sizes,
    linear_map,
    projection,
)


class LayerOutput(NamedTuple):
    """What one decoder layer computes for every target step.

    Shapes:
        gate         (B, n, d), sigmoid half of the GLU
        glu          (B, n, d), the block before attention
        scores       (B, n, m), before the softmax
        attention    (B, n, m), 0 at padding
        conditional  (B, n, f), c, scaled by sqrt(m)
    """

    gate: Tensor
    glu: Tensor
    scores: Tensor
    attention: Tensor
    conditional: Tensor


class ConvS2SOutput(NamedTuple):
    """Keys and values of the source, the layers in order, and the logits.

    Shapes:
        z, values  (B, m, f), 0 at padding
        logits     (B, n, V)
    """

    z: Tensor
    values: Tensor
    layers: tuple[LayerOutput, ...]
    logits: Tensor

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The weights of each layer, then their mean; (B, n, m) each."""
        layers = [layer.attention for layer in self.layers]
        return *layers, torch.stack(layers).mean(dim=0)


class DecoderBlock(nn.Module):
    """One layer of the decoder; step i sees inputs i - k + 1 to i, then attends to the source.

    Shapes:
        h       (B, n, d_in)
        g       (B, n, f)
        past    (B, k - 1, d_in), the inputs before the first of h; 0 at the start of the text
        result  h (B, n, d), the next past, and what was computed
    """

    def __init__(self, d_in: int, d: int, k: int, config: ConvS2SConfig) -> None:
        super().__init__()
        self.residual = projection(d_in, d, config)
        self.dropout = nn.Dropout(config.dropout)
        self.convolution = GatedConvolution(d_in, d, k, config)
        self.W_d = linear_map(d, config.f, config)
        self.W_c = linear_map(config.f, d, config)

    def forward(self, h: Tensor, g: Tensor, past: Tensor, state: State) -> tuple[Tensor, Tensor, LayerOutput]:
        X = torch.cat([past, self.dropout(h)], dim=1)  # (B, k - 1 + n, d_in)
        # Sec. 3.2: zeros or the past on the left, so that no step sees a later one
        glu, gate = self.convolution(X)  # (B, n, d) each
        # Eq. (1)
        d = (self.W_d(glu) + g) * SQRT_HALF  # (B, n, f)
        scores = d @ state["z"].transpose(1, 2)  # (B, n, m)
        # Sec. 3.3: over the source's real tokens
        a = masked_softmax(scores, state["mask"].unsqueeze(1))
        # Eq. (2)
        c = a @ state["values"]  # (B, n, f)
        # Sec. 3.4: m sqrt(1/m) = sqrt(m), m without padding
        c = c * state["mask"].sum(dim=1).to(state["values"].dtype).sqrt()[:, None, None]
        out = (self.W_c(c) + glu) * SQRT_HALF  # (B, n, d)
        out = (out + self.residual(h)) * SQRT_HALF
        return out, X[:, h.shape[1] :], LayerOutput(gate, glu, scores, a, c)


class ConvDecoder(nn.Module):
    """The target, n steps at once or one by one; `state` holds the source and each layer's past inputs."""

    def __init__(self, vocabulary: int, config: ConvS2SConfig) -> None:
        super().__init__()
        sizes = layer_sizes(config.decoder)
        keep = 1 - config.dropout
        self.pasts = [(k - 1, d_in) for d_in, _, k in sizes]
        self.elements = Elements(vocabulary, config)
        self.fc1 = linear_map(config.f, sizes[0][0], config, gain=keep)
        self.blocks = nn.ModuleList(DecoderBlock(*size, config) for size in sizes)
        self.fc2 = linear_map(sizes[-1][1], config.f_out, config)
        self.dropout = nn.Dropout(config.dropout)
        self.fc3 = None if config.tie_embeddings else linear_map(config.f_out, vocabulary, config, gain=keep)
        self.bias = nn.Parameter(torch.zeros(vocabulary)) if config.tie_embeddings else None

    def start(self, z: Tensor, values: Tensor, mask: Tensor) -> State:
        """The state before the first step."""
        position = mask.new_zeros(len(z), dtype=torch.int64)
        pasts = {f"past_{i}": z.new_zeros(len(z), *size) for i, size in enumerate(self.pasts, start=1)}
        return {"z": z, "values": values, "mask": mask, "position": position, **pasts}

    def forward(self, y: Tensor, state: State) -> tuple[ConvS2SOutput, State]:
        """What follows each piece of y, and the state after the last one.

        Shapes:
            y  (B, n) int64
        """
        state = dict(state)
        position = state["position"].unsqueeze(1) + torch.arange(y.shape[1], device=y.device)  # (B, n)
        g = self.elements(y, position)  # (B, n, f)
        h, layers = self.fc1(g), []
        for i, block in enumerate(self.blocks, start=1):
            h, state[f"past_{i}"], layer = block(h, g, state[f"past_{i}"], state)
            layers.append(layer)
        state["position"] = state["position"] + y.shape[1]
        # Sec. 3.2: the softmax of these gives the piece after y_i
        logits = self.output(self.dropout(self.fc2(h)))  # (B, n, V)
        return ConvS2SOutput(state["z"], state["values"], tuple(layers), logits), state

    def output(self, h: Tensor) -> Tensor:
        """(B, n, f_out) to (B, n, V)."""
        if self.fc3 is None:
            return linear(h, self.elements.words.weight, self.bias)
        logits: Tensor = self.fc3(h)
        return logits
