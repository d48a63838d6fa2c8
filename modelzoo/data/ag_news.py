"""AG News: title and beginning of news items in four topics (Zhang, Zhao, LeCun 2015)."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, is_held_out, table
from modelzoo.tasks import Example, Sentence

LABELS = ("world", "sports", "business", "sci/tech")
DEV_PER_MILLE = 80


def read(data: Path) -> Splits:
    """The part of train that there is, of which some is dev, and the whole test set."""
    folder = data / "sentiment" / "ag_news"
    given, test = _read(folder / "ag_train.tsv.gz"), _read(folder / "ag_test.tsv.gz")
    held_out = {_text(example) for example in test}
    given = [example for example in given if _text(example) not in held_out]
    dev = [example for example in given if is_held_out(_text(example), DEV_PER_MILLE)]
    train = [example for example in given if not is_held_out(_text(example), DEV_PER_MILLE)]
    return Splits(tuple(train), tuple(dev), tuple(test))


def _read(path: Path) -> list[Example]:
    return [
        Example(Sentence(f"{row['title']} {row['text']}".strip()), row["label"].lower())
        for row in table(path)
    ]


def _text(example: Example) -> str:
    inputs = example.inputs
    if not isinstance(inputs, Sentence):
        raise TypeError("a news example holds a Sentence")
    return inputs.text
