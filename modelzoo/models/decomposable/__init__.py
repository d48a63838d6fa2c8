"""Two sentences compared word by word, each word with what it is aligned to in the other.

Parikh, Täckström, Das, Uszkoreit (2016), A decomposable attention model for natural language inference;
section numbers of arXiv 1606.01933v2.

Letters:
    a, b      premise and hypothesis, NULL in front      l_a, l_b  their lengths, NULL included
    a_bar     projected words, with intra-sentence attention each beside its phrase, of width D; b_bar alike
    e         scores of each pair of words (l_a, l_b)
    beta      aligned to a: what each word of a attends to in b; its weights normalise e over b
    alpha     aligned to b: what each word of b attends to in a; its weights normalise e over a
    v1_i, v2_j        comparisons of each word with what it is aligned to      v1, v2  their sums
    F, G, H, F_intra  feed-forward networks of hidden size h
    f, d      scores within a sentence, and the bias of each distance

Differs from the paper:
    - The distance bias has a scalar for 0 to `max_distance` - 1 and one for all beyond; the paper's wording
      gives one more. `signed` tells before from after.
    - Dropout stands before each linear layer but the last. Initial biases are 0; Glorot is a choice.
    - The fixed random vectors of unknown words are found by crc32, NULL has one too.
    - With `train_words` each training word learns an offset to its vector; the paper's vectors are fixed.
    - `scaled` divides e and f by sqrt(h); with `compare="difference"` G reads x, y, x - y and x * y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from modelzoo.batching import Padded, masked_softmax, pad
from modelzoo.models.base import EncodedInputs, MapFrame, WordEmbedding, encode_side
from modelzoo.models.classification import LabelModel, array
from modelzoo.models.decomposable.paper import PAPER
from modelzoo.results import Internal, Token
from modelzoo.tasks import ENTAILMENT, MAX_PAIR_TOKENS, Inputs
from modelzoo.text import Encoded, WordText

NULL = Token("NULL", "NULL", known=True, special=True)


@dataclass(frozen=True)
class DecomposableConfig:
    """Sizes and choices, the paper's by default. `aggregate_layers` counts all linear layers of H, `null` is
    the token in front of each sentence, `word_dropout` hides whole words."""

    labels: tuple[str, ...]
    projection: int = 200
    projection_bias: bool = False
    hidden: int = 200
    aggregate_layers: int = 3
    intra: bool = False
    distance: Literal["abs", "signed"] = "abs"
    max_distance: int = 10
    null: Literal["first", "none"] = "first"
    dropout: float = 0.2
    init: Literal["normal_001", "glorot"] = "normal_001"
    train_words: bool = False
    unit_norm: bool = True
    word_dropout: float = 0.0
    scaled: bool = False
    compare: Literal["concat", "difference"] = "concat"


class PairBatch(NamedTuple):
    """Pairs and, in training and evaluation, the index of each one's label, (B,) int64."""

    premise: Padded
    hypothesis: Padded
    gold: Tensor | None


class Intra(NamedTuple):
    """Attention within a sentence of l tokens; padded rows and columns are 0.

    Shapes:
        f        (B, l, l), without the distance bias
        weights  (B, l, l), rows sum to 1
    """

    f: Tensor
    weights: Tensor


class DecomposableOutput(NamedTuple):
    """Every named quantity; padded rows and columns are 0. `intra_*` is None without that attention.

    Shapes:
        a_bar, b_bar   (B, l_a, D), (B, l_b, D)
        F_a, F_b       (B, l_a, h), (B, l_b, h)
        e              (B, l_a, l_b)
        beta_weights   (B, l_a, l_b), rows sum to 1
        alpha_weights  (B, l_b, l_a), rows sum to 1
        beta, alpha    (B, l_a, D), (B, l_b, D)
        v1_i, v2_j     (B, l_a, h), (B, l_b, h)
        v1, v2         (B, h)
        logits         (B, labels)
    """

    a_bar: Tensor
    b_bar: Tensor
    F_a: Tensor
    F_b: Tensor
    e: Tensor
    beta_weights: Tensor
    alpha_weights: Tensor
    beta: Tensor
    alpha: Tensor
    v1_i: Tensor
    v2_j: Tensor
    v1: Tensor
    v2: Tensor
    logits: Tensor
    intra_a: Intra | None
    intra_b: Intra | None

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The weights of the model's maps."""
        intra = (own.weights for own in (self.intra_a, self.intra_b) if own is not None)
        return self.beta_weights, self.alpha_weights, *intra


def feed_forward(size: int, hidden: int, layers: int, dropout: float) -> nn.Sequential:
    """Layers of dropout, linear, ReLU; (…, size) to (…, hidden)."""
    sizes = [size] + [hidden] * layers
    parts = [[nn.Dropout(dropout), nn.Linear(n, m), nn.ReLU()] for n, m in pairwise(sizes)]
    return nn.Sequential(*(module for part in parts for module in part))


def score_scale(config: DecomposableConfig) -> float:
    """What scores are multiplied by: 1, or 1 / sqrt(h) with `scaled`."""
    return config.hidden**-0.5 if config.scaled else 1.0


class IntraAttention(nn.Module):
    """Each word's phrase within its own sentence, from F_intra and a bias that depends on the distance.

    Shapes:
        a       (B, l, projection), 0 at padding
        mask    (B, l)
        result  a_bar (B, l, 2 projection) and Intra
    """

    def __init__(self, config: DecomposableConfig) -> None:
        super().__init__()
        self.F_intra = feed_forward(config.projection, config.hidden, 2, config.dropout)
        self.scale = score_scale(config)
        self.max_distance, self.is_signed = config.max_distance, config.distance == "signed"
        self.d = nn.Parameter(torch.zeros(config.max_distance * (1 + self.is_signed) + 1))

    def distances(self, length: int) -> Tensor:
        """The index into d of each pair of positions, (l, l)."""
        position = torch.arange(length, device=self.d.device)
        distance = position[:, None] - position[None, :]
        if self.is_signed:
            return distance.clamp(-self.max_distance, self.max_distance) + self.max_distance
        return distance.abs().clamp_max(self.max_distance)

    def forward(self, a: Tensor, mask: Tensor) -> tuple[Tensor, Intra]:
        pairs = mask.unsqueeze(2) & mask.unsqueeze(1)  # (B, l, l)
        h = self.F_intra(a)  # (B, l, hidden)
        # Sec. 3.4: the bias is added to the score; j = i takes part
        f = (self.scale * (h @ h.transpose(1, 2))).masked_fill(~pairs, 0.0)  # (B, l, l)
        weights = masked_softmax(f + self.d[self.distances(a.shape[1])], pairs)  # (B, l, l)
        a_bar = torch.cat([a, weights.to(a.dtype) @ a], dim=-1)  # (B, l, 2 projection)
        return a_bar, Intra(f, weights)


class Decomposable(LabelModel):
    """Does the hypothesis follow from the premise? Attend, compare, aggregate."""

    name = "decomposable"
    task = ENTAILMENT
    paper = PAPER
    Config = DecomposableConfig
    config: DecomposableConfig
    text: WordText

    def __init__(self, config: DecomposableConfig, text: WordText) -> None:
        super().__init__(config, text)
        hidden, dropout, D = config.hidden, config.dropout, config.projection * (2 if config.intra else 1)
        self.embedding = WordEmbedding(
            text, trainable=config.train_words, unit_norm=config.unit_norm, word_dropout=config.word_dropout
        )
        self.projection = nn.Linear(self.embedding.dimension, config.projection, bias=config.projection_bias)
        self.intra = IntraAttention(config) if config.intra else None
        self.F = feed_forward(D, hidden, 2, dropout)
        self.G = feed_forward((4 if config.compare == "difference" else 2) * D, hidden, 2, dropout)
        self.scale = score_scale(config)
        self.H = feed_forward(2 * hidden, hidden, config.aggregate_layers - 1, dropout)
        self.classes = nn.Linear(hidden, len(config.labels))
        self.apply(self._initialise)

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.01)
            if self.config.init == "glorot":
                nn.init.xavier_normal_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, batch: PairBatch) -> DecomposableOutput:
        a_mask, b_mask = batch.premise.mask.unsqueeze(-1), batch.hypothesis.mask.unsqueeze(-1)
        a_bar, intra_a = self.represent(batch.premise)  # (B, l_a, D)
        b_bar, intra_b = self.represent(batch.hypothesis)  # (B, l_b, D)
        F_a, F_b = self.F(a_bar) * a_mask, self.F(b_bar) * b_mask  # (B, l_a, h), (B, l_b, h)
        # Sec. 3.1: one matrix of scores, normalised both ways
        e = self.scale * (F_a @ F_b.transpose(1, 2))  # (B, l_a, l_b)
        pairs = a_mask & b_mask.transpose(1, 2)
        beta_weights = masked_softmax(e, pairs)  # (B, l_a, l_b)
        alpha_weights = masked_softmax(e, pairs, dim=1).transpose(1, 2)  # (B, l_b, l_a)
        beta, alpha = beta_weights.to(b_bar.dtype) @ b_bar, alpha_weights.to(a_bar.dtype) @ a_bar
        # Sec. 3.2: beta is aligned to a, alpha to b; G has biases, so padding is cut
        v1_i = self.G(self.beside(a_bar, beta)) * a_mask  # (B, l_a, h)
        v2_j = self.G(self.beside(b_bar, alpha)) * b_mask  # (B, l_b, h)
        # Sec. 3.3: sums over real tokens
        v1, v2 = v1_i.sum(dim=1), v2_j.sum(dim=1)  # (B, h) each
        logits = self.classes(self.H(torch.cat([v1, v2], dim=-1)))  # (B, labels)
        return DecomposableOutput(
            a_bar, b_bar, F_a, F_b, e, beta_weights, alpha_weights, beta, alpha,
            v1_i, v2_j, v1, v2, logits, intra_a, intra_b,
        )  # fmt: skip

    def beside(self, own: Tensor, aligned: Tensor) -> Tensor:
        """A word and what it is aligned to, (B, l, 2 D); with their difference and product (B, l, 4 D)."""
        both = [own, aligned]
        if self.config.compare == "difference":
            both += [own - aligned, own * aligned]
        return torch.cat(both, dim=-1)

    def represent(self, side: Padded) -> tuple[Tensor, Intra | None]:
        """A side's projected words, with intra-sentence attention beside their phrases; (B, l, D)."""
        projected = self.projection(self.embedding(side.ids)) * side.mask.unsqueeze(-1)  # (B, l, projection)
        return (projected, None) if self.intra is None else self.intra(projected, side.mask)

    def encode(self, inputs: Inputs, gold: str | None = None) -> EncodedInputs:
        self.check_inputs(inputs)
        sides = {}
        for side in self.task.sides:
            encoded = encode_side(self.text, side, getattr(inputs, side), MAX_PAIR_TOKENS)
            if self.config.null == "first":
                encoded = Encoded((NULL, *encoded.tokens), (WordText.NULL, *encoded.ids))
            sides[side] = encoded
        return EncodedInputs(inputs, sides, gold)

    def collate(self, encoded: Sequence[EncodedInputs]) -> PairBatch:
        premises, hypotheses = ([item.sides[side].ids for item in encoded] for side in self.task.sides)
        return PairBatch(pad(premises, self.device), pad(hypotheses, self.device), self.gold(encoded))

    @property
    def frames(self) -> tuple[MapFrame, ...]:
        def frame(name: str, rows: str, columns: str, tag: str) -> MapFrame:
            title = f"each word of the {rows} over the {columns}"
            return MapFrame(name, rows, columns, title, tag, is_measured=rows != columns)

        a, b = self.task.sides
        intra = (frame(f"{side}_intra", side, side, "Sec. 3.4") for side in (a, b) if self.intra is not None)
        return frame(f"{a}_to_{b}", a, b, "Sec. 3.1"), frame(f"{b}_to_{a}", b, a, "Sec. 3.1"), *intra

    def internals(self, item: EncodedInputs, output: DecomposableOutput, row: int) -> tuple[Internal, ...]:
        a, b = self.task.sides
        l_a, l_b = (len(item.tokens[side]) for side in (a, b))
        found = [
            Internal("scores", array(output.e[row, :l_a, :l_b]), (a, b), "Sec. 3.1"),
            Internal("beta", array(output.beta[row, :l_a]), (a, "unit"), "Sec. 3.1"),
            Internal("alpha", array(output.alpha[row, :l_b]), (b, "unit"), "Sec. 3.1"),
            Internal(f"compare_{a}", array(output.v1_i[row, :l_a].norm(dim=-1)), (a,), "Sec. 3.2"),
            Internal(f"compare_{b}", array(output.v2_j[row, :l_b].norm(dim=-1)), (b,), "Sec. 3.2"),
        ]
        if self.intra is not None and output.intra_a is not None and output.intra_b is not None:
            for side, size, own in ((a, l_a, output.intra_a), (b, l_b, output.intra_b)):
                f = array(own.f[row, :size, :size])
                found.append(Internal(f"{side}_intra_scores", f, (side, side), "Sec. 3.4"))
            found.append(Internal("distance_bias", array(self.intra.d), ("distance",), "Sec. 3.4"))
        return tuple(found)
