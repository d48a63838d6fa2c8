"""The encoder: keys and values of the source. Letters: see the package."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from modelzoo.batching import Padded
from modelzoo.models.conv_s2s.layers import (
    SQRT_HALF,
    ConvS2SConfig,
    Elements,
    GatedConvolution,
    layer_sizes,
    linear_map,
    projection,
)


class ScaleGradient(torch.autograd.Function):
    """The identity; its gradient is multiplied by a constant."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: float) -> Tensor:
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.scale, None


class EncoderBlock(nn.Module):
    """One layer of the encoder; element i sees (k - 1) / 2 neighbours on each side.

    Shapes:
        h       (B, m, d_in)
        real    (B, m, 1) bool, False at padding
        result  (B, m, d)
    """

    def __init__(self, d_in: int, d: int, k: int, config: ConvS2SConfig) -> None:
        super().__init__()
        self.side = k // 2
        self.residual = projection(d_in, d, config)
        self.dropout = nn.Dropout(config.dropout)
        self.convolution = GatedConvolution(d_in, d, k, config)

    def forward(self, h: Tensor, real: Tensor) -> Tensor:
        X = pad(self.dropout(h * real), (0, 0, self.side, self.side))  # (B, m + k - 1, d_in)
        glu, _ = self.convolution(X)  # (B, m, d)
        # Sec. 3.2: the block and its residual
        # Sec. 3.4: the sum keeps the variance of its terms
        out: Tensor = (glu + self.residual(h)) * SQRT_HALF
        return out


class ConvEncoder(nn.Module):
    """The source as keys and values for every decoder layer.

    Shapes:
        result  z and values (B, m, f), 0 at padding
    """

    def __init__(self, vocabulary: int, config: ConvS2SConfig) -> None:
        super().__init__()
        sizes = layer_sizes(config.encoder)
        self.elements = Elements(vocabulary, config)
        self.fc1 = linear_map(config.f, sizes[0][0], config, gain=1 - config.dropout)
        self.blocks = nn.ModuleList(EncoderBlock(*size, config) for size in sizes)
        self.fc2 = linear_map(sizes[-1][1], config.f, config)
        self.gradient = 1 / (2 * len(config.decoder)) if config.scale_gradients else 1.0

    def forward(self, source: Padded) -> tuple[Tensor, Tensor]:
        real = source.mask.unsqueeze(-1)  # (B, m, 1)
        position = (source.mask.cumsum(dim=1) - 1).clamp_min(0)
        e = self.elements(source.ids, position) * real  # (B, m, f)
        h = self.fc1(e)  # (B, m, d)
        for block in self.blocks:
            h = block(h, real)
        # Sec. 3.4: only the way through z is scaled, not e's own
        z = ScaleGradient.apply(self.fc2(h) * real, self.gradient)  # (B, m, f)
        return z, (z + e) * SQRT_HALF
