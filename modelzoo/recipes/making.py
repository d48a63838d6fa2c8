"""Making a checkpoint from a recipe: train, keep the best, measure, write the card."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from modelzoo.cards import CARD_FILE, Measure, ModelCard, Score, read_card
from modelzoo.data.folder import Splits
from modelzoo.measures import measure
from modelzoo.models.base import AttentionModel
from modelzoo.recipes.base import Recipe
from modelzoo.recipes.scores import scores, splits_of, usual_lengths
from modelzoo.registry import MODELS, choose_device, count_parameters, load, save
from modelzoo.tasks import Example
from modelzoo.training import Progress, Trainer


def make(
    recipe: Recipe, splits: Splits, folder: Path, *, device: str = "auto", minutes: float = math.inf
) -> ModelCard:
    """Make a checkpoint under `folder`: train (or go on training), at most so many minutes, keep the best,
    measure it once, write the card. With no minutes and no run to go on with, one that is there is only
    measured again."""
    place = folder / recipe.slug
    if minutes <= 0 and (place / CARD_FILE).is_file() and not (place / "resume").exists():
        return measured(recipe, splits, read_card(recipe.slug, place), place)
    torch.manual_seed(recipe.train.seed)
    model = MODELS[recipe.model](recipe.config, recipe.text(splits)).to(choose_device(device))

    def keep(best: AttentionModel, progress: Progress) -> None:
        metrics = {f"dev_{recipe.train.metric}": progress.best}
        save(best, place, _card(recipe, best, splits, progress, metrics), precision=torch.float16)

    trainer = Trainer(model, recipe.train, place, keep, recipe.probes)
    progress = trainer.fit(splits.train, splits.dev, minutes)
    return measured(recipe, splits, _card(recipe, model, splits, progress, {}), place)


def measured(recipe: Recipe, splits: Splits, card: ModelCard, place: Path, device: str = "auto") -> ModelCard:
    """The card with all that the shipped weights score, at the card's beam."""
    model = load(recipe.slug, device, folder=place)
    found = {split: scores(recipe, splits, model, split) for split in splits_of(recipe, splits)}
    metrics: dict[str, float] = {}
    ranges: dict[str, list[float]] = {}
    for split, score in ((split, found[split][0]) for split in splits.held_out):
        metrics |= {f"{split}_{name}": round(value, 4) for name, value in score.metrics.items()}
        ranges |= {f"{split}_{n}": [round(e, 4) for e in ends] for n, ends in score.intervals.items()}
    card = replace(
        card,
        metrics=metrics,
        intervals=ranges,
        beside={split: _rounded(found[split][0].beside) for split in splits.held_out},
        known_failures=tuple(map(_short, found.get("known-failures", ()))),
        lengths=tuple(map(_short, found.get("lengths", ()))),
        attention=() if recipe.command else _attention(model, splits.dev),
        usual_lengths=usual_lengths(model, splits.train),
    )
    card.save(place)
    return card


def _attention(model: AttentionModel, dev: Sequence[Example]) -> tuple[Measure, ...]:
    """How well it attends; nothing where there is nothing to measure it on, or no attention."""
    try:
        rows = measure(model, dev)
    except ValueError:
        return ()
    return tuple(replace(row, values=_rounded(row.values)) for row in rows)


def _short(score: Score) -> Score:
    """A score with numbers as short as those of a card."""
    ends = {name: (round(low, 4), round(high, 4)) for name, (low, high) in score.intervals.items()}
    return replace(score, metrics=_rounded(score.metrics), intervals=ends, beside=_rounded(score.beside))


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


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
