"""The runs there are: list, open, cancel, delete."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from modelzoo.runs import parts
from modelzoo.runs.folder import (
    CANCEL_FILE,
    RUN_ID,
    UNREAD_FILE,
    is_running,
    run_folder,
    run_lock,
    runs_folder,
    uploads_folder,
)
from modelzoo.runs.notes import open_notes
from modelzoo.runs.record import Run, read_run

UNUSED_SECONDS, UNUSED_BYTES = 24 * 3600, 1 << 30
"""How long an upload that was never run is kept, and how much of them."""
DRAFT_SECONDS = 3600
"""An upload as young as this is kept whatever it takes: somebody may be about to run it."""


def open_run(run_id: str) -> Run:
    """A run as it is now: one that says it is running but was killed is `stopped`. ValueError for no run."""
    run = read_run(run_id)
    is_dead = run.state == "running" and not is_running(run_id)
    return replace(run, state="stopped") if is_dead else run


def list_runs() -> list[Run]:
    """All runs whose record can be read, the latest first."""
    found = []
    for run_id in _ids():
        try:
            found.append(open_run(run_id))
        except ValueError:
            continue
    return sorted(found, key=lambda run: run.created, reverse=True)


def damaged_runs() -> tuple[str, ...]:
    """The ids of runs whose record cannot be read: they can only be deleted."""
    damaged = []
    for run_id in _ids():
        try:
            read_run(run_id)
        except ValueError:
            damaged.append(run_id)
    return tuple(damaged)


def _ids() -> list[str]:
    folder = runs_folder()
    return sorted(p.name for p in folder.iterdir() if RUN_ID.fullmatch(p.name)) if folder.is_dir() else []


def part_files(run: Run) -> tuple[Path, ...]:
    """The Parquet files of a run that are there, in the order of its rows."""
    paths = (parts.part_path(run, part) for part in range(run.parts))
    return tuple(path for path in paths if path.is_file())


def unread_rows(run: Run) -> pa.Table:
    """The records that could not be read: row, line, reason, raw."""
    path = run.folder / UNREAD_FILE
    return pq.read_table(path) if path.is_file() else parts.read_unread(run)


def cancel(run_id: str) -> None:
    """Ask whoever works on the run to stop after its batch; parts that are whole stay."""
    if is_running(run_id):
        (run_folder(run_id) / CANCEL_FILE).touch()


def delete_run(run_id: str, *, with_notes: bool = False) -> None:
    """Delete a run, its answers, and the copy of an upload that no other run uses.

    ValueError when it is running, or when people's labels and notes would be lost unless that is wanted.
    """
    folder = run_folder(run_id)
    if not folder.is_dir():
        raise ValueError(f"there is no run {run_id!r}; `python -m modelzoo runs` lists them")
    notes = open_notes()
    count = notes.count(run_id)
    if count and not with_notes:
        raise ValueError(f"the run {run_id} has {count} labels, notes and stars; say that they may go too")
    with run_lock(run_id):
        uploads = _uploads(run_id)
        gone = folder.with_name(f".gone-{run_id}")
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
        notes.forget(run_id)
        shutil.rmtree(gone)
        for path in uploads - {file for run in list_runs() for file in run.layout.files}:
            path.unlink(missing_ok=True)


def _uploads(run_id: str) -> set[Path]:
    try:
        files = read_run(run_id).layout.files
    except ValueError:
        return set()
    return {file for file in files if file.parent == uploads_folder()}


def tidy_uploads() -> None:
    """Remove uploads that no run uses: those of yesterday and before, and the oldest of the last hours where
    all of them are more than UNUSED_BYTES."""
    folder = uploads_folder()
    if not folder.is_dir():
        return
    used = {file for run in list_runs() for file in run.layout.files}
    total, unused = 0, []
    for path in folder.iterdir():
        with suppress(OSError):  # another session was faster
            state = path.stat()
            if path not in used and path.is_file():
                unused.append((state.st_mtime, state.st_size, path))
    for written, size, path in sorted(unused, reverse=True):
        total += size
        age = time.time() - written
        if age > UNUSED_SECONDS or (total > UNUSED_BYTES and age > DRAFT_SECONDS):
            with suppress(OSError):
                path.unlink()
