"""Tatoeba: everyday sentences with translations (CC BY 2.0 FR, tatoeba.org and www.manythings.org/anki)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from modelzoo.data.folder import Splits, lines
from modelzoo.tasks import Example, SourceText
from modelzoo.text import normalise


def read(data: Path, source: str = "en", target: str = "fr", *, train_size: int | None = None) -> Splits:
    """train, dev and test with one target a source (the first); `train_size` keeps so many training
    pairs, chosen by a hash of the source. Training pairs whose source is held out are left out."""
    folder = data / "translation" / f"tatoeba-{source}-{target}"
    dev, test = _read(folder / "dev.tsv.gz"), _read(folder / "test.tsv.gz")
    train = {
        key: e for key, e in _read(folder / "train.tsv.gz").items() if key not in dev and key not in test
    }
    kept = sorted(train, key=lambda key: hashlib.sha1(key.encode()).digest())[:train_size]
    return Splits(tuple(train[key] for key in kept), tuple(dev.values()), tuple(test.values()))


def _read(path: Path) -> dict[str, Example]:
    examples: dict[str, Example] = {}
    for line in lines(path):
        source, target = (normalise(column) for column in line.split("\t")[:2])
        if source and target:
            examples.setdefault(source.lower(), Example(SourceText(source), target))
    return examples
