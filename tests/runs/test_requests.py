"""Requests of runs: kept and read back, and refused where they do not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from modelzoo.data.tables import Columns, find_layout
from modelzoo.runs import Request, list_runs, open_run, prepare, request_of
from tests.runs.files import LIN, PAIR, request


@pytest.mark.parametrize("run_id", ["../../etc", "", "0" * 16, "ABCDEF0123456789"])
def test_only_ids_of_runs_are_opened(run_id: str) -> None:
    with pytest.raises(ValueError, match="there is no run"):
        open_run(run_id)


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    asked = request(tmp_path)
    run = prepare(asked)
    assert open_run(run.id) == run
    assert request_of(open_run(run.id)) == asked
    assert json.loads((run.folder / "run.json").read_text())["data_name"] == "mine.csv"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": Columns("words")}, "has no column 'words'; it has: id, text, label"),
        ({"columns": Columns("text", "text")}, "each may be used once"),
        ({"label_map": {"odd": "fine"}}, "the label map gives 'odd' the name 'fine'; accepted are"),
        ({"slug": PAIR}, "--pair-column"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prepare(replace(request(tmp_path), **changes))
    assert list_runs() == []


def test_a_file_without_a_usable_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("text\tlabel\nonly\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"no row of .* can be read; line 2: it has 1 columns"):
        prepare(Request(LIN, find_layout(tmp_path / "a.tsv"), Columns("text", "label")))
