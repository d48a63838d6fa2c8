"""Executing a run: part after part; parts that are there are not computed again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelzoo.data.tables import records
from modelzoo.runs import parts
from modelzoo.runs.folder import CANCEL_FILE, PARTS, UNREAD, UNREAD_FILE, remove_asides, run_lock
from modelzoo.runs.record import Run, read_run
from modelzoo.runs.request import check_unchanged

if TYPE_CHECKING:
    from modelzoo.models.base import AttentionModel

SAVE_SECONDS = 1.0
"""How often the record of a run says how far it is."""


@dataclass(frozen=True)
class Progress:
    """How far a run is: rows that are settled, of how many; rows a second since it was started."""

    done: int
    rows: int
    rate: float

    @property
    def seconds_left(self) -> float | None:
        """The time that the other rows take at this rate; None before there is one."""
        return (self.rows - self.done) / self.rate if self.rate else None


class Cancelled(Exception):
    """Somebody asked that the run stop."""


def execute(
    run: Run,
    *,
    model: AttentionModel | None = None,
    device: str = "auto",
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Run:
    """Run it to its end, or until somebody cancels it; what is there already is kept.

    ValueError when another process works on it. An error within is written to its record and raised.
    """
    with run_lock(run.id):
        run = read_run(run.id)
        if run.state == "done":
            return run
        for name in ("", PARTS, UNREAD):
            remove_asides(run.folder / name)
        (run.folder / CANCEL_FILE).unlink(missing_ok=True)
        meter = _Meter(run, on_progress)
        try:
            meter.save(state="running", error="")
            check_unchanged(run)
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


def _compute_parts(meter: _Meter, model: AttentionModel) -> None:
    run = meter.run
    for part, found in enumerate(parts.ranges(records(run.layout), run.part_rows, run.settings.limit)):
        if parts.part_path(run, part).is_file():
            meter.skip(len(found))
            continue
        table, unread = parts.compute(run, model, found, meter.count)
        parts.write_part(run, part, table, unread)
        meter.keep()


def _finish(meter: _Meter, state: str) -> Run:
    """The run's unread records in one file, and its record."""
    unread = parts.read_unread(meter.run)
    parts.write_unread(meter.run.folder / UNREAD_FILE, unread)
    meter.forget()
    (meter.run.folder / CANCEL_FILE).unlink(missing_ok=True)
    return meter.save(state=state, unread=len(unread))


class _Meter:
    """Counts rows, tells who asked, and keeps the record of the run up to date."""

    def __init__(self, run: Run, tell: Callable[[Progress], None]) -> None:
        self.run, self._tell = run, tell
        self._start = self._saved = time.monotonic()
        self._kept = self._done = self._skipped = 0

    def skip(self, rows: int) -> None:
        """Rows of a part that is there."""
        self._kept += rows
        self._done += rows
        self._skipped += rows
        self._tell(self.progress)

    def count(self, rows: int) -> None:
        """Rows of a part in work. Raises Cancelled when the run is to stop."""
        if (self.run.folder / CANCEL_FILE).exists():
            raise Cancelled
        self._done += rows
        self._tell(self.progress)
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self.save()

    def keep(self) -> None:
        """A part is written."""
        self._kept = self._done

    def forget(self) -> None:
        """The part in work is not kept."""
        self._done = self._kept

    @property
    def progress(self) -> Progress:
        seconds = time.monotonic() - self._start
        return Progress(self._done, self.run.rows, (self._done - self._skipped) / max(seconds, 1e-9))

    def save(self, **changes: object) -> Run:
        """Write the record."""
        self._saved = time.monotonic()
        self.run = self.run.save(**{"done": self._done, "rate": self.progress.rate, **changes})
        return self.run
