"""What a recipe is, and the text sides that recipes share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modelzoo.data import vectors
from modelzoo.data.folder import Splits, data_folder
from modelzoo.tasks import Example, Inputs, Sentence, SentencePair, SourceText
from modelzoo.text import SubwordText, WordText, WordVectors, words
from modelzoo.training import TrainConfig

GLOVE = (
    "GloVe 6B, 100 dimensions (Pennington, Socher, Manning 2014), Public Domain Dedication and License 1.0"
)
OFTEN = 10
"""How often a word of a long corpus occurs at least to learn an offset."""


@dataclass(frozen=True)
class Recipe:
    """How one checkpoint is made.

    `text` builds the text side from the data, `beam_size` is the card's, and `probes` are the inputs whose
    attention is recorded while training. `command` makes it, when that is not `train` and the slug.
    """

    slug: str
    title: str
    model: str
    config: Any
    train: TrainConfig
    read: Callable[[Path], Splits]
    text: Callable[[Splits], WordText | SubwordText]
    data: str
    sources: tuple[str, ...]
    limits: tuple[str, ...]
    beam_size: int = 1
    languages: tuple[str, ...] = ("en",)
    probes: tuple[Inputs, ...] = ()
    command: str = ""


def seeded(recipe: Recipe, *seeds: int) -> tuple[Recipe, ...]:
    """The same recipe from other seeds: how far the score, and what is attended to, is chance."""
    return tuple(
        replace(
            recipe,
            slug=f"{recipe.slug}-seed{seed}",
            title=f"{recipe.title}, seed {seed}",
            train=replace(recipe.train, seed=seed),
        )
        for seed in seeds
    )


def word_text(splits: Splits) -> WordText:
    """GloVe's words; those of the training text may learn an offset."""
    return WordText(WordVectors.load(vectors.NAME), trained_words=sorted(_words(splits)))


def frequent_word_text(splits: Splits) -> WordText:
    """GloVe's words; those that occur in the training text at least `OFTEN` times may learn an offset."""
    trained = [word for word, count in _words(splits).items() if count >= OFTEN]
    return WordText(WordVectors.load(vectors.NAME), trained_words=sorted(trained))


def estimated_word_text(splits: Splits) -> WordText:
    """GloVe's words; only those of the training text whose vector is an estimate may learn an offset."""
    trained = _words(splits).keys() & vectors.estimated(data_folder())
    return WordText(WordVectors.load(vectors.NAME), trained_words=sorted(trained))


def joint_pieces(
    source: str, target: str, size: int, read: Callable[[Path], Splits] | None = None
) -> Callable[[Splits], SubwordText]:
    """One subword vocabulary of both languages, learned from the training pairs, or from those of `read`:
    models that learn from different pairs can then be compared piece by piece."""

    def build(splits: Splits) -> SubwordText:
        splits = read(data_folder()) if read else splits
        both = (text for example in splits.train for text in (*texts(example), example.gold))
        return SubwordText.train(both, size, source_language=source, target_language=target)

    return build


def _words(splits: Splits) -> Counter[str]:
    """The words of the training text, as the model reads them, and how often they occur."""
    found = (text for example in splits.train for text in texts(example))
    return Counter(model for text in found for _, model in words(text))


def texts(example: Example) -> tuple[str, ...]:
    """The texts of an example that go in."""
    inputs = example.inputs
    if isinstance(inputs, SentencePair):
        return (inputs.premise, inputs.hypothesis)
    if isinstance(inputs, Sentence | SourceText):
        return (inputs.text,)
    raise TypeError(f"no texts of {type(inputs).__name__}")
