"""What to take away of a view: every format, made when it is asked for and never on a rerun."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import streamlit as st

from app.message import notice
from modelzoo import export
from modelzoo.results import AttentionResult, Grid
from modelzoo.transform import Reading


class Taken(NamedTuple):
    """What is taken away: the view as it is shown, and the result and the reading that it came from."""

    view: export.View
    result: AttentionResult | None = None
    reading: Reading | None = None


def taken(grid: Grid, rows: tuple[int, ...], read: Reading, result: AttentionResult) -> Taken:
    """What is taken away of a grid; of a matrix of one's own, which has no checkpoint, the view alone."""
    kind: Literal["matrix", "curves"] = "curves" if read.view == "curves" else "matrix"
    texts = {side: " ".join(token.typed for token in tokens) for side, tokens in result.tokens.items()}
    view = export.View(grid, kind, rows, result.checkpoint, texts)
    is_map = result.checkpoint and grid.name in {attention.name for attention in result.maps}
    return Taken(view, result if is_map else None, read)


@st.fragment
def take_away(key: str, taken: Taken) -> None:
    """Pictures, numbers, the whole result and the lines of code, behind one line until it is opened."""
    box = st.expander("Take away", key=f"{key}_away", on_change="rerun", icon=":material/download:")
    if not box.open:
        return
    with box:
        lacking = export.note(_texts(taken.view))
        if lacking:
            notice(lacking)
        _pictures(key, taken.view)
        if taken.result is not None:
            _result(key, taken.result)
            st.code(export.as_code(taken.result, taken.view.grid.name, reading=taken.reading), "python")


def _pictures(key: str, view: export.View) -> None:
    """The view in every format that shows or lists it."""
    label = "Width of the PNG in pixels"
    width = st.segmented_control(
        label, export.PNG_WIDTHS, default=export.PNG_WIDTHS[1], required=True, key=f"{key}_width"
    )
    name = file_name(view.model, view.grid.name)
    with st.container(horizontal=True):
        _file(key, f"{name}.svg", "image/svg+xml", partial(export.to_svg, view))
        _file(key, f"{name}.pdf", "application/pdf", partial(export.to_pdf, view))
        png = partial(export.to_png, view, width=width or export.PNG_WIDTHS[1])
        _file(key, f"{name}.png", "image/png", png)
        _file(key, f"{name}.html", "text/html", partial(export.to_html, view))
        _file(key, f"{name}.csv", "text/csv", partial(export.to_csv, view.grid))


def _result(key: str, result: AttentionResult) -> None:
    """The whole result, every map and internal of it."""
    name = file_name(result.checkpoint, "result")
    with st.container(horizontal=True):
        _file(key, f"{name}.json", "application/json", partial(export.to_json, result))
        _file(key, f"{name}.npz", "application/octet-stream", partial(export.to_npz, result))


def file_name(*parts: str) -> str:
    """A file name without what a file system, or a page, could read as more than a name."""
    return "_".join(filter(None, (re.sub(r"[^\w-]+", "-", part).strip("-")[:60] for part in parts))) or "view"


def _texts(view: export.View) -> tuple[str, ...]:
    """Every text that a picture of the view shows."""
    facts = (text for _, text in view.facts())
    return (*view.grid.rows, *view.grid.columns, view.grid.title, *facts)


def _file(key: str, name: str, mime: str, make: Callable[[], str | bytes]) -> None:
    kind = name.rpartition(".")[2]
    st.download_button(kind.upper(), make, name, mime, key=f"{key}_{kind}_away", on_click="ignore")
