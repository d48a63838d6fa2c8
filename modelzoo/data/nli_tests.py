"""Sentence pairs on which inference models are known to fail; read to measure, never to train.

HANS (McCoy et al. 2019) pairs share their words and may still not follow; MED (Yanaka et al. 2019) turns on
what a quantifier or negation lets follow; SICK (Marelli et al. 2014, its first labels) and MultiNLI
(Williams et al. 2018, matched dev) are other kinds of text. Two of them know only whether it follows.
"""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import table
from modelzoo.data.nli import LABELS
from modelzoo.tasks import Example, SentencePair

FILES = {
    "HANS": "hans/eval.tsv.gz",
    "MED": "monotonicity/med.tsv.gz",
    "SICK test": "sick/test.tsv.gz",
    "MultiNLI dev": "mnli/dev_matched.tsv.gz",
}
TWO_CLASSES = ("HANS", "MED")
FOLLOWS, FOLLOWS_NOT = LABELS[0], "not_entailment"


def read(data: Path) -> dict[str, tuple[Example, ...]]:
    """The pairs of each set that have a label, by the set's name; of two classes where it has two."""
    return {name: tuple(_read(data / "nli" / path, name in TWO_CLASSES)) for name, path in FILES.items()}


def of_two(label: str) -> str:
    """A label of three classes as one of two: what is neutral or a contradiction does not follow."""
    return FOLLOWS if label == FOLLOWS else FOLLOWS_NOT


def _read(path: Path, two: bool) -> list[Example]:
    accepted = (*LABELS, FOLLOWS_NOT) if two else LABELS
    return [
        Example(SentencePair(row["premise"], row["hypothesis"]), of_two(label) if two else label)
        for row in table(path)
        if (label := row["label"]) in accepted and row["premise"].strip() and row["hypothesis"].strip()
    ]
