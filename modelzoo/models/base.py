"""What every attention model offers: encode, collate, forward, loss, predict, attend.

A model file adds the equations; this file holds the contract, the checks on input that all share,
and the table of word vectors. A model knows no file, no card and no widget.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from modelzoo.papers import Paper
from modelzoo.results import AttentionMap, AttentionResult, Prediction, Token
from modelzoo.tasks import MAX_CHARACTERS, Example, Inputs, Task
from modelzoo.text import Encoded, Text, WordText


@dataclass(frozen=True)
class EncodedInputs:
    """Inputs after tokenisation: per side its tokens and ids; `gold` only in training and evaluation."""

    inputs: Inputs
    sides: Mapping[str, Encoded]
    gold: str | None = None

    @property
    def tokens(self) -> dict[str, tuple[Token, ...]]:
        return {side: encoded.tokens for side, encoded in self.sides.items()}

    @property
    def typed(self) -> dict[str, tuple[str, ...]]:
        """The typed forms of each side's tokens: the labels of an axis."""
        return {side: tuple(t.typed for t in encoded.tokens) for side, encoded in self.sides.items()}

    @property
    def size(self) -> int:
        """The number of tokens on all sides: what batches are sorted by."""
        return sum(len(encoded.ids) for encoded in self.sides.values())


@dataclass(frozen=True)
class MapFrame:
    """One map of a model without its weights: its name, its axes, its equation.

    `rows` labels an axis without tokens (`hop`); without it the rows are the tokens of `row_kind`.
    `is_measured` leaves a map that is made of others, or looks within a sentence, out of the measures.
    """

    name: str
    row_kind: str
    column_kind: str
    title: str
    equation: str
    rows: tuple[str, ...] = ()
    is_measured: bool = True

    def cut(self, weights: Tensor, item: int, typed: Mapping[str, tuple[str, ...]]) -> AttentionMap:
        """The map of one item of a batch, padding cut.

        Shapes:
            weights  (B, rows, columns)
        """
        rows, columns = self.rows or typed[self.row_kind], typed[self.column_kind]
        values = weights[item, : len(rows), : len(columns)].detach().float().cpu().numpy()
        kinds = (self.row_kind, self.column_kind, self.equation)
        return AttentionMap(self.name, values, rows, columns, (0.0, 1.0), False, self.title, *kinds)


class BatchAnswer(NamedTuple):
    """The answers to a batch and its attention, padded: what a run over a data set reads.

    `encoded` has the side `target` where the model wrote one. A model of labels gives `probabilities`, one
    that writes `log_probabilities`. `attention` stands in the order of the model's `frames`; what is beyond
    an item's tokens means nothing.

    Shapes:
        probabilities      (B, labels)
        log_probabilities  (B,) summed over the written pieces
        attention          per map (B, rows, columns)
    """

    encoded: Sequence[EncodedInputs]
    answers: list[str]
    probabilities: Tensor | None
    log_probabilities: Tensor | None
    attention: tuple[Tensor, ...]


class AttentionModel(nn.Module, ABC):
    """A model of one task whose attention can be seen.

    `forward(batch)` returns a NamedTuple of tensors and holds equations only; nothing is kept on
    `self` between calls. `checkpoint` is the slug it was loaded from, and 99 % of what it learned from has
    at most `usual_lengths` tokens a side.
    """

    name: ClassVar[str]
    task: ClassVar[Task]
    paper: ClassVar[Paper]
    Config: ClassVar[type]

    def __init__(self, config: Any, text: Text) -> None:
        super().__init__()
        self.config = config
        self.text = text
        self.checkpoint = ""
        self.usual_lengths: Mapping[str, int] = {}

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    @abstractmethod
    def encode(self, inputs: Inputs, gold: str | None = None) -> EncodedInputs:
        """Tokenise and check one input. Raises ValueError that says what was given and what is accepted."""

    @abstractmethod
    def collate(self, encoded: Sequence[EncodedInputs]) -> Any:
        """A padded batch (a NamedTuple of tensors) on this model's device."""

    @abstractmethod
    def loss(self, batch: Any) -> Tensor:
        """The training loss of a batch whose examples have gold."""

    @abstractmethod
    def predict(self, encoded: Sequence[EncodedInputs]) -> list[Prediction]:
        """Predictions of one batch, without maps: the fast path of evaluation."""

    @property
    @abstractmethod
    def frames(self) -> tuple[MapFrame, ...]:
        """The maps of the model, in the order of its output's `attention`; none without attention."""

    @abstractmethod
    def answer(self, encoded: Sequence[EncodedInputs]) -> BatchAnswer:
        """Answers and attention of one batch, without an object a row: the path of runs over data sets."""

    @abstractmethod
    def explain(self, encoded: Sequence[EncodedInputs]) -> list[AttentionResult]:
        """Results of one batch with every map the model has, padding cut."""

    def attend(self, inputs: Sequence[Inputs]) -> list[AttentionResult]:
        """Each input's prediction and maps; in eval mode, the same numbers every time, whatever the batch.

        Raises ValueError for an input that is empty, too long, or of another task.
        """
        encoded = [self.encode(item) for item in inputs]
        if not encoded:
            return []
        training = self.training
        self.eval()
        try:
            with torch.inference_mode():
                return [self._signed(result) for result in self.explain(encoded)]
        finally:
            self.train(training)

    def maps(
        self, attention: Sequence[Tensor], item: int, typed: Mapping[str, tuple[str, ...]]
    ) -> tuple[AttentionMap, ...]:
        """Every map of one item of a batch, padding cut; `typed` has the labels of each side."""
        return tuple(
            frame.cut(weights, item, typed) for frame, weights in zip(self.frames, attention, strict=True)
        )

    def _signed(self, result: AttentionResult) -> AttentionResult:
        """The result with the model's name, and a note on each text that is longer than usual."""
        lengths = {side: token_count(result.tokens[side]) for side in self.task.sides}
        notes = tuple(
            f"the {side} has {lengths[side]} tokens; 99 % of those it learned from have at most {usual}"
            for side, usual in self.usual_lengths.items()
            if lengths.get(side, 0) > usual
        )
        return replace(result, checkpoint=self.checkpoint, notes=result.notes + notes)

    def encode_example(self, example: Example) -> EncodedInputs:
        return self.encode(example.inputs, example.gold)

    def check_inputs(self, inputs: Inputs) -> None:
        """ValueError when the inputs are of another task."""
        if not isinstance(inputs, self.task.inputs):
            raise ValueError(
                f"this model answers {self.task.name} and takes {self.task.inputs.__name__}; "
                f"it was given {type(inputs).__name__}"
            )


def token_count(tokens: Sequence[Token]) -> int:
    """How many tokens a text has, without those that the model adds."""
    return sum(not token.special for token in tokens)


def encode_side(text: Text, side: str, typed: str, limit: int) -> Encoded:
    """Tokens and ids of one text; ValueError when it is blank or over the limits."""
    if len(typed) > MAX_CHARACTERS:
        raise ValueError(f"the {side} has {len(typed):,} characters; accepted are at most {MAX_CHARACTERS:,}")
    encoded = text.encode(typed)
    if not encoded.ids:
        raise ValueError(f"the {side} is empty; type at least one word")
    if len(encoded.ids) > limit:
        raise ValueError(f"the {side} has {len(encoded.ids)} tokens; accepted are at most {limit}")
    return encoded


def label_index(labels: Sequence[str], gold: str | None) -> int:
    """The index of a gold label; ValueError names the labels there are."""
    if gold not in labels:
        raise ValueError(f"the label is {gold!r}; accepted are {', '.join(labels)}")
    return labels.index(gold)


class WordEmbedding(nn.Module):
    """Fixed word vectors, plus an offset that is learned for the words of the training text.

    With `trainable` False, or no training words, the vectors are exactly the pretrained ones. The
    pretrained table is no parameter and not part of a checkpoint: it belongs to the text side. In training
    a word is read as an unknown one with the probability `word_dropout`.

    Shapes:
        ids     (B, n)
        result  (B, n, d)
    """

    table: Tensor
    offset_row: Tensor

    def __init__(
        self, text: WordText, *, trainable: bool, unit_norm: bool = False, word_dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.word_dropout, self.unknown = word_dropout, (2, 2 + text.oov_buckets)
        table = torch.from_numpy(text.table.copy())
        if unit_norm:
            table = table / table.norm(dim=1, keepdim=True).clamp_min(1e-12)
        self.dimension = table.shape[1]
        self.register_buffer("table", table, persistent=False)
        trained = [text.id(word) for word in text.trained_words] if trainable else []
        self.offset: nn.Embedding | None = None
        if trained:
            rows = torch.zeros(len(table), dtype=torch.int64)
            rows[torch.tensor(trained)] = torch.arange(1, len(trained) + 1)
            self.register_buffer("offset_row", rows, persistent=False)
            self.offset = nn.Embedding(len(trained) + 1, self.dimension, padding_idx=0)
            nn.init.zeros_(self.offset.weight)

    def forward(self, ids: Tensor) -> Tensor:
        if self.training and self.word_dropout:
            is_word = ids >= self.unknown[0]  # neither padding nor NULL
            dropped = torch.rand_like(ids, dtype=torch.float32) < self.word_dropout
            ids = torch.where(is_word & dropped, torch.randint_like(ids, *self.unknown), ids)
        vectors = self.table[ids]
        if self.offset is not None:
            vectors = vectors + self.offset(self.offset_row[ids])
        return vectors
