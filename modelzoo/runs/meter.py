"""How far a run is: rows counted, told, and kept in its record."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from modelzoo.runs.folder import CANCEL_FILE
from modelzoo.runs.record import Run

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


def check_cancel(run: Run) -> None:
    """Raise Cancelled when the run is to stop."""
    if (run.folder / CANCEL_FILE).exists():
        raise Cancelled


class Meter:
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
        check_cancel(self.run)
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

    def settle(self, rows: int) -> None:
        """So many rows are in parts that are written."""
        self._kept = self._done = rows

    @property
    def progress(self) -> Progress:
        """How far the run is now."""
        seconds = time.monotonic() - self._start
        return Progress(self._done, self.run.rows, (self._done - self._skipped) / max(seconds, 1e-9))

    def save(self, **changes: object) -> Run:
        """Write the record."""
        self._saved = time.monotonic()
        self.run = self.run.save(**{"done": self._done, "rate": self.progress.rate, **changes})
        return self.run
