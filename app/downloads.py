"""What to take away of a view: a file in the format that is chosen, made then and never on a rerun.

A file belongs to the view it was made of. When the view changes, the choice is empty again, so that what
is saved is what is on the screen.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from app.links import Picked
from app.message import notice, problem, small
from modelzoo import export
from modelzoo.results import AttentionResult, Grid
from modelzoo.transform import Reading
from modelzoo.viz import curves


class Taken(NamedTuple):
    """What is taken away: the view as it is shown, and the result, reading and window that it came from."""

    view: export.View
    result: AttentionResult | None = None
    reading: Reading | None = None
    window: tuple[range, range] | None = None


class Format(NamedTuple):
    """One format: its file's ending and type, what it is for, and how it is made at a width in pixels."""

    ending: str
    mime: str
    about: str
    make: Callable[[Taken, int], str | bytes]


PICTURES = {
    "SVG": Format("svg", "image/svg+xml", "sharp at any size", lambda t, _: export.to_svg(t.view)),
    "PDF": Format("pdf", "application/pdf", "for a paper", lambda t, _: export.to_pdf(t.view)),
    "PNG": Format("png", "image/png", "for a slide", lambda t, width: export.to_png(t.view, width=width)),
    "HTML": Format("html", "text/html", "a page that works offline", lambda t, _: export.to_html(t.view)),
    "CSV": Format("csv", "text/csv", "one cell a line", lambda t, _: export.to_csv(t.view.grid)),
}  # fmt: skip
WHOLE = {
    "JSON": Format("json", "application/json", "the whole result", lambda t, _: export.to_json(_result(t))),
    "NPZ": Format("npz", "application/octet-stream", "for NumPy", lambda t, _: export.to_npz(_result(t))),
}  # fmt: skip
CODE = "Code"
OWN = "own-matrix"
"""The checkpoint that a matrix of a person's own has in its result."""
WITH_GLYPHS = ("PNG", "PDF")
"""Formats that are drawn with the fonts of this machine."""


def taken(grid: Grid, picked: Picked, read: Reading, *results: AttentionResult) -> Taken:
    """What is taken away of a grid of a result, or of two results side by side.

    Of a matrix of one's own, and of a difference, there is no result to take.
    """
    many = len(results) > 1
    names = [f"{name} " if many else "" for name in "AB"[: len(results)]]
    pairs = list(zip(names, results, strict=True))
    texts = {
        f"{name}{side}": " ".join(token.typed for token in tokens)
        for name, result in pairs
        for side, tokens in result.tokens.items()
    }
    model = ", ".join(f"{name}{result.checkpoint}" for name, result in pairs)
    kind = read.view if read.view != "curves" or curves.fits(grid) else "matrix"
    view = export.View(grid, kind, picked.rows, picked.columns, model, texts)  # type: ignore[arg-type]
    result = None if many or results[0].checkpoint == OWN else results[0]
    return Taken(view, result, read, picked.window)


@st.fragment
def take_away(key: str, taken: Taken) -> None:
    """Pictures, numbers, the whole result and the lines of code, behind one line until it is opened."""
    box = st.expander("Take away", key=f"{key}_away", on_change="rerun", icon=":material/download:")
    if not box.open:
        st.session_state.pop(f"{key}_made", None)
        return
    with box:
        offered = PICTURES | (WHOLE if taken.result else {})
        names = [*offered, *([CODE] if _has_code(taken) else [])]
        name = st.pills("Format", names, key=f"{key}_format_{mark(taken)}")
        if name == CODE:
            st.code(_code(taken), "python")
        elif name is not None:
            _file(key, taken, offered[name])


def _file(key: str, taken: Taken, kind: Format) -> None:
    """The file, made once, and the button that saves it; or why there is none, and what to take instead."""
    width = _width(key) if kind.ending == "png" else 0
    if kind.ending.upper() in WITH_GLYPHS:
        lacking = export.note(_texts(taken.view))
        if lacking:
            notice(lacking)
    wanted = (mark(taken), kind.ending, width)
    made = st.session_state.get(f"{key}_made")
    if made is None or made[0] != wanted:
        made = st.session_state[f"{key}_made"] = (wanted, _made(taken, kind, width))
    data = made[1]
    if isinstance(data, Exception):
        problem(data)
        return
    name = f"{file_name(taken.view.model, taken.view.grid.name)}.{kind.ending}"
    size = len(data.encode() if isinstance(data, str) else data)
    st.download_button(
        f"Save {kind.ending.upper()}, {_told(size)}", data, name, kind.mime,
        key=f"{key}_save", on_click="ignore", type="primary", icon=":material/download:",
    )  # fmt: skip
    small(f"{kind.about[:1].upper()}{kind.about[1:]}.")


def _made(taken: Taken, kind: Format, width: int) -> str | bytes | Exception:
    try:
        with st.spinner(f"Making the {kind.ending.upper()} …"):
            return kind.make(taken, width)
    except ValueError as error:
        return error


def _width(key: str) -> int:
    label = "Width in pixels"
    width = st.segmented_control(
        label, export.PNG_WIDTHS, default=export.PNG_WIDTHS[1], required=True, key=f"{key}_width"
    )
    return width or export.PNG_WIDTHS[1]


def mark(taken: Taken) -> str:
    """A short text that differs where the view, or what it came from, differs."""
    view, grid = taken.view, taken.view.grid
    told = (
        *(grid.name, grid.title, grid.rows, grid.columns, grid.limits, grid.notes, grid.quantity),
        *(view.kind, view.pinned, view.columns, view.model, tuple(view.texts.items())),
        *(taken.reading, taken.window),
        taken.result and taken.result.inputs,
    )
    raw = grid.values.tobytes() + repr(told).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


def _has_code(taken: Taken) -> bool:
    names = [attention.name for attention in taken.result.maps] if taken.result else []
    return taken.view.grid.name in names


def _code(taken: Taken) -> str:
    name = taken.view.grid.name
    return export.as_code(_result(taken), name, reading=taken.reading, window=taken.window)


def _result(taken: Taken) -> AttentionResult:
    if taken.result is None:
        raise ValueError("this view has no result of a model; take the picture or the CSV")
    return taken.result


def file_name(*parts: str) -> str:
    """A file name without what a file system, or a page, could read as more than a name."""
    return "_".join(filter(None, (re.sub(r"[^\w-]+", "-", part).strip("-")[:60] for part in parts))) or "view"


def _told(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} kB"


def _texts(view: export.View) -> tuple[str, ...]:
    """Every line of text that a picture of the view shows, about."""
    return (*view.grid.rows, *view.grid.columns, view.grid.title, *view.caption(80))
