"""Runs: a checkpoint over a file, its answers and attention in Parquet, and what people say of them.

A run is identified by what goes in (weights, data, columns, settings), so the same question is the same
run: a stopped one goes on where it was. Nothing here leaves the machine.
"""

from modelzoo.runs.cluster import Cluster
from modelzoo.runs.engine import execute
from modelzoo.runs.folder import RUNS_VARIABLE, is_running, keep_upload, root_folder
from modelzoo.runs.meter import Progress
from modelzoo.runs.notes import Notes, notes_path, open_notes
from modelzoo.runs.record import Run, Settings
from modelzoo.runs.request import Request, prepare, request_of
from modelzoo.runs.shelf import (
    cancel,
    damaged_runs,
    delete_run,
    list_runs,
    open_run,
    part_files,
    tidy_uploads,
    unread_rows,
)

__all__ = [
    "RUNS_VARIABLE",
    "Cluster",
    "Notes",
    "Progress",
    "Request",
    "Run",
    "Settings",
    "cancel",
    "damaged_runs",
    "delete_run",
    "execute",
    "is_running",
    "keep_upload",
    "list_runs",
    "notes_path",
    "open_notes",
    "open_run",
    "part_files",
    "prepare",
    "request_of",
    "root_folder",
    "tidy_uploads",
    "unread_rows",
]
