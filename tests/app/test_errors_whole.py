"""The page on errors over whole runs: attention, two runs, take-away, every task, runs in work."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.errors import away, jobs, place
from app.errors.asking import rows_of
from modelzoo.analysis import Filter
from modelzoo.analysis.tables import Taken
from modelzoo.data.tables import Columns, find_layout
from modelzoo.runs import Request, Run, list_runs, open_notes, open_run, prepare
from tests.app.runs import (
    ODD,
    ROWS,
    Opened,
    folder,
    labelled,
    of_pairs,
    run_over,
    table,
    texts,
    translated,
    write_rows,
)
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH

__all__ = ["folder", "labelled", "of_pairs", "translated"]  # fixtures

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


WORDS = {word for text in ENGLISH for word in text.lower().replace(".", " .").split()}


def attention_of(page: AppTest, word: str) -> dict[str, set[str]]:
    """What the part Attention says with its profile open: words of most weight, and a word's partners."""
    page.session_state["errors_positions"] = True
    page.text_input(key="errors_word").set_value(word).run()
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 1  # the profile
    most, *partners, rows = (frame.value for frame in page.dataframe)
    assert all(word in " ".join(map(str, row)).lower() for row in rows.itertuples())
    found = {"most": {told.rpartition("   ")[0] for told in most.iloc[:, 0] if told}}
    return found | {"partners": {one for frame in partners for one in frame["word"]}}


def test_attention_of_translations_is_told_by_word_and_by_piece(open_view: Opened, translated: Run) -> None:
    page = open_view("errors", run=translated.id, part="attention")
    words = attention_of(page, "film")
    assert words["most"] <= {*WORDS, "</s>"}
    assert words["partners"]
    page.toggle(key="errors_by_piece").set_value(True).run()
    pieces = attention_of(page, "the")
    assert not pieces["most"] <= {*WORDS, "</s>"}


def test_attention_of_pairs_has_a_lexicon_both_ways(open_view: Opened, of_pairs: Run) -> None:
    page = open_view("errors", run=of_pairs.id, part="attention")
    for name in ("premise_to_hypothesis", "hypothesis_to_premise"):
        page.segmented_control(key="errors_map_of_all").set_value(name).run()
        found = attention_of(page, "dogs")
        assert found["partners"] <= {*WORDS, "null"}
        assert found["most"] <= {*WORDS, "null"}


def test_attention_of_hops_has_words_for_each_hop_and_no_lexicon(open_view: Opened, labelled: Run) -> None:
    found = attention_of(open_view("errors", run=labelled.id, part="attention"), "dogs")
    assert found["most"]
    assert not found["partners"]


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
    rows, run_id = rows_of(labelled), labelled.id
    plain = list(csv.DictReader(io.StringIO(away.to_file(rows, run_id, "csv", Taken()).decode())))
    assert [row["text"] for row in plain[:4]] == [*ENGLISH[:3], ODD]
    assert [row["labels"] for row in plain[:5]] == ["", "", "", "negation", ""]
    safe = away.to_file(rows, run_id, "csv", Taken(is_safe=True)).decode("utf-8-sig")
    assert next(row["note"] for row in csv.DictReader(io.StringIO(safe)) if row["row"] == "3") == "'=1+1"
    lines = away.to_file(rows, run_id, "jsonl", Taken(Filter(rows=(3,)))).decode().splitlines()
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


def test_pairs_and_translations_open_too(open_view: Opened, of_pairs: Run, translated: Run) -> None:
    for run in (of_pairs, translated):
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
    assert len([one for one in page.get("html") if "not judged" in one.body]) == 3


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
    page.session_state[f"errors_deletion_{run.id}"] = True  # opened
    page.run()
    page.button(key="errors_delete").click().run()
    assert list_runs() == []
    assert not page.exception


def test_a_run_that_follows_a_deleted_one_is_not_up_for_deletion(
    open_view: Opened, labelled: Run, folder: Path
) -> None:
    other = run_over(folder / "rows.csv", "self-attentive", Columns("text", "label"), limit=20)
    page = open_view("errors", run=labelled.id)
    page.session_state[f"errors_deletion_{labelled.id}"] = True  # opened
    page.run()
    page.button(key="errors_delete").click().run()
    assert [run.id for run in list_runs()] == [other.id]
    assert "errors_delete" not in [button.key for button in page.button]


def test_a_started_run_is_worked_on_by_a_process_of_its_own(only_tiny: None, folder: Path) -> None:
    path = write_rows(folder / "rows.csv")
    run = prepare(Request(SLUGS["self-attentive"], find_layout(path), Columns("text", "label")))
    jobs.start(run.id)
    jobs.workers()[run.id].wait(timeout=60)
    done = open_run(run.id)
    assert (done.state, done.done, done.error) == ("done", ROWS, "")
