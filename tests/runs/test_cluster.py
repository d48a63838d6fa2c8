"""Runs on a Ray cluster: the same rows as here, through a kill and a cancel; Ray is asked for only then."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modelzoo.runs import Cluster, Run, cluster, execute, open_run, part_files, prepare
from modelzoo.runs.cluster import Replica
from modelzoo.runs.folder import CANCEL_FILE, root_folder
from modelzoo.runs.shelf import unread_rows
from tests.runs.files import LIN, request, sentiment
from tests.runs.test_runs import rows_of
from tests.shell import run as shell
from tests.sources import ROOT

REPLICAS, ROWS, PART_ROWS = 2, 600, 20
START_SECONDS, STARTS = 300, 3
KILLED = """
import sys
from modelzoo.runs import Cluster, execute, open_run
execute(open_run(sys.argv[1]), device="cpu", on=Cluster(sys.argv[2], 2))
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of one machine with two workers, gone at the end with all that it wrote."""
    pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_raylet_start_wait_time_s", str(START_SECONDS))  # on a busy machine
        patch.delenv("RAY_ADDRESS", raising=False)
        from ray.cluster_utils import Cluster as Machines

        folder = tempfile.mkdtemp(prefix="ray")  # a socket's path must be short
        try:
            machines = Machines()
            head = {"num_cpus": REPLICAS, "include_dashboard": False, "temp_dir": folder}
            for attempt in range(STARTS):
                try:
                    machines.add_node(**head)
                    break
                except Exception:  # it has other limits that a busy machine does not keep
                    machines.shutdown()
                    if attempt == STARTS - 1:
                        raise
            yield machines.address
            machines.shutdown()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def kill_in_the_middle(run: Run, address: str) -> None:
    """Let a process work on the run until some parts are there, and kill it."""
    worker = subprocess.Popen([sys.executable, "-c", KILLED, run.id, address], cwd=ROOT)
    until = time.monotonic() + START_SECONDS
    while len(part_files(run)) < 2 and worker.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert worker.poll() is None
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert open_run(run.id).state == "stopped"


@pytest.mark.cluster
def test_a_run_killed_on_a_cluster_and_resumed_there_equals_one_here(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(tmp_path, ROWS, PART_ROWS)
    here = execute(prepare(asked), device="cpu")
    expected, unread = rows_of(here.id).to_pylist(), unread_rows(here)
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "cluster"))
    run, seen, workers = prepare(asked), [], set()
    kill_in_the_middle(run, address)
    kept = {path: path.stat().st_mtime_ns for path in part_files(run)}
    assert 2 <= len(kept) < ROWS // PART_ROWS
    answers = cluster._answers

    def watched(*arguments: Any) -> Iterator[dict[str, Any]]:
        for answer in answers(*arguments):
            workers.add(answer["worker"])
            yield answer

    monkeypatch.setattr(cluster, "_answers", watched)
    done = execute(run, device="cpu", on=Cluster(address), on_progress=seen.append)
    assert (done.state, done.done, len(workers)) == ("done", ROWS, REPLICAS)
    assert (seen[0].done, seen[-1].done) == (len(kept) * PART_ROWS, ROWS)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert rows_of(run.id).to_pylist() == expected
    assert unread_rows(done).equals(unread)
    assert not list(root_folder().rglob(".aside-*"))


def asked_of_a_replica(run: Run) -> dict[str, Any]:
    """What a replica of its own answers on the first part."""
    return Replica(run, "cpu").compute(*next(cluster._read(run, [0])))


def test_a_replica_writes_a_part_unless_the_checkpoint_is_another_or_the_run_is_cancelled(
    tmp_path: Path,
) -> None:
    run = prepare(request(tmp_path))
    refused = asked_of_a_replica(replace(run, weights="0" * 64))["error"]
    assert refused.startswith(f"the checkpoint {LIN} is another one on ")
    (run.folder / CANCEL_FILE).touch()
    assert (asked_of_a_replica(run)["rows"], part_files(run)) == (-1, ())
    (run.folder / CANCEL_FILE).unlink()
    assert (asked_of_a_replica(run)["rows"], len(part_files(run))) == (20, 1)


@pytest.mark.parametrize(
    ("answer", "state", "done"),
    [((-1, ""), "cancelled", 20), ((0, "no space left"), "failed", 20), ((20, ""), "done", 60)],
)
def test_what_the_replicas_say_is_in_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: tuple[int, str], state: str, done: int
) -> None:
    run = prepare(request(tmp_path))

    def answers(ray: Any, on: Cluster, device: str, run: Run, missing: list[int]) -> Iterator[dict[str, Any]]:
        """The first part is computed; of the others the replicas say `answer`."""
        for part, found in cluster._read(run, missing):
            is_computed = part == 0 or state == "done"
            said = {"rows": answer[0], "error": answer[1]}
            yield Replica(run, device).compute(part, found) if is_computed else said

    monkeypatch.setattr(cluster, "check_installed", lambda: None)
    monkeypatch.setattr(cluster, "_connected", nullcontext)
    monkeypatch.setattr(cluster, "_answers", answers)
    if answer[1]:
        with pytest.raises(ValueError, match=answer[1]):
            execute(run, device="cpu", on=Cluster())
    else:
        execute(run, device="cpu", on=Cluster())
    found = open_run(run.id)
    assert (found.state, found.done, found.error) == (state, done, answer[1])
    assert len(part_files(found)) == done // 20


def test_without_ray_one_sentence_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    data = str(sentiment(tmp_path / "a.csv", 5))
    status, _, err = shell(capsys, "run", LIN, "--data", data, "--engine", "ray")
    assert status == 2
    assert err.endswith("a cluster needs Ray, which is not installed; `pip install ray` installs it\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--replicas", "2"], "--address and --replicas are of a cluster; give --engine ray with them"),
        (["--engine", "ray", "--replicas", "0"], "accepted is a whole number from 1"),
    ],
)
def test_options_of_a_cluster_that_make_no_sense_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], message: str
) -> None:
    status, _, err = shell(capsys, "run", LIN, "--data", str(sentiment(tmp_path / "a.csv", 5)), *options)
    assert (status, message in err) == (2, True)


def test_ray_is_imported_only_when_a_cluster_is_asked_for() -> None:
    program = "import sys, modelzoo.runs, modelzoo.cli; print('ray' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_a_run_of_a_file_named_from_elsewhere_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(tmp_path)
    monkeypatch.chdir(tmp_path)
    near = replace(asked.layout, files=(Path(asked.layout.files[0].name),))
    run = prepare(replace(asked, layout=near))
    monkeypatch.chdir(os.sep)
    assert execute(open_run(run.id), device="cpu").state == "done"
