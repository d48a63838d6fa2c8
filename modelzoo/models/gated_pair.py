"""The gated encoder of a sentence pair, on top of two self-attentive embeddings.

Lin, Feng, dos Santos, Yu, Xiang, Zhou, Bengio (2017), A structured self-attentive sentence embedding,
arXiv 1703.03130v1, section 4.3.

Letters:
    r         hops                      M_h, M_p       embeddings of hypothesis and premise (r, width)
    width     of an embedding's row     F_h, F_p, F_r  factors (r, k): each sentence's, and their product
    k         of a factor's row         b              hidden size of the output MLP

Differs from the paper:
    - Dropout, which the paper's text leaves out for pairs, may stand on F_r and on the hidden layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from modelzoo.papers import Equation, Paper

PAPER = Paper(
    key="lin2017",
    authors="Lin, Z., Feng, M., dos Santos, C. N., Yu, M., Xiang, B., Zhou, B. and Bengio, Y.",
    title="A Structured Self-attentive Sentence Embedding",
    year=2017,
    venue="ICLR 2017, arXiv 1703.03130v1",
    url="https://arxiv.org/abs/1703.03130v1",
    equations=(
        Equation(
            "Sec. 4.3",
            r"F_h = M_h \cdot W_{fh},\; F_p = M_p \cdot W_{fp},\; F_r = F_h \odot F_p",
            "a factor per hop and sentence, then their product",
            "GatedPairEncoder.forward",
        ),
    ),
)


@dataclass(frozen=True)
class GatedPairConfig:
    """Sizes; those by default are the paper's (k = width = 2u)."""

    labels: tuple[str, ...]
    r: int = 30
    width: int = 600
    k: int = 600
    b: int = 4000
    dropout: float = 0.0


class GatedPairOutput(NamedTuple):
    """What the gated encoder makes of two sentence embeddings.

    Shapes:
        F_h, F_p, F_r  (B, r, k)
        logits         (B, labels)
    """

    F_h: Tensor
    F_p: Tensor
    F_r: Tensor
    logits: Tensor


class GatedPairEncoder(nn.Module):
    """Classifies a pair from both sentences' M: factors without bias, their product, a ReLU layer.

    Shapes:
        M_h, M_p  (B, r, width)
    """

    def __init__(self, config: GatedPairConfig) -> None:
        super().__init__()
        r, width, k = config.r, config.width, config.k
        bound = (6 / (width + k)) ** 0.5  # Glorot, hop by hop
        self.W_fh = nn.Parameter(torch.empty(r, width, k).uniform_(-bound, bound))
        self.W_fp = nn.Parameter(torch.empty(r, width, k).uniform_(-bound, bound))
        self.dropout = nn.Dropout(config.dropout)
        self.hidden = nn.Linear(r * k, config.b)
        self.classes = nn.Linear(config.b, len(config.labels))
        for layer in (self.hidden, self.classes):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, M_h: Tensor, M_p: Tensor) -> GatedPairOutput:
        # Sec. 4.3: F_h[i] = M_h[i] W_fh[i] for each hop i
        F_h = torch.einsum("brw,rwk->brk", M_h, self.W_fh)
        F_p = torch.einsum("brw,rwk->brk", M_p, self.W_fp)
        F_r = F_h * F_p  # (B, r, k)
        hidden = torch.relu(self.hidden(self.dropout(F_r).flatten(1)))  # (B, b)
        return GatedPairOutput(F_h, F_p, F_r, self.classes(self.dropout(hidden)))
