"""The runs there are: open, resume, cancel, delete; and the rows of a run that could not be used."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.errors import jobs
from app.errors.asking import notes
from app.errors.place import VIEW, get, go
from app.message import literal, notice, problem, small
from modelzoo.runs import Run, damaged_runs, delete_run, list_runs, part_files, unread_rows
from modelzoo.tasks import TASKS

MOST_UNREAD = 1_000


def runs() -> list[Run]:
    """All runs, the latest first, as they are now."""
    return [jobs.now(run) for run in list_runs()]


def name(run: Run) -> str:
    """A run in one line."""
    return (
        f"{run.data_name} · {run.slug} · {run.rows:,} rows · {run.state} · {run.created[:10]} · {run.id[:4]}"
    )


def choose(found: Sequence[Run]) -> Run | None:
    """The run that is open; None where there is none yet, or a link names one that is gone."""
    by_id = {run.id: run for run in found}
    if get("run") and get("run") not in by_id:
        said = notes().count(get("run"))
        kept = f" Its {said:,} labels, notes and stars come back if it is made again." if said else ""
        notice(f"There is no run {get('run')!r} on this machine any more.{kept}")
        go(run="")
    if not found:
        return None
    if not get("run"):
        go(run=found[0].id, part=get("part"))
    key = f"{VIEW}_run"
    st.session_state[key] = get("run")
    st.selectbox(
        "Run",
        list(by_id),
        format_func=lambda one: name(by_id[one]),
        key=key,
        on_change=lambda: go(run=st.session_state[key]),
    )
    return by_id[get("run")]


def progress(run: Run) -> None:
    """How far a run is that is not done."""
    if run.state == "running":
        jobs.watch(run.id)
    elif run.state != "done":
        jobs.resume(run)


def about(run: Run) -> None:
    """What a run is made of, rows that could not be used, and from one that is done on to its overview."""
    sides, gold = TASKS[run.task].sides, "label" if run.labels else "reference"
    used = ((sides[0], run.columns.text), (sides[-1], run.columns.pair), (gold, run.columns.label))
    columns = ", ".join(f"{role} from {column!r}" for role, column in used if column)
    small(f"{run.slug} over {run.data_name}: {columns}. The file: {run.layout.description}.")
    if run.label_map:
        small(
            "Labels: "
            + ", ".join(f"{typed} = {meant or 'none'}" for typed, meant in run.label_map.items())
            + "."
        )
    answered = f"{run.done - run.unread:,} rows are answered, {run.unread:,} could not be used. "
    small(f"{answered if run.state != 'running' else ''}The run lies in {run.folder}.")
    if run.state == "done":
        icon, on = ":material/analytics:", {"part": "overview"}
        st.button("See how it did", key=f"{VIEW}_see", type="primary", icon=icon, on_click=go, kwargs=on)
    unread = unread_rows(run)
    if unread.num_rows:
        with st.expander(f"Rows that could not be used: {unread.num_rows:,}", key=f"{VIEW}_unread"):
            st.dataframe(
                unread.slice(0, MOST_UNREAD).select(["line", "reason", "raw"]).to_pandas(),
                hide_index=True,
                alt="Unusable rows: line, reason, text",
            )


def all_runs(found: Sequence[Run]) -> None:
    """Every run, a row each, and those whose record is damaged."""
    rows = [
        {
            "data": run.data_name,
            "checkpoint": run.slug,
            "state": run.state,
            "rows": run.rows,
            "done": run.done / run.rows if run.rows else 0.0,
            "begun": run.created.replace("T", " ")[:16],
            "run": run.id,
        }
        for run in found
    ]
    config = {
        "rows": st.column_config.NumberColumn(format="localized"),
        "done": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1),
        "begun": st.column_config.TextColumn("begun (UTC)"),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=config, alt="The runs on this machine")
    for run_id in damaged_runs():
        with st.container(horizontal=True, vertical_alignment="center"):
            small(f"The record of the run {run_id} is damaged: it can only be deleted.")
            st.button("Delete", key=f"{VIEW}_delete_{run_id}", on_click=_delete, args=(run_id,))


def deletion(run: Run) -> None:
    """Delete the open run, once more asked where people's words go with it."""
    key, icon = f"{VIEW}_deletion_{run.id}", ":material/delete:"  # of the next run it starts closed
    asked = st.popover("Delete this run", icon=icon, key=key, on_change="rerun")
    if not asked.open:
        return
    said, is_running = notes().count(run.id), run.state == "running"
    with asked:
        st.markdown(
            f"The answers over {literal(run.data_name)} go, and the copy of the file if it was uploaded."
        )
        allowed = not said or st.checkbox(f"{said:,} labels, notes and stars go with it", key=f"{key}_notes")
        st.button(
            "Delete",
            key=f"{VIEW}_delete",
            on_click=_delete,
            args=(run.id,),
            disabled=not allowed or is_running,
            type="primary",
        )
        if is_running:
            small("Cancel it first.")


def _delete(run_id: str) -> None:
    try:
        delete_run(run_id, with_notes=True)
    except ValueError as error:
        problem(error)
        return
    if get("run") == run_id:
        go(run="")


def has_rows(run: Run) -> bool:
    """Whether there is something to look at; says so where there is not."""
    if not is_begun(run):
        notice("No row is answered yet. The first ones are here when a part of the file is done.")
    return is_begun(run)


def is_begun(run: Run) -> bool:
    """Whether some of its rows are there."""
    return bool(part_files(run))
