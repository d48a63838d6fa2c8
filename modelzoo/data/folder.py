"""The data folder and reading its compressed tables: tab-separated, no quoting."""

from __future__ import annotations

import gzip
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
        return {"train": len(self.train), "dev": len(self.dev), "test": len(self.test)}


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


def lines(path: Path) -> list[str]:
    """The lines of a compressed text file, without their ends (only a line feed ends a line)."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def table(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a compressed table with a header, by column name."""
    header, *rows = (line.split("\t") for line in lines(path))
    for row in rows:
        yield dict(zip(header, row, strict=True))
