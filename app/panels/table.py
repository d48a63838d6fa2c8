"""The numbers of a grid as a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.column_config import NumberColumn, TextColumn

from app import links, state
from modelzoo.number import formatted
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
        is_signed = bool((shown.values < 0).any())
        form = None if is_signed else "%.4f"
        config = {name: NumberColumn(token, format=form) for name, token in columns.items()}
        box.dataframe(
            signed(table, dict.fromkeys(columns, ".4f")) if is_signed else table,
            hide_index=True,
            column_config={"row": TextColumn("", pinned=True), **config},
        )


def signed(table: pd.DataFrame, forms: Mapping[str, str]) -> Styler:
    """The table with the numbers of these columns as people read them, by a format each, a missing one
    empty; a table's own formats know no minus sign. They are sorted and saved as the numbers they are."""
    return table.style.format(
        {name: partial(formatted, form=form) for name, form in forms.items()}, na_rep=""
    )
