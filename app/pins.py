"""Pinned tokens of a map: by a click on a cell, or chosen from two lists, which a keyboard can reach too.

The lists, of rows and of columns, are what counts. A click on a cell pins its row and its column; when a
list itself is changed, the chart is made anew and starts from both. Pins belong to the labels they were
set on, and go when these change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import streamlit as st

from app import links, state
from app.links import Picked
from app.message import small
from modelzoo.results import Grid
from modelzoo.transform import Sheet, sentence, summed, transposed
from modelzoo.viz import heatmap, theme

PLAIN = {"displaylogo": False}
VERBS = ("looks at", "is looked at by")
"""What a row of attention weights does, and what happens to a column; of other numbers nothing is said."""
MOST_TOLD = 8
"""Sentences that are told at most."""


def pinned(key: str, grid: Grid) -> Picked:
    """The rows and columns that are pinned on the map of this key, in order."""
    labels = (grid.rows, grid.columns)
    memory: dict[str, Any] = st.session_state.setdefault(f"{key}_memory", {"turn": 0, "start": ()})
    if memory.get("labels") != labels:
        rows, columns = _linked(key, grid) if "labels" not in memory else ((), ())
        had = any(_now(key))
        memory |= {"labels": labels, "start": rows, "columns": columns, "turn": memory["turn"] + had}
        st.session_state[f"{key}_pins"], st.session_state[f"{key}_columns"] = list(rows), list(columns)
    rows, columns = _now(key)
    return Picked(rows, columns)


def _now(key: str) -> Iterator[tuple[int, ...]]:
    """The rows, then the columns, that the lists of this key have."""
    return (tuple(sorted(st.session_state.get(f"{key}_{name}", ()))) for name in ("pins", "columns"))


def _linked(key: str, grid: Grid) -> Iterator[tuple[int, ...]]:
    """The rows, then the columns, that the page's link pins on this map, as far as there are such."""
    read = state.reading(key.removesuffix(f"_{grid.name}"))
    for name, labels in ((links.PINS, grid.rows), (links.COLUMN_PINS, grid.columns)):
        found = links.places(read.get(name, ""), grid.name)
        yield tuple(sorted({k for k in found if k is not None and k < len(labels)}))


def chart(key: str, grid: Grid, swept: Callable[[str], None]) -> None:
    """The grid as a heat map in a frame that scrolls when the page is too narrow for its cells.

    A click on a cell pins its row and column, once more releases them, shift adds. An image has no cells
    to click; `swept` is told the key of the chart in which a box was swept over it.
    """
    memory = st.session_state[f"{key}_memory"]
    made = heatmap.heatmap(grid, pinned=memory["start"], columns=memory.get("columns", ()))
    told, own = heatmap.describe(grid), f"{key}_chart_{memory['turn']}"
    with st.container(key=f"{key}_mapframe"), st.container(width=heatmap.least_width(grid)):
        if isinstance(made, dict):
            clicked = partial(_clicked, key, own)
            st.vega_lite_chart(made, key=own, alt=told, on_select=clicked, selection_mode=heatmap.PIN)
        else:
            changed = partial(swept, own)
            st.plotly_chart(made, key=own, alt=told, config=PLAIN, on_select=changed, selection_mode="box")


def _clicked(key: str, own: str) -> None:
    chosen = st.session_state[own]["selection"].get(heatmap.PIN, [])
    for name, field in (("pins", "i"), ("columns", "j")):
        places = {int(cell.get(field, heatmap.WHOLE)) for cell in chosen}
        st.session_state[f"{key}_{name}"] = sorted(places - {heatmap.WHOLE})


def pickers(key: str, sheet: Sheet) -> None:
    """Two lists: rows and columns to pin; what they say is below them, as sentences."""
    grid = sheet.weights
    verbs = VERBS if theme.quantity(grid) == "weight" else ("", "")
    with st.container(horizontal=True, gap="xsmall"):
        rows = _list(f"{key}_pins", "Pin rows", grid.rows, partial(_listed, key))
        columns = _list(f"{key}_columns", "Pin columns", grid.columns, partial(_listed, key))
    tell(grid, rows, verbs[0])
    tell(transposed(grid), columns, verbs[1])


def pin(key: str, row: int) -> None:
    """Pin this row alone on the map of this key."""
    st.session_state[f"{key}_pins"], st.session_state[f"{key}_columns"] = [row], []
    _listed(key)


def _list(key: str, label: str, labels: tuple[str, ...], changed: Callable[[], None]) -> list[int]:
    return st.multiselect(
        label, range(len(labels)), format_func=lambda k: f"{k + 1} {labels[k]}", key=key,
        placeholder=label, label_visibility="collapsed", on_change=changed, persist_state="session",
    )  # fmt: skip


def _listed(key: str) -> None:
    start, columns = _now(key)
    memory = st.session_state[f"{key}_memory"]
    st.session_state[f"{key}_memory"] = {
        **memory, "start": start, "columns": columns, "turn": memory["turn"] + 1
    }  # fmt: skip


def put_by(key: str) -> None:
    """The chart is not drawn now: when it is again, it starts from what the lists have."""
    memory = st.session_state[f"{key}_memory"]
    if tuple(_now(key)) != (memory["start"], memory.get("columns", ())):
        _listed(key)


def tell(grid: Grid, rows: list[int], verb: str) -> None:
    """One sentence for each of these rows, and one for their sum."""
    for row in sorted(rows)[:MOST_TOLD]:
        small(f"{sentence(grid, row, verb)}.")
    if len(rows) > MOST_TOLD:
        small(f"{len(rows) - MOST_TOLD} more are not told.")
    if len(rows) > 1:
        small(f"Together: {sentence(summed(grid, sorted(rows)), 0, verb)}.")
