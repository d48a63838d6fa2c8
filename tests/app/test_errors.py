"""The page on errors over tiny models: data in, a run, its rows, what people say of them, take-away."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.errors import away, jobs, place
from app.errors.chosen import Chosen
from modelzoo.analysis import Between, Filter, OneOf
from modelzoo.data.tables import Columns, find_layout
from modelzoo.registry import load
from modelzoo.runs import Request, Run, Settings, execute, list_runs, open_notes, open_run, prepare
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH, FRENCH, SENTIMENTS

Opened = Callable[..., AppTest]
ROWS = 24
ODD = 'x<b>y</b> $5 and $10, "q" **m** :red[r] =1+1'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of this test alone."""
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "runs"))
    return tmp_path


def write_rows(path: Path, count: int = ROWS) -> Path:
    """A labelled file with an odd text, labels nobody knows, and a column whose name has a dot."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label", "genre.a"])
        for i in range(count):
            text = ODD if i == 3 else ENGLISH[i % len(ENGLISH)]
            label = ("-", "Positive", "five")[i] if i < 3 else SENTIMENTS[i % 2]
            writer.writerow([text, label, "ab"[i % 2]])
    return path


def run_over(
    path: Path, model: str, columns: Columns, *, limit: int | None = None, part_rows: int = 10
) -> Run:
    slug = SLUGS[model]
    request = Request(slug, find_layout(path), columns, {}, Settings(1, limit), path.name, part_rows)
    return execute(prepare(request), model=load(slug, "cpu"))


@pytest.fixture
def labelled(only_tiny: None, folder: Path) -> Run:
    """A finished run of the tiny classifier."""
    return run_over(write_rows(folder / "rows.csv"), "self-attentive", Columns("text", "label"))


def texts(page: AppTest) -> str:
    """Everything that the page says."""
    said = (str(one.value) for one in (*page.markdown, *page.caption, *page.info, *page.error))
    return html.unescape("\n".join(said))


def table(page: AppTest) -> Any:
    return page.dataframe[0].value


def test_without_a_run_the_page_asks_for_a_file_and_says_where_data_lies(
    open_view: Opened, folder: Path
) -> None:
    page = open_view("errors")
    assert not page.exception
    assert str(folder / "runs") in texts(page)
    assert "nothing leaves this machine" in texts(page)
    assert [box.label for box in page.selectbox] == ["Checkpoint"]


def upload(page: AppTest, path: Path) -> AppTest:
    """Send a file."""
    page.file_uploader(key="errors_draft_file").upload(path.name, path.read_bytes(), "text/csv")
    return page.run()


def test_an_upload_is_shown_mapped_and_run_to_its_end(
    open_view: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(jobs, "start", started.append)
    page = upload(open_view("errors"), write_rows(folder / "rows.csv"))
    assert not page.exception
    assert "separated by commas" in texts(page)
    assert f"{ROWS} rows, 0 of them unusable" in texts(page)
    assert [box.value for box in page.selectbox][-2:] == ["text", "label"]
    assert "does not know the labels of 1 rows" in texts(page)
    page.button(key="errors_draft_start").click().run()
    (run,) = list_runs()
    assert started == [run.id]
    assert (run.data_name, run.rows, run.columns) == ("rows.csv", ROWS, Columns("text", "label"))
    assert "Start" in [button.label for button in page.button]


def test_a_file_that_cannot_be_read_is_named_as_it_was_sent(open_view: Opened, folder: Path) -> None:
    path = folder / "empty.csv"
    path.write_bytes(b"")
    page = upload(open_view("errors"), path)
    assert "empty.csv is empty" in texts(page)
    assert "uploads" not in "\n".join(error.value for error in page.error)


def test_a_draft_outlives_a_visit_to_another_page(open_view: Opened, folder: Path) -> None:
    page = upload(open_view("errors"), write_rows(folder / "rows.csv"))
    page.selectbox(key="errors_draft_label").set_value(None).run()
    back = open_view("errors")  # of a page that is left Streamlit forgets the widgets, and nothing else
    back.session_state["errors_draft"] = page.session_state["errors_draft"]
    back.run()
    assert back.selectbox(key="errors_draft_label").value is None
    assert "there is no score" in texts(back)


def test_the_overview_scores_rows_with_gold_and_counts_the_others(open_view: Opened, labelled: Run) -> None:
    page = open_view("errors", run=labelled.id, part="overview")
    assert not page.exception
    assert [metric.label for metric in page.metric] == ["Accuracy", "Mean F1"]
    assert f"Of {ROWS - 2} rows with a gold answer; 2 have none" in texts(page)
    assert len(page.get("vega_lite_chart")) == 5


def test_the_table_holds_the_rows_of_the_filter_in_the_order_that_is_chosen(
    open_view: Opened, labelled: Run
) -> None:
    wanted = Chosen(Filter(one_of=(OneOf("x_genre.a", ("b",)),)))
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted.to_json(), order="-m_length")
    assert not page.exception
    assert f"{ROWS // 2} of {ROWS} rows" in texts(page)
    frame = table(page)
    assert len(frame) == ROWS // 2
    lengths = [len(text.split()) for text in frame["text"]]
    assert lengths[0] > lengths[-1]
    page.button(key="errors_without_one_of_0").click().run()
    assert f"{ROWS} of {ROWS} rows" in texts(page)


def test_a_filter_with_no_row_says_so_and_can_be_taken_away(open_view: Opened, labelled: Run) -> None:
    for part in place.PARTS:
        wanted = Chosen(Filter(search="no such text")).to_json()
        page = open_view("errors", run=labelled.id, part=part, filter=wanted)
        assert not page.exception
        assert part == "data" or "0 of 24 rows match" in texts(page)


@pytest.mark.parametrize(
    "given", ["{", '{"gold": 3}', '{"between": [{"column": 1}]}', "x" * 9_000, '{"outcome": "x"}']
)
def test_a_filter_of_a_link_that_is_none_is_left_out(open_view: Opened, labelled: Run, given: str) -> None:
    page = open_view("errors", run=labelled.id, part="examples", filter=given)
    assert not page.exception
    assert "The filter of the link was left out" in texts(page)
    assert len(table(page)) == ROWS


def test_a_pattern_that_is_none_and_a_column_that_is_none_are_refused(
    open_view: Opened, labelled: Run
) -> None:
    for wrong in (Filter(pattern="("), Filter(between=(Between("m_nothing", 0, 1),))):
        page = open_view("errors", run=labelled.id, part="examples", filter=Chosen(wrong).to_json())
        assert not page.exception
        assert page.error
        assert "errors_clear" in [button.key for button in page.button]


def test_filters_keep_their_form_in_a_link() -> None:
    made = Filter(
        gold=("positive", None),
        prediction=("negative",),
        right=False,
        between=(Between("m_entropy", 0.5, None),),
        one_of=(OneOf("x_genre.a", ("a", None)),),
        search='"; DROP',
        pattern="(?i)a",
        word="film",
        rows=(1, 5),
    )
    chosen = Chosen(made, ("negation",), True, True, "0123456789abcdef", "first")
    assert Chosen.from_json(chosen.to_json()) == chosen
    assert Chosen().to_json() == ""


def test_an_open_row_shows_gold_answer_and_map_and_steps_within_the_filter(
    open_view: Opened, labelled: Run
) -> None:
    wanted = Chosen(Filter(one_of=(OneOf("x_genre.a", ("b",)),))).to_json()
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted, row="3")
    assert not page.exception
    assert "Row 3, 2 of 12." in texts(page)
    assert "Gold positive; the run says" in texts(page)
    assert page.get("vega_lite_chart")
    page.button(key="errors_next").click().run()
    assert "Row 5, 3 of 12." in texts(page)
    page.button(key="errors_previous").click().run()
    page.button(key="errors_previous").click().run()
    assert "Row 1, 1 of 12." in texts(page)
    assert page.button(key="errors_previous").disabled


def test_labels_a_note_and_a_star_are_on_the_disk_at_once_and_shown_in_another_session(
    open_view: Opened, labelled: Run
) -> None:
    page = open_view("errors", run=labelled.id, part="examples", row="3")
    key = f"{labelled.id}_3"
    open_notes().list_label("negation")
    page.run()
    page.multiselect(key=f"errors_labels_{key}").set_value(["negation"]).run()
    page.text_area(key=f"errors_note_{key}").set_value(ODD).run()
    page.toggle(key=f"errors_star_{key}").set_value(True).run()
    store = open_notes()
    assert store.labels(labelled.id) == {3: ("negation",)}
    assert store.notes(labelled.id) == {3: ODD}
    assert store.stars(labelled.id) == (3,)
    other = open_view("errors", run=labelled.id, part="examples", row="3")
    assert other.multiselect(key=f"errors_labels_{key}").value == ["negation"]
    assert other.text_area(key=f"errors_note_{key}").value == ODD
    frame = table(open_view("errors", run=labelled.id, part="examples"))
    assert frame["labels"].tolist()[:5] == ["", "", "", "negation", ""]
    assert frame["note"].tolist()[3] == ODD


def test_two_sessions_on_one_row_lose_nothing(open_view: Opened, labelled: Run) -> None:
    one, two = (open_view("errors", run=labelled.id, part="examples", row="4") for _ in range(2))
    labels, note = f"errors_labels_{labelled.id}_4", f"errors_note_{labelled.id}_4"
    for page, word in ((one, "first"), (two, "second")):
        page.multiselect(key=labels).set_value([word])
        page.text_area(key=note).set_value(word)
        page.run()
    assert open_notes().labels(labelled.id) == {4: ("first", "second")}
    assert open_notes().notes(labelled.id) == {4: "first\nsecond"}
    two.multiselect(key=labels).set_value(["second"]).run()
    assert open_notes().labels(labelled.id) == {4: ("second",)}


def test_a_row_that_leaves_the_filter_stays_open_and_next_goes_on(open_view: Opened, labelled: Run) -> None:
    for row in (2, 7, 9):
        open_notes().add_label(labelled.id, row, "todo")
    wanted = Chosen(labels=("todo",)).to_json()
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted, row="7")
    assert "Row 7, 2 of 3." in texts(page)
    page.multiselect(key=f"errors_labels_{labelled.id}_7").set_value([]).run()
    assert "Row 7, no longer in the filter." in texts(page)
    page.button(key="errors_next").click().run()
    assert "Row 9, 2 of 2." in texts(page)


def test_slices_are_saved_opened_and_deleted(open_view: Opened, labelled: Run) -> None:
    wanted = Chosen(Filter(right=False))
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted.to_json())
    page.text_input(key="errors_slice_name").set_value("wrong ones").run()
    page.button(key="errors_slice_save").click().run()
    assert [(one.name, one.filter) for one in open_notes().slices(labelled.id)] == [
        ("wrong ones", wanted.to_json())
    ]
    other = open_view("errors", run=labelled.id, part="examples")
    other.button(key="errors_slice_0").click().run()
    assert [button.key for button in other.button if "without" in str(button.key)] == [
        "errors_without_right_0"
    ]
    other.button(key="errors_unslice_0").click().run()
    assert open_notes().slices(labelled.id) == ()


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
