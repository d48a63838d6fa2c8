"""The form of the viewer: a paste or a file → one of its matrices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from app import links, state
from app.downloads import OWN
from app.message import file_name, notice, problem, small
from modelzoo.cards import ROOT
from modelzoo.data.matrix import COLUMN, ROW, read_matrices, row_sum_note
from modelzoo.export import to_csv
from modelzoo.results import AttentionResult, Grid, LabelPrediction, Token
from modelzoo.tasks import MAX_FILE_BYTES, Sentence

EXAMPLE_FILE = ROOT / "assets" / "examples" / "matrix.json"
MOST_CELLS = 200_000
"""Cells of a file that a saved view holds."""
FORMS = (
    "CSV, TSV, JSON or NPZ; a table with tokens in its first row and column, or one cell a line, as the "
    "pages here export it"
)


class Matrices(NamedTuple):
    """The matrices of a paste or a file, its text or name, and the title where they have one of their own."""

    grids: tuple[Grid, ...]
    source: str
    title: str = ""


class Given(NamedTuple):
    """A matrix of a person's own (our example is titled as invented), and the result it is shown with."""

    grid: Grid
    result: AttentionResult


def ask(view: str) -> Given:
    """The page's form; it opens with our example. What is refused leaves the last matrix; without one the
    page ends here."""
    state.open_page(view)
    example = json.loads(EXAMPLE_FILE.read_text(encoding="utf-8"))
    key = state.field(view, "text", state.asked(view).get("text", example["text"]))
    text = st.text_area("Tokens and weights", key=key, height=150, help=FORMS, persist_state="session")
    file = st.file_uploader(
        "Or a file, drawn instead of the text",
        type=["csv", "tsv", "txt", "json", "npz"],
        key=f"{view}_file_{state.times_opened(view)}",  # what is opened counts, not the file before
        max_upload_size=MAX_FILE_BYTES // 1_000_000,
    )
    try:
        grids = read_matrices(file.getvalue() if file else text)
    except ValueError as error:
        state.keep(view, {"text": text})
        problem(error)
        read = _last(view)
    else:
        title = example["title"] if file is None and text == example["text"] else ""
        source = file_name(file.name) if file else text
        read = st.session_state[f"{view}_answered"] = Matrices(grids, source, title)
        _keep(view, _as_text(view, file.file_id, grids) if file else text)
    grid = _choose(view, read.grids)
    note = row_sum_note(grid)
    if note:
        notice(f"{note}.")
    titled = replace(grid, title=read.title or grid.name)
    return Given(titled, as_result(titled))


def _last(view: str) -> Matrices:
    """What was drawn before, and said to be; without it the page ends here."""
    last: Matrices | None = st.session_state.get(f"{view}_answered")
    if last is None:
        st.stop()
    notice(f"Below stays what was given before: {links.told(last.source)}.")
    return last


def _keep(view: str, text: str) -> None:
    """Put the matrices, as text, into the page's link; say where they are too many for it, or for a file."""
    if not state.keep(view, {"text": text} if text else {}):
        small(links.TOO_LONG)
    elif not text:
        small(f"A saved view holds files of up to {MOST_CELLS:,} cells; this one is not in it.")


def _as_text(view: str, file: str, grids: tuple[Grid, ...]) -> str:
    """The matrices of a file as the text of a saved view, written once; empty where it is too large."""
    written = st.session_state.get(f"{view}_written")
    if written is None or written[0] != file:
        fits = sum(grid.values.size for grid in grids) <= MOST_CELLS
        written = st.session_state[f"{view}_written"] = (file, to_csv(*grids) if fits else "")
    return str(written[1])


def _choose(view: str, grids: tuple[Grid, ...]) -> Grid:
    if len(grids) == 1:
        return grids[0]
    key = state.choice(view, "matrix", range(len(grids)), 0)
    names = [grid.name for grid in grids]
    chosen = st.selectbox(
        "Matrix", range(len(grids)), format_func=names.__getitem__, key=key, persist_state="session"
    )
    return grids[chosen if chosen is not None and chosen < len(grids) else 0]


def as_result(grid: Grid) -> AttentionResult:
    """A result around a matrix that no model made: its tokens, and no prediction."""
    tokens = {ROW: grid.rows, COLUMN: grid.columns}
    return AttentionResult(
        Sentence(grid.title),
        {side: tuple(Token(label, label) for label in labels) for side, labels in tokens.items()},
        LabelPrediction((), np.zeros(0)),
        (),
        checkpoint=OWN,
    )
