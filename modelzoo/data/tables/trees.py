"""The labelled trees of the Stanford Sentiment Treebank: `(3 (2 A) (3 film))`, one sentence a line."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\((\d) |([^()\s]+)|\)")
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def read_tree(line: str) -> tuple[str, str] | None:
    """The label of the whole sentence and its words; None when the line is no such tree."""
    text = line.strip()
    if not re.match(r"\(\d ", text) or text.count("(") != text.count(")"):
        return None
    words = [found for _, found in TOKEN.findall(text) if found]
    return (text[1], " ".join(BRACKETS.get(word, word) for word in words)) if words else None
