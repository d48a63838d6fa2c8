"""One row: its texts, gold and answer, its live map; next and previous keep the filter."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app import panels, state
from app.errors import words
from app.errors.asking import of_run
from app.errors.place import VIEW, get, go
from app.inputs import Asked
from app.message import notice, small
from modelzoo import analysis
from modelzoo.data.tables import make_inputs
from modelzoo.runs import Run
from modelzoo.tasks import TASKS, Inputs
from modelzoo.viz import highlight


def opened() -> int | None:
    """The row that is open; None for the table."""
    given = get("row")
    if given and not (given.isascii() and given.isdigit()):
        notice(f"The link's row is {given!r}; accepted is the number of a row.")
        go(row="")
    return int(get("row")) if get("row") else None


def row(run: Run, number: int, found: np.ndarray) -> None:
    """The row, what people said of it, and the model's answer anew with its maps.

    The labels come first: from row to row they stay where they are, and their list opens below them and not
    over the buttons.
    """
    _steps(number, found)
    try:
        facts = of_run(run, analysis.OpenRun.table, [number]).to_pylist()[0]
    except ValueError:
        notice(f"The run has no row {number}: it could not be used, or the file is shorter.")
        return
    words.marks(run.id, number)
    _texts(run, facts)
    words.note(run.id, number)
    _live(run, facts)


def _steps(number: int, found: np.ndarray) -> None:
    """Back to the table; one row on or back in the filter's order, also when the row has left the filter."""
    at = np.flatnonzero(found == number)
    memory = f"{VIEW}_at"
    is_in = bool(len(at))
    place = int(at[0]) if is_in else min(int(st.session_state.get(memory, 0)), len(found))
    st.session_state[memory] = place
    before, after = place - 1, place + 1 if is_in else place
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Table", key=f"{VIEW}_back", on_click=go, kwargs={"row": ""}, icon=":material/table_rows:")
        _step("Previous", found, before, ":material/chevron_left:", "Alt+Up")
        _step("Next", found, after, ":material/chevron_right:", "Alt+Down")
        small(f"{place + 1:,} of {len(found):,}." if is_in else "No longer in the filter.")


def _step(label: str, found: np.ndarray, place: int, icon: str, shortcut: str) -> None:
    there = 0 <= place < len(found)
    st.button(
        label,
        key=f"{VIEW}_{label.lower()}",
        on_click=go,
        kwargs={"row": str(found[place])} if there else {},
        disabled=not there,
        icon=icon,
        shortcut=shortcut,
    )


def _texts(run: Run, facts: dict[str, object]) -> None:
    """The texts as they stand in the file, what is right, and what the run's model said."""
    task = TASKS[run.task]
    small(f"Row {facts['row']:,} of the run, line {facts['line']:,} of the file.")
    for side, name in zip(task.sides, ("text", "text_pair"), strict=False):
        if len(task.sides) > 1:
            small(side.capitalize())
        st.html(highlight.quote(str(facts[name])))
    gold, said = facts["gold"], str(facts["prediction"])
    if task.output == "text":
        small("A person wrote: " + ("nothing" if gold is None else f"{gold}"))
        small(f"The run's model wrote: {said}")
        return
    verdict = {None: "not judged", True: "right", False: "wrong"}[facts["correct"]]  # type: ignore[index]
    sure = f"{facts['confidence']:.1%}"
    small(f"Gold {gold or 'none'}; the run says {said}, {sure} sure: {verdict}.")


def _live(run: Run, facts: dict[str, object]) -> None:
    """The checkpoint's answer to the row, now, and where it looks."""
    card = state.checkpoints()[0].get(run.slug)
    if card is None:
        notice(f"The checkpoint {run.slug} is not there any more, so the row cannot be asked anew.")
        return
    inputs = _inputs(run, facts)
    asked = Asked(card, inputs)
    result = panels.answer(asked)
    panels.prediction(result)
    panels.about(asked)
    if panels.has_maps(result):
        panels.maps(VIEW, [panels.choose_map(VIEW, "Map", result)], result)


def _inputs(run: Run, facts: dict[str, object]) -> Inputs:
    task = TASKS[run.task]
    cells = {run.columns.text: str(facts["text"])}
    if run.columns.pair is not None:
        cells[run.columns.pair] = str(facts["text_pair"])
    options = {"beam_size": run.settings.beam_size} if task.output == "text" else {}
    return make_inputs(task, cells, run.columns, **options)
