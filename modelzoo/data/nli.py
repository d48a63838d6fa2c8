"""Natural-language inference: parts of SNLI, its counterfactual revisions, MultiNLI and LingNLI for
training, SNLI's own dev and test."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, table
from modelzoo.tasks import Example, SentencePair

LABELS = ("entailment", "neutral", "contradiction")
SOURCES = {
    "snli": "snli/train_partial.tsv.gz",
    "cad": "cad_snli/train.tsv.gz",
    "mnli": "mnli/train_partial.tsv.gz",
    "lingnli": "lingnli/train.tsv.gz",
}


def read(data: Path, sources: tuple[str, ...] = tuple(SOURCES)) -> Splits:
    """The union of the training sources (repeats and held-out pairs left out), SNLI dev and test without
    the pairs that have no gold label."""
    folder = data / "nli"
    dev, test = _read(folder / "snli" / "dev.tsv.gz"), _read(folder / "snli" / "test.tsv.gz")
    seen = {_key(example) for example in dev + test}
    train = []
    for source in sources:
        for example in _read(folder / SOURCES[source]):
            if _key(example) not in seen:
                seen.add(_key(example))
                train.append(example)
    return Splits(tuple(train), tuple(dev), tuple(test))


def _read(path: Path) -> list[Example]:
    return [
        Example(SentencePair(row["premise"], row["hypothesis"]), row["label"])
        for row in table(path)
        if row["label"] in LABELS and row["premise"].strip() and row["hypothesis"].strip()
    ]


def _key(example: Example) -> tuple[str, str]:
    """A pair without case, blanks and marks, so that differently tokenised copies are the same."""
    inputs = example.inputs
    if not isinstance(inputs, SentencePair):
        raise TypeError("an NLI example holds a SentencePair")
    return _letters(inputs.premise), _letters(inputs.hypothesis)


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())
