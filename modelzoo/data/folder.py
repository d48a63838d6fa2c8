"""The data folder and reading its compressed tables: tab-separated, no quoting."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modelzoo.tasks import Example


@dataclass(frozen=True)
class Splits:
    """A data set's examples; dev and test never occur in train."""

    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    test: tuple[Example, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """The number of examples by the name of their split."""
        return {"train": len(self.train), "dev": len(self.dev), "test": len(self.test)}

    @property
    def held_out(self) -> dict[str, tuple[Example, ...]]:
        """dev and test, as far as there are any."""
        return {name: examples for name in ("dev", "test") if (examples := getattr(self, name))}


def data_folder() -> Path:
    """The folder that ATLAS_DATA names; ValueError when it names none."""
    named = os.environ.get("ATLAS_DATA")
    if not named:
        raise ValueError(
            "the environment variable ATLAS_DATA is not set; it names the folder of the data sets"
        )
    if not Path(named).is_dir():
        raise ValueError(f"ATLAS_DATA is {named!r}, which is not a folder")
    return Path(named)


def is_held_out(text: str, per_mille: int) -> bool:
    """Whether a hash of the text's letters and digits puts it among so many of a thousand.

    Copies that differ in case, blanks or marks fall on the same side.
    """
    return int.from_bytes(hashlib.sha1(letters(text).encode()).digest()[:8]) % 1000 < per_mille


def letters(text: str) -> str:
    """A text without case, blanks and marks: what two copies of it have in common."""
    return "".join(c for c in text.lower() if c.isalnum()) or text


def lines(path: Path) -> list[str]:
    """The lines of a compressed text file, without their ends (only a line feed ends a line)."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def table(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a compressed table with a header, by column name."""
    header, *rows = (line.split("\t") for line in lines(path))
    for row in rows:
        yield dict(zip(header, row, strict=True))
