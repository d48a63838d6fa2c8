"""Labels and notes: nothing is lost between sessions and processes, and nothing runs as SQL or markup."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from modelzoo.runs import Notes, open_notes
from modelzoo.runs.notes import Slice
from tests.sources import ROOT
from tests.tiny import NASTY

RUN, OTHER = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes.sqlite")


def test_labels_are_bound_to_run_and_row(notes: Notes, tmp_path: Path) -> None:
    for row, label in ((3, "negation"), (3, "idiom"), (3, "idiom"), (7, " negation ")):
        notes.add_label(RUN, row, label)
    notes.add_label(OTHER, 3, "irony")
    again = Notes(tmp_path / "notes.sqlite")
    assert again.labels(RUN) == {3: ("idiom", "negation"), 7: ("negation",)}
    assert again.label_list() == ("negation", "idiom", "irony")
    again.remove_label(RUN, 3, "idiom")
    again.unlist_label("negation")
    assert (notes.labels(RUN)[3], notes.label_list()) == (("negation",), ("idiom", "irony"))


def test_notes_stars_and_slices_come_back(notes: Notes) -> None:
    notes.write_note(RUN, 1, "first")
    notes.write_note(RUN, 1, "second\nline")
    notes.write_note(RUN, 2, "gone")
    notes.write_note(RUN, 2, "  ")
    notes.set_star(RUN, 9, True)
    notes.set_star(RUN, 8, True)
    notes.set_star(RUN, 9, False)
    notes.save_slice(RUN, "long", '{"length": [30, null]}')
    notes.save_slice(RUN, "long", '{"length": [40, null]}')
    assert notes.notes(RUN) == {1: "second\nline"}
    assert notes.stars(RUN) == (8,)
    assert notes.slices(RUN) == (Slice("long", '{"length": [40, null]}'),)
    assert notes.count(RUN) == 2
    notes.forget(RUN)
    assert (notes.count(RUN), notes.slices(RUN)) == (0, ())


@pytest.mark.parametrize("text", [*NASTY, "'; DROP TABLE notes; --", "a\x00b"])
def test_whatever_is_typed_is_kept(notes: Notes, text: str) -> None:
    notes.write_note(RUN, 0, text)
    notes.add_label(RUN, 0, text)
    assert (notes.notes(RUN), notes.labels(RUN)) == ({0: text}, {0: (text,)})


def test_blank_and_endless_labels_are_refused(notes: Notes) -> None:
    for label in ("", "  ", "x" * 10_001):
        with pytest.raises(ValueError, match="the label "):
            notes.add_label(RUN, 0, label)
    assert notes.labels(RUN) == {}


WRITER = """
import sys
from modelzoo.runs import open_notes
for row in range(60):
    open_notes().add_label("0123456789abcdef", row, sys.argv[1])
    open_notes().write_note("0123456789abcdef", 1000 * int(sys.argv[2]) + row, sys.argv[1])
"""


def test_two_processes_and_four_threads_write_at_once_and_lose_nothing() -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, f"label {k}", str(k)], cwd=ROOT) for k in (1, 2)
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda row: open_notes().add_label(RUN, row, "mine"), range(60)))
    assert [writer.wait() for writer in writers] == [0, 0]
    assert open_notes().labels(RUN) == dict.fromkeys(range(60), ("label 1", "label 2", "mine"))
    assert len(open_notes().notes(RUN)) == 120
