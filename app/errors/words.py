"""What people say of a row: labels from their own list, a note, a star; each is on the disk at once.

The store is what counts: every rerun shows what it holds, so a second tab or a restart finds all of it.
"""

from __future__ import annotations

import streamlit as st

from app.errors.asking import notes
from app.errors.place import VIEW
from app.message import problem, small

MOST_CHARACTERS = 10_000


def marks(run_id: str, row: int) -> None:
    """The labels of a row and its star, in one line."""
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{VIEW}_words"):
        labels(run_id, row)
        star(run_id, row)
        kept = st.popover("List", icon=":material/edit:", key=f"{VIEW}_list", on_change="rerun")
        if kept.open:
            with kept:
                offered()


def labels(run_id: str, row: int) -> None:
    """The error labels of a row; a new one is typed into the field."""
    key, has = f"{VIEW}_labels_{run_id}_{row}", notes().labels(run_id).get(row, ())
    st.session_state[key], before = list(has), set(has)

    def write() -> None:
        now = set(st.session_state[key])
        try:
            for label in sorted(now - before):
                notes().add_label(run_id, row, label)
            for label in before - now:
                notes().remove_label(run_id, row, label)
        except ValueError as error:
            problem(error)

    st.multiselect(
        "Error labels",
        list(dict.fromkeys((*notes().label_list(), *has))),
        key=key,
        accept_new_options=True,
        on_change=write,
        placeholder="Choose a label, or type a new one",
        width="stretch",
    )


def star(run_id: str, row: int) -> None:
    """Whether the row has a star."""
    key = f"{VIEW}_star_{run_id}_{row}"
    st.session_state[key] = row in notes().stars(run_id)
    st.toggle("Star", key=key, on_change=lambda: notes().set_star(run_id, row, st.session_state[key]))


def note(run_id: str, row: int) -> None:
    """The note of a row. What another session wrote meanwhile is kept above what is written here."""
    key, stored = f"{VIEW}_note_{run_id}_{row}", notes().notes(run_id).get(row, "")
    st.session_state[key] = stored

    def write() -> None:
        text, other = st.session_state[key], notes().notes(run_id).get(row, "")
        if other not in (stored, text) and other:
            text = f"{other}\n{text}"
        try:
            notes().write_note(run_id, row, text)
        except ValueError as error:
            problem(error)

    st.text_area(
        "Note",
        key=key,
        on_change=write,
        height="content",
        max_chars=MOST_CHARACTERS,
        placeholder="What went wrong here? It is saved when you leave the field.",
    )


def offered() -> None:
    """The list of labels: one that is taken off it stays on the rows that have it."""
    key = f"{VIEW}_label_list"
    st.session_state[key] = list(notes().label_list())
    before = set(st.session_state[key])

    def write() -> None:
        now = set(st.session_state[key])
        for label in before - now:
            notes().unlist_label(label)
        for label in now - before:
            notes().list_label(label)

    small("The labels on offer. Rows keep a label that is taken off the list.")
    st.multiselect("Labels", sorted(before), key=key, accept_new_options=True, on_change=write)
