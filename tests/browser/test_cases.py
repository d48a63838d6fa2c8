"""Inputs that broke other viewers of attention, in Chromium: what is drawn, said and exported is right."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Page, expect

from app.message import WORD_JOINER
from modelzoo import export
from modelzoo.data.matrix import read_matrices
from modelzoo.models.base import AttentionModel
from modelzoo.tasks import Inputs, Sentence, SentencePair, SourceText
from modelzoo.viz import theme
from tests.browser.conftest import Watched
from tests.browser.reading import (
    ask,
    assert_shows,
    cell,
    chart,
    choose,
    drawn,
    enter,
    expect_columns,
    field,
    open_page,
    said,
    save,
    settle,
    weights_of,
)
from tests.browser.test_reading import cross, expect_outlined, hops
from tests.checkpoints import SLUGS
from tests.tiny import NASTY

pytestmark = pytest.mark.browser

HYPOTHESIS, TARGET = "the <b> costs $5", "Un <b> homme $5 ."


def question(path: str, text: str) -> Inputs:
    """What a model's page asks of this text."""
    pair = SentencePair(text, HYPOTHESIS)
    translation = SourceText(text, forced=TARGET)
    return {"self-attentive": Sentence(text), "decomposable": pair}.get(path, translation)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("self-attentive", "hops"),
        ("decomposable", "hypothesis_to_premise"),
        ("rnn-search", "alignment"),
        ("conv-s2s", "mean"),
    ],
)
def test_nasty_texts_are_drawn_as_typed_on_every_model_page(
    watched: Watched, models: dict[str, AttentionModel], path: str, name: str
) -> None:
    """Cases 1, 2, 4, 7, 15, 16, 17, 24, 25, 26: each text in turn, every cell and label."""
    view, link = path.replace("-", "_"), {"text": "A man .", "model": SLUGS[path]}
    link |= {"text_pair": HYPOTHESIS} if path == "decomposable" else {}
    link |= {"target": TARGET} if path in ("rnn-search", "conv-s2s") else {}
    page = open_page(watched, path, **link)
    for text in (*NASTY[:2], "   ", *NASTY[2:]):
        enter(page, view, "text", text)
        if not text.strip():
            expect(page.get_by_text("empty; type at least one word")).to_be_visible()
            continue
        result = ask(models, path, question(path, text))
        if result.map(name).values.size:
            assert_shows(chart(page, view, name), result.map(name))
        for note in result.notes:
            said(page, note[1:])


def test_hypothesis_without_a_word_is_refused_and_one_word_is_enough(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    """Cases 14 and 16: an empty hypothesis never reaches the model; sides of one word keep their axis."""
    page = open_page(watched, "decomposable", model=SLUGS["decomposable"], text="the dog", text_pair="a cat")
    for blank in ("", " \u200b "):
        enter(page, "decomposable", "text-pair", blank)
        expect(page.get_by_text("The hypothesis is empty; type at least one word.")).to_be_visible()
    enter(page, "decomposable", "text-pair", "dog")
    for attention in ask(models, "decomposable", SentencePair("the dog", "dog")).maps:
        assert_shows(chart(page, "decomposable", attention.name), attention)


CAPITALS = "Quixotic LITTLE The the"


def test_unknown_words_are_shown_as_typed_and_marked(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    """Case 17: words that the vocabulary lacks, and capitals: typed form shown, model's form on hover."""
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text=CAPITALS)
    tokens = ask(models, "self-attentive", Sentence(CAPITALS)).tokens["sentence"]
    words = page.locator("[data-testid=stHtml] bdi")
    expect(words).to_have_text(["Quixotic", "LITTLE", "The", "the"])
    for k, token in enumerate(tokens):
        about = "not in the vocabulary, read as <unk>" if not token.known else token.model
        assert about in str(words.nth(k).get_attribute("title"))
    said(page, "Capitals are read as small letters.")
    unknown = sum(not token.known for token in tokens)
    said(page, f"Underlined: {unknown} of 4 tokens not in the vocabulary.")


def test_company_in_a_batch_changes_nothing(watched: Watched, models: dict[str, AttentionModel]) -> None:
    """Case 13: beside a text of 20 words padding gets no weight; the page shows the same of one alone."""
    long = " ".join(["the man reads a book"] * 4)
    both = models["self-attentive"].attend([Sentence("hello dog"), Sentence(long)])[0].map("hops")
    page = open_page(watched, "self-attentive", model=SLUGS["self-attentive"], text="hello dog")
    found = chart(page, "self_attentive", "hops")
    expect_columns(found, both.columns)
    np.testing.assert_allclose(weights_of(drawn(found)), both.values.ravel(), atol=1e-5)
    np.testing.assert_allclose(both.values.sum(axis=1), 1, atol=1e-5)


DIAGONAL = ",the,cat,saw,it\nle,.7,.1,.1,.1\nchat,.1,.7,.1,.1\nvit,.1,.1,.4,.4"


def test_monotone_alignment_falls_from_upper_left_to_lower_right(watched: Watched) -> None:
    """Case 3: the first target word on top, the first source word on the left."""
    page = open_page(watched, "viewer", text=DIAGONAL)
    (grid,) = read_matrices(DIAGONAL)
    found = page.locator(".stVegaLiteChart")
    expect_columns(found, grid.columns)
    boxes = [cell(found, grid, k, k).bounding_box() for k in range(3)]
    places = [(box["x"], box["y"]) for box in boxes if box]
    assert places == sorted(places)
    assert [y for _, y in places] == sorted({y for _, y in places})
    fills = [cell(found, grid, k, k).get_attribute("fill") for k in range(2)]
    assert fills[0] == fills[1] != cell(found, grid, 0, 1).get_attribute("fill")


ODD_TOKENS = (
    "a", "<b>bold</b>", "<br>", "<unk>", "x<!--y-->", "<script>alert(1)</script>", "&", "&amp;", '"q"',
    "$5", "1E1", "هذا", "كتاب", "שלום", "天气", "नमस्ते",
)  # fmt: skip


def test_exported_pictures_hold_every_token_as_typed(watched: Watched, tmp_path: Path) -> None:
    """Cases 7, 9, 25, 26: markup and every script in SVG and HTML; a missing font is said."""
    values = np.full((2, len(ODD_TOKENS)), 1 / len(ODD_TOKENS)).tolist()
    given = {"name": "hop.1 [a]:x", "rows": ["<i>", "$x$"], "columns": ODD_TOKENS, "values": values}
    page = open_page(watched, "viewer", text=json.dumps(given))
    expect_columns(page.locator(".stVegaLiteChart"), ODD_TOKENS)
    key = key_of_map(page)
    for kind in ("SVG", "HTML"):
        save(page, key, kind, tmp_path / f"map.{kind.lower()}")
        labels = axis_labels(page, tmp_path / f"map.{kind.lower()}")
        assert [label for label in labels if label in ODD_TOKENS] == list(ODD_TOKENS)
        assert {"<i>", "$x$"} <= set(labels)
    page.locator(f".st-key-{key}_away").get_by_role("radio", name="PNG", exact=True).click()
    lacking = export.note((*ODD_TOKENS, "<i>", "$x$"))
    if lacking:
        said(page, lacking[:60])


COST, MARKUP = "It cost $5 , not $10 .", 'x<!-- y --> <script>alert(1)</script> & &amp; "q"'


def sent(name: str, rows: list[list[object]]) -> FilePayload:
    """A CSV of this name, as a browser sends it."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return {"name": name, "mimeType": "text/csv", "buffer": text.getvalue().encode()}


def test_names_and_cells_of_a_matrix_are_shown_as_typed(watched: Watched) -> None:
    """Cases 24 and 25: labels of rows and columns, pins as sentences, a refusal, the name of a file."""
    page = open_page(watched, "viewer")
    uploader = page.locator("[data-testid=stFileUploader] input")
    uploader.set_input_files(sent(f"{MARKUP}.csv", [["", COST, MARKUP], [MARKUP, 0.25, 0.75], [COST, 1, 0]]))
    choose(page, "viewer_matrix-1_pins", f"1 {MARKUP}")
    said(page, joined(f"{MARKUP} looks at {MARKUP} 0.75, {COST} 0.25."))
    cells = page.locator(".stVegaLiteChart .mark-rect.role-mark path")
    expect(cells.nth(1)).to_have_attribute("aria-label", f"{MARKUP}; {MARKUP}: 0.750000")
    uploader.set_input_files(sent(f"{COST}.csv", [["", "a"], [COST, MARKUP[:30]]]))
    refused = page.locator("[data-testid=stAlertContentError]")
    expect(refused).to_contain_text(joined(f"Row 2, column 2 is '{MARKUP[:30]}'"))


def joined(sentence: str) -> str:
    """A sentence as the page has it: what has no width keeps an arrow from becoming a glyph."""
    return sentence.replace("->", f"-{WORD_JOINER}>")


def key_of_map(page: Page) -> str:
    """The key of the only map that the viewer draws."""
    names = str(page.locator('[class*="_away"][class*="st-key-viewer"]').get_attribute("class"))
    found = next(name for name in names.split() if name.startswith("st-key-"))
    return found.removeprefix("st-key-").removesuffix("_away")


def axis_labels(page: Page, path: Path) -> list[str]:
    """Every text of a file's chart, in the order of the file; nothing in it runs."""
    opened = page.context.new_page()
    ran: list[str] = []
    opened.on("dialog", lambda dialog: ran.append(dialog.message))
    opened.goto(path.as_uri())
    opened.locator(".role-axis-label text").first.wait_for()
    texts = opened.locator(".role-axis-label text").all_text_contents()
    opened.close()
    assert ran == []
    return texts


def test_picture_of_a_small_map_has_its_cells_whole(watched: Watched, tmp_path: Path) -> None:
    """Case 8: the four cells of a 2 x 2 map have the same size in a PNG."""
    text = ",a,b\nx,.1,.9\ny,.7,.3"  # none of the colours that the legend has
    page = open_page(watched, "viewer", text=text)
    (grid,) = read_matrices(text)
    found = page.locator(".stVegaLiteChart")
    expect_columns(found, grid.columns)
    fills = [cell(found, grid, i, j).get_attribute("fill") for i in range(2) for j in range(2)]
    colours = [tuple(int(part) for part in str(fill)[4:-1].split(",")) for fill in fills]
    assert len(set(colours)) == 4
    save(page, key_of_map(page), "PNG", tmp_path / "map.png")
    pixels = np.asarray(Image.open(tmp_path / "map.png").convert("RGB")).reshape(-1, 3)
    sizes = [int((pixels == colour).all(axis=1).sum()) for colour in colours]
    assert min(sizes) > 0.9 * max(sizes) > 1000


def test_stale_link_is_told_once_and_back_gets_past_it(watched: Watched) -> None:
    """A link that does not apply is one step of the history: its notices go, and Back leaves the page."""
    page = open_page(
        watched, "rnn-search", model="gone", text="a dog", beam="99", scale="huge", x="1", pins="gone:1"
    )
    alerts = page.locator("[data-testid=stAlert]")
    expect(alerts).to_have_count(5)
    steps = page.evaluate("history.length")
    field(page, "rnn_search", "text").press("Enter")
    enter(page, "rnn_search", "text", "two dogs")
    expect(alerts).to_have_count(0)
    settle(page)
    assert page.evaluate("history.length") == steps + 1
    for _ in range(steps):
        page.go_back()
        settle_or_left(page)
    assert "rnn-search" not in page.url


def settle_or_left(page: Page) -> None:
    """Wait for the script, unless Back has left the app."""
    if page.url != "about:blank":
        settle(page)


def test_a_pin_is_outlined_again_after_another_view(
    watched: Watched, models: dict[str, AttentionModel]
) -> None:
    page, found, grid = hops(watched, models)
    cell(found, grid, 0, 1).click()
    expect_outlined(found, theme.PIN_COLOUR, cross(grid, 0, 1))
    for view in ("Curves", "Matrix", "Text", "Matrix"):
        page.get_by_role("radio", name=view).click()
        settle(page)
    expect_outlined(found, theme.PIN_COLOUR, cross(grid, 0, 1))
