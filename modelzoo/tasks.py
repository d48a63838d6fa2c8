"""What goes in: the three kinds of input, labelled examples, tasks, and the limits on their size.

Inputs carry the question whole, options included, and are hashable, so they serve as cache keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

MAX_CHARACTERS = 20_000
"""Characters one text may have before it is even tokenised."""
MAX_SENTENCE_TOKENS = 400
"""Words one sentence or review may have."""
MAX_PAIR_TOKENS = 200
"""Words the premise or the hypothesis may have."""
MAX_SOURCE_TOKENS = 200
"""Pieces a text to translate, or a given translation, may have."""
MAX_BEAM = 10
"""Hypotheses that beam search may keep."""
MAX_MATRIX_SIDE = 400
"""Rows, and columns, that a person's own matrix may have."""
MAX_MATRICES = 64
"""Matrices that one paste or file may hold."""
MAX_TOKEN_CHARACTERS = 200
"""Characters one token of a person's own matrix may have."""
MAX_FILE_BYTES = 32_000_000
"""Bytes of an uploaded file, also once it is unpacked."""
HALF_CHARACTER = re.compile("[\ud800-\udfff]")
"""Half of a pair, as JSON and NPZ can hold it alone: no text that can be shown or saved."""


def output_limit(source_tokens: int) -> int:
    """The number of pieces after which decoding stops: twice the source and ten, at most 200."""
    return min(2 * source_tokens + 10, MAX_SOURCE_TOKENS)


@dataclass(frozen=True)
class Sentence:
    """One sentence or review."""

    text: str


@dataclass(frozen=True)
class SentencePair:
    """A premise, and a hypothesis that follows from it, contradicts it, or neither."""

    premise: str
    hypothesis: str


@dataclass(frozen=True)
class LengthPenalty:
    """How beam search compares hypotheses of different length; `length` counts the end token.

    `none`: log p; `average`: log p / length^alpha; `gnmt`: log p / ((5 + length) / 6)^alpha.
    """

    kind: Literal["none", "average", "gnmt"] = "average"
    alpha: float = 1.0

    def divisor(self, length: int) -> float:
        if self.kind == "none":
            return 1.0
        base = float(length) if self.kind == "average" else (5 + length) / 6
        return base**self.alpha


@dataclass(frozen=True)
class SourceText:
    """A text to translate or summarise.

    `forced` asks for the map of a given output instead of a search: a text (the end token is
    added), or a tuple of the model's own pieces taken exactly as they are.
    """

    text: str
    forced: str | tuple[str, ...] | None = None
    beam_size: int = 1
    length_penalty: LengthPenalty = field(default_factory=LengthPenalty)

    def __post_init__(self) -> None:
        if not 1 <= self.beam_size <= MAX_BEAM:
            raise ValueError(
                f"the beam size is {self.beam_size}; accepted is a whole number from 1 to {MAX_BEAM}"
            )


Inputs = Sentence | SentencePair | SourceText


@dataclass(frozen=True)
class Task:
    """What a model answers: its name, its inputs class, the input's texts, and what comes out."""

    name: str
    question: str
    inputs: type
    sides: tuple[str, ...]
    output: Literal["label", "text"]


CLASSIFICATION = Task("classification", "What does one text say?", Sentence, ("sentence",), "label")
ENTAILMENT = Task(
    "entailment",
    "Does the hypothesis follow from the premise?",
    SentencePair,
    ("premise", "hypothesis"),
    "label",
)
TRANSLATION = Task("translation", "What is this text in the other language?", SourceText, ("source",), "text")
TASKS = {task.name: task for task in (CLASSIFICATION, ENTAILMENT, TRANSLATION)}


@dataclass(frozen=True)
class Example:
    """One row of a data set: the inputs and what a person says is right (a label or a text)."""

    inputs: Inputs
    gold: str
