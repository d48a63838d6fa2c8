"""What both kinds of text share: the normalisation rule and the contract with a model."""

from __future__ import annotations

import json
import unicodedata
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import regex

from modelzoo.results import Token

JOINERS = "\u200c\u200d"


class Encoded(NamedTuple):
    """A text's tokens and their ids, of equal length."""

    tokens: tuple[Token, ...]
    ids: tuple[int, ...]


class Text(ABC):
    """A model's text side. It is never changed, so copies of a model share it."""

    kind: ClassVar[str]

    @abstractmethod
    def encode(self, text: str) -> Encoded:
        """The tokens of a text and their ids; none for a blank text."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write what `load_text` needs."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def normalise(text: str) -> str:
    """The text under the rule of modelzoo.text; a lone surrogate becomes U+FFFD."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = regex.sub(r"\s+", " ", text)
    text = "".join(c for c in text if c in JOINERS or unicodedata.category(c) not in ("Cc", "Cf"))
    text = regex.sub(rf"(?<![^\s])[{JOINERS}]+|[{JOINERS}]+(?![^\s])", "", text)
    return unicodedata.normalize("NFC", regex.sub(" +", " ", text).strip())


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, one item a line."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
