"""A run on a Ray cluster: replicas of the model, an actor each, compute its parts side by side.

The process that was asked holds the run's lock, streams the file to the replicas and keeps the record. Code,
checkpoints and runs lie in a folder that every machine has under the same path, so a replica writes its part
as a local run does: aside, then renamed. Ray is imported only here, and only when it is asked for.

Actors, not Ray Data: a part is a fixed range of a file, while Ray Data cuts and joins blocks by their bytes;
it does not look whether a run is cancelled while it waits; and its own workers took four times as long to
start as the replicas do.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelzoo.cards import CHECKPOINTS_VARIABLE, ROOT
from modelzoo.data.tables import Record, Unread, records
from modelzoo.runs import parts
from modelzoo.runs.folder import RUNS_VARIABLE, root_folder
from modelzoo.runs.meter import Cancelled, Meter, check_cancel
from modelzoo.runs.record import Run
from modelzoo.runs.request import weights_hash

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel

QUEUED = 2
"""Parts at a replica: the one in work, and one that is there when that is done."""
LOOK_SECONDS = 0.5
"""How often a run that waits for its replicas looks whether it is cancelled."""


@dataclass(frozen=True)
class Cluster:
    """Where a run goes: the cluster's address (None: the one that RAY_ADDRESS names or that runs on this
    machine, else a new one here), and how many replicas of the model (None: one a GPU, else one a CPU)."""

    address: str | None = None
    replicas: int | None = None

    def __post_init__(self) -> None:
        if self.replicas is not None and self.replicas < 1:
            raise ValueError(f"there are to be {self.replicas} replicas; accepted is a whole number from 1")


def check_installed() -> None:
    """ValueError with the command that installs Ray, where it is missing."""
    if importlib.util.find_spec("ray") is None:
        raise ValueError("a cluster needs Ray, which is not installed; `pip install ray` installs it")


def compute_parts(meter: Meter, cluster: Cluster, device: str) -> None:
    """Compute and write the parts that are not there. Raises Cancelled; ValueError says what went wrong."""
    run = meter.run
    missing = [part for part in range(run.parts) if not parts.part_path(run, part).is_file()]
    meter.skip(_rows_there(run))
    if not missing:
        return
    try:
        with _connected(cluster) as ray:
            for answer in _answers(ray, cluster, device, run, missing):
                if answer["error"]:
                    raise ValueError(answer["error"])
                if answer["rows"] < 0:
                    raise Cancelled
                meter.count(answer["rows"])
                meter.keep()
    finally:
        meter.settle(_rows_there(run))  # another replica may have written a part while this stopped


def _rows_there(run: Run) -> int:
    """The rows of the parts that are written."""
    sizes = (min(run.part_rows, run.rows - part * run.part_rows) for part in range(run.parts))
    return sum(size for part, size in enumerate(sizes) if parts.part_path(run, part).is_file())


@contextmanager
def _connected(cluster: Cluster) -> Iterator[Any]:
    """Ray, while there is a connection; with it ends whatever this run started on the cluster."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    paths = (str(ROOT), os.environ.get("PYTHONPATH"))
    told = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), RUNS_VARIABLE: str(root_folder())}
    if os.environ.get(CHECKPOINTS_VARIABLE):
        told[CHECKPOINTS_VARIABLE] = str(Path(os.environ[CHECKPOINTS_VARIABLE]).absolute())
    try:
        ray.init(
            cluster.address,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            runtime_env={"env_vars": told},
        )
    except (ConnectionError, RuntimeError, OSError) as error:
        where = cluster.address or os.environ.get("RAY_ADDRESS") or "this machine"
        raise ValueError(f"the Ray cluster at {where} cannot be reached: {error}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _answers(
    ray: Any, cluster: Cluster, device: str, run: Run, missing: list[int]
) -> Iterator[dict[str, Any]]:
    """What the replicas say of each missing part, in the order in which they are done."""
    there = ray.cluster_resources()
    gpus = int(there.get("GPU", 0)) if device in ("auto", "cuda") else 0
    size = cluster.replicas or gpus or int(there.get("CPU", 1)) or 1
    shares = {"num_cpus": 1, "num_gpus": 1 if gpus else 0}
    actor = ray.remote(max_restarts=-1, max_task_retries=-1, **shares)(Replica)
    replicas = [actor.remote(run, device) for _ in range(min(size, len(missing)))]
    free, working, waiting = replicas * QUEUED, {}, _read(run, missing)
    try:
        while True:
            for replica, (part, found) in zip(free[:], waiting, strict=False):
                working[replica.compute.remote(part, found)] = free.pop(0)
            if not working:
                return
            done, _ = ray.wait(list(working), timeout=LOOK_SECONDS)
            check_cancel(run)
            for answer in done:
                free.append(working.pop(answer))
                yield ray.get(answer)
    except ray.exceptions.RayError as error:
        raise ValueError(f"the cluster failed: {str(error).strip().splitlines()[-1]}") from error


def _read(run: Run, missing: Sequence[int]) -> Iterator[tuple[int, list[Record | Unread]]]:
    """The records of the missing parts, a part at a time."""
    for part, found in enumerate(parts.ranges(records(run.layout), run.part_rows, run.settings.limit)):
        if part in missing:
            yield part, found


class Replica:
    """The model on one worker, loaded once; it computes and writes a part a call."""

    def __init__(self, run: Run, device: str) -> None:
        self._run, self._device = run, device

    def compute(self, part: int, found: Sequence[Record | Unread]) -> dict[str, Any]:
        """Who it is, and the rows of the part: -1 where the run was cancelled; `error` is why it failed."""
        rows, error = len(found), ""
        try:
            self._write(part, found)
        except Cancelled:
            rows = -1
        except Exception as problem:
            rows, error = 0, " ".join(str(problem).split()) or type(problem).__name__
        return {"rows": rows, "error": error, "worker": f"{platform.node()} {os.getpid()}"}

    def _write(self, part: int, found: Sequence[Record | Unread]) -> None:
        check_cancel(self._run)
        table, unread = parts.compute(self._run, self._model, found, lambda rows: check_cancel(self._run))
        parts.write_part(self._run, part, table, unread)

    @cached_property
    def _model(self) -> AttentionModel:
        from modelzoo.registry import load

        if weights_hash(self._run.slug) != self._run.weights:
            raise ValueError(f"the checkpoint {self._run.slug} is another one on {platform.node()}")
        return load(self._run.slug, self._device)
