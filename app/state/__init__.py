"""The only caches and session keys: models and results (`models`), and what each page was last asked.

What a page is asked, and how it is read, is kept in the form of its URL (`model`, `text`, `scale`, `pins`),
so that the address, the session, the fields and a saved view are copies of one thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app import links
from app.message import notice
from app.state.models import (
    OWN_PAGE,
    attend,
    checkpoints,
    device,
    keep_imports,
    load,
    moments,
    other_models,
    other_runs,
    problems,
    shared_vectors,
    vectors,
)
from modelzoo.results import Grid

__all__ = [
    "OWN_PAGE",
    "Question",
    "asked",
    "attend",
    "checkpoints",
    "choice",
    "device",
    "field",
    "fill",
    "forget",
    "just_opened",
    "keep",
    "keep_imports",
    "keep_picked",
    "keep_reading",
    "load",
    "moments",
    "open_page",
    "open_saved",
    "other_models",
    "other_runs",
    "problems",
    "reading",
    "shared_vectors",
    "shown",
    "side_link",
    "tell_lost_pins",
    "times_opened",
    "vectors",
]

Question = dict[str, str]
"""What a page is asked, by the names of its URL."""


class Choice(NamedTuple):
    """A choice on a page: its widget's key, what it is at first, and what it was when last drawn."""

    key: str
    first: Any
    last: Any


def open_page(view: str, sides: Sequence[str] = ()) -> None:
    """Note that this page is shown; take over what a link, a saved view or the browser's Back asks.

    The URL is read only then: during a visit it follows the fields, and a rerun may still carry an old one.
    A page that asks several questions has one per side, kept as `<view>_<side>`, in a link `<side>.text`.
    """
    is_new = st.session_state.get("page") != view
    opened: links.Opened | None = st.session_state.get("saved_view")
    if opened is None and (is_new or _is_back()):
        given = st.query_params.to_dict()
        long: dict[str, str] = st.session_state.get(f"{view}_long", {})
        is_long = given == links.short(long) and bool(given or _is_back())
        opened = links.checked(view, long if is_long else given)
        if _is_back():  # what a page does not know is of the one that was left, not asked of it
            opened = opened._replace(notes=())
    if opened is not None:
        _take_over(opened, sides)
    st.session_state["just_opened"] = opened is not None
    read = {name.rpartition(".")[2] for name in opened.state} if opened else set()
    st.session_state["link_waits"] = not read.isdisjoint(links.READ)
    st.session_state["page"] = view  # last, so that a run that is cut short before takes it over again
    st.session_state.pop("saved_view", None)
    _aside(view)


def _is_back() -> bool:
    """Whether this run answers the browser's Back or Forward."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _take_over(opened: links.Opened, sides: Sequence[str]) -> None:
    """Let a page show this; what it does not name is as at first. Without any name all stays as it is."""
    for note in opened.notes:
        notice(f"{note[:1].upper()}{note[1:]}.")
    if not opened.state:
        return
    is_asked = any(name.rpartition(".")[2] in links.ASKED for name in opened.state)
    for side in ("", *sides):
        view = f"{opened.page}_{side}" if side else opened.page
        if is_asked:
            forget(view)
            st.session_state[f"{view}_question"] = links.part(opened.state, links.ASKED, side)
        st.session_state[f"{view}_reading"] = links.part(opened.state, links.READ, side)
        for name in links.READ:
            st.session_state.pop(f"{view}_reading_{name}", None)
            st.session_state.pop(f"{view}_{name}", None)
    _choices(opened.page).clear()
    st.session_state[f"{opened.page}_opened"] = times_opened(opened.page) + 1
    _forget_pins(opened.page)


def _forget_pins(view: str) -> None:
    """Let every map of the page start with the pins and the window of its link, in a chart of its own."""
    for key in [key for key in st.session_state if isinstance(key, str) and key.startswith(f"{view}_")]:
        if key.endswith("_memory"):
            turn = st.session_state[key].get("turn", 0) + 1
            st.session_state[key] = {"turn": turn, "start": ()}
        elif key.endswith(("_window", "_numbers")):
            del st.session_state[key]


def just_opened() -> bool:
    """Whether this run shows what a link, a saved view or Back asked for."""
    return bool(st.session_state.get("just_opened"))


def open_saved(saved: links.Opened) -> None:
    """Let the page of a saved view show it when it is drawn next."""
    st.session_state["saved_view"] = saved


def tell_lost_pins(view: str, grids: Sequence[Grid], others: Sequence[str] = ()) -> None:
    """Say which rows and columns a link pins that these maps do not have; `others` are drawn elsewhere."""
    read = reading(view) if just_opened() else {}
    rows = {grid.name: len(grid.rows) for grid in grids}
    columns = {grid.name: len(grid.columns) for grid in grids}
    for name, what, sizes in ((links.PINS, "row", rows), (links.COLUMN_PINS, "column", columns)):
        for note in links.lost(read.get(name, ""), what, sizes, others):
            notice(f"{note[:1].upper()}{note[1:]}.")


def times_opened(view: str) -> int:
    """How often a link, a saved view or Back has changed the page in this session."""
    return int(st.session_state.get(f"{view}_opened", 0))


def asked(view: str) -> Question:
    """What the page was last asked, by a link or by its fields; empty at first."""
    return dict(st.session_state.get(f"{view}_question", {}))


def keep(view: str, question: Question, sides: Mapping[str, Question] | None = None) -> bool:
    """Remember what the page (and each side of it) is asked and put it into the URL; False when it is
    too long for a link."""
    own = {view: question, **{f"{view}_{side}": one for side, one in (sides or {}).items()}}
    changed = any(asked(name) != one for name, one in own.items())
    for name, one in own.items():
        st.session_state[f"{name}_question"] = one
    if changed:
        if not just_opened():
            for name in own:
                left = {
                    key: value for key, value in reading(name).items() if key not in links.OF_ONE_QUESTION
                }
                st.session_state[f"{name}_reading"] = left
        for made in filter(None, (_choices(view).pop(name, None) for name in links.OF_ONE_QUESTION)):
            st.session_state.pop(made.key, None)
    return _write(view)


def _write(view: str) -> bool:
    """Put what the page shows into the URL, and aside for a file; False when it is too long for a URL.

    Each other URL is a step of the browser's Back. So none is written in answer to Back itself, which would
    not get past it, nor while the page has not yet looked at how a link says its maps are read.
    """
    whole = _aside(view)
    fits = links.query(whole) is not None
    link = whole if fits else links.short(whole)
    if not fits:
        st.session_state[f"{view}_long"] = whole
    waits = _is_back() or st.session_state.get("link_waits")
    if st.query_params.to_dict() != link and not waits:
        st.query_params.from_dict(link)
    return fits


def _aside(view: str) -> dict[str, str]:
    """Keep what the page shows where a saved view takes it from, and give it."""
    whole = shown(view)
    st.session_state.setdefault("shown", {}).update(page=view, state=whole)
    return whole


def shown(view: str) -> dict[str, str]:
    """All that the page shows, by the names of its link."""
    whole = asked(view) | reading(view) | _chosen(view)
    for side in links.SIDES.get(view, ()):
        whole |= side_link(side, asked(f"{view}_{side}") | reading(f"{view}_{side}"))
    return whole


def side_link(side: str, question: Question) -> Question:
    """A question by the names that it has in the link of a page with sides."""
    return {f"{side}.{name}": value for name, value in question.items()}


def forget(view: str) -> None:
    """Empty a page's, or a side's, fields, so that it starts anew."""
    for name in ("question", "example", "answered", *links.ASKED):
        st.session_state.pop(f"{view}_{name}", None)


def reading(view: str) -> dict[str, str]:
    """How the page's maps are read, by the names of a link; what is not there is as it is by default."""
    return dict(st.session_state.get(f"{view}_reading", {}))


def keep_reading(view: str, read: dict[str, str], maps: Sequence[str]) -> None:
    """Remember how the page's, or a side's, maps are read and put it into the URL. What is picked stays on
    the maps of these names, and what a link chooses further down the page until it is asked for."""
    now = reading(view)
    waiting = {name: value for name, value in now.items() if name in links.CHOSEN}
    st.session_state[f"{view}_reading"] = waiting | read | links.picked_on(now, maps)
    page = st.session_state.get("page", view)
    if view == page:
        st.session_state["link_waits"] = False
    _write(page)


def keep_picked(view: str, of: str, places: Mapping[str, Sequence[int]]) -> None:
    """Remember these places, by the names of a link, as what is picked on the map of this name; put it into
    the URL."""
    st.session_state[f"{view}_reading"] = links.picked(reading(view), of, places)
    _write(st.session_state.get("page", view))


def choice(view: str, name: str, accepted: Sequence[Any], default: Any, key: str = "") -> str:
    """The key of a widget that chooses one of these: at first what the link says, which has it by `name`,
    then what was chosen with this widget when the page was last left."""
    key, before = key or f"{view}_{name}", _choices(view).get(name)
    wanted = reading(view).get(name)
    if key not in st.session_state:
        known = {str(one): one for one in accepted}
        if wanted is not None and wanted not in known:
            asks = f"The link's {name} is {links.told(wanted)}"
            notice(f"{asks}; accepted are {', '.join(known)}; {default} is shown.")
        left = before.last if before is not None and before.key == key else default
        st.session_state[key] = left if wanted is None else known.get(wanted, default)
    if st.session_state[key] not in accepted:
        st.session_state[key] = default
    _choices(view)[name] = Choice(key, default, st.session_state[key])
    st.session_state.get(f"{view}_reading", {}).pop(name, None)
    return key


def _choices(view: str) -> dict[str, Choice]:
    """By name, each choice on the page."""
    found: dict[str, Choice] = st.session_state.setdefault(f"{view}_choices", {})
    return found


def _chosen(view: str) -> dict[str, str]:
    """What is chosen on the page and not as at first, by the names of a link."""
    now = {name: (st.session_state.get(one.key), one.first) for name, one in _choices(view).items()}
    return {name: str(value) for name, (value, first) in now.items() if value not in (None, first)}


def field(view: str, name: str, value: object) -> str:
    """The key of a field, which holds `value` until the person changes it.

    The widget is to be made with `persist_state`: a run that another one cuts short may end before the
    browser has the field, and only then does the next run send what the field holds, not what it is empty.
    """
    key = f"{view}_{name}"
    st.session_state.setdefault(key, value)
    return key


def fill(view: str, question: Question) -> None:
    """Put other texts into the page's fields."""
    for name, value in question.items():
        st.session_state[f"{view}_{name}"] = value
