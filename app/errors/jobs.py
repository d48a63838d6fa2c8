"""A run in work: a process of its own, which page switches, reruns and other sessions do not touch.

It is watched by its record on disk, so it can as well have been started in a shell.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import streamlit as st

from app.errors.asking import workers
from app.message import small
from modelzoo.cards import ROOT
from modelzoo.runs import RUNS_VARIABLE, Run, cancel, open_run, root_folder

PROGRAM = "import sys; from modelzoo.runs import execute, open_run; execute(open_run(sys.argv[1]))"
IDLE = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads that wait leave the cores to the pages instead of spinning."""
LOOK_SECONDS = 1.0
WAITING = ("new", "stopped", "cancelled", "failed")
"""States of a run on which nobody works yet, or no more."""


def start(run_id: str) -> None:
    """Let a process work on the run, unless one does."""
    found = workers().get(run_id)
    if found is not None and found.poll() is None:
        return
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    own = {RUNS_VARIABLE: str(root_folder()), "PYTHONPATH": path}
    workers()[run_id] = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, run_id],
        env={**os.environ, **IDLE, **own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def now(run: Run) -> Run:
    """The run as it was just read; one whose process is only loading the model is `running`."""
    worker = workers().get(run.id)
    is_loading = run.state in WAITING and worker is not None and worker.poll() is None
    return replace(run, state="running", rate=0.0) if is_loading else run


@st.fragment(run_every=LOOK_SECONDS)
def watch(run_id: str) -> None:
    """How far a run in work is, every second, with a button to cancel; the page is drawn anew at its end."""
    run = now(open_run(run_id))
    if run.state != "running":
        st.rerun(scope="app")
    share = min(run.done / run.rows, 1.0) if run.rows else 0.0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, text=told(run), width="stretch")
        st.button(
            "Cancel", key=f"errors_cancel_{run_id}", on_click=cancel, args=(run_id,), icon=":material/stop:",
            help=f"Whole parts of {run.part_rows:,} rows are kept; resumed, the run begins its next part.",
        )  # fmt: skip


def told(run: Run) -> str:
    """How far it is, how fast, and how long it will take."""
    if not run.rate:
        return f"{run.done:,} of {run.rows:,} rows; loading the model …"
    left = (run.rows - run.done) / run.rate
    return f"{run.done:,} of {run.rows:,} rows, {run.rate:,.0f} a second, about {duration(left)} left"


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def resume(run: Run) -> None:
    """Why a run is not done, and the button that lets it go on."""
    why = {
        "new": "This run has not begun.",
        "stopped": "This run was stopped before its end.",
        "cancelled": "This run was cancelled.",
        "failed": f"This run failed: {run.error}.",
    }[run.state]
    with st.container(horizontal=True, vertical_alignment="center"):
        small(f"{why} {run.done:,} of {run.rows:,} rows are there.")
        label = "Start" if run.state == "new" else "Resume"
        st.button(
            label, key=f"errors_resume_{run.id}", on_click=start, args=(run.id,), icon=":material/play_arrow:"
        )
