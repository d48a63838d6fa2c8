"""The numbers of a grid as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from app import links, state
from modelzoo.results import Grid

OPEN = 1
"""What a link has for a table that is open."""


@st.fragment
def numbers(view: str, shown: Grid) -> None:
    """The grid's numbers as a table, made when it is opened: at first where the page's link says so."""
    key = f"{view}_{shown.name}_numbers"
    linked = links.places(state.reading(view).get(links.NUMBERS, ""), shown.name)
    st.session_state.setdefault(key, linked == (OPEN,))
    box = st.expander("Numbers", key=key, on_change="rerun")
    state.keep_picked(view, shown.name, {links.NUMBERS: (OPEN,) if box.open else ()})
    if box.open:
        columns = {str(j): token for j, token in enumerate(shown.columns)}
        table = pd.DataFrame(shown.values, columns=list(columns))
        table.insert(0, "row", shown.rows)
        config = {name: NumberColumn(token, format="%.4f") for name, token in columns.items()}
        box.dataframe(table, hide_index=True, column_config={"row": TextColumn("", pinned=True), **config})
