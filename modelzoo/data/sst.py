"""SST-2: movie-review sentences and phrases, negative or positive (Socher et al. 2013)."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, table
from modelzoo.tasks import Example, Sentence

LABELS = ("negative", "positive")
NAMES = {"0": "negative", "1": "negative", "3": "positive", "4": "positive"}
"""Of the five degrees, neutral (2) is left out, as SST-2 does."""


def read(data: Path) -> Splits:
    """Training phrases (sentences among them), dev and test sentences; neutral ones and repeats of
    held-out sentences left out."""
    folder = data / "sentiment" / "sst"
    dev, test = _read(folder / "sst5_dev.tsv.gz"), _read(folder / "sst5_test.tsv.gz")
    held_out = {example.inputs.text.lower() for example in dev + test if isinstance(example.inputs, Sentence)}
    train = [
        example
        for example in _read(folder / "sst5_train_phrases.tsv.gz")
        if isinstance(example.inputs, Sentence) and example.inputs.text.lower() not in held_out
    ]
    return Splits(tuple(train), tuple(dev), tuple(test))


def _read(path: Path) -> list[Example]:
    return [
        Example(Sentence(row["text"]), NAMES[row["label"]]) for row in table(path) if row["label"] in NAMES
    ]
