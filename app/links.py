"""What a page shows as a link, or as a file where a link would be too long; both are read with care.

Names are looked up and texts measured: nothing in them is a path, a program or markup. What is not
known or not accepted is left out, and said; the rest is opened. Pure: no widget, no session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote, urlencode

from modelzoo.tasks import HALF_CHARACTER, MAX_CHARACTERS, MAX_FILE_BYTES
from modelzoo.transform import READING_NAMES

LIMIT = 8000
"""Bytes that a link's query may have."""
TOO_LONG = "This view is too long for a link. Share, at the top, saves it as a file that opens here again."
FORMAT = "attention-atlas-view-1"
"""What a state file says it is; the number is its version."""
FILE_LIMIT = MAX_FILE_BYTES
"""Bytes that a state file may have."""
PINS, COLUMN_PINS, WINDOW, NUMBERS = "pins", "column-pins", "window", "numbers"
"""The names that what is picked on maps has in a link: pinned rows and columns, as `hops:0,3;overall:0`, the
part that is shown, by its first row and the row after its last, then its columns: `hops:0,9,20,60`, and
whether the table of the map's numbers is open, as `hops:1`."""
PICKED = (PINS, COLUMN_PINS, WINDOW, NUMBERS)
_RUN = ("run", "part", "filter", "order", "row", "other")
ASKED = ("model", "text", "text-pair", "target", "beam", "output", *_RUN)
"""The names of what a page, or one of its sides, is asked."""
CHOSEN = ("map", "pair", "matrix", "hypothesis", "edit", "overview", "sort")
"""The names of what else is chosen on a page."""
READ = (*READING_NAMES, *PICKED, *CHOSEN)
"""The names of how a page shows its answer."""
OF_ONE_QUESTION = (PINS, COLUMN_PINS, WINDOW, "hypothesis")
"""Names that make no sense once the page is asked something else."""
SIDES = {"compare": ("a", "b")}
"""Pages that ask several questions: the names of one start with its side, as `a.text`."""
_SIDE = ("model", "text", "text-pair", "beam", *PICKED)
_TRANSLATION = ("model", "text", "target", "beam")
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "home": (),
    "self_attentive": ("model", "text"),
    "decomposable": ("model", "text", "text-pair"),
    "rnn_search": _TRANSLATION,
    "conv_s2s": _TRANSLATION,
    "compare": ("target", "output", *(f"{side}.{name}" for side in SIDES["compare"] for name in _SIDE)),
    "errors": _RUN,
    "viewer": ("text",),
    "zoo": ("model",),
    "model": (*_TRANSLATION, "text-pair"),
}
_NOT_READ = ("home", "zoo")
"""Pages without a map."""
PAGES: dict[str, tuple[str, ...]] = {
    page: (*names, *(() if page in _NOT_READ else READ)) for page, names in _QUESTIONS.items()
}
"""By page, the names that its link may have."""
_VERSION = re.compile(r"attention-atlas-view-\d{1,9}")
_TOLD = 60
_DIGITS = 6
"""Digits that a place on a map has at most."""


class Picked(NamedTuple):
    """What is picked on a map: the rows and columns that are pinned, and the part that is shown."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    window: tuple[range, range] | None = None

    def places(self) -> dict[str, tuple[int, ...]]:
        """The numbers that a link has by each of its names."""
        ends = (
            ()
            if self.window is None
            else tuple(end for side in self.window for end in (side.start, side.stop))
        )
        return {PINS: self.rows, COLUMN_PINS: self.columns, WINDOW: ends}


class Opened(NamedTuple):
    """The page, what it shows by the names of its link, and a sentence for each thing that was left out."""

    page: str
    state: dict[str, str]
    notes: tuple[str, ...]


def query(state: Mapping[str, str]) -> str | None:
    """The state as a link's query; None where it is too long, and a file has to do."""
    made = urlencode(state)
    return made if len(made) <= LIMIT else None


def short(state: Mapping[str, str]) -> dict[str, str]:
    """What a link has of a state that is too long for it: the checkpoints."""
    return {name: value for name, value in state.items() if name.rpartition(".")[2] == "model"}


def to_file(page: str, state: Mapping[str, str]) -> str:
    """The state as a file."""
    return json.dumps({"format": FORMAT, "page": page, "state": dict(state)}, ensure_ascii=False, indent=1)


def from_file(raw: bytes, pages: Collection[str] = tuple(PAGES)) -> Opened:
    """What a state file opens on one of these pages. ValueError for no such file."""
    given = _document(raw)
    kind, page, state = (given.get(name) for name in ("format", "page", "state"))
    if not isinstance(kind, str) or not _VERSION.fullmatch(kind):
        raise ValueError(f'the file is no saved view; accepted is JSON with "format": "{FORMAT}"')
    if not isinstance(page, str) or page not in pages:
        raise ValueError(f"the file's page is {told(page)}; accepted are {', '.join(pages)}")
    if not isinstance(state, dict):
        raise ValueError(f"the file's state is {told(state)}; accepted is an object of texts")
    opened = checked(page, state)
    if kind == FORMAT:
        return opened
    other = f"the file is of another version ({kind}; this is {FORMAT}); what is known here was opened"
    return opened._replace(notes=(other, *opened.notes))


def _document(raw: bytes) -> dict[str, object]:
    if len(raw) > FILE_LIMIT:
        raise ValueError(f"the file has {len(raw):,} bytes; accepted are at most {FILE_LIMIT:,}")
    try:
        given = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError("the file is no JSON; accepted is a file that Save view wrote") from error
    return given if isinstance(given, dict) else {}


def checked(page: str, given: Mapping[str, object]) -> Opened:
    """What of a link or a file still applies; what does not is named."""
    names = PAGES.get(page, (*ASKED, *READ))
    limit = FILE_LIMIT if page == "viewer" else MAX_CHARACTERS
    state: dict[str, str] = {}
    notes = []
    for name, value in given.items():
        if name not in names:
            notes.append(f"this page knows no {told(name)}; it was left out")
        elif not isinstance(value, str):
            notes.append(f"{name} is {told(value)}; accepted is a text; it was left out")
        elif len(value) > limit:
            notes.append(f"{name} has {len(value):,} characters of {limit:,}; it was left out")
        elif HALF_CHARACTER.search(value):
            notes.append(f"{name} holds half a character; it was left out")
        else:
            state[name] = value
    return Opened(page, state, tuple(notes))


def part(state: Mapping[str, str], names: Collection[str], side: str = "") -> dict[str, str]:
    """What a state says by these names, of a page or of one of its sides."""
    prefix = f"{side}." if side else ""
    return {name: state[prefix + name] for name in names if prefix + name in state}


def picked(state: Mapping[str, str], of: str, places: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """A link's state with these places, by its names, as what is picked on the map of this name."""
    new = dict(state)
    for name, numbers in places.items():
        maps = _by_map(new.pop(name, ""))
        new |= _joined(name, {**maps, of: [str(number) for number in numbers]})
    return new


def picked_on(state: Mapping[str, str], maps: Collection[str]) -> dict[str, str]:
    """What a link's state picks on the maps of these names."""
    new: dict[str, str] = {}
    for name in PICKED:
        found = _by_map(state.get(name, ""))
        new |= _joined(name, {one: places for one, places in found.items() if one in maps})
    return new


def _joined(name: str, maps: Mapping[str, Sequence[str]]) -> dict[str, str]:
    told = ";".join(f"{quote(one, safe=' ')}:{','.join(places)}" for one, places in maps.items() if places)
    return {name: told} if told else {}


def places(value: str, of: str) -> tuple[int | None, ...]:
    """The numbers that a link has for the map of this name; None for what is no number."""
    return tuple(map(_place, _by_map(value).get(of, ())))


def _place(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def _by_map(value: str) -> dict[str, list[str]]:
    parts = (one.rpartition(":") for one in value.split(";") if one)
    return {unquote(name): numbers.split(",") for name, _, numbers in parts}


def lost(value: str, what: str, sizes: Mapping[str, int], others: Collection[str] = ()) -> tuple[str, ...]:
    """A sentence for each row (or column: `what`) that a link pins and that is not there.

    `sizes` counts those of each map that is shown; of the `others` nothing is said.
    """
    notes = []
    for name, numbers in _by_map(value).items():
        if name in others:
            continue
        if name not in sizes:
            notes.append(f"the link pins {what}s of {told(name)}, which is not shown")
            continue
        places = ((text, _place(text)) for text in numbers)
        gone = [(text, k) for text, k in places if k is None or k >= sizes[name]]
        if gone:
            which = ", ".join(repr(text) if k is None else str(k + 1) for text, k in gone[:5])
            of = f"{name}, which has {sizes[name]}"
            notes.append(f"the link pins {what} {which[:_TOLD]} of {of}; it was left out")
    return tuple(notes)


def told(value: object) -> str:
    """A value of a link or a file as a sentence may name it: in quotes, and not at any length."""
    shown = repr(value)
    return shown if len(shown) <= _TOLD else f"{shown[:_TOLD]}…"
