"""The numbers of a grid as a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from modelzoo.results import Grid


@st.fragment
def numbers(key: str, shown: Grid) -> None:
    """The grid's numbers as a table, made when it is opened."""
    box = st.expander("Numbers", key=f"{key}_numbers", on_change="rerun")
    if box.open:
        columns = {str(j): token for j, token in enumerate(shown.columns)}
        table = pd.DataFrame(shown.values, columns=list(columns))
        table.insert(0, "row", shown.rows)
        config = {name: NumberColumn(token, format="%.4f") for name, token in columns.items()}
        box.dataframe(table, hide_index=True, column_config={"row": TextColumn("", pinned=True), **config})
