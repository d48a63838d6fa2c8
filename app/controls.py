"""How maps are read: one row of controls a page, and what is picked on each map.

Every control is an option of `Reading`; it is drawn by what it accepts, so a new option needs nothing
here. No control runs a model: they change the sheet that is drawn, never the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from app import state
from app.message import notice
from modelzoo.transform import Option, Reading, Sheet, options
from modelzoo.transform.reading import Choice, Flag, Number, Search


def reading(view: str, sheets: Sequence[Sheet]) -> Reading:
    """The page's controls, and how they say its maps are read. Those that fit no map are left out."""
    now, notes = Reading.from_link(state.reading(view))
    for note in notes:
        notice(f"{note[:1].upper()}{note[1:]}.")
    switch, *others = options()
    chosen: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="center", key=f"{view}_controls"):
        chosen[switch.name] = _switch(_key(view, switch, now), switch)
        with st.popover("Reading", icon=":material/tune:", key=f"{view}_popover"):
            for option in others:
                key = _key(view, option, now)
                fits = any(option.applies(sheet) for sheet in sheets)
                chosen[option.name] = DRAW[type(option.accepts)](key, option) if fits else option.default
            st.button("As it is", key=f"{view}_reset", on_click=reset, args=(view,), icon=":material/undo:")
    return Reading(**chosen)


def reset(view: str) -> None:
    """Every control of the page back to what it is at first."""
    for option in options():
        st.session_state[f"{view}_reading_{option.link}"] = option.default


def keep(view: str, read: Reading, maps: Sequence[str]) -> None:
    """Remember how the page is read, and what is picked on the maps of these names; put it into the URL.

    What edits the text is drawn above the maps and read in the same way, so it is then drawn anew.
    """
    before, _ = Reading.from_link(state.reading(view))
    state.keep_reading(view, read.link(), maps)
    if read != before and st.session_state.get(f"{view}_edit"):
        st.rerun()


def _key(view: str, option: Option, now: Reading) -> str:
    return state.field(view, f"reading_{option.link}", getattr(now, option.name))


def _switch(key: str, option: Option) -> str:
    names = option.accepts.names  # type: ignore[union-attr]
    chosen = st.segmented_control(
        option.label, list(names), format_func=names.__getitem__, key=key, required=True,
        label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    return chosen or option.default


def _choice(key: str, option: Option) -> str:
    names = option.accepts.names  # type: ignore[union-attr]
    return st.selectbox(
        option.label, list(names), format_func=names.__getitem__, key=key, help=option.help or None,
        persist_state="session",
    )  # fmt: skip


def _flag(key: str, option: Option) -> bool:
    return st.toggle(option.label, key=key, help=option.help or None, persist_state="session")


def _number(key: str, option: Option) -> float:
    low, high, step = option.accepts  # type: ignore[misc]
    return float(
        st.slider(
            option.label, low, high, step=step, key=key, help=option.help or None, persist_state="session"
        )
    )


def _search(key: str, option: Option) -> str:
    example = option.accepts.example  # type: ignore[union-attr]
    return st.text_input(
        option.label, key=key, placeholder=example, max_chars=200, help=option.help or None,
        persist_state="session",
    )  # fmt: skip


DRAW: dict[type, Callable[[str, Option], Any]] = {
    Choice: _choice,
    Flag: _flag,
    Number: _number,
    Search: _search,
}
