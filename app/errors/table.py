"""The rows of a filter as a table: sorted and paged on the server; a selected row opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from app.errors.asking import notes, of_run
from app.errors.filters import free, numbers
from app.errors.names import meaning, title
from app.errors.place import VIEW, get, go
from app.message import literal, problem, small
from app.panels.table import signed
from modelzoo import analysis
from modelzoo.analysis import Filter, Sort
from modelzoo.runs import Run
from modelzoo.tasks import TASKS

PAGE = 50
"""Rows of a page."""
FIRST_MEASURES = ("m_entropy", "m_maximum", "m_length")
VERDICTS = {True: "right", False: "wrong"}
HEIGHT = 560
"""Pixels of the table; the rest of a page is scrolled."""
NUMBER = ".4g"
"""How measures are written."""
CUT = 300
"""Characters of a text that a cell holds."""


def ids(run: Run, made: Filter) -> np.ndarray:
    """The rows of the filter in the order that is chosen."""
    try:
        return of_run(run, analysis.OpenRun.rows, made, order())
    except ValueError as error:
        problem(error)
        go(order="")
        return of_run(run, analysis.OpenRun.rows, made, Sort())


def order() -> Sort:
    """The order that is chosen, `m_entropy` or `-m_entropy` in a link."""
    given = get("order")
    return Sort(given.removeprefix("-") or "row", given.startswith("-"))


def table(run: Run, found: np.ndarray) -> None:
    """A page of the rows."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _order(run)
        shown = _columns(run)
        _number()
    pages, key = -(-len(found) // PAGE), f"{VIEW}_page_{hash((run.id, get('filter'), get('order'))):x}"
    page = min(st.session_state.get(key, 1), pages)
    rows = found[(page - 1) * PAGE : page * PAGE].tolist()
    picked = of_run(run, analysis.OpenRun.table, rows)
    _draw(run, picked.to_pandas(), shown)
    if pages > 1:
        st.pagination(pages, key=key, persist_state="session")
    small("Click a row's number to open it: its map, labels and a note.")


def _order(run: Run) -> None:
    names = ["row", *of_run(run, numbers), "gold", "prediction", "text"]
    names = [one for one in names if one not in ("gold", "prediction") or run.labels]
    now, key, down = order(), f"{VIEW}_sort", f"{VIEW}_descending"
    names = names if now.column in names else [*names, now.column]
    st.session_state[key], st.session_state[down] = now.column, now.descending

    def sort() -> None:
        sign = "-" if st.session_state[down] else ""
        column = st.session_state[key]
        go(order="" if (sign, column) == ("", "row") else f"{sign}{column}")

    st.selectbox("Sort by", names, format_func=title, key=key, on_change=sort, width=260)
    st.toggle("Largest first", key=down, on_change=sort)


def _number() -> None:
    """A row by its number, by keyboard too."""
    key = f"{VIEW}_row_number"
    st.number_input(
        "Open row", min_value=0, step=1, value=None, key=key, width=150, placeholder="its number",
        on_change=lambda: go(row=str(st.session_state[key])),
    )  # fmt: skip


def _columns(run: Run) -> list[str]:
    """The measures and free columns that are shown."""
    offered = (*of_run(run, numbers), *of_run(run, free))
    first = ["confidence", *(name for name in FIRST_MEASURES if name in offered)]
    kept = f"{VIEW}_columns_of_{run.id}"
    key = f"{VIEW}_columns"
    st.session_state[key] = [name for name in st.session_state.get(kept, first) if name in offered]

    def keep() -> None:
        st.session_state[kept] = st.session_state[key]

    with st.popover("Columns", icon=":material/view_column:", key=f"{VIEW}_columns_menu"):
        shown = st.multiselect(
            "Columns beside the texts", offered, format_func=title, key=key, on_change=keep
        )
        for name in shown:
            if meaning(name):
                st.markdown(f"**{literal(title(name))}**: {literal(meaning(name))}")
    return list(shown)


def _draw(run: Run, frame: pd.DataFrame, shown: Sequence[str]) -> None:
    store = notes()
    said, written, stars = store.labels(run.id), store.notes(run.id), set(store.stars(run.id))
    rows = frame["row"].tolist()
    made: dict[str, Any] = {"open": [str(row) for row in rows]}
    made["star"] = ["★" if row in stars else "" for row in rows]
    texts = [name for name in ("text", "text_pair", "gold", "prediction") if frame[name].notna().any()]
    if TASKS[run.task].output == "label" and "gold" in texts:
        made["right"] = [VERDICTS.get(right, "") for right in frame["correct"]]
    made |= {name: _cut(frame[name]) for name in texts}
    made["labels"] = [", ".join(said.get(row, ())) for row in rows]
    made["note"] = [written.get(row, "")[:CUT] for row in rows]
    names = {name: f"v{k}" for k, name in enumerate(shown)}  # a column's name is no path into a record
    made |= {
        key: _cut(frame[name]) if frame[name].dtype == "str" else frame[name] for name, key in names.items()
    }
    numbers = [key for name, key in names.items() if not name.startswith("x_")]
    page = pd.DataFrame(made)
    below_zero = [key for key in numbers if (page[key] < 0).any()]  # the others need no style, which is slow
    st.dataframe(
        signed(page, dict.fromkeys(below_zero, NUMBER)) if below_zero else page,
        hide_index=True,
        height=min(HEIGHT, 37 + 35 * len(rows)),
        column_config={"open": opener(rows), **_config(names, below_zero)},
        placeholder="",
        alt="A page of rows; the texts, the answers, and the measures that are chosen",
    )


def _cut(texts: pd.Series) -> list[str]:
    return ["" if not isinstance(text, str) else text[:CUT] for text in texts]


def _config(names: dict[str, str], styled: Sequence[str]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "star": st.column_config.TextColumn("", width=34),
        "right": st.column_config.TextColumn("answer", width=70),
        "text": st.column_config.TextColumn(width="large"),
        "text_pair": st.column_config.TextColumn("second text", width="large"),
    }
    for name, key in names.items():
        shown, help = title(name), meaning(name) or None
        if name.startswith("x_"):
            config[key] = st.column_config.TextColumn(shown, help=help)
        else:
            form = None if key in styled else f"%{NUMBER}"
            config[key] = st.column_config.NumberColumn(shown, help=help, format=form)
    return config


def opener(rows: Sequence[int]) -> Any:
    """The column whose buttons open their rows; a selection would be sent only after a pause."""
    key = f"{VIEW}_open_{hash(tuple(rows)):x}"
    return st.column_config.ButtonColumn(
        "row",
        key=key,
        on_click=lambda: go(part="examples", row=str(rows[st.session_state[key]["row"]])),
        pinned=True,
        width=70,
    )
