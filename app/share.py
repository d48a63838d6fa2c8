"""A page's head, with what takes the whole view along: its address, or a file that opens here again."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import links, state
from app.message import problem, small

FILE = "attention-atlas-view.json"
SAME = (
    "The address of this page is a link to what it shows. A file holds the same, also what is too long for a "
    "link."
)
VIEWS = {page: f"views/{page}.py" for page in links.PAGES}
"""By page, its script."""


def head(title: str, *, save: bool = True) -> None:
    """The page's title, and beside it how to share what it shows or to open what was saved."""
    with st.container(horizontal=True, vertical_alignment="center", key="share_head"):
        st.title(title, anchor=False, width="stretch")
        label, icon = ("Share", ":material/ios_share:") if save else ("Open", ":material/folder_open:")
        with st.popover(label, icon=icon, key="share", type="tertiary"):
            if save:
                small(SAME)
                shown = st.session_state.setdefault("shown", {})
                st.download_button(
                    "Save view",
                    lambda: _file(shown),
                    FILE,
                    "application/json",
                    key="share_save",
                    on_click="ignore",
                    icon=":material/save:",
                )
            open_file("share_open")


def _file(shown: dict[str, Any]) -> str:
    """What the page shows when the file is asked for."""
    return links.to_file(shown["page"], shown["state"])


def open_file(key: str) -> None:
    """Take a saved view and go to its page; a file that is none is refused with the rule."""
    megabytes = links.FILE_LIMIT // 1_000_000
    file = st.file_uploader("Open a saved view", type="json", key=key, max_upload_size=megabytes)
    if file is None or st.session_state.get("opened_file") == file.file_id:
        return
    pages = [page for page in links.PAGES if page != "model" or state.other_models()]
    try:
        saved = links.from_file(file.getvalue(), pages)
    except ValueError as error:
        problem(error)
        return
    st.session_state["opened_file"] = file.file_id
    state.open_saved(saved)
    st.switch_page(VIEWS[saved.page])
