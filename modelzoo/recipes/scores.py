"""What a checkpoint scores: dev and test beside baselines, by length of the source, and where it is known
to fail; and how long its training texts are."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

from modelzoo import baselines
from modelzoo.cards import Score
from modelzoo.data import nli, nli_tests
from modelzoo.data.folder import Splits, data_folder
from modelzoo.data.joined import length_buckets
from modelzoo.evaluation import answered, evaluate, intervals
from modelzoo.intervals import label_intervals
from modelzoo.metrics import label_metrics
from modelzoo.models.base import AttentionModel, token_count
from modelzoo.recipes.base import Recipe
from modelzoo.tasks import Example

SPLITS = ("dev", "test", "lengths", "known-failures")
BUCKET_ROWS = 100
USUAL = 99
"""Percent of the training texts that are not longer than usual."""


def splits_of(recipe: Recipe, splits: Splits) -> tuple[str, ...]:
    """Those of SPLITS that a recipe has."""
    fits = {
        "lengths": recipe.train.metric == "bleu" and bool(splits.test),
        "known-failures": _says_what_follows(recipe) and not recipe.command,
    }
    return (*splits.held_out, *(name for name, has in fits.items() if has))


def scores(recipe: Recipe, splits: Splits, model: AttentionModel, split: str) -> list[Score]:
    """A model on one of SPLITS: one score, or one for each bucket of lengths or set of known failures.

    Raises ValueError for a split that the recipe does not have.
    """
    if split in splits.held_out:
        beside = _beside(recipe, splits, split)
        return [_score(recipe, model, split, splits.held_out[split], beside)]
    if split == "lengths":
        return _by_length(recipe, splits, model)
    if split == "known-failures":
        return _known_failures(recipe, model)
    raise ValueError(f"{recipe.slug} has no {split} rows; it has {', '.join(splits.held_out)}")


def usual_lengths(model: AttentionModel, examples: Sequence[Example]) -> dict[str, int]:
    """By side, the tokens that USUAL percent of the examples have at most; those over the limits are left
    out, as in training."""
    lengths: dict[str, list[int]] = {side: [] for side in model.task.sides}
    for example in examples:
        with contextlib.suppress(ValueError):
            tokens = model.encode(example.inputs).tokens
            for side, found in lengths.items():
                found.append(token_count(tokens[side]))
    return {
        side: int(np.percentile(found, USUAL, method="inverted_cdf"))
        for side, found in lengths.items()
        if found
    }


def _score(
    recipe: Recipe, model: AttentionModel, name: str, examples: Sequence[Example], beside: dict[str, float]
) -> Score:
    found = evaluate(model, examples, beam_size=recipe.beam_size)
    rows = len(examples) - len(found.unread)
    return Score(name, rows, found.metrics, intervals(model, found), beside)


def _beside(recipe: Recipe, splits: Splits, split: str) -> dict[str, float]:
    """The baselines of the recipe's metric."""
    examples = splits.held_out[split]
    if recipe.train.metric == "rouge1":
        return {f"first {baselines.LEAD_WORDS} words": baselines.lead(examples)}
    if recipe.train.metric != "accuracy":
        return {}
    reads = "naive Bayes" if recipe.model != "decomposable" else "naive Bayes of the hypothesis alone"
    return {
        "most frequent label": baselines.majority(splits.train, examples),
        reads: baselines.naive_bayes(splits.train, examples),
    }


def _by_length(recipe: Recipe, splits: Splits, model: AttentionModel) -> list[Score]:
    """dev and test sentences, joined until they are as long as each bucket asks."""
    if recipe.train.metric != "bleu":
        raise ValueError(f"lengths are for models that translate; {recipe.slug} does {model.task.name}")
    blank = "" if recipe.languages[-1] == "zh" else " "
    return [
        _score(recipe, model, f"{split}, {low} to {high} words", rows, {})
        for split, examples in splits.held_out.items()
        for (low, high), rows in length_buckets(examples, BUCKET_ROWS, seed=0, blank=blank).items()
    ]


def _says_what_follows(recipe: Recipe) -> bool:
    return set(getattr(recipe.config, "labels", ())) == set(nli.LABELS)


def _known_failures(recipe: Recipe, model: AttentionModel) -> list[Score]:
    if not _says_what_follows(recipe):
        raise ValueError(
            f"known failures are for models that say {', '.join(nli.LABELS)}; "
            f"{recipe.slug} does {model.task.name}"
        )
    return [_failures(model, name, rows) for name, rows in nli_tests.read(data_folder()).items()]


def _failures(model: AttentionModel, name: str, examples: Sequence[Example]) -> Score:
    """Accuracy on a set, beside always giving the set's most frequent label, and how often entailment is
    said and right."""
    found = evaluate(model, examples)
    gold, said = answered(found.examples, found.predictions)
    if name in nli_tests.TWO_CLASSES:
        said = [nli_tests.of_two(label) for label in said]
    shares = {
        "entailment_said": said.count(nli_tests.FOLLOWS) / len(said),
        "entailment_right": gold.count(nli_tests.FOLLOWS) / len(gold),
    }
    beside = {"most frequent label": baselines.majority(examples, examples)}
    return Score(name, len(gold), label_metrics(gold, said) | shares, label_intervals(gold, said), beside)
