"""The maps of a result, read as the page's controls say: as matrix, curves or text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app import controls, downloads, pins, state, window
from app.message import small
from app.panels.table import numbers
from modelzoo.results import AttentionMap, AttentionResult, Grid, Token
from modelzoo.transform import Reading, Sheet, apply, sheet_of, sheet_over, summed
from modelzoo.viz import curves, heatmap, highlight, passage, theme
from modelzoo.viz.image import image


def choose_map(view: str, label: str, result: AttentionResult) -> AttentionMap:
    """One of the result's maps, by its title; at first the one of the link, else the last."""
    titles = {attention.name: heatmap.title(attention) for attention in result.maps}
    key = state.choice(view, "map", tuple(titles), result.maps[-1].name)
    name = st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        key=key,
        persist_state="session",
    )
    return result.map(name) if name in titles else result.maps[-1]


@st.fragment
def maps(view: str, shown: Sequence[Grid], result: AttentionResult) -> None:
    """Grids under one row of controls, side by side as far as the page is wide.

    A fragment: a control or a pin draws the maps anew, not the page around them.
    """
    sheets = [sheet_of(result, grid) for grid in shown]
    read = controls.reading(view, sheets)
    sheets = [part_of(view, apply(sheet, read)) for sheet in sheets]
    others = [internal.name for internal in result.internals]
    state.tell_lost_pins(view, [sheet.grid for sheet in sheets], others)
    with st.container(horizontal=True, gap="medium"):
        for sheet in sheets:
            reading_of(view, sheet, read, result)
    controls.keep(view, read, [*(sheet.grid.name for sheet in sheets), *others])


def part_of(view: str, sheet: Sheet) -> Sheet:
    """The part that is shown of a sheet of this page: all of it until a part is asked for."""
    return window.windowed(f"{view}_{sheet.grid.name}", sheet)


def reading_of(view: str, sheet: Sheet, read: Reading, *results: AttentionResult) -> None:
    """One grid of a result, or of two, in its view, with its pins, its files and its numbers."""
    key = f"{view}_{sheet.grid.name}"
    part = window.shown(key, sheet.grid)
    with st.container(width=heatmap.width(sheet.grid), gap="xsmall", key=f"{key}_grid"):
        if part is not None:
            window.offer_whole(key)
        picked = pins.pinned(key, sheet.grid)._replace(window=part)
        rows = picked.rows
        VIEWS[read.view](key, sheet, rows)
        for remark in sheet.remarks:
            small(f"{remark[:1].upper()}{remark[1:]}.")
        pins.pickers(key, sheet)
        if rows and read.view == "matrix" and sheet.columns:
            st.html(highlight.highlight(sheet.columns, summed(sheet.weights, rows).values[0]))
        numbers(view, sheet.grid)
        downloads.take_away(key, downloads.taken(sheet.grid, picked, read, *results))
    state.keep_picked(view, sheet.grid.name, picked.places())


def as_matrix(key: str, sheet: Sheet, rows: Sequence[int]) -> None:
    """The grid as a heat map whose cells can be clicked."""
    pins.chart(key, sheet.grid, partial(window.sweep, key, sheet.grid))
    if not heatmap.has_cells(sheet.grid):
        small(window.HELP)


def as_curves(key: str, sheet: Sheet, rows: Sequence[int]) -> None:
    """The grid as curves between two lines of words, as far as there are few enough."""
    grid = sheet.grid
    if not curves.fits(grid):
        size = f"{len(grid.rows)} rows and {len(grid.columns)} columns"
        small(f"Curves are read up to {curves.WORD_LIMIT} words a side; this map has {size}. Find fewer.")
        return as_matrix(key, sheet, rows)
    pins.put_by(key)
    small(", ".join((heatmap.title(grid), *grid.notes)))
    drawn = curves.curves(grid, pinned=rows)
    st.html(image(drawn, heatmap.describe(grid), curves.WIDTH, st.context.theme.type))
    small(f"Width and opacity: {theme.scale_title(grid)}. Below {curves.FAINT:.1%} of it no curve is drawn.")


def as_text(key: str, sheet: Sheet, rows: Sequence[int]) -> None:
    """A line of text for each pinned row, or for the first rows, with the weights behind the words."""
    grid = sheet.grid
    words = sheet.columns or tuple(Token(label, label) for label in grid.columns)
    pins.put_by(key)
    lines = passage.lines_shown(grid, rows)
    small(", ".join((heatmap.title(grid), *grid.notes)))
    small(f"{passage.LEGEND}.")
    for i in lines:
        small(grid.rows[i])
        st.html(highlight.highlight(words, grid.values[i] - min(grid.limits[0], 0.0)))
    if not rows and len(lines) < len(grid.rows):
        small(f"The first {len(lines)} of {len(grid.rows)} rows; pin others.")


VIEWS: dict[str, Callable[[str, Sheet, Sequence[int]], None]] = {
    "matrix": as_matrix,
    "curves": as_curves,
    "text": as_text,
}


def grid(view: str, shown: Grid, *results: AttentionResult) -> None:
    """A grid of a result, or of two, as it is: no control of the page changes it."""
    reading_of(view, part_of(view, sheet_over(shown)), Reading(), *results)
