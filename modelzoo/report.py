"""The shipped checkpoints measured again: scores on their own dev and test sets, and the tables of them.

`python -m modelzoo evaluate SLUG --split test` prints one row, `evaluate --all` rewrites the tables of
README.md and docs/results.md, between their markers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from modelzoo import baselines
from modelzoo.cards import ROOT, checkpoint_folders, read_card
from modelzoo.data.folder import Splits, data_folder
from modelzoo.data.joined import length_buckets
from modelzoo.evaluation import evaluate, intervals
from modelzoo.intervals import Interval
from modelzoo.metrics import bleu_signature
from modelzoo.models.base import AttentionModel
from modelzoo.recipes import RECIPES, Recipe
from modelzoo.registry import load
from modelzoo.tasks import Example

SPLITS = ("dev", "test", "lengths")
BUCKET_ROWS = 100
TABLES = {"README.md": "results", "docs/results.md": "checkpoints"}
"""The files that `--all` rewrites, and the name of the markers between which it does."""


@dataclass(frozen=True)
class Score:
    """How well a checkpoint does on some rows; `beside` are baselines by name, on the same rows."""

    slug: str
    split: str
    rows: int
    metrics: dict[str, float]
    intervals: dict[str, Interval]
    beside: dict[str, float] = field(default_factory=dict)


def scores(slug: str, split: str, device: str = "auto") -> list[Score]:
    """A checkpoint on its recipe's dev or test, or by length of the source: one score a bucket.

    Raises ValueError when it has no recipe or data, or no such split.
    """
    if slug not in RECIPES:
        raise ValueError(f"{slug} has no recipe, so no data set of this project; name a file with --data")
    recipe, model = RECIPES[slug], load(slug, device)
    return _scores(recipe, recipe.read(data_folder()), model, split)


def _scores(recipe: Recipe, splits: Splits, model: AttentionModel, split: str) -> list[Score]:
    if split != "lengths":
        return [_score(recipe, model, split, getattr(splits, split), _beside(recipe, splits, split))]
    if recipe.train.metric != "bleu":
        raise ValueError(f"lengths are for models that translate; {recipe.slug} does {model.task.name}")
    blank = "" if recipe.languages[-1] == "zh" else " "
    buckets = length_buckets(splits.test, BUCKET_ROWS, seed=0, blank=blank)
    return [_score(recipe, model, f"{a} to {b} words", rows, {}) for (a, b), rows in buckets.items()]


def _score(
    recipe: Recipe, model: AttentionModel, split: str, examples: Sequence[Example], beside: dict[str, float]
) -> Score:
    found = evaluate(model, examples, beam_size=recipe.beam_size)
    rows = len(examples) - len(found.unread)
    return Score(recipe.slug, split, rows, found.metrics, intervals(model, found), beside)


def _beside(recipe: Recipe, splits: Splits, split: str) -> dict[str, float]:
    """The baselines of the recipe's metric."""
    examples = getattr(splits, split)
    if recipe.train.metric == "rouge1":
        return {f"first {baselines.LEAD_WORDS} words": baselines.lead(examples)}
    if recipe.train.metric != "accuracy":
        return {}
    reads = "naive Bayes" if recipe.model != "decomposable" else "naive Bayes of the hypothesis alone"
    return {
        "most frequent label": baselines.majority(splits.train, examples),
        reads: baselines.naive_bayes(splits.train, examples),
    }


def evaluate_all(device: str = "auto", root: Path = ROOT) -> None:
    """Measure every checkpoint that has a recipe, and rewrite the tables."""
    texts = {root / name: (root / name).read_text(encoding="utf-8") for name in TABLES}
    for path, marker in zip(texts, TABLES.values(), strict=True):
        between(texts[path], marker, "", path.name)  # before the long work: are the markers there?
    found: list[Score] = []
    for slug in checkpoint_folders():
        if slug not in RECIPES:
            sys.stderr.write(f"{slug} has no recipe and is left out\n")
            continue
        recipe, model = RECIPES[slug], load(slug, device)
        splits = recipe.read(data_folder())
        for split in SPLITS[: 3 if recipe.train.metric == "bleu" else 2]:
            sys.stderr.write(f"{slug}, {split}\n")
            found += _scores(recipe, splits, model, split)
    tables = (readme_table(found), results_tables(found))
    for (path, text), marker, table in zip(texts.items(), TABLES.values(), tables, strict=True):
        path.write_text(between(text, marker, table, path.name), encoding="utf-8")


def between(text: str, marker: str, table: str, name: str) -> str:
    """The text with the table between `<!-- marker -->` and `<!-- /marker -->`; ValueError without them."""
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{name} has no {start} … {end}, between which its table goes")
    return f"{before}{start}\n{table}{end}{after}"


def readme_table(found: Sequence[Score]) -> str:
    """One row a checkpoint: its test score and what stands beside it."""
    rows = [
        (
            f"`{s.slug}`",
            read_card(s.slug).data,
            main_number(s),
            _listed(s.beside, RECIPES[s.slug].train.metric),
        )
        for s in found
        if s.split == "test"
    ]
    table = _table(("checkpoint", "learned from", "test, 95 % interval", "beside it"), rows)
    return (
        f"{table}\n`python -m modelzoo evaluate --all` measures the shipped weights and writes this table.\n"
    )


def results_tables(found: Sequence[Score]) -> str:
    """Every score with the command that prints it, and translations by length."""
    header = ("checkpoint", "rows", "score, 95 % interval", "beside it", "printed by `python -m modelzoo`")
    splits = [s for s in found if s.split in SPLITS]
    rows = [
        (
            f"`{s.slug}`",
            f"{s.split}, {s.rows:,}",
            main_number(s),
            _listed(s.beside, RECIPES[s.slug].train.metric),
            f"`evaluate {s.slug} --split {s.split}`",
        )
        for s in splits
    ]
    text = _table(header, rows)
    longer = [s for s in found if s.split not in SPLITS]
    if longer:
        text += (
            f"\nBLEU by length of the source: test sentences, joined until they are as long, {BUCKET_ROWS} a "
            f"row (`evaluate SLUG --split lengths`). Signature: `{bleu_signature()}`.\n\n{_by_length(longer)}"
        )
    return text


def _by_length(found: Sequence[Score]) -> str:
    slugs = list(dict.fromkeys(s.slug for s in found))
    numbers = {(s.split, s.slug): main_number(s) for s in found}
    rows = [
        (bucket, *(numbers.get((bucket, slug), "") for slug in slugs))
        for bucket in dict.fromkeys(s.split for s in found)
    ]
    return _table(("source", *(f"`{slug}`" for slug in slugs)), rows)


def main_number(score: Score) -> str:
    """The recipe's metric with its interval, as `accuracy 0.863 (0.847 to 0.878)`."""
    metric = RECIPES[score.slug].train.metric
    low, high = (shown(end, metric) for end in score.intervals[metric])
    return f"{metric} {shown(score.metrics[metric], metric)} ({low} to {high})"


def shown(value: float, metric: str) -> str:
    """A number with the digits that its metric deserves."""
    return f"{value:.3f}" if metric == "accuracy" else f"{value:.1f}"


def _listed(beside: Mapping[str, float], metric: str) -> str:
    return ", ".join(f"{name} {shown(value, metric)}" for name, value in beside.items())


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)
