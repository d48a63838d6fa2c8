"""What a page shows as a link, or as a file where a link would be too long; both are read with care.

Names are looked up and texts measured: nothing in them is a path, a program or markup. What is not
known or not accepted is left out, and said; the rest is opened. Pure: no widget, no session.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from modelzoo.tasks import MAX_CHARACTERS

LIMIT = 8000
"""Bytes that a link's query may have."""
FORMAT = "attention-atlas-view-1"
"""What a state file says it is."""
FILE_LIMIT = 8 * MAX_CHARACTERS
"""Characters that a state file may have."""
_TOLD = 60


class Opened(NamedTuple):
    """The page, what it shows by the names of its link, and a sentence for each thing that was left out."""

    page: str
    state: dict[str, str]
    notes: tuple[str, ...]


def query(state: Mapping[str, str]) -> str | None:
    """The state as a link's query; None where it is too long, and a file has to do."""
    made = urlencode(state)
    return made if len(made) <= LIMIT else None


def to_file(page: str, state: Mapping[str, str]) -> str:
    """The state as a file."""
    return json.dumps({"format": FORMAT, "page": page, "state": dict(state)}, ensure_ascii=False, indent=1)


def from_file(text: str, pages: Mapping[str, Collection[str]]) -> Opened:
    """What a state file opens; `pages` gives the names that each page knows. ValueError for no such file."""
    if len(text) > FILE_LIMIT:
        raise ValueError(f"the file has {len(text):,} characters; accepted are at most {FILE_LIMIT:,}")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("the file is no JSON; accepted is a file that `Save view` wrote") from error
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError(f'the file is no saved view; accepted is JSON with "format": "{FORMAT}"')
    page, state = given.get("page"), given.get("state")
    if not isinstance(page, str) or page not in pages:
        raise ValueError(f"the file's page is {_told(page)}; accepted are {', '.join(pages)}")
    if not isinstance(state, dict):
        raise ValueError(f"the file's state is {_told(state)}; accepted is an object of texts")
    return checked(page, state, pages[page])


def checked(page: str, given: Mapping[str, object], names: Collection[str]) -> Opened:
    """What of a link or a file still applies; what does not is named."""
    state: dict[str, str] = {}
    notes = []
    for name, value in given.items():
        if name not in names:
            notes.append(f"this page knows no {_told(name)}; it was left out")
        elif not isinstance(value, str):
            notes.append(f"{name} is {_told(value)}; accepted is a text; it was left out")
        elif len(value) > MAX_CHARACTERS:
            notes.append(f"{name} has {len(value):,} characters of {MAX_CHARACTERS:,}; it was left out")
        else:
            state[name] = value
    return Opened(page, state, tuple(notes))


def _told(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _TOLD else f"{shown[:_TOLD]}…"
