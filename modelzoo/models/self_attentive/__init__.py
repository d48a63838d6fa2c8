"""A sentence as a matrix of r attention hops over a BiLSTM.

Lin, Feng, dos Santos, Yu, Xiang, Zhou, Bengio (2017), A structured self-attentive sentence embedding;
equation numbers of arXiv 1703.03130v1.

Letters:
    n    tokens                  S  word vectors (n, d)        A    attention, hops by tokens (r, n)
    u    LSTM size, a direction  H  states (n, 2u)             M    sentence embedding (r, 2u)
    d_a  attention hidden size   E  scores before softmax      AAT  A A^T: overlap of hops (r, r)
    r    hops                    b  hidden size of the MLP     P    penalty, one number a sentence

Differs from the paper:
    - Dropout stands on the word vectors, on M and on the hidden layer; `word_dropout` hides whole words.
    - Word vectors are GloVe; with `train_words` each training word learns an offset to its vector.
    - Max, mean and last-state pooling are there to compare with: then no hops, M has one row, P is 0.
    - tanh in the output MLP is a choice; ReLU is the paper's and the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from modelzoo.batching import Padded, masked_softmax, pad
from modelzoo.models.base import EncodedInputs, MapFrame, WordEmbedding, encode_side
from modelzoo.models.classification import LabelModel, array, label_loss
from modelzoo.models.self_attentive.paper import PAPER
from modelzoo.results import Internal
from modelzoo.tasks import CLASSIFICATION, MAX_SENTENCE_TOKENS, Inputs, Sentence
from modelzoo.text import WordText


@dataclass(frozen=True)
class SelfAttentiveConfig:
    """Sizes and choices; the sizes by default are the paper's.

    `penalty` is the coefficient of P in the loss. Only the pooling `attention` uses it, d_a and r.
    """

    labels: tuple[str, ...]
    u: int = 300
    d_a: int = 350
    r: int = 30
    b: int = 2000
    pooling: Literal["attention", "max", "mean", "last"] = "attention"
    activation: Literal["relu", "tanh"] = "relu"
    dropout: float = 0.5
    penalty: float = 1.0
    train_words: bool = True
    word_dropout: float = 0.0


class SentenceBatch(NamedTuple):
    """Sentences and, in training and evaluation, the index of each one's label, (B,) int64."""

    sentence: Padded
    gold: Tensor | None


class SelfAttentiveOutput(NamedTuple):
    """Every named quantity; padded positions are 0. With pooling r is 0, but for M, which has one row.

    Shapes:
        H        (B, n, 2u)
        E        (B, r, n), before softmax
        A        (B, r, n)
        AAT      (B, r, r)
        P        (B,)
        overall  (B, n)
        M        (B, r, 2u)
        logits   (B, labels)
    """

    H: Tensor
    E: Tensor
    A: Tensor
    AAT: Tensor
    P: Tensor
    overall: Tensor
    M: Tensor
    logits: Tensor

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The weights of the model's maps; none with pooling."""
        return (self.A, self.overall.unsqueeze(1)) if self.A.shape[1] else ()


class BiLSTM(nn.Module):
    """One LSTM in each direction, over real tokens only.

    Shapes:
        S        (B, n, d)
        lengths  (B,)
        result   (B, n, 2u), 0 at padding
    """

    def __init__(self, d: int, u: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(d, u, batch_first=True, bidirectional=True)
        for parameter in self.lstm.parameters():
            nn.init.normal_(parameter, std=0.1 if parameter.dim() == 2 else 0.0)  # biases 0

    def forward(self, S: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(S, lengths.cpu(), batch_first=True, enforce_sorted=False)
        # Eq. (2): forward, and
        # Eq. (3): backward
        states, _ = self.lstm(packed)
        # Eq. (4)
        H, _ = pad_packed_sequence(states, batch_first=True, total_length=S.shape[1])  # (B, n, 2u)
        return H


class SelfAttention(nn.Module):
    """r distributions over the words of a sentence; no bias in either layer.

    Shapes:
        H       (B, n, 2u)
        mask    (B, n)
        result  E and A (B, r, n), 0 at padding
    """

    def __init__(self, width: int, d_a: int, r: int) -> None:
        super().__init__()
        self.W_s1 = glorot(nn.Linear(width, d_a, bias=False))
        self.W_s2 = glorot(nn.Linear(d_a, r, bias=False))

    def forward(self, H: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        E = self.W_s2(torch.tanh(self.W_s1(H))).transpose(1, 2)  # (B, r, n)
        E = E.masked_fill(~mask.unsqueeze(1), 0.0)
        # Eq. (6): the softmax is over the tokens of one sentence
        A = masked_softmax(E, mask.unsqueeze(1))  # (B, r, n)
        return E, A


class OutputMLP(nn.Module):
    """The two-layer classifier on a flattened embedding."""

    def __init__(self, width: int, config: SelfAttentiveConfig) -> None:
        super().__init__()
        self.hidden = glorot(nn.Linear(width, config.b))
        self.activation = nn.Tanh() if config.activation == "tanh" else nn.ReLU()
        self.dropout = nn.Dropout(config.dropout)
        self.classes = glorot(nn.Linear(config.b, len(config.labels)))

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.classes(self.dropout(self.activation(self.hidden(x))))
        return logits

    def contributions(self, M: Tensor) -> Tensor:
        """What each hop adds to each logit: the logit, less what it is with the hop's row of M at zero.

        Shapes:
            M       (r, 2u)
            result  (r, labels)
        """
        weight = self.hidden.weight.unflatten(1, M.shape)  # (b, r, 2u)
        whole = self.hidden(M.flatten())  # (b,)
        without = whole - torch.einsum("ru,bru->rb", M, weight)  # (r, b)
        added: Tensor = self.classes(self.activation(whole)) - self.classes(self.activation(without))
        return added


def glorot(layer: nn.Linear) -> nn.Linear:
    """The layer with Glorot-uniform weights and zero bias."""
    nn.init.xavier_uniform_(layer.weight)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def penalty(A: Tensor) -> tuple[Tensor, Tensor]:
    """A A^T and its squared distance from the identity.

    Shapes:
        A       (B, r, n), 0 at padding
        result  AAT (B, r, r), P (B,)
    """
    AAT = A @ A.transpose(1, 2)  # (B, r, r)
    # Eq. (8): the squared Frobenius norm, one number a sentence
    P = (AAT - torch.eye(A.shape[1], dtype=AAT.dtype, device=AAT.device)).square().sum(dim=(1, 2))  # (B,)
    return AAT, P


def pooled(H: Tensor, sentence: Padded, pooling: str) -> Tensor:
    """The baselines: maximum or mean over real tokens, or the last state of each direction.

    Shapes:
        H       (B, n, 2u), 0 at padding
        result  (B, 1, 2u)
    """
    if pooling == "max":
        return H.masked_fill(~sentence.mask.unsqueeze(-1), float("-inf")).amax(dim=1, keepdim=True)
    if pooling == "mean":
        return H.sum(dim=1, keepdim=True) / sentence.lengths[:, None, None]
    forward, backward = H.chunk(2, dim=-1)
    ends = (sentence.lengths - 1)[:, None, None].expand(-1, 1, forward.shape[-1])
    return torch.cat([forward.gather(1, ends), backward[:, :1]], dim=-1)


class SelfAttentive(LabelModel):
    """Classifies a sentence from r attention hops over its BiLSTM states."""

    name = "self-attentive"
    task = CLASSIFICATION
    paper = PAPER
    Config = SelfAttentiveConfig
    config: SelfAttentiveConfig
    text: WordText

    def __init__(self, config: SelfAttentiveConfig, text: WordText) -> None:
        super().__init__(config, text)
        attends = config.pooling == "attention"
        self.embedding = WordEmbedding(text, trainable=config.train_words, word_dropout=config.word_dropout)
        self.encoder = BiLSTM(self.embedding.dimension, config.u)
        self.attention = SelfAttention(2 * config.u, config.d_a, config.r) if attends else None
        self.dropout = nn.Dropout(config.dropout)
        self.classifier = OutputMLP(2 * config.u * (config.r if attends else 1), config)

    def forward(self, batch: SentenceBatch) -> SelfAttentiveOutput:
        sentence = batch.sentence
        # Eq. (1)
        S = self.embedding(sentence.ids)  # (B, n, d)
        H = self.encoder(self.dropout(S), sentence.lengths)  # (B, n, 2u)
        if self.attention is None:
            E = A = H.new_zeros(len(H), 0, H.shape[1])  # no hops
            M = pooled(H, sentence, self.config.pooling)  # (B, 1, 2u)
        else:
            E, A = self.attention(H, sentence.mask)  # (B, r, n) each
            # Eq. (7)
            M = A.to(H.dtype) @ H  # (B, r, 2u)
        AAT, P = penalty(A)
        # Sec. 2.3: hops summed and divided by their total, r
        overall = A.sum(dim=1) / max(A.shape[1], 1)  # (B, n)
        logits = self.classifier(self.dropout(M).flatten(1))  # (B, labels)
        return SelfAttentiveOutput(H, E, A, AAT, P, overall, M, logits)

    def loss(self, batch: SentenceBatch) -> Tensor:
        """Cross-entropy plus `penalty` times the mean of P over the batch."""
        output: SelfAttentiveOutput = self(batch)
        return label_loss(output.logits, batch.gold) + self.config.penalty * output.P.mean()

    def encode(self, inputs: Inputs, gold: str | None = None) -> EncodedInputs:
        self.check_inputs(inputs)
        sentence = encode_side(self.text, "sentence", cast(Sentence, inputs).text, MAX_SENTENCE_TOKENS)
        return EncodedInputs(inputs, {"sentence": sentence}, gold)

    def collate(self, encoded: Sequence[EncodedInputs]) -> SentenceBatch:
        ids = [item.sides["sentence"].ids for item in encoded]
        return SentenceBatch(pad(ids, self.device), self.gold(encoded))

    @property
    def frames(self) -> tuple[MapFrame, ...]:
        if self.attention is None:
            return ()
        r, axes = self.config.r, ("hop", "sentence")
        hops = tuple(f"hop {i}" for i in range(1, r + 1))
        return (
            MapFrame("hops", *axes, f"{r} hops", "Eq. (6)", hops),
            MapFrame("overall", *axes, f"mean of {r} hops", "Sec. 2.3", ("overall",), is_measured=False),
        )

    def internals(self, item: EncodedInputs, output: SelfAttentiveOutput, row: int) -> tuple[Internal, ...]:
        n, M = item.size, array(output.M[row])
        H = Internal("H", array(output.H[row, :n]), ("sentence", "unit"), "Eq. (4)")
        if self.attention is None:
            return H, Internal("pooled", M[0], ("unit",))
        return (
            H,
            Internal("scores", array(output.E[row, :, :n]), ("hop", "sentence"), "Eq. (6)"),
            Internal("M", M, ("hop", "unit"), "Eq. (7)"),
            Internal("AAT", array(output.AAT[row]), ("hop", "hop"), "Eq. (8)"),
            Internal("P", array(output.P[row]), (), "Eq. (8)"),
            Internal("contribution", array(self.classifier.contributions(output.M[row])), ("hop", "label")),
        )
