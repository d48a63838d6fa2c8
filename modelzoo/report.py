"""The shipped checkpoints measured again: scores on their own dev and test sets, and the tables of them.

`python -m modelzoo evaluate SLUG --split test` prints one row, `evaluate --all` rewrites the cards and the
tables of README.md and docs/results.md, between their markers; `evaluate --tables` the tables alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from modelzoo.cards import ROOT, ModelCard, Score, checkpoint_folders, list_cards, named, read_card
from modelzoo.data.folder import data_folder
from modelzoo.metrics import bleu_signature
from modelzoo.recipes import RECIPES
from modelzoo.recipes.making import measured
from modelzoo.recipes.scores import BUCKET_ROWS, SPLITS, scores
from modelzoo.registry import load
from modelzoo.tasks import Example

TABLES = {"README.md": "results", "docs/results.md": "checkpoints"}
"""The files that `--all` rewrites, and the name of the markers between which it does."""


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


def dev_of(slug: str) -> tuple[Example, ...]:
    """The dev set of a checkpoint's recipe; nothing where it has none, or its data are not there."""
    try:
        return RECIPES[slug].read(data_folder()).dev if slug in RECIPES else ()
    except ValueError:
        return ()


def evaluate_all(device: str = "auto", root: Path = ROOT) -> None:
    """Measure every checkpoint that has a recipe, and rewrite its card and the tables."""
    rewrite_tables(root)  # before the long work: are the markers there?
    for slug, folder in checkpoint_folders().items():
        if slug not in RECIPES:
            sys.stderr.write(f"{slug} has no recipe and is left out\n")
            continue
        sys.stderr.write(f"{slug}\n")
        recipe = RECIPES[slug]
        measured(recipe, recipe.read(data_folder()), read_card(slug), folder, device)
    rewrite_tables(root)


def rewrite_tables(root: Path = ROOT) -> None:
    """Put what the cards of checkpoints with a recipe say between the markers. ValueError without markers."""
    cards = [card for card in list_cards() if card.slug in RECIPES]
    tables = (readme_table(cards), results_tables(cards))
    texts = {
        root / name: between((root / name).read_text(encoding="utf-8"), marker, table, name)
        for (name, marker), table in zip(TABLES.items(), tables, strict=True)
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def between(text: str, marker: str, table: str, name: str) -> str:
    """The text with the table between `<!-- marker -->` and `<!-- /marker -->`; ValueError without them."""
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{name} has no {start} … {end}, between which its table goes")
    return f"{before}{start}\n{table}{end}{after}"


def readme_table(cards: Sequence[ModelCard]) -> str:
    """One row a checkpoint: its test score and what stands beside it."""
    rows = [
        (f"`{card.slug}`", card.data, main_number(card, score), score.baselines(card.metric))
        for card in cards
        if (score := card.score("test"))
    ]
    table = _table(("checkpoint", "learned from", "test, 95 % interval", "beside it"), rows)
    return (
        f"{table}\n`python -m modelzoo evaluate --all` measures the shipped weights and writes this table.\n"
    )


def results_tables(cards: Sequence[ModelCard]) -> str:
    """Every score with the command that prints it, translations by length, known failures, attention."""
    header = ("checkpoint", "rows", "score, 95 % interval", "beside it", "printed by `python -m modelzoo`")
    rows = [
        (
            f"`{card.slug}`",
            f"{split}, {score.rows:,}",
            main_number(card, score),
            score.baselines(card.metric),
            f"`evaluate {card.slug} --split {split}`",
        )
        for card in cards
        for split in ("dev", "test")
        if (score := card.score(split))
    ]
    parts = (_table(header, rows), *_by_length(cards), *_known_failures(cards), *_attention(cards))
    return "\n".join(parts)


def _by_length(cards: Sequence[ModelCard]) -> list[str]:
    """A text and a table of the translations by length, a column for each checkpoint; nothing without any."""
    numbers = {(score.split, card.slug): main_number(card, score) for card in cards for score in card.lengths}
    if not numbers:
        return []
    buckets, slugs = (list(dict.fromkeys(names)) for names in zip(*numbers, strict=True))
    rows = [(bucket, *(numbers.get((bucket, slug), "") for slug in slugs)) for bucket in buckets]
    text = (
        f"BLEU by length of the source: sentences joined until they are as long, {BUCKET_ROWS} a "
        f"row (`evaluate SLUG --split lengths`). Signature: `{bleu_signature()}`.\n"
    )
    return [text, _table(("source", *(f"`{slug}`" for slug in slugs)), rows)]


def _known_failures(cards: Sequence[ModelCard]) -> list[str]:
    """A text and a table of the scores on sets that no checkpoint learned from; nothing without any."""
    rows = [
        (
            f"`{card.slug}`",
            f"{score.split}, {score.rows:,}",
            main_number(card, score),
            score.baselines(card.metric),
            " of ".join(f"{score.metrics[name]:.1%}" for name in ("entailment_said", "entailment_right")),
        )
        for card in cards
        for score in card.known_failures
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


def _attention(cards: Sequence[ModelCard]) -> list[str]:
    """A text and a table of how well each checkpoint attends; nothing without any."""
    rows = [
        (
            f"`{card.slug}`",
            one.data,
            one.method,
            ", ".join(f"{name} {value:.3f}" for name, value in one.values.items()),
        )
        for card in cards
        for one in card.attention
    ]
    if not rows:
        return []
    return [
        "How well they attend (`measure SLUG`), each map beside baselines on the same data.\n",
        _table(("checkpoint", "data", "map or baseline", "numbers"), rows),
    ]


def main_number(card: ModelCard, score: Score) -> str:
    """The card's metric with its interval, as `accuracy 0.863 (0.847 to 0.878)`."""
    return f"{named(card.metric)} {score.number(card.metric)}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)
