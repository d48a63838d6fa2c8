"""The page on errors over whole runs: attention, two runs, take-away, every task, runs in work."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import pytest

from app.errors import away, jobs, place
from modelzoo.analysis import Filter
from modelzoo.data.tables import Columns, find_layout
from modelzoo.runs import Request, Run, list_runs, open_notes, open_run, prepare
from tests.app.runs import ODD, ROWS, Opened, folder, labelled, run_over, table, texts, write_rows
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH, FRENCH

__all__ = ["folder", "labelled"]  # fixtures

pytestmark = pytest.mark.usefixtures("folder")


def test_attention_over_the_rows_finds_the_rows_of_a_word(open_view: Opened, labelled: Run) -> None:
    page = open_view("errors", run=labelled.id, part="attention")
    assert not page.exception
    assert len(page.dataframe) == 1
    page.text_input(key="errors_word").set_value("DOGS").run()
    rows = page.dataframe[-1].value
    assert all("dogs" in text for text in rows["text"])
    page.text_input(key="errors_word").set_value("zyzzyva").run()
    assert "No row of these has 'zyzzyva'" in texts(page)


def test_two_runs_of_the_same_data_stand_side_by_side(open_view: Opened, labelled: Run, folder: Path) -> None:
    alone = open_view("errors", run=labelled.id, part="two")
    assert "There is no other run of this data" in texts(alone)
    other = run_over(folder / "rows.csv", "self-attentive", Columns("text", "label"), limit=20)
    page = open_view("errors", run=labelled.id, part="two")
    assert not page.exception
    assert [metric.label for metric in page.metric][-1] == "B more than A"
    assert page.metric[-1].value == "+0.0 points"
    assert "p 1.000" in texts(page)
    both = next(button for button in page.button if button.key == "errors_outcome_both")
    count = int(both.label.rpartition(" ")[2])
    both.click().run()
    assert f"{count} of {ROWS} rows" in texts(page)
    assert len(table(page)) == count
    assert other.id in "".join(page.query_params["filter"])


def test_the_table_that_is_taken_away_holds_what_people_said(labelled: Run) -> None:
    open_notes().add_label(labelled.id, 3, "negation")
    open_notes().write_note(labelled.id, 3, "=1+1")
    plain = list(csv.DictReader(io.StringIO(away.to_file(labelled, Filter(), "csv", is_safe=False).decode())))
    assert [row["text"] for row in plain[:4]] == [*ENGLISH[:3], ODD]
    assert [row["labels"] for row in plain[:5]] == ["", "", "", "negation", ""]
    safe = away.to_file(labelled, Filter(), "csv", is_safe=True).decode("utf-8-sig")
    assert next(row["note"] for row in csv.DictReader(io.StringIO(safe)) if row["row"] == "3") == "'=1+1"
    lines = away.to_file(labelled, Filter(rows=(3,)), "jsonl", is_safe=False).decode().splitlines()
    assert [json.loads(line)["note"] for line in lines] == ["=1+1"]


def test_what_is_taken_away_is_offered_and_made_only_when_asked(
    open_view: Opened, labelled: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr(away, "to_file", lambda *given, **options: made.append(given))
    page = open_view("errors", run=labelled.id, part="away")
    assert not page.exception
    labels = [button.label for button in page.get("download_button")]
    assert [
        label for label in labels if label in ("CSV", "TSV", "JSONL", "PARQUET", "HTML report")
    ] == labels[-5:]
    assert not made


def test_pairs_and_translations_open_too(open_view: Opened, folder: Path) -> None:
    pairs = folder / "pairs.tsv"
    pairs.write_text(
        "premise\thypothesis\tlabel\n"
        + "\n".join(f"{one}\t{other}\tneutral" for one, other in pairwise(ENGLISH)),
        encoding="utf-8",
    )
    lines = folder / "lines.tsv"
    lines.write_text(
        "en\tfr\n" + "\n".join(map("\t".join, zip(ENGLISH, FRENCH, strict=True))), encoding="utf-8"
    )
    of_pairs = run_over(pairs, "decomposable", Columns("premise", "label", "hypothesis"))
    of_lines = run_over(lines, "rnn-search", Columns("en", "fr"))
    for run in (of_pairs, of_lines):
        for part in place.PARTS:
            page = open_view("errors", run=run.id, part=part)
            assert not page.exception, (run.slug, part)
            assert not page.error, (run.slug, part)
        page = open_view("errors", run=run.id, part="examples", row="2")
        assert page.get("vega_lite_chart"), run.slug


def test_a_file_without_labels_has_no_score_but_measures(open_view: Opened, folder: Path) -> None:
    path = folder / "plain.txt"
    path.write_text("\n".join(ENGLISH), encoding="utf-8")
    run = run_over(path, "self-attentive", Columns("text"))
    page = open_view("errors", run=run.id, part="overview")
    assert not page.exception
    assert not page.metric
    assert "so there is no score" in texts(page)
    assert len(page.get("vega_lite_chart")) == 3


def test_a_run_that_was_stopped_says_so_and_can_be_deleted(
    open_view: Opened, only_tiny: None, folder: Path
) -> None:
    path = write_rows(folder / "rows.csv")
    run = prepare(
        Request(SLUGS["self-attentive"], find_layout(path), Columns("text", "label"), name="rows.csv")
    )
    run.save(state="running", done=5)
    page = open_view("errors", run=run.id)
    assert not page.exception
    assert "This run was stopped before its end. 5 of 24 rows" in texts(page)
    page.segmented_control(key="errors_part").set_value("overview").run()
    assert "No row is answered yet" in texts(page)
    page.segmented_control(key="errors_part").set_value("data").run()
    page.button(key="errors_delete").click().run()
    assert list_runs() == []
    assert not page.exception


def test_a_started_run_is_worked_on_by_a_process_of_its_own(only_tiny: None, folder: Path) -> None:
    path = write_rows(folder / "rows.csv")
    run = prepare(Request(SLUGS["self-attentive"], find_layout(path), Columns("text", "label")))
    jobs.start(run.id)
    jobs.workers()[run.id].wait(timeout=60)
    done = open_run(run.id)
    assert (done.state, done.done, done.error) == ("done", ROWS, "")
