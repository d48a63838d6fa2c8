"""Pinned rows of a map: by a click on a cell, or chosen from a list, which a keyboard can reach too.

The list is what counts. A click changes it; when the list itself is changed, the chart is made anew and
starts from it. Pins belong to the labels they were set on, and go when these change.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import streamlit as st

from app import state
from app.message import small
from modelzoo.results import Grid
from modelzoo.transform import Sheet, sentence, summed, transposed
from modelzoo.viz import heatmap

MOST_TOLD = 8
"""Sentences that are told at most."""


def pinned(key: str, grid: Grid) -> tuple[int, ...]:
    """The rows that are pinned on the map of this key, in order."""
    labels = (grid.rows, grid.columns)
    memory: dict[str, Any] = st.session_state.setdefault(f"{key}_memory", {"turn": 0, "start": ()})
    if memory.get("labels") != labels:
        rows = _linked(key, grid) if "labels" not in memory else ()
        had = bool(st.session_state.get(f"{key}_pins"))
        memory |= {"labels": labels, "start": rows, "turn": memory["turn"] + had}
        st.session_state[f"{key}_pins"] = list(rows)
        st.session_state[f"{key}_columns"] = []
    return tuple(sorted(st.session_state.get(f"{key}_pins", ())))


def _linked(key: str, grid: Grid) -> tuple[int, ...]:
    """The rows that the page's link pins on this map; numbers that are no rows are left out."""
    view = key.removesuffix(f"_{grid.name}")
    for part in state.reading(view).get(state.PINS, "").split(";"):
        name, _, numbers = part.partition(":")
        if name == grid.name:
            rows = {int(number) for number in numbers.split(",") if number.isascii() and number.isdigit()}
            return tuple(sorted(row for row in rows if row < len(grid.rows)))
    return ()


def chart(key: str, grid: Grid) -> None:
    """The grid as a heat map; a click on a cell pins its row, once more releases it, shift adds."""
    memory = st.session_state[f"{key}_memory"]
    made, told = heatmap.heatmap(grid, pinned=memory["start"]), heatmap.describe(grid)
    if isinstance(made, alt.LayerChart):
        own = f"{key}_chart_{memory['turn']}"
        st.altair_chart(
            made, key=own, alt=told, on_select=partial(_clicked, key, own), selection_mode=heatmap.PIN
        )
    else:
        st.plotly_chart(made, key=f"{key}_chart", alt=told, config={"displaylogo": False})


def _clicked(key: str, own: str) -> None:
    chosen = st.session_state[own]["selection"].get(heatmap.PIN, [])
    st.session_state[f"{key}_pins"] = sorted({int(cell["i"]) for cell in chosen if "i" in cell})


def pickers(key: str, sheet: Sheet) -> None:
    """Two lists: rows to pin, and columns to tell of; what they say is below them, as sentences."""
    grid = sheet.weights
    with st.container(horizontal=True, gap="xsmall"):
        rows = _list(f"{key}_pins", "Pin rows", grid.rows, partial(_listed, key))
        columns = _list(f"{key}_columns", "Columns", grid.columns, None)
    tell(grid, rows, "looks at")
    tell(transposed(grid), columns, "is looked at by")


def pin(key: str, row: int) -> None:
    """Pin this row alone on the map of this key."""
    st.session_state[f"{key}_pins"] = [row]
    _listed(key)


def _list(key: str, label: str, labels: tuple[str, ...], changed: Any) -> list[int]:
    rerun: Any = changed or "rerun"
    return st.multiselect(
        label, range(len(labels)), format_func=lambda k: f"{k + 1} {labels[k]}", key=key,
        placeholder=label, label_visibility="collapsed", on_change=rerun, persist_state="session",
    )  # fmt: skip


def _listed(key: str) -> None:
    memory = st.session_state[f"{key}_memory"]
    st.session_state[f"{key}_memory"] = {
        **memory, "start": tuple(sorted(st.session_state[f"{key}_pins"])), "turn": memory["turn"] + 1
    }  # fmt: skip


def tell(grid: Grid, rows: list[int], verb: str) -> None:
    """One sentence for each of these rows, and one for their sum."""
    for row in sorted(rows)[:MOST_TOLD]:
        small(f"{sentence(grid, row, verb)}.")
    if len(rows) > MOST_TOLD:
        small(f"{len(rows) - MOST_TOLD} more are not told.")
    if len(rows) > 1:
        small(f"Together: {sentence(summed(grid, sorted(rows)), 0, verb)}.")
