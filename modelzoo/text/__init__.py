"""Text to tokens and back: one normalisation rule, words for English, subwords for translation.

The rule, the same for every model: Unicode NFC; control and invisible characters are dropped (a
zero-width joiner stays inside a word or emoji); every run of white space is one blank. A word model
reads the lower-case form with plain quotes, a subword model keeps case. The typed form is kept beside.
"""

from __future__ import annotations

import json
from pathlib import Path

from modelzoo.text.base import Encoded, Text, normalise
from modelzoo.text.subwords import BOS, EOS, PAD, SUBWORD_SPECIALS, UNK, WORD_START, SubwordText
from modelzoo.text.words import VECTORS_DIR, WordText, WordVectors, first_words, words

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "SUBWORD_SPECIALS",
    "UNK",
    "VECTORS_DIR",
    "WORD_START",
    "Encoded",
    "SubwordText",
    "Text",
    "WordText",
    "WordVectors",
    "first_words",
    "load_text",
    "normalise",
    "words",
]


def load_text(folder: Path) -> WordText | SubwordText:
    """The text side of a checkpoint folder; ValueError when text.json names an unknown kind."""
    about = json.loads((folder / "text.json").read_text(encoding="utf-8"))
    if about["kind"] == WordText.kind:
        return WordText.load(folder, about)
    if about["kind"] == SubwordText.kind:
        return SubwordText.load(folder, about)
    raise ValueError(f"{folder / 'text.json'} has the kind {about['kind']!r}; accepted: words, subwords")
