"""Requests of runs: kept and read back, and refused where they do not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modelzoo.data.tables import Columns, Survey, find_layout, survey
from modelzoo.runs import Request, execute, list_runs, open_run, prepare, request_of
from tests.runs.files import LIN, PAIR, RNN, request


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


@pytest.mark.parametrize(("slug", "rows"), [(LIN, 2_000), (RNN, 500)])
def test_a_part_of_a_slow_task_is_smaller(tmp_path: Path, slug: str, rows: int) -> None:
    asked = replace(request(tmp_path), slug=slug, part_rows=None, label_map={})
    assert prepare(asked).part_rows == rows


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


def test_a_limited_run_counts_the_labels_of_its_rows_only(tmp_path: Path) -> None:
    run = prepare(request(tmp_path, limit=7))
    assert (run.rows, sum(run.label_counts.values())) == (7, 7)
    assert dict(run.label_counts) == {"positive": 2, "negative": 2, "-": 1, "": 1, "odd": 1}


def test_a_request_whose_run_another_session_has_ended_meanwhile_is_that_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(tmp_path)
    with monkeypatch.context() as patched:

        def slow(*arguments: Any, **options: Any) -> Survey:
            """Another session asks the same while this one counts, and is done first."""
            patched.setattr("modelzoo.runs.request.survey", survey)
            assert execute(prepare(asked), device="cpu").state == "done"
            return survey(*arguments, **options)

        patched.setattr("modelzoo.runs.request.survey", slow)
        found = prepare(asked)
    assert (found.state, open_run(found.id).state) == ("done", "done")
