"""A part of a large map, swept with the pointer: drawn in its place until the whole map is asked for again.

The search for rows and columns does the same by keyboard, for all maps of a page. A window belongs to the
labels it was swept over, and goes when these change.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import links, state
from app.message import notice
from modelzoo import transform
from modelzoo.results import Grid
from modelzoo.transform import Sheet

Labels = tuple[tuple[str, ...], tuple[str, ...]]
HELP = "Drag a box over the map to see that part of it."


def windowed(key: str, sheet: Sheet) -> Sheet:
    """The part of the sheet that was swept, or that a link shows; else all of it."""
    if f"{key}_window" not in st.session_state:
        st.session_state[f"{key}_window"] = _linked(key, sheet.grid)
    found = st.session_state[f"{key}_window"]
    if not found or found["labels"] != _labels(sheet.grid):
        return sheet
    return transform.window(sheet, range(*found["rows"]), range(*found["columns"]))


def _linked(key: str, grid: Grid) -> dict[str, Any] | None:
    """The part of this map that the page's link shows; one that the map does not have is said."""
    read = state.reading(key.removesuffix(f"_{grid.name}"))
    found = links.places(read.get(links.WINDOW, ""), grid.name)
    if not found:
        return None
    sizes = [len(side) for side in _labels(grid)]
    ends = [end for end in found if end is not None]
    sides = list(zip(ends[::2], ends[1::2], sizes, strict=False))
    if len(ends) != len(found) or len(ends) != 4 or not all(a < b <= size for a, b, size in sides):
        told = f"{sizes[0]} rows and {sizes[1]} columns"
        notice(f"The part of {grid.name} that the link shows is not in its {told}; all of it is shown.")
        return None
    return {"labels": _labels(grid), "rows": tuple(ends[:2]), "columns": tuple(ends[2:])}


def shown(key: str, grid: Grid) -> tuple[range, range] | None:
    """The rows and columns of the whole map that this grid is, where it is a part."""
    found = st.session_state.get(f"{key}_window")
    return (
        (range(*found["rows"]), range(*found["columns"])) if found and _part(found) == _labels(grid) else None
    )


def offer_whole(key: str) -> None:
    """A button back from the part to the whole map."""
    st.button("Whole map", key=f"{key}_whole", on_click=_forget, args=(key,), icon=":material/zoom_out_map:")


def sweep(key: str, shown: Grid, own: str) -> None:
    """Take the box that was swept over the chart `own` as the map's window; a part may be swept again."""
    boxes: list[dict[str, Any]] = st.session_state[own]["selection"].get("box", [])
    if not boxes:
        return
    window = st.session_state.get(f"{key}_window") or {}
    labels, first = _labels(shown), (0, 0)
    if window and labels == _part(window):
        labels, first = window["labels"], (window["rows"][0], window["columns"][0])
    rows = _cells(boxes[-1]["y"], len(shown.rows), first[0])
    columns = _cells(boxes[-1]["x"], len(shown.columns), first[1])
    st.session_state[f"{key}_window"] = {"labels": labels, "rows": rows, "columns": columns}


def _cells(ends: list[float], size: int, first: int) -> tuple[int, int]:
    """The first cell between two places on an axis, and the one after the last; a cell is 1 wide."""
    low, high = (min(max(round(end), 0), size - 1) for end in sorted(ends))
    return first + low, first + high + 1


def _part(window: dict[str, Any]) -> Labels:
    """The labels that a window shows."""
    rows, columns = window["labels"]
    return rows[slice(*window["rows"])], columns[slice(*window["columns"])]


def _labels(grid: Grid) -> Labels:
    return grid.rows, grid.columns


def _forget(key: str) -> None:
    st.session_state[f"{key}_window"] = None
