"""The cases on files and state that broke other tools, on the page on errors in Chromium."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import FilePayload, Page, expect

from modelzoo.runs import Notes
from tests.browser.conftest import Watched
from tests.browser.reading import choose, open_page, said, settle
from tests.browser.test_cases import COST, MARKUP, joined, sent
from tests.browser.test_errors import open_nth, show, take, wait_for_labels
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH, ENTAILMENTS, NASTY, SENTIMENTS

pytestmark = pytest.mark.browser

GRID = "[data-testid=stDataFrame]"
QUICKLY = 5


@pytest.fixture
def notes(log_of_app: Path) -> Notes:
    """The labels that the app keeps."""
    return Notes(log_of_app.parent / ".local" / "share" / "attention-atlas" / "notes.sqlite")


def send(page: Page, model: str, file: Path | FilePayload) -> None:
    """Send a file for a tiny model."""
    choose(page, "errors_draft_model", f"{SLUGS[model]}: Tiny {model}")
    page.locator(".st-key-errors_draft_file input[type=file]").set_input_files(file)


def send_text(page: Page, path: Path, model: str, text: str) -> None:
    """Send a file with this text for a tiny model."""
    path.write_text(text, encoding="utf-8")
    send(page, model, path)


def run_of(page: Page) -> str:
    """The run that is open, as the page's link has it."""
    (found,) = parse_qs(urlsplit(page.url).query)["run"]
    return found


def cells(page: Page, nth: int = 0) -> list[str]:
    """What the cells of a table hold; the grid is a canvas, and its texts stand in a table behind it."""
    found = page.locator(GRID).nth(nth).locator("[role=gridcell]")
    while not (texts := found.all_text_contents()):  # none while the page replaces the grid
        found.first.wait_for(state="attached")
    return texts


def test_a_lone_quotation_mark_swallows_no_row(watched: Watched, tmp_path: Path) -> None:
    """Case 27: six lines are six rows, with their quotation marks."""
    lines = ['"Second half', "plain", '5" disk', "a film", "dull", "good"]
    text = "text\tlabel\n" + "".join(f"{line}\tpositive\n" for line in lines)
    page = open_page(watched, "errors")
    send_text(page, tmp_path / "quotes.tsv", "self-attentive", text)
    said(page, "6 rows, 0 of them unusable")
    assert cells(page)[1::3] == lines


def test_labels_that_are_none_are_counted_and_listed(watched: Watched, tmp_path: Path) -> None:
    """Case 28: what the model does not know is listed, not guessed, and out of the score."""
    typed = ["-", "Contradictory", "NEUTRAL ", "2", "", "entailment"]
    pairs = "".join(f"A man sleeps.\tA man is awake.\t{one}\n" for one in typed)
    page = open_page(watched, "errors")
    send_text(page, tmp_path / "labels.tsv", "decomposable", f"premise\thypothesis\tlabel\n{pairs}")
    said(page, "Rows whose label the model does not know: 2.")
    shown = cells(page, 1)
    meanings = dict(zip(shown[::3], shown[2::3], strict=True))
    assert meanings["neutral"] == "neutral"
    known = ("no label", *ENTAILMENTS)
    assert {one for one, meaning in meanings.items() if meaning not in known} == {"contradictory", "2"}
    page.locator(".st-key-errors_draft_start button").click()
    expect(page.get_by_text("6 rows are answered")).to_be_visible()
    show(page, "Overview")
    said(page, "Of 2 rows with a gold answer; 4 have none that the model knows")


def test_markup_in_names_columns_and_cells_is_shown_as_typed(watched: Watched, tmp_path: Path) -> None:
    """Cases 5, 24, 25: a file's name, columns and cells in the preview, the table, a row and a button."""
    name, column = "a $x$ **b** <script>alert(1)</script>".replace("/", "∕") + ".tsv", "x.[$y$] <b>z</b>"
    texts = [text for text in NASTY if "\t" not in text]
    rows = "".join(f"{text}\tpositive\t<img src=x onerror=alert(1)> $5 and $10\n" for text in texts)
    page = open_page(watched, "errors")
    send_text(page, tmp_path / name, "self-attentive", f"text\tlabel\t{column}\n{rows}")
    said(page, name)
    shown = cells(page)[1::4]
    assert shown == texts[: len(shown)]
    page.locator(".st-key-errors_draft_start button").click()
    expect(page.get_by_text(f"{len(texts)} rows are answered")).to_be_visible()
    said(page, f"over {name}: sentence from 'text', label from 'label'")
    show(page, "Examples")
    page.locator(".st-key-errors_descending").wait_for()
    expect(page.locator(GRID)).to_have_count(1)
    assert set(texts) <= set(cells(page))
    for k, text in enumerate(texts[:4]):
        open_nth(page, k)
        expect(page.locator("[data-testid=stHtml]").first).to_have_text(text)
        page.locator(".st-key-errors_back button").click()
    open_page(watched, "errors", run=run_of(page), part="examples", filter='{"search":"$5 <b>*x*</b>"}')
    expect(page.locator(".st-key-errors_without_search_0")).to_contain_text("has “$5 <b>*x*</b>”")


def test_names_and_cells_of_a_labelled_file_are_shown_as_typed(watched: Watched) -> None:
    """Cases 24 and 25: the file's name and columns, the label map, the run, its rows."""
    rows = [[f"{COST} {MARKUP}", label, COST] for label in ("negative", "positive", COST, MARKUP)]
    page = open_page(watched, "errors")
    send(page, "self-attentive", sent(f"{MARKUP}.csv", [["text", "label", MARKUP], *rows]))
    said(page, joined(f"A file of examples: {MARKUP}.csv"))
    first, labels = (page.locator("[data-testid=stDataFrame]").nth(k) for k in range(2))
    expect(first.locator("th", has_text=MARKUP)).not_to_have_count(0)
    expect(first.locator("td").get_by_text(rows[0][0], exact=True)).to_have_count(len(rows))
    expect(labels.locator("td").get_by_text(MARKUP, exact=True)).not_to_have_count(0)
    page.locator(".st-key-errors_draft_start button").click()
    expect(page.locator(".st-key-errors_run input")).to_have_value(re.compile(re.escape(f"{MARKUP}.csv")))
    show(page, "Examples")
    table = page.locator("[data-testid=stDataFrame] td")
    expect(table.get_by_text(rows[0][0], exact=True)).to_have_count(len(rows))


def asked(page: Page, name: str) -> str:
    """What the page's link says by this name; it is written when the page is drawn."""
    return parse_qs(urlsplit(page.url).query)[name][0]


def label(page: Page, run_id: str, text: str) -> int:
    """Give the open row a label without waiting for anything; gives the row."""
    row = int(asked(page, "row"))
    field = page.locator(f".st-key-errors_labels_{run_id}_{row} input")
    field.fill(text)
    field.press("Enter")
    return row


def open_row(page: Page, row: int) -> None:
    """Open a row by its number."""
    field = page.locator(".st-key-errors_row_number input")
    field.fill(str(row))
    field.press("Enter")
    expect(page).to_have_url(re.compile(f"[?&]row={row}(&|$)"))


def label_quickly(page: Page, run_id: str) -> dict[int, str]:
    """A label each for the rows from the open one on, without a pause; gives the labels by row."""
    labelled = {}
    for k in range(QUICKLY):
        row = label(page, run_id, f"kind {k}")
        labelled[row] = f"kind {k}"
        page.locator(".st-key-errors_next button").click()
        expect(page).not_to_have_url(re.compile(f"[?&]row={row}(&|$)"))
    return labelled


def test_labels_given_quickly_are_bound_to_their_rows(watched: Watched, notes: Notes, tmp_path: Path) -> None:
    """Case 31: five labels without a pause, then filter, sort, one more, another page, and the export."""
    rows = [(f"{ENGLISH[k % 15]} {k}", SENTIMENTS[k % 2]) for k in range(60)]
    with (tmp_path / "quickly.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    page = open_page(watched, "errors")
    send(page, "self-attentive", tmp_path / "quickly.csv")
    page.locator(".st-key-errors_draft_start button").click()
    expect(page.get_by_text(f"{len(rows)} rows are answered")).to_be_visible()
    run_id = run_of(page)
    open_page(watched, "errors", run=run_id, part="examples", filter='{"right":false}', row="0")
    page.locator(".st-key-errors_next button").click()
    expect(page).not_to_have_url(re.compile("[?&]row=0(&|$)"))
    labelled = label_quickly(page, run_id)
    page.locator(".st-key-errors_back button").click()
    page.locator(".st-key-errors_clear button").click()
    expect(page).not_to_have_url(re.compile("filter="))
    page.locator(".st-key-errors_descending label").first.click()
    expect(page).to_have_url(re.compile("order=-row"))
    open_row(page, 41)
    labelled[label(page, run_id, "late")] = "late"
    page.locator('a[data-testid=stTopNavLink][href$="compare"]').click()
    page.get_by_role("heading", name="Compare", level=1).wait_for()
    page.locator('a[data-testid=stTopNavLink][href$="errors"]').click()
    show(page, "Take away")
    page.locator(".st-key-errors_safe label").click()
    settle(page)
    wait_for_labels(notes, run_id, sorted(labelled))
    found = take(page, tmp_path / "labels.csv")
    assert {int(one["row"]): one["labels"] for one in found if one["labels"]} == labelled
    assert [(int(one["row"]), one["text"]) for one in found] == list(enumerate(text for text, _ in rows))[
        ::-1
    ]
