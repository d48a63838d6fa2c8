"""What a recipe is, and making a checkpoint from one: train, keep the best, measure, write the card."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from modelzoo.cards import ModelCard
from modelzoo.data import vectors
from modelzoo.data.folder import Splits, data_folder
from modelzoo.evaluation import evaluate, intervals
from modelzoo.models.base import AttentionModel
from modelzoo.registry import MODELS, choose_device, count_parameters, load, save
from modelzoo.tasks import Example, Inputs, Sentence, SentencePair, SourceText
from modelzoo.text import SubwordText, WordText, WordVectors, words
from modelzoo.training import Progress, TrainConfig, Trainer

GLOVE = (
    "GloVe 6B, 100 dimensions (Pennington, Socher, Manning 2014), Public Domain Dedication and License 1.0"
)


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


def estimated_word_text(splits: Splits) -> WordText:
    """GloVe's words; only those of the training text whose vector is an estimate may learn an offset."""
    trained = _words(splits) & vectors.estimated(data_folder())
    return WordText(WordVectors.load(vectors.NAME), trained_words=sorted(trained))


def joint_pieces(source: str, target: str, size: int) -> Callable[[Splits], SubwordText]:
    """One subword vocabulary of both languages, learned from the training pairs."""

    def build(splits: Splits) -> SubwordText:
        both = (text for example in splits.train for text in (*texts(example), example.gold))
        return SubwordText.train(both, size, source_language=source, target_language=target)

    return build


def _words(splits: Splits) -> set[str]:
    """The words of the training text, as the model reads them."""
    found = (text for example in splits.train for text in texts(example))
    return {model for text in found for _, model in words(text)}


def texts(example: Example) -> tuple[str, ...]:
    """The texts of an example that go in."""
    inputs = example.inputs
    if isinstance(inputs, SentencePair):
        return (inputs.premise, inputs.hypothesis)
    if isinstance(inputs, Sentence | SourceText):
        return (inputs.text,)
    raise TypeError(f"no texts of {type(inputs).__name__}")


def make(
    recipe: Recipe, splits: Splits, folder: Path, *, device: str = "auto", minutes: float = math.inf
) -> ModelCard:
    """Make a checkpoint under `folder`: train (or go on training), at most so many minutes, keep the best,
    measure dev and test once, write the card."""
    place = folder / recipe.slug
    torch.manual_seed(recipe.train.seed)
    model = MODELS[recipe.model](recipe.config, recipe.text(splits)).to(choose_device(device))

    def keep(best: AttentionModel, progress: Progress) -> None:
        metrics = {f"dev_{recipe.train.metric}": progress.best}
        save(best, place, _card(recipe, best, splits, progress, metrics), precision=torch.float16)

    trainer = Trainer(model, recipe.train, place, keep, recipe.probes)
    progress = trainer.fit(splits.train, splits.dev, minutes)
    return _measure(recipe, splits, progress, place)


def _measure(recipe: Recipe, splits: Splits, progress: Progress, place: Path) -> ModelCard:
    """The card with the shipped weights' metrics on dev and test, at the card's beam."""
    model = load(recipe.slug, folder=place)
    metrics: dict[str, float] = {}
    ranges: dict[str, list[float]] = {}
    for split, examples in splits.held_out.items():
        found = evaluate(model, examples, beam_size=recipe.beam_size)
        metrics |= {f"{split}_{name}": round(value, 4) for name, value in found.metrics.items()}
        for name, ends in intervals(model, found).items():
            ranges[f"{split}_{name}"] = [round(end, 4) for end in ends]
    card = replace(_card(recipe, model, splits, progress, metrics), intervals=ranges)
    card.save(place)
    return card


def _card(
    recipe: Recipe, model: AttentionModel, splits: Splits, progress: Progress, metrics: dict[str, float]
) -> ModelCard:
    return ModelCard(
        slug=recipe.slug,
        title=recipe.title,
        model=recipe.model,
        task=model.task.name,
        config=json.loads(json.dumps(asdict(recipe.config))),
        data=recipe.data,
        data_size=splits.sizes,
        metrics=metrics,
        seed=recipe.train.seed,
        steps=progress.best_step,
        minutes=round(progress.seconds / 60, 1),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        parameters=count_parameters(model),
        beam_size=recipe.beam_size,
        languages=recipe.languages,
        sources=recipe.sources,
        limits=recipe.limits,
        training=asdict(recipe.train),
        made_by=recipe.command,
    )
