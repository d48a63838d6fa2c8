"""A model of your own: trained on a labelled table or on parallel text of anybody's."""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modelzoo.cards import ModelCard, checkpoint_folders, read_card
from modelzoo.data.files import Labelled, labels_of, read_labelled, read_parallel, read_written
from modelzoo.data.folder import Splits, letters
from modelzoo.data.tables import Columns
from modelzoo.models.conv_s2s import ConvS2SConfig
from modelzoo.models.decomposable import DecomposableConfig
from modelzoo.models.rnn_search import RNNSearchConfig
from modelzoo.models.self_attentive import SelfAttentiveConfig
from modelzoo.recipes import RECIPES
from modelzoo.recipes.base import GLOVE, Recipe, joint_pieces, make, texts, word_text
from modelzoo.registry import MODELS
from modelzoo.tasks import Example, Inputs, SourceText, Task
from modelzoo.training import TrainConfig

FEWEST_ROWS, MOST_LABELS = 20, 100
FEW_ROWS = 1_000
"""Files of fewer rows are trained in small batches."""
DEV_SHARE = 0.1
PIECES = 4_000
PROBES, PROBE_CHARACTERS = 3, 100
"""So many dev rows, each side of at most so many characters, are asked while the model trains."""


@dataclass(frozen=True)
class OwnFile:
    """What a person wants to learn from.

    `files` are one table (then `columns` say what to read; of text to write, `label` is the column) or
    a source and a target file; `dev` the like, or nothing: then a tenth is held out. `languages` are those
    of source and target. `command` is what the person typed.
    """

    slug: str
    model: str
    files: tuple[Path, ...]
    columns: Columns | None = None
    dev: tuple[Path, ...] = ()
    epochs: int = 10
    languages: tuple[str, ...] = ()
    command: str = ""


def train(own: OwnFile, *, folder: Path, device: str = "auto", minutes: float = math.inf) -> ModelCard:
    """Train a small model on the file and make it a checkpoint under `folder`.

    Raises ValueError that says what is wrong with the request or with the file.
    """
    _check(own)
    task = MODELS[own.model].task
    labels = _labels(own) if task.output == "label" else ()
    splits = _splits(own, task, labels)
    return make(_recipe(own, labels, splits), splits, folder, device=device, minutes=minutes)


def _check(own: OwnFile) -> None:
    if own.model not in MODELS:
        raise ValueError(f"there is no model {own.model!r}; there are: {', '.join(MODELS)}")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", own.slug):
        raise ValueError(
            f"the slug is {own.slug!r}; accepted are lower-case letters, digits and single hyphens"
        )
    found = checkpoint_folders()
    if own.slug in RECIPES or (own.slug in found and not read_card(own.slug, found[own.slug]).made_by):
        raise ValueError(f"the slug {own.slug!r} is a checkpoint of this project; choose another")
    if own.epochs < 1:
        raise ValueError(f"the number of epochs is {own.epochs}; accepted is a whole number from 1")
    if own.dev and len(own.dev) != len(own.files):
        raise ValueError("--dev names one file, or for parallel text two: of the source and of the target")


def _labels(own: OwnFile) -> tuple[str, ...]:
    """The labels found in the table, sorted."""
    if own.columns is None:
        raise ValueError(
            f"{own.model} chooses labels; name a table with --data, --text-column, --label-column"
        )
    labels = tuple(sorted(labels_of(own.files[0], own.columns, MODELS[own.model].task)))
    if not 2 <= len(labels) <= MOST_LABELS:
        shown = ", ".join(label[:20] for label in labels[:5]) + (", …" if len(labels) > 5 else "")
        raise ValueError(
            f"the column {own.columns.label!r} of {own.files[0]} has {len(labels)} different labels "
            f"({shown}); accepted are 2 to {MOST_LABELS}"
        )
    return labels


def _splits(own: OwnFile, task: Task, labels: Sequence[str]) -> Splits:
    """Rows to learn from and rows to choose the best weights by; no text stands in both."""
    given = _read(own, own.files, task, labels)
    if len(given) < FEWEST_ROWS:
        raise ValueError(f"{own.files[0]} has {len(given)} usable rows; at least {FEWEST_ROWS} are needed")
    if own.dev:
        dev = _read(own, own.dev, task, labels)
        held_out = set(map(_key, dev))
    else:
        keys = sorted(
            {_key(example) for example in given}, key=lambda key: hashlib.sha1(key.encode()).digest()
        )
        held_out = set(keys[: max(1, round(len(keys) * DEV_SHARE))])
        dev = [example for example in given if _key(example) in held_out]
    train = [example for example in given if _key(example) not in held_out]
    if not train or not dev:
        raise ValueError("no rows are left to train on, or none to evaluate on; their texts must differ")
    return Splits(tuple(train), tuple(dev), ())


def _read(own: OwnFile, files: tuple[Path, ...], task: Task, labels: Sequence[str]) -> list[Example]:
    """The usable rows; how many are not goes to stderr."""
    found = _labelled(own, files, task, labels)
    usable = [example for example in found.examples if all(text.strip() for text in texts(example))]
    left_out = found.skipped + len(found.examples) - len(usable)
    if left_out:
        sys.stderr.write(f"{files[0]}: {left_out} rows without a text or a known label are left out\n")
    return usable


def _labelled(own: OwnFile, files: tuple[Path, ...], task: Task, labels: Sequence[str]) -> Labelled:
    if own.columns is None:
        return read_parallel(*files)
    if task.output == "text":
        return read_written(files[0], own.columns)
    return read_labelled(files[0], own.columns, task, labels, {})


def _key(example: Example) -> str:
    return " ".join(map(letters, texts(example)))


def _recipe(own: OwnFile, labels: tuple[str, ...], splits: Splits) -> Recipe:
    """Small sizes, so that a file of some thousand rows is learned in minutes."""
    writes = MODELS[own.model].task.output == "text"
    source, target = (*own.languages, "und", "und")[:2]
    names = " and ".join(file.name for file in own.files)
    rows = len(splits.train)
    return Recipe(
        slug=own.slug,
        title=f"Your own: {own.slug}",
        model=own.model,
        config=_config(own.model, labels),
        train=TrainConfig(
            epochs=own.epochs,
            batch_size=8 if rows < FEW_ROWS else 32,
            learning_rate=1e-3,
            schedule="cosine",
            metric="bleu" if writes else "accuracy",
        ),
        read=lambda data: splits,
        text=joint_pieces(source, target, PIECES) if writes else word_text,
        data=names,
        sources=(f"{names}: a file of somebody's own, whose terms this project does not know",)
        + (() if writes else (GLOVE,)),
        limits=(
            f"Knows what {rows:,} rows of {names} taught it" + ("." if writes else ", in English words."),
        ),
        beam_size=5 if writes else 1,
        languages=(source, target) if writes else ("en",),
        probes=_probes(splits.dev),
        command=own.command,
    )


def _config(model: str, labels: tuple[str, ...]) -> Any:
    configs = {
        "self-attentive": SelfAttentiveConfig(labels, u=64, d_a=64, r=5, b=64, dropout=0.3, penalty=0.03),
        "decomposable": DecomposableConfig(labels, projection=100, hidden=100, init="glorot"),
        "rnn-search": RNNSearchConfig(
            m=128,
            n=128,
            n_align=128,
            l=128,
            dropout=0.2,
            label_smoothing=0.1,
            init="default",
            tie_embeddings=True,
        ),
        "conv-s2s": ConvS2SConfig(
            f=128,
            encoder=((128, 3),) * 3,
            decoder=((128, 3),) * 3,
            f_out=128,
            dropout=0.2,
            label_smoothing=0.1,
            tie_embeddings=True,
        ),
    }
    if model not in configs:
        raise ValueError(f"{model} has no sizes for a file of your own; accepted are {', '.join(configs)}")
    return configs[model]


def _probes(dev: Sequence[Example]) -> tuple[Inputs, ...]:
    """A few short dev rows; a translation's map is that of its target."""
    short = [e for e in dev if all(len(text) <= PROBE_CHARACTERS for text in (*texts(e), e.gold))]
    return tuple(
        replace(e.inputs, forced=e.gold) if isinstance(e.inputs, SourceText) else e.inputs
        for e in short[:PROBES]
    )
