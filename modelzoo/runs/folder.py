"""Where runs lie, writing a file whole or not at all, and the lock of a run that dies with its process."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

RUNS_VARIABLE = "ATLAS_RUNS"
RUN_FILE, PARTS, UNREAD, UNREAD_FILE, CANCEL_FILE = "run.json", "parts", "unread", "unread.parquet", "cancel"
NOTES_FILE, ASIDE = "notes.sqlite", ".aside-"
RUN_ID = re.compile(r"[0-9a-f]{16}")
PATIENCE = 1.0
"""Seconds to wait for a lock that somebody may only be looking at."""


def root_folder() -> Path:
    """The folder of all runs and notes: the one that ATLAS_RUNS names, else the user's data folder."""
    named = os.environ.get(RUNS_VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{RUNS_VARIABLE} is {named!r}, which is not a folder")
        return folder.absolute()
    return _user_data() / "attention-atlas"


def _user_data() -> Path:
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")


def runs_folder() -> Path:
    """The folder that holds one folder a run."""
    return root_folder() / "runs"


def run_folder(run_id: str) -> Path:
    """The folder of a run, whether it is there or not; ValueError for what is no run's id."""
    if not RUN_ID.fullmatch(run_id):
        raise ValueError(f"there is no run {run_id!r}; `python -m modelzoo runs` lists them")
    return runs_folder() / run_id


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A name to write to; when that is done the file is renamed to `path`, so it is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{ASIDE}{path.name}-{uuid.uuid4().hex}")
    try:
        yield aside
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def remove_asides(folder: Path) -> None:
    """Remove what killed processes left half written."""
    for path in folder.glob(f"{ASIDE}*"):
        path.unlink(missing_ok=True)


@contextmanager
def run_lock(run_id: str) -> Iterator[None]:
    """Hold a run alone. ValueError when another process or session works on it."""
    try:
        with _lock(run_id).acquire(timeout=PATIENCE):
            yield
    except Timeout as error:
        raise ValueError(f"the run {run_id} is being worked on by another session; wait for it") from error


def record_lock(run_id: str) -> FileLock:
    """To be held for the moment in which a new record is written."""
    return _lock(run_id, ".record")


def is_running(run_id: str) -> bool:
    """Whether some process works on the run now; one that was killed does not."""
    try:
        with _lock(run_id).acquire(timeout=0):
            return False
    except Timeout:
        return True


def _lock(run_id: str, what: str = "") -> FileLock:
    folder = root_folder() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{run_folder(run_id).name}{what}.lock", thread_local=False)


def uploads_folder() -> Path:
    """Where files are kept that came through a browser."""
    return root_folder() / "uploads"


def touch_uploads(files: Iterable[Path]) -> None:
    """Say that these files, where they are uploads, are still wanted."""
    for file in files:
        if file.parent == uploads_folder() and file.is_file():
            file.touch()


def keep_upload(name: str, chunks: Iterable[bytes]) -> Path:
    """Keep the bytes of an upload, so that a stopped run can go on; the same bytes are kept once.

    `name` is display only but for its ending, which says how the file is read.
    """
    ending = re.search(r"\.[a-z0-9]{1,8}(\.gz)?$", name.lower())
    folder, digest = uploads_folder(), hashlib.sha256()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=ASIDE, delete=False) as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    path = folder / (digest.hexdigest()[:16] + (ending[0] if ending else ".txt"))
    return Path(file.name).replace(path)
