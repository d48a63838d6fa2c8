"""What a page shows as a link, or as a file where a link would be too long; both are read with care.

Names are looked up and texts measured: nothing in them is a path, a program or markup. What is not
known or not accepted is left out, and said; the rest is opened. Pure: no widget, no session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from modelzoo.tasks import HALF_CHARACTER, MAX_CHARACTERS, MAX_FILE_BYTES
from modelzoo.transform import READING_NAMES

LIMIT = 8000
"""Bytes that a link's query may have."""
TOO_LONG = "This view is too long for a link. Share, at the top, saves it as a file that opens here again."
FORMAT = "attention-atlas-view-1"
"""What a state file says it is; the number is its version."""
FILE_LIMIT = MAX_FILE_BYTES
"""Bytes that a state file may have."""
PINS = "pins"
"""The name that pinned rows have in a link: `hops:0,3;overall:0`."""
ASKED = ("model", "text", "text-pair", "target", "beam", "output")
"""The names of what a page, or one of its sides, is asked."""
CHOSEN = ("map", "pair", "matrix", "hypothesis", "overview", "sort")
"""The names of what else is chosen on a page."""
READ = (*READING_NAMES, PINS, *CHOSEN)
"""The names of how a page shows its answer."""
OF_ONE_QUESTION = (PINS, "hypothesis")
"""Names that make no sense once the page is asked something else."""
SIDES = {"compare": ("a", "b")}
"""Pages that ask several questions: the names of one start with its side, as `a.text`."""
_SIDE = ("model", "text", "text-pair", "beam", PINS)
_TRANSLATION = ("model", "text", "target", "beam")
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "home": (),
    "self_attentive": ("model", "text"),
    "decomposable": ("model", "text", "text-pair"),
    "rnn_search": _TRANSLATION,
    "conv_s2s": _TRANSLATION,
    "compare": ("target", "output", *(f"{side}.{name}" for side in SIDES["compare"] for name in _SIDE)),
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
ROW_DIGITS = 6
"""Digits that the number of a pinned row may have."""


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
        raise ValueError("the file is no JSON; accepted is a file that `Save view` wrote") from error
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


def row_number(text: str) -> int | None:
    """The row that a link's pin names, from 0; None for what is no number of a row."""
    return int(text) if len(text) <= ROW_DIGITS and text.isascii() and text.isdigit() else None


def lost_pins(pins: str, rows: Mapping[str, int]) -> tuple[str, ...]:
    """A sentence for each pinned row of a link that is not there; `rows` counts those of each map shown."""
    notes = []
    for name, _, numbers in (one.rpartition(":") for one in pins.split(";") if one):
        if name not in rows:
            notes.append(f"the link pins rows of {told(name)}, which is not shown")
            continue
        lost = [k for k in numbers.split(",") if (row_number(k) is None or int(k) >= rows[name])]
        if lost:
            numbered = ", ".join(repr(k) if row_number(k) is None else str(int(k) + 1) for k in lost[:5])
            notes.append(f"the link pins row {numbered[:_TOLD]} of {rows[name]} of {name}; it was left out")
    return tuple(notes)


def told(value: object) -> str:
    """A value of a link or a file as a sentence may name it: in quotes, and not at any length."""
    shown = repr(value)
    return shown if len(shown) <= _TOLD else f"{shown[:_TOLD]}…"
