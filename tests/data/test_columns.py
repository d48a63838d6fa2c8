"""What columns are for: known data sets, names, labels; and what is not guessed (case 28)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modelzoo.data.tables import (
    Columns,
    Proposal,
    Reader,
    as_rows,
    find_layout,
    gold_label,
    label_uses,
    parse_label_map,
    preview,
    propose,
    records,
    survey,
)
from modelzoo.tasks import CLASSIFICATION, ENTAILMENT, TRANSLATION

SENTIMENT = Reader(CLASSIFICATION, ("negative", "positive"))
NLI = Reader(ENTAILMENT, ("entailment", "neutral", "contradiction"))
FRENCH = Reader(TRANSLATION, (), ("en", "fr"))
DEGREES = {"0": "negative", "1": "negative", "2": "", "3": "positive", "4": "positive"}
BINARY = {"0": "negative", "1": "positive"}


def proposed(reader: Reader, *paths: Path, **given: str) -> Proposal:
    layout = find_layout(*paths)
    return propose(layout, as_rows(preview(layout)), reader, given)


def table(path: Path, header: str, *rows: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def test_snli_is_known_as_json_lines_and_as_table(tmp_path: Path) -> None:
    line = {"annotator_labels": [], "gold_label": "-", "sentence1": "a", "sentence2": "b"}
    expected = Proposal("SNLI", Columns("sentence1", "gold_label", "sentence2"), {"-": ""})
    assert proposed(NLI, table(tmp_path / "dev.jsonl", json.dumps(line))) == expected
    header = "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1\tsentence2"
    path = table(tmp_path / "dev.txt", header, '-\t( a "b )\t( c )\ta "b\tc')
    assert proposed(NLI, path) == expected
    assert as_rows(list(records(find_layout(path))))[0]["sentence1"] == 'a "b'


def test_sst_is_known_as_trees_and_as_table(tmp_path: Path) -> None:
    trees = table(
        tmp_path / "test.txt", "(3 (2 It) (4 (2 's) (3 -LRB-good-RRB-)))", "(1 (2 No) (2 .))", "no tree"
    )
    trees.write_text("(3 (2 It) (4 (2 -LRB-) (3 good)))\n(1 (2 No) (2 .))\n", encoding="utf-8")
    assert find_layout(trees).kind == "trees"
    assert as_rows(list(records(find_layout(trees)))) == [
        {"label": "3", "text": "It ( good"},
        {"label": "1", "text": "No ."},
    ]
    assert proposed(SENTIMENT, trees) == Proposal("SST", Columns("text", "label"), DEGREES)
    five = table(tmp_path / "sst5_dev.tsv", "label\ttext", "3\tgood", "1\tbad")
    assert proposed(SENTIMENT, five) == Proposal("SST", Columns("text", "label"), DEGREES)
    two = table(tmp_path / "dev.tsv", "sentence\tlabel", "good\t1")
    assert proposed(SENTIMENT, two) == Proposal("SST-2", Columns("sentence", "label"), BINARY)


def test_imdb_is_known_as_folder_and_as_table(tmp_path: Path) -> None:
    for name, text in (("neg/10_2.txt", "bad\nfilm"), ("neg/9_1.txt", "worse"), ("pos/0_10.txt", "good")):
        table(tmp_path / "test" / "x", "")
        table(tmp_path / "test" / name, text)
    found = as_rows(list(records(find_layout(tmp_path / "test"))))
    assert [(row["id"], row["rating"], row["label"], row["text"]) for row in found] == [
        ("9", "1", "neg", "worse\n"),
        ("10", "2", "neg", "bad\nfilm\n"),
        ("0", "10", "pos", "good\n"),
    ]
    expected = Proposal("IMDB", Columns("text", "label"), {"neg": "negative", "pos": "positive"})
    assert proposed(SENTIMENT, tmp_path / "test") == expected
    path = table(tmp_path / "imdb.tsv", "id\trating\tlabel\ttext", "0\t2\t0\tbad")
    assert proposed(SENTIMENT, path) == Proposal("IMDB", Columns("text", "label"), BINARY)


def test_multi30k_is_known_by_its_two_files(tmp_path: Path) -> None:
    files = [table(tmp_path / f"val.{language}", "a") for language in ("en", "fr")]
    assert proposed(FRENCH, *files) == Proposal("Multi30k", Columns("source", "target"))
    others = [table(tmp_path / f"mine.{language}", "a") for language in ("en", "fr")]
    assert proposed(FRENCH, *others).data_set == ""


@pytest.mark.parametrize(
    ("reader", "header", "rows", "expected"),
    [
        (SENTIMENT, "id,Review,Sentiment", ["1,x,positive"], Columns("Review", "Sentiment")),
        (SENTIMENT, "a,b,c", ["1,some long words,positive"], Columns("b", "c")),
        (SENTIMENT, "a,b", ["1,some long words"], Columns("b")),
        (NLI, "label,hypothesis,premise", ["neutral,x,y"], Columns("premise", "label", "hypothesis")),
        (NLI, "question1,question2,a", ["x,y,Neutral "], Columns("question1", "a", "question2")),
        (FRENCH, "id,en,fr", ["1,x,y"], Columns("en", "fr")),
        (FRENCH, "left,right", ["x,y z"], Columns("right", None)),
    ],
)
def test_columns_are_proposed_by_name_content_and_length(
    tmp_path: Path, reader: Reader, header: str, rows: list[str], expected: Columns
) -> None:
    found = proposed(reader, table(tmp_path / "a.csv", header, *rows)).columns
    if header == "left,right":  # nothing tells which is which but that they are two
        assert {found.text, found.label} == {"left", "right"}
    else:
        assert found == expected


def test_a_named_column_has_no_second_role(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", "text,label", "x,positive")
    assert proposed(SENTIMENT, path, text="label").columns == Columns("label")


LABELS = ["-", "Contradictory", "NEUTRAL ", "2", "", "-1", "entailment"]


def test_labels_are_known_none_or_unknown_and_never_guessed(tmp_path: Path) -> None:
    path = table(tmp_path / "a.tsv", "p\th\ty", *(f"a\tb\t{label}" for label in LABELS))
    counted = survey(find_layout(path), Columns("p", "y", "h")).labels
    uses = {use.typed: use.meaning for use in label_uses(counted, NLI, {})}
    assert uses == {
        "-": "",
        "contradictory": None,
        "neutral": "neutral",
        "2": None,
        "": "",
        "-1": "",
        "entailment": "entailment",
    }
    mapped = label_uses(counted, NLI, parse_label_map("2=contradiction,contradictory="))
    assert {use.typed: use.meaning for use in mapped}["2"] == "contradiction"
    assert {use.typed: use.meaning for use in mapped}["contradictory"] == ""


def test_a_model_that_has_a_label_like_a_dash_keeps_it() -> None:
    assert gold_label(" - ", ("-", "+"), {}) == "-"


def test_a_proposed_map_has_only_labels_that_the_model_lacks_and_has(tmp_path: Path) -> None:
    path = table(tmp_path / "sst_dev.tsv", "label\ttext", "3\tgood")
    assert proposed(Reader(CLASSIFICATION, tuple("01234")), path).label_map == {}
