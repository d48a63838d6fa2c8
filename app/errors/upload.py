"""A file on its way in: kept on disk at once, and how it is read, shown and changeable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from app.errors.asking import of_file
from app.message import file_name, problem, small
from modelzoo.data.tables import Layout, Record, Survey, Told, Unread, find_layout, preview
from modelzoo.runs import keep_upload, root_folder, tidy_uploads

VIEW = "errors"
MEGABYTES = 64
"""What a browser may send."""
TYPES = ("csv", "tsv", "txt", "jsonl", "ndjson", "parquet", "gz")
SHOWN = 8
"""Rows of the preview."""
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1", "gb18030", "shift_jis")
SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}
QUOTES = {True: "enclose a field", False: "are characters"}
HEADS = {True: "names the columns", False: "is a row"}
FOUND = "as found out"


class Upload(NamedTuple):
    """A file that was sent: its name, which is display only, and where it is kept."""

    name: str
    path: Path


def draft() -> dict[str, Any]:
    """What this session has said of a run to come; it outlives a visit to another page."""
    kept: dict[str, Any] = st.session_state.setdefault(f"{VIEW}_draft", {})
    return kept


def forget(*, all: bool = True) -> None:
    """Say everything anew; `all` also of the files."""
    files = {} if all else {name: one for name, one in draft().items() if isinstance(one, Upload)}
    st.session_state[f"{VIEW}_draft"] = files
    for key in [key for key in st.session_state if str(key).startswith(f"{VIEW}_draft_")]:
        del st.session_state[key]


def field(name: str, accepted: Sequence[Any], first: Any) -> str:
    """The key of a choice of the draft, which holds what was chosen, else `first`."""
    key = f"{VIEW}_draft_{name}"
    if st.session_state.get(key, draft().get(name, first)) not in accepted:
        st.session_state[key] = first
    else:
        st.session_state.setdefault(key, draft().get(name, first))
    draft()[name] = st.session_state[key]
    return key


def pick(label: str, name: str, accepted: Sequence[Any], first: Any, told: Callable[[Any], str] = str) -> Any:
    """A choice of the draft."""
    draft()[name] = st.selectbox(label, accepted, format_func=told, key=field(name, accepted, first))
    return draft()[name]


def file(name: str, label: str) -> Upload | None:
    """A file, sent now or before."""
    kept: Upload | None = draft().get(name)
    if kept is not None and kept.path.is_file():
        with st.container(horizontal=True, vertical_alignment="center"):
            small(f"{label}: {kept.name}, {kept.path.stat().st_size:,} bytes.")
            st.button(
                "Another file", key=f"{VIEW}_draft_other_{name}", on_click=forget, icon=":material/undo:"
            )
        return kept
    sent = st.file_uploader(label, TYPES, key=f"{VIEW}_draft_{name}", max_upload_size=MEGABYTES)
    if sent is None:
        return None
    tidy_uploads()
    path = keep_upload(sent.name, iter(lambda: sent.read(1 << 20), b""))
    draft()[name] = Upload(file_name(sent.name), path)
    st.rerun()


def layout(files: Sequence[Upload]) -> Layout | None:
    """How the files are read: found out, shown, and changed where a person knows better."""
    paths = tuple(file.path for file in files)
    try:
        told = _told()
        found: Layout = of_file(_layout, paths, told)
    except ValueError as error:
        problem(ValueError(named(str(error), files)))
        return None
    return found


def _layout(paths: tuple[Path, ...], told: Told) -> Layout:
    return find_layout(*paths, told=told)


def _told() -> Told:
    """What a person says of the file, behind a button."""
    with st.popover("Read it otherwise", icon=":material/tune:", key=f"{VIEW}_draft_told"):
        encoding = pick("Encoding", "encoding", (None, *ENCODINGS), None, lambda one: one or FOUND)
        mark = pick(
            "Separator", "separator", (None, *SEPARATORS), None, lambda one: SEPARATORS.get(one, FOUND)
        )
        quoted = pick("Quotation marks", "quoted", (None, *QUOTES), None, lambda one: QUOTES.get(one, FOUND))
        header = pick("First line", "header", (None, *HEADS), None, lambda one: HEADS.get(one, FOUND))
    return Told(encoding, mark, quoted, header)


def first_rows(found: Layout) -> tuple[Record | Unread, ...]:
    """The first records."""
    rows: tuple[Record | Unread, ...] = of_file(_first_rows, found)
    return rows


def _first_rows(found: Layout) -> tuple[Record | Unread, ...]:
    return preview(found, 1_000)


def show(found: Layout, counted: Survey) -> None:
    """How many rows, the first of them, and those that cannot be used."""
    small(f"Read as {found.description}. {counted.rows:,} rows, {counted.unread:,} of them unusable.")
    columns = {f"c{k}": name for k, name in enumerate(found.columns)}
    rows = [
        {"line": each.line, **{key: _cell(each, name) for key, name in columns.items()}}
        for each in first_rows(found)[:SHOWN]
    ]
    names: dict[str, Any] = {key: st.column_config.TextColumn(name) for key, name in columns.items()}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=names, alt="The first rows of the file")
    unusable(counted)


def _cell(each: Record | Unread, column: str) -> str:
    return each.cells[column] if isinstance(each, Record) else f"⚠ {each.reason}"


def unusable(counted: Survey) -> None:
    """The rows that cannot be used, with line and reason."""
    if not counted.unread:
        return
    with st.expander(f"Rows that cannot be used: {counted.unread:,}", key=f"{VIEW}_draft_unread"):
        rows = [{"line": one.line, "reason": one.reason, "text": one.raw} for one in counted.listed]
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Unusable rows: line, reason, text")
        if counted.unread > len(rows):
            small(f"The first {len(rows):,} are listed.")


def named(sentence: str, files: Sequence[Upload]) -> str:
    """A sentence about files under the names that they came with."""
    for one in files:
        sentence = sentence.replace(str(one.path), one.name)
    return sentence


def about() -> None:
    """Where data lies, and what does not fit into a browser."""
    small(
        f"Files to {MEGABYTES} MB: CSV, TSV, JSON lines, Parquet, or one text a line; larger ones are run in "
        "a shell and appear here: python -m modelzoo run CHECKPOINT --data FILE. "
        f"Data, answers and notes lie in {root_folder()}; nothing leaves this machine."
    )


def first_kind(sent: Upload) -> str:
    """What kind of file it is; empty where it is none that can be read."""
    try:
        found: Layout = of_file(_layout, (sent.path,), Told())
    except ValueError:
        return ""
    return found.kind
