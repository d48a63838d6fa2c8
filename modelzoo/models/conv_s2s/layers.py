"""The configuration, and the parts that encoder and decoder share. Letters: see the package."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from modelzoo.text import PAD

SQRT_HALF = 0.5**0.5


@dataclass(frozen=True)
class ConvS2SConfig:
    """Sizes and choices. `encoder` and `decoder` list (d, k) of each layer, the first one first.

    `tie_embeddings` uses the target's word vectors as the output layer's weights.
    """

    f: int = 256
    encoder: tuple[tuple[int, int], ...] = ((256, 3),) * 4
    decoder: tuple[tuple[int, int], ...] = ((256, 3),) * 3
    f_out: int = 256
    max_positions: int = 256
    dropout: float = 0.1
    label_smoothing: float = 0.0
    weight_norm: bool = True
    scale_gradients: bool = True
    positions: bool = True
    tie_embeddings: bool = False

    def __post_init__(self) -> None:
        for side in ("encoder", "decoder"):  # lists, when they were read from a card
            object.__setattr__(self, side, tuple((int(d), int(k)) for d, k in getattr(self, side)))
        layers = self.encoder + self.decoder
        if not self.encoder or not self.decoder or any(d < 1 or k < 1 for d, k in layers):
            raise ValueError(
                f"the layers (d, k) are {self.encoder} and {self.decoder}; accepted is at least one layer "
                "on each side, with d and k of at least 1"
            )
        if any(k % 2 == 0 for _, k in self.encoder):
            raise ValueError(f"the encoder's layers (d, k) are {self.encoder}; accepted are odd widths k")
        if self.tie_embeddings and self.f_out != self.f:
            raise ValueError(f"tied embeddings need f_out equal to f; given are {self.f_out} and {self.f}")


def layer_sizes(layers: tuple[tuple[int, int], ...]) -> list[tuple[int, int, int]]:
    """(d_in, d, k) of each layer (d, k); fc1 gives the first one inputs of its own size."""
    inputs = (layers[0][0], *(d for d, _ in layers[:-1]))
    return [(d_in, d, k) for d_in, (d, k) in zip(inputs, layers, strict=True)]


def linear_map(n_l: int, outputs: int, config: ConvS2SConfig, gain: float = 1.0) -> nn.Linear:
    """A linear map with weights of variance gain / n_l and no bias at first, weight-normalised if asked."""
    layer = nn.Linear(n_l, outputs)
    # Sec. 3.5: gain is 4p before a gate, p where the input had dropout, else 1
    nn.init.normal_(layer.weight, std=(gain / n_l) ** 0.5)
    nn.init.zeros_(layer.bias)
    return weight_norm(layer) if config.weight_norm else layer


def projection(d_in: int, d: int, config: ConvS2SConfig) -> nn.Module:
    """Joins a residual to a layer of another size."""
    return nn.Identity() if d_in == d else linear_map(d_in, d, config)


class Elements(nn.Module):
    """Word vectors plus learned vectors of their positions.

    Shapes:
        ids, position  (B, n) int64
        result         (B, n, f)
    """

    def __init__(self, vocabulary: int, config: ConvS2SConfig) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, config.f, padding_idx=PAD)
        self.positions = nn.Embedding(config.max_positions, config.f) if config.positions else None
        self.dropout = nn.Dropout(config.dropout)
        for table in (self.words, self.positions):
            if table is not None:
                nn.init.normal_(table.weight, std=0.1)
        nn.init.zeros_(self.words.weight[PAD])

    def forward(self, ids: Tensor, position: Tensor) -> Tensor:
        e: Tensor = self.words(ids)
        if self.positions is not None:
            # Sec. 3.1
            e = e + self.positions(position)
        dropped: Tensor = self.dropout(e)
        return dropped


class GatedConvolution(nn.Module):
    """A convolution of width k to 2d units, half of which gate the other half.

    Shapes:
        X       (B, n + k - 1, d_in)
        result  GLU and gate (B, n, d)
    """

    def __init__(self, d_in: int, d: int, k: int, config: ConvS2SConfig) -> None:
        super().__init__()
        self.k = k
        self.W = linear_map(k * d_in, 2 * d, config, gain=4 * (1 - config.dropout))

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        n = X.shape[1] - self.k + 1
        X = torch.cat([X[:, j : j + n] for j in range(self.k)], dim=-1)  # (B, n, k d_in)
        value, gate = self.W(X).chunk(2, dim=-1)  # (B, n, d) each: the paper's A and B
        gate = gate.sigmoid()
        # Sec. 3.2
        return value * gate, gate
