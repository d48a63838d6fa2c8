"""Executing a run: part after part; parts that are there are not computed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from modelzoo.data.tables import records
from modelzoo.runs import cluster, parts
from modelzoo.runs.cluster import Cluster
from modelzoo.runs.folder import CANCEL_FILE, PARTS, UNREAD, UNREAD_FILE, remove_asides, run_lock
from modelzoo.runs.meter import Cancelled, Meter, Progress
from modelzoo.runs.record import Run, read_run
from modelzoo.runs.request import check_unchanged

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel


def execute(
    run: Run,
    *,
    model: AttentionModel | None = None,
    device: str = "auto",
    on: Cluster | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Run:
    """Run it to its end, or until somebody cancels it; what is there already is kept.

    With a cluster its replicas load the model, and `model` is not asked. ValueError when another process
    works on the run. An error within is written to its record and raised.
    """
    if on is not None:
        cluster.check_installed()
    with run_lock(run.id):
        run = read_run(run.id)
        if run.state == "done":
            return run
        for name in ("", PARTS, UNREAD):
            remove_asides(run.folder / name)
        (run.folder / CANCEL_FILE).unlink(missing_ok=True)
        meter = Meter(run, on_progress)
        try:
            meter.save(state="running", error="")
            check_unchanged(run)
            if on is not None:
                cluster.compute_parts(meter, on, device)
            else:
                _compute_parts(meter, model or _load(run, device))
            return _finish(meter, "done")
        except (Cancelled, KeyboardInterrupt) as stop:
            found = _finish(meter, "cancelled")
            if isinstance(stop, KeyboardInterrupt):
                raise
            return found
        except Exception as error:
            meter.forget()
            meter.save(state="failed", error=" ".join(str(error).split()) or type(error).__name__)
            raise


def _load(run: Run, device: str) -> AttentionModel:
    from modelzoo.registry import load

    return load(run.slug, device)


def _compute_parts(meter: Meter, model: AttentionModel) -> None:
    run = meter.run
    for part, found in enumerate(parts.ranges(records(run.layout), run.part_rows, run.settings.limit)):
        if parts.part_path(run, part).is_file():
            meter.skip(len(found))
            continue
        table, unread = parts.compute(run, model, found, meter.count)
        parts.write_part(run, part, table, unread)
        meter.keep()


def _finish(meter: Meter, state: str) -> Run:
    """The run's unread records in one file, and its record."""
    unread = parts.read_unread(meter.run)
    parts.write_unread(meter.run.folder / UNREAD_FILE, unread)
    meter.forget()
    (meter.run.folder / CANCEL_FILE).unlink(missing_ok=True)
    return meter.save(state=state, unread=len(unread))
