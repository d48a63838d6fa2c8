"""The page on errors over tiny models: data in, the table, an open row, what people say of it."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.errors import jobs, place
from app.errors.chosen import Chosen
from modelzoo.analysis import Between, Filter, OneOf
from modelzoo.data.tables import Columns
from modelzoo.runs import Run, list_runs, open_notes
from tests.app.runs import ODD, ROWS, Opened, folder, labelled, table, texts, write_rows

__all__ = ["folder", "labelled"]  # fixtures

pytestmark = pytest.mark.usefixtures("folder")


def test_without_a_run_the_page_asks_for_a_file_and_says_where_data_lies(
    open_view: Opened, folder: Path
) -> None:
    page = open_view("errors")
    assert not page.exception
    assert str(folder / "runs") in texts(page)
    assert "nothing leaves this machine" in texts(page)
    assert [box.label for box in page.selectbox] == ["Checkpoint"]


def test_a_run_that_is_gone_is_said_with_what_people_said_of_it(open_view: Opened) -> None:
    assert "There is no run 'gone' on this machine any more." in texts(open_view("errors", run="gone"))
    open_notes().write_note("gone", 0, "written in another tab")
    told = "any more. Its 1 labels, notes and stars come back if it is made again."
    assert told in texts(open_view("errors", run="gone"))


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
    assert "Rows whose label the model does not know: 1." in texts(page)
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


def test_a_finished_run_leads_on_to_its_overview(open_view: Opened, labelled: Run) -> None:
    page = open_view("errors", run=labelled.id, part="data")
    page.button(key="errors_see").click().run()
    assert page.session_state["errors_part"] == "overview"
    assert page.metric


def test_the_overview_scores_rows_with_gold_and_counts_the_others(open_view: Opened, labelled: Run) -> None:
    page = open_view("errors", run=labelled.id, part="overview")
    assert not page.exception
    assert [metric.label for metric in page.metric] == ["Accuracy", "Mean F1"]
    assert f"Of {ROWS - 2} rows with a gold answer; 2 have none" in texts(page)
    assert len(page.get("vega_lite_chart")) == 1
    drawn = [one.body for one in page.get("html") if "<div role=" in one.body]
    assert len(drawn) == 4
    assert all("not judged" in one for one in drawn[1:])


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
    "given",
    ["{", '{"gold": 3}', '{"between": [{"column": 1}]}', "x" * 9_000, '{"outcome": "x"}', '{"rows": [1e99]}'],
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


def assert_open(page: AppTest, row: int, place: str) -> None:
    """This row is open, at this place of the filter."""
    captions = [html.unescape(one.value) for one in page.caption]
    assert place in captions
    assert f"Row {row} of the run, line {row + 2} of the file." in captions


def test_a_row_beyond_all_numbers_of_a_table_is_told(open_view: Opened, labelled: Run) -> None:
    page = open_view("errors", run=labelled.id, part="examples", row="9" * 23)
    assert not page.exception
    assert f"The run has no row {'9' * 23}" in texts(page)


def test_an_open_row_shows_gold_answer_and_map_and_steps_within_the_filter(
    open_view: Opened, labelled: Run
) -> None:
    wanted = Chosen(Filter(one_of=(OneOf("x_genre.a", ("b",)),))).to_json()
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted, row="3")
    assert not page.exception
    assert_open(page, 3, "2 of 12.")
    assert "Gold positive; the run says" in texts(page)
    assert page.get("vega_lite_chart")
    page.button(key="errors_next").click().run()
    assert_open(page, 5, "3 of 12.")
    page.button(key="errors_previous").click().run()
    page.button(key="errors_previous").click().run()
    assert_open(page, 1, "1 of 12.")
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


def test_a_row_is_opened_by_its_number(open_view: Opened, labelled: Run) -> None:
    page = open_view("errors", run=labelled.id, part="examples")
    page.number_input(key="errors_row_number").set_value(5).run()
    assert_open(page, 5, f"6 of {ROWS}.")
    page.button(key="errors_back").click().run()
    assert page.number_input(key="errors_row_number").value is None


def test_a_row_that_leaves_the_filter_stays_open_and_next_goes_on(open_view: Opened, labelled: Run) -> None:
    for row in (2, 7, 9):
        open_notes().add_label(labelled.id, row, "todo")
    wanted = Chosen(labels=("todo",)).to_json()
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted, row="7")
    assert_open(page, 7, "2 of 3.")
    page.multiselect(key=f"errors_labels_{labelled.id}_7").set_value([]).run()
    assert_open(page, 7, "No longer in the filter.")
    page.button(key="errors_next").click().run()
    assert_open(page, 9, "2 of 2.")


def test_slices_are_saved_opened_and_deleted(open_view: Opened, labelled: Run) -> None:
    wanted = Chosen(Filter(right=False))
    page = open_view("errors", run=labelled.id, part="examples", filter=wanted.to_json())
    page.session_state["errors_slices"] = True  # opened
    page.run()
    page.text_input(key="errors_slice_name").set_value("wrong ones").run()
    page.button(key="errors_slice_save").click().run()
    assert [(one.name, one.filter) for one in open_notes().slices(labelled.id)] == [
        ("wrong ones", wanted.to_json())
    ]
    other = open_view("errors", run=labelled.id, part="examples")
    other.session_state["errors_slices"] = True
    other.run()
    other.button(key="errors_slice_0").click().run()
    assert [button.key for button in other.button if "without" in str(button.key)] == [
        "errors_without_right_0"
    ]
    other.button(key="errors_unslice_0").click().run()
    assert open_notes().slices(labelled.id) == ()
