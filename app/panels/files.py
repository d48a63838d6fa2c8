"""What to take away of a grid: files made when asked for, and its numbers as a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from modelzoo import export
from modelzoo.results import AttentionResult, Grid


def files(key: str, shown: Grid, result: AttentionResult) -> None:
    """Downloads of the grid, made when asked for."""
    name = re.sub(r"[^\w.-]+", "_", f"{result.checkpoint}_{shown.name}")
    with st.container(horizontal=True):
        _file(key, f"{name}.csv", "text/csv", partial(export.to_csv, shown))
        _file(key, f"{name}.svg", "image/svg+xml", partial(export.to_svg, shown))


def _file(key: str, name: str, mime: str, make: Callable[[], str]) -> None:
    kind = name.rpartition(".")[2]
    icon = ":material/download:"
    st.download_button(
        kind.upper(), make, name, mime, key=f"{key}_{kind}", on_click="ignore", type="tertiary", icon=icon
    )


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
