"""Files to run over: nasty texts of different lengths, labels, and rows that cannot be used."""

from __future__ import annotations

import csv
from pathlib import Path

from modelzoo.data.tables import Columns, find_layout
from modelzoo.runs import Request, Settings
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH, FRENCH, NASTY

LABELS = ("positive", "negative", "-", "", "odd")
LIN, PAIR, RNN = SLUGS["self-attentive"], SLUGS["decomposable"], SLUGS["rnn-search"]


def sentiment(path: Path, rows: int) -> Path:
    """A CSV in which every tenth text is empty and others have quotes, tabs, Chinese and line breaks."""
    texts = [*ENGLISH, *NASTY, 'a "b"\nc\td,\n今天', " ".join(ENGLISH[:6])]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "text", "label"))
        for i in range(rows):
            text = "" if i % 10 == 9 else f"{texts[i * 7 % len(texts)]} {i}"
            writer.writerow((i, text, LABELS[i % len(LABELS)]))
    return path


def request(folder: Path, rows: int = 60, part_rows: int = 20, **settings: int) -> Request:
    """A request of the tiny sentiment model."""
    layout = find_layout(sentiment(folder / f"rows-{rows}.csv", rows))
    return Request(LIN, layout, Columns("text", "label"), {}, Settings(**settings), "mine.csv", part_rows)


def translation(folder: Path) -> Request:
    """A request of a tiny translation model on two files."""
    files = []
    for name, lines in (("a.en", ENGLISH), ("a.fr", FRENCH)):
        (folder / name).write_text("\n".join((*lines[:6], "")) + "\n", encoding="utf-8")
        files.append(folder / name)
    return Request(RNN, find_layout(*files), Columns("source", "target"), part_rows=4)
