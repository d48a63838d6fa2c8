"""The shipped checkpoints measured again: scores on their own dev and test sets, and the tables of them.

`python -m modelzoo evaluate SLUG --split test` prints one row, `evaluate --all` rewrites the tables of
README.md and docs/results.md, between their markers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from modelzoo.cards import ROOT, Score, checkpoint_folders, read_card, shown
from modelzoo.data.folder import data_folder
from modelzoo.metrics import bleu_signature
from modelzoo.recipes import RECIPES
from modelzoo.recipes.scores import BUCKET_ROWS, SPLITS, scores, splits_of
from modelzoo.registry import load

TABLES = {"README.md": "results", "docs/results.md": "checkpoints"}
"""The files that `--all` rewrites, and the name of the markers between which it does."""
Found = Mapping[str, Mapping[str, Sequence[Score]]]
"""What was measured, by slug and split."""


def measure(slug: str, split: str, device: str = "auto") -> list[Score]:
    """A checkpoint on a split of its recipe's data.

    Raises ValueError when it has no recipe or data, or no such split.
    """
    if split not in SPLITS:
        raise ValueError(f"the split is {split!r}; accepted are {', '.join(SPLITS)}")
    if slug not in RECIPES:
        raise ValueError(f"{slug} has no recipe, so no data set of this project; name a file with --data")
    recipe, model = RECIPES[slug], load(slug, device)
    return scores(recipe, recipe.read(data_folder()), model, split)


def evaluate_all(device: str = "auto", root: Path = ROOT) -> None:
    """Measure every checkpoint that has a recipe, and rewrite the tables."""
    texts = {root / name: (root / name).read_text(encoding="utf-8") for name in TABLES}
    for path, marker in zip(texts, TABLES.values(), strict=True):
        between(texts[path], marker, "", path.name)  # before the long work: are the markers there?
    found: dict[str, dict[str, list[Score]]] = {}
    for slug in checkpoint_folders():
        if slug not in RECIPES:
            sys.stderr.write(f"{slug} has no recipe and is left out\n")
            continue
        recipe, model = RECIPES[slug], load(slug, device)
        splits, found[slug] = recipe.read(data_folder()), {}
        for split in splits_of(recipe, splits):
            sys.stderr.write(f"{slug}, {split}\n")
            found[slug][split] = scores(recipe, splits, model, split)
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


def readme_table(found: Found) -> str:
    """One row a checkpoint: its test score and what stands beside it."""
    rows = [
        (f"`{slug}`", read_card(slug).data, main_number(slug, score), _beside(slug, score))
        for slug, splits in found.items()
        for score in splits.get("test", ())
    ]
    table = _table(("checkpoint", "learned from", "test, 95 % interval", "beside it"), rows)
    return (
        f"{table}\n`python -m modelzoo evaluate --all` measures the shipped weights and writes this table.\n"
    )


def results_tables(found: Found) -> str:
    """Every score with the command that prints it, translations by length, and known failures."""
    header = ("checkpoint", "rows", "score, 95 % interval", "beside it", "printed by `python -m modelzoo`")
    rows = [
        (
            f"`{slug}`",
            f"{score.split}, {score.rows:,}",
            main_number(slug, score),
            _beside(slug, score),
            f"`evaluate {slug} --split {score.split}`",
        )
        for slug, splits in found.items()
        for split in ("dev", "test")
        for score in splits.get(split, ())
    ]
    return "\n".join((_table(header, rows), *_by_length(found), *_known_failures(found)))


def _by_length(found: Found) -> list[str]:
    """A text and a table of the translations by length, a column for each checkpoint; nothing without any."""
    numbers = {
        (score.split, slug): main_number(slug, score)
        for slug, splits in found.items()
        for score in splits.get("lengths", ())
    }
    if not numbers:
        return []
    buckets, slugs = (list(dict.fromkeys(names)) for names in zip(*numbers, strict=True))
    rows = [(bucket, *(numbers.get((bucket, slug), "") for slug in slugs)) for bucket in buckets]
    text = (
        f"BLEU by length of the source: sentences joined until they are as long, {BUCKET_ROWS} a "
        f"row (`evaluate SLUG --split lengths`). Signature: `{bleu_signature()}`.\n"
    )
    return [text, _table(("source", *(f"`{slug}`" for slug in slugs)), rows)]


def _known_failures(found: Found) -> list[str]:
    """A text and a table of the scores on sets that no checkpoint learned from; nothing without any."""
    rows = [
        (
            f"`{slug}`",
            f"{score.split}, {score.rows:,}",
            main_number(slug, score),
            _beside(slug, score),
            " of ".join(f"{score.metrics[name]:.1%}" for name in ("entailment_said", "entailment_right")),
        )
        for slug, splits in found.items()
        for score in splits.get("known-failures", ())
    ]
    if not rows:
        return []
    text = (
        "Known failures of the inference models, on sets that none learned from (`evaluate SLUG --split "
        "known-failures`). HANS and MED only ask whether the hypothesis follows: there neutral and "
        "contradiction are one answer.\n"
    )
    header = ("checkpoint", "rows", "score, 95 % interval", "beside it", "says entailment, of so many right")
    return [text, _table(header, rows)]


def main_number(slug: str, score: Score) -> str:
    """The recipe's metric with its interval, as `accuracy 0.863 (0.847 to 0.878)`."""
    metric = RECIPES[slug].train.metric
    return f"{metric} {score.number(metric)}"


def _beside(slug: str, score: Score) -> str:
    metric = RECIPES[slug].train.metric
    return ", ".join(f"{name} {shown(value, metric)}" for name, value in score.beside.items())


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)
