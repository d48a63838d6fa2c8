"""The report of a run: whole, offline, and with every text as typed."""

from __future__ import annotations

import html
from pathlib import Path

import numpy as np
import pytest

from modelzoo.analysis import Filter, OpenRun
from modelzoo.analysis.report import Report, grids_of, to_report
from modelzoo.analysis.scores import metrics
from modelzoo.analysis.tables import Said
from modelzoo.columns import read_attention
from tests.analysis.runs import LABELS, label_rows, write

EVIL = "x<!-- y --> <script>alert(1)</script> & &amp; $z$"
ROWS = [{**row, "text": EVIL, "tokens": ["<b>", *row["tokens"][1:]]} for row in label_rows(120)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> OpenRun:
    return OpenRun(write(tmp_path_factory.mktemp("run"), ROWS), labels=LABELS)


def test_a_report_has_scores_slices_and_the_examples_with_their_maps(run: OpenRun) -> None:
    said = Said({5: (EVIL,)}, {5: "a note\nof two lines"})
    page = to_report(run, Report("A run", {"model": EVIL}, examples=(5, 3), said=said))
    accuracy = metrics(run).values["accuracy"]
    for shown in (
        f"<td>{accuracy.value:.3f}</td>",
        "Confusion",
        "Expected calibration error",
        "has negation",
    ):
        assert shown in page
    assert page.count("<article>") == 2
    assert page.index('row</dt><dd dir="auto">5 (line 7)') < page.index('row</dt><dd dir="auto">3 (line 5)')
    assert "a note\nof two lines" in page
    weights = read_attention(ROWS[5]["attention"])["hops"]
    assert f"{weights[0, 0]:.2f}</td>" in page
    assert '<th scope="col">&lt;b&gt;</th>' in page


def test_nothing_in_a_report_runs_or_loads(run: OpenRun) -> None:
    page = to_report(run, Report(EVIL, {EVIL: EVIL}, examples=(5,), said=Said({5: (EVIL,)}, {5: EVIL})))
    assert "<script" not in page
    assert "<!--" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert page.count(html.escape(EVIL)) >= 5
    assert "default-src 'none'" in page


def test_a_report_of_a_filter_scores_its_rows(run: OpenRun) -> None:
    chosen = Filter(gold=("yes",))
    page = to_report(run, Report("Part", {}, chosen))
    assert f"{run.count(chosen):,} rows" in page
    assert "<article>" not in page
    empty = to_report(run, Report("None", {}, Filter(rows=())))
    assert "0 rows, 0 of them" in empty


def test_too_many_examples_are_refused(run: OpenRun) -> None:
    with pytest.raises(ValueError, match="201 examples are chosen; accepted are at most 200"):
        to_report(run, Report("Many", {}, examples=range(201)))


def test_the_maps_of_a_row_are_grids_with_its_tokens(run: OpenRun) -> None:
    (row,) = run.table([7], "attention", "tokens", "tokens_pair").to_pylist()
    (grid,) = grids_of(row)
    assert grid.rows == ("hop 1", "hop 2")
    assert list(grid.columns) == ROWS[7]["tokens"]
    np.testing.assert_allclose(grid.values.sum(axis=1), 1, atol=1e-6)


COUNTED = {"bleu_counts": [5, 5, 5, 4, 3, 2, 5, 4, 3, 2], "chrf_counts": [20] * 18}
"""Of a text that is the gold one."""


def test_a_run_that_writes_is_scored_by_its_texts(tmp_path: Path) -> None:
    rows = [{**row, "correct": None, "m_bleu": 50.0, "m_chrf": 60.0 + row["row"], **COUNTED} for row in ROWS]
    page = to_report(OpenRun(write(tmp_path, rows)), Report("Texts", {}))
    assert "BLEU of a row, mean" in page
    for name in ("BLEU", "chrF"):
        assert f'<th scope="row" dir="auto">{name}</th><td>100.000</td><td>100.000 to 100.000</td>' in page
    assert "worst 25 % of the run by chrF" in page
    assert "<td>50.000</td>" in page
    assert "Confusion" not in page
