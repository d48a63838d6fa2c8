"""Reuters-21578: first sentences of newswire with their headlines, lower-cased (Lewis 1997)."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, letters, lines
from modelzoo.tasks import Example, SourceText


def read(data: Path) -> Splits:
    """train, dev and test by their sentence; training rows whose sentence is held out are left out."""
    folder = data / "summarization" / "reuters21578-headlines"
    dev, test = _read(folder / "dev.tsv.gz"), _read(folder / "test.tsv.gz")
    train = {k: e for k, e in _read(folder / "train.tsv.gz").items() if k not in dev and k not in test}
    return Splits(tuple(train.values()), tuple(dev.values()), tuple(test.values()))


def _read(path: Path) -> dict[str, Example]:
    rows = (line.split("\t") for line in lines(path))
    return {letters(row[1]): Example(SourceText(row[1]), row[2]) for row in rows}
