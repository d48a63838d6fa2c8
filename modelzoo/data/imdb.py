"""IMDB: whole movie reviews, negative or positive (Maas et al. 2011)."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, is_held_out, letters, table
from modelzoo.tasks import MAX_SENTENCE_TOKENS, Example, Sentence
from modelzoo.text import first_words

LABELS = ("negative", "positive")
DEV_PER_MILLE = 100
SHORT_CHARACTERS = 1_400
"""Every review of this set with more words than the limit has more characters than this."""


def read(data: Path) -> Splits:
    """The first 400 words of each review: train, a tenth of it as dev, and the whole test set.

    Training reviews that occur in test, and repeats, are left out.
    """
    folder = data / "sentiment" / "imdb"
    test = _read(folder / "imdb_test.tsv.gz")
    unique = {key: e for key, e in _read(folder / "imdb_train.tsv.gz").items() if key not in test}
    dev = {key: example for key, example in unique.items() if is_held_out(key, DEV_PER_MILLE)}
    train = (example for key, example in unique.items() if key not in dev)
    return Splits(tuple(train), tuple(dev.values()), tuple(test.values()))


def _read(path: Path) -> dict[str, Example]:
    """Examples by the letters of their whole review; of repeats the first."""
    examples: dict[str, Example] = {}
    for row in table(path):
        key, text = letters(row["text"]), row["text"]
        if key not in examples:
            text = text if len(text) <= SHORT_CHARACTERS else first_words(text, MAX_SENTENCE_TOKENS)
            examples[key] = Example(Sentence(text), LABELS[int(row["label"])])
    return examples
