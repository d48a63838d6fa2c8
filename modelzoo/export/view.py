"""What is on the page, for a file: the grid as it is drawn, and what a reader of the file has to know."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from modelzoo.results import Grid

CAPTION_LINES = 8
"""Lines that one text takes in the caption of a picture; what is cut is counted."""


@dataclass(frozen=True, eq=False)
class View:
    """A grid as it is drawn: as a matrix, as curves or as text, with pinned rows and columns, and whose.

    `model` names model and checkpoint, `texts` are the inputs by side. How the map was read stands in
    the grid's own notes.
    """

    grid: Grid
    kind: Literal["matrix", "curves", "text"] = "matrix"
    pinned: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    model: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Name and text of everything there is to say, in order."""
        if self.model:
            yield "model", self.model
        yield from self.texts.items()
        if self.grid.notes:
            yield "read", "; ".join(self.grid.notes)
        for name, places, labels in (
            ("pinned", self.pinned, self.grid.rows),
            ("pinned columns", self.columns, self.grid.columns),
        ):
            if places:
                yield name, ", ".join(labels[k] for k in places if 0 <= k < len(labels))

    def caption(self, characters: int) -> tuple[str, ...]:
        """The facts as lines of at most so many characters (one that is wide counts twice)."""
        return tuple(
            line
            for name, text in self.facts()
            for line in _wrapped(f"{name}: {' '.join(text.split())}", characters)
        )


def view_of(shown: View | Grid) -> View:
    """A grid alone as the plain view of it."""
    return shown if isinstance(shown, View) else View(shown)


def _wrapped(text: str, characters: int) -> list[str]:
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text) / max(len(text), 1)
    lines = textwrap.wrap(text, max(20, int(characters / (1 + wide))), break_on_hyphens=False)
    cut = lines[CAPTION_LINES:]
    return [*lines[:CAPTION_LINES], *([f"… and {sum(map(len, cut)):,} characters more"] if cut else [])]
