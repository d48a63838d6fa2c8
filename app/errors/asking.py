"""What is asked of files and runs, once for all sessions: the caches of the page on errors."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from app.errors.chosen import Chosen
from modelzoo.runs import Notes, Run, notes_path, open_notes, open_run, part_files

if TYPE_CHECKING:
    from modelzoo import analysis
    from modelzoo.analysis import Filter
    from modelzoo.analysis.two import Outcome, TwoRuns

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def workers() -> dict[str, subprocess.Popen[bytes]]:
    """By run, the process that this app has started to work on it."""
    return {}


def notes() -> Notes:
    """What people said of rows; opened once as long as the file is there."""
    path = notes_path()
    return _notes(str(path), path.stat().st_ino) if path.exists() else open_notes()


@st.cache_resource(max_entries=4, show_spinner=False)
def _notes(path: str, number: int) -> Notes:
    return open_notes()


def of_file(ask: Callable[..., T], *arguments: Any) -> T:
    """What a function finds out of files, `ask(*arguments)`; an upload lies under a name of its content.

    `ask` is a function with a name; the arguments are values, which their `repr` tells apart.
    """
    found: T = _read(_name(ask), repr(arguments), lambda: ask(*arguments))
    return found


@st.cache_data(max_entries=16, show_spinner="Reading the file …")
def _read(name: str, arguments: str, _ask: Callable[[], Any]) -> Any:
    return _ask()


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


@st.cache_resource(max_entries=6, show_spinner=False)
def _opened(run_id: str, ready: int, _run: Run) -> analysis.OpenRun:
    from modelzoo.analysis import OpenRun

    return OpenRun(part_files(_run), labels=_run.labels)


def _ready(run: Run) -> int:
    """How many parts of a run are there; those of one that is done are not looked for."""
    return run.parts if run.state == "done" else len(part_files(run))


def rows_of(run: Run) -> analysis.OpenRun:
    """The rows of a run that are there, opened for questions. ValueError while there is none."""
    return _opened(run.id, _ready(run), run)


def of_run(run: Run, ask: Callable[..., T], *arguments: Any) -> T:
    """What a question finds out about the rows of a run: `ask(rows, *arguments)`.

    `ask` and the arguments are as of `of_file`.
    """
    rows = rows_of(run)
    question = repr((run.id, len(rows.parts), _name(ask), arguments))
    found: T = _answer(question, lambda: ask(rows, *arguments))
    return found


def two(run: Run, other: Run) -> TwoRuns:
    """Two runs over the same data. ValueError where they cannot be compared."""
    return _two((run.id, _ready(run)), (other.id, _ready(other)), run, other)


@st.cache_resource(max_entries=3, show_spinner="Comparing …")
def _two(first: tuple[str, int], second: tuple[str, int], _run: Run, _other: Run) -> TwoRuns:
    from modelzoo.analysis.two import TwoRuns

    return TwoRuns(rows_of(_run), rows_of(_other))


def of_two(run: Run, other: Run, ask: Callable[..., T], *arguments: Any) -> T:
    """What a question finds out about two runs: `ask(*arguments)`, a method of `two(run, other)`."""
    question = repr((run.id, _ready(run), other.id, _ready(other), _name(ask), arguments))
    found: T = _answer(question, lambda: ask(*arguments))
    return found


def filter_of(run: Run, chosen: Chosen) -> Filter:
    """The rows that a person looks at, as a filter of the run. ValueError where another run is gone."""
    made = chosen.rows(run.id, notes())
    if not chosen.outcome:
        return made
    outcome: Outcome = chosen.outcome  # type: ignore[assignment]  # checked where it was read
    return two(run, open_run(chosen.against)).filter(outcome, made)


@st.cache_data(max_entries=256, show_spinner="Counting …")
def _answer(question: str, _ask: Callable[[], Any]) -> Any:
    return _ask()
