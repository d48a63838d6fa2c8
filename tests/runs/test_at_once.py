"""Several processes at once: one run started and resumed by two of them, and uploads that nobody runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from modelzoo.data.tables import find_layout
from modelzoo.runs import (
    Request,
    execute,
    keep_upload,
    part_files,
    prepare,
    shelf,
    tidy_uploads,
    unread_rows,
)
from tests.runs.files import LIN, request, sentiment
from tests.runs.test_runs import rows_of
from tests.sources import ROOT

REFUSED = "is being worked on by another session; wait for it"
PROCESSES = """
import json, os, sys
from pathlib import Path
from modelzoo.data.tables import Columns, find_layout
from modelzoo.runs import Request, execute, part_files, prepare
import modelzoo.registry, modelzoo.rows
asked = Request(sys.argv[1], find_layout(Path(sys.argv[2])), Columns("text", "label"), {}, part_rows=20)

def two_at_once():
    children = []
    for _ in range(2):
        child = os.fork()
        if not child:
            try:
                said = execute(prepare(asked), device="cpu").state
            except ValueError as error:
                said = str(error)
            os.write(1, (said + "\\n").encode())
            os._exit(0)
        children.append(child)
    return [os.waitpid(child, 0)[1] for child in children]

assert two_at_once() == [0, 0]
run = prepare(asked)
for part in part_files(run)[3:]:
    part.unlink()
run.save(state="stopped", done=60)
kept = {path: path.stat().st_mtime_ns for path in part_files(run)}
assert two_at_once() == [0, 0]
assert {path: path.stat().st_mtime_ns for path in kept} == kept
"""
"""Two processes that start a run at the same moment, and two that resume it."""


def asked_of(path: Path) -> Request:
    return replace(request(path.parent, part_rows=20), layout=find_layout(path), name="")


def test_two_processes_that_start_or_resume_a_run_at_once_make_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sentiment(tmp_path / "rows.csv", 400)
    command = [sys.executable, "-c", PROCESSES, LIN, str(path)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    said = Counter("refused" if line.endswith(REFUSED) else line for line in made.stdout.splitlines())
    assert said["done"] >= 2
    assert said["done"] + said["refused"] == 4, said
    run = prepare(asked_of(path))
    assert (run.state, run.done, len(part_files(run))) == ("done", 400, 20)
    found, unread = rows_of(run.id).to_pylist(), unread_rows(run)
    assert not list((tmp_path / "runs").rglob(".aside-*"))
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "alone"))
    alone = execute(prepare(asked_of(path)), device="cpu")
    assert found == rows_of(alone.id).to_pylist()
    assert unread.equals(unread_rows(alone))


# --- uploads ---------------------------------------------------------------------------------------


def upload(text: str, hours: float) -> Path:
    path = keep_upload("a.csv", [text.encode()])
    then = time.time() - hours * 3600
    os.utime(path, (then, then))
    return path


def test_uploads_that_were_never_run_go_after_a_day_and_no_other_file(tmp_path: Path) -> None:
    old, young = upload("text\nold\n", 25), upload("text\nyoung\n", 2)
    used = upload(sentiment(tmp_path / "b.csv", 20).read_text(encoding="utf-8"), 25)
    run = prepare(asked_of(used))
    os.utime(used, (0, 0))
    half = old.with_name(".aside-killed")
    half.touch()
    os.utime(half, (0, 0))
    tidy_uploads()
    assert [path.exists() for path in (old, half, young, used)] == [False, False, True, True]
    assert execute(run, device="cpu").state == "done"


def test_so_much_is_kept_of_uploads_that_were_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "UNUSED_BYTES", 25)
    paths = [upload(f"text {hours:05}\n", hours) for hours in (0, 0.5, 2, 3)]
    tidy_uploads()
    assert [path.exists() for path in paths] == [True, True, False, False]


def test_an_upload_that_is_about_to_be_run_is_as_good_as_new() -> None:
    path = upload("text,label\na dog,positive\n", 30)
    prepare(asked_of(path))
    assert time.time() - path.stat().st_mtime < 3600
