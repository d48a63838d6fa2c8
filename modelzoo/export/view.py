"""What is on the page, for a file: the grid as it is drawn, and what a reader of the file has to know."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from modelzoo.results import Grid

CAPTION_LINES = 8
"""Lines that one text takes in the caption of a picture; what is cut is counted."""
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no SVG may hold; a converter that meets one ends the whole process."""
_CONTROL_PICTURES = 0x2400


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
    """A view (of a grid alone the plain one) whose texts can all be drawn."""
    view = shown if isinstance(shown, View) else View(shown)
    grid = view.grid
    lists: dict[str, Any] = {
        name: tuple(map(legible, getattr(grid, name))) for name in ("rows", "columns", "notes")
    }
    named = {name: legible(getattr(grid, name)) for name in ("name", "title", "row_kind", "column_kind")}
    changed = {name: text for name, text in {**lists, **named}.items() if text != getattr(grid, name)}
    texts = {side: legible(text) for side, text in view.texts.items()}
    return replace(view, texts=texts, grid=replace(grid, **changed) if changed else grid)


def legible(text: str) -> str:
    """The text with a picture in place of each control character, such as ␀, and � for half a character."""
    return _NO_XML.sub(
        lambda found: chr(_CONTROL_PICTURES + ord(found[0])) if found[0] < " " else "\ufffd", text
    )


def _wrapped(text: str, characters: int) -> list[str]:
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text) / max(len(text), 1)
    lines = textwrap.wrap(text, max(20, int(characters / (1 + wide))), break_on_hyphens=False)
    cut = lines[CAPTION_LINES:]
    return [*lines[:CAPTION_LINES], *([f"… and {sum(map(len, cut)):,} characters more"] if cut else [])]
