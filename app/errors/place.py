"""Where on the page a person is: the run, the part, the filter, the order, the open row.

It is the question of the page: in the session, in its link and in a saved view alike. A callback moves by
`go`, and the widgets follow.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import links, state
from app.errors.chosen import Chosen
from app.message import notice, small

VIEW = "errors"
PARTS: Mapping[str, str] = {
    "data": "Data and runs",
    "overview": "Overview",
    "examples": "Examples",
    "attention": "Attention",
    "two": "Two runs",
    "away": "Take away",
}
"""By name in a link, what the parts of the page are called."""
NAMES = ("run", "part", "filter", "order", "row", "other")


def get(name: str) -> str:
    """What the place says by this name; empty at first."""
    return state.asked(VIEW).get(name, "")


def go(**changes: str) -> None:
    """Change the place; what becomes empty is left out. Of another run everything else starts anew."""
    here = state.asked(VIEW)
    if changes.get("run", here.get("run")) != here.get("run"):
        here = {"part": here.get("part", "")}
    st.session_state[f"{VIEW}_question"] = {name: value for name, value in (here | changes).items() if value}


def keep() -> None:
    """Put the place into the page's link."""
    if not state.keep(VIEW, state.asked(VIEW)):
        small(links.TOO_LONG)


def choose_part() -> str:
    """The part of the page that is shown."""
    key = f"{VIEW}_part"
    st.session_state[key] = get("part") if get("part") in PARTS else "data"
    st.segmented_control(
        "Part of the page",
        list(PARTS),
        format_func=PARTS.__getitem__,
        key=key,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: go(part=st.session_state[key]),
    )
    return str(st.session_state[key])


def chosen() -> Chosen:
    """The filter of the place; one that cannot be read is left out, and that is said."""
    try:
        return Chosen.from_json(get("filter"))
    except ValueError as error:
        notice(f"The filter of the link was left out: {error}.")
        go(filter="")
        return Chosen()


def turn() -> int:
    """A part of the keys of tables and charts in which one picks: with another, they start without a pick."""
    return int(st.session_state.get(f"{VIEW}_turn", 0))


def next_turn() -> None:
    """Let what was picked be forgotten."""
    st.session_state[f"{VIEW}_turn"] = turn() + 1


def choose(filter: Chosen, **changes: str) -> None:
    """Look at these rows."""
    go(filter=filter.to_json(), **changes)
