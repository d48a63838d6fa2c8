"""Reading anybody's files: quotes, separators, labels (cases 27 and 28)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from modelzoo.data.files import read_labelled, read_parallel, read_written
from modelzoo.data.tables import Columns, as_rows, find_layout, parse_label_map, records
from modelzoo.tasks import CLASSIFICATION, ENTAILMENT, TRANSLATION, Sentence, SentencePair, SourceText

NLI = ("entailment", "neutral", "contradiction")


def read_rows(path: Path) -> list[dict[str, str]]:
    return as_rows(list(records(find_layout(path))))


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz"])
def test_a_lone_quote_in_tsv_swallows_nothing(tmp_path: Path, name: str) -> None:
    lines = ["text", "First", '"Second', "third", 'a 5" disk', "fifth", "sixth"]
    rows = read_rows(written(tmp_path / name, "\n".join(lines) + "\n"))
    assert [row["text"] for row in rows] == lines[1:]


def test_quoted_csv_keeps_line_breaks_and_commas(tmp_path: Path) -> None:
    rows = read_rows(written(tmp_path / "a.csv", 'text,label\n"two\nlines, and ""quotes""",positive\nx,y\n'))
    assert rows == [{"text": 'two\nlines, and "quotes"', "label": "positive"}, {"text": "x", "label": "y"}]


def test_jsonl_values_become_text(tmp_path: Path) -> None:
    text = json.dumps({"text": "今天", "label": 1}) + "\n\n" + json.dumps({"text": "b", "label": None}) + "\n"
    assert read_rows(written(tmp_path / "a.jsonl.gz", text)) == [
        {"text": "今天", "label": "1"},
        {"text": "b", "label": ""},
    ]


def test_a_unicode_line_separator_ends_no_row(tmp_path: Path) -> None:
    rows = read_rows(written(tmp_path / "a.tsv", "text\tlabel\r\na\u2028b\x85c\tpositive\r\n"))
    assert rows == [{"text": "a\u2028b\x85c", "label": "positive"}]


def test_labels_are_trimmed_and_unknown_ones_are_listed_not_guessed(tmp_path: Path) -> None:
    labels = ["-", "Contradictory", "NEUTRAL ", "2", "", "entailment"]
    body = "".join(f"p{i}\th{i}\t{label}\n" for i, label in enumerate(labels))
    path = written(tmp_path / "a.tsv", "premise\thypothesis\tlabel\n" + body)
    found = read_labelled(path, Columns("premise", "label", "hypothesis"), ENTAILMENT, NLI, {})
    assert [(e.inputs, e.gold) for e in found.examples] == [
        (SentencePair("p2", "h2"), "neutral"),
        (SentencePair("p5", "h5"), "entailment"),
    ]
    assert found.skipped == 4
    assert dict(found.unknown_labels) == {"contradictory": 1, "2": 1}


def test_a_label_map_names_labels(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "text\tlabel\nbad\t0\ngood\t1\nso\t2\n")
    label_map = parse_label_map("0=Negative, 1=positive")
    found = read_labelled(path, Columns("text", "label"), CLASSIFICATION, ("negative", "positive"), label_map)
    assert [e.gold for e in found.examples] == ["negative", "positive"]
    assert dict(found.unknown_labels) == {"2": 1}


@pytest.mark.parametrize("given", ["0", "=x", "0:negative"])
def test_a_label_map_of_another_form_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="0=negative,1=positive"):
        parse_label_map(given)


def test_parallel_lines_belong_together(tmp_path: Path) -> None:
    source, target = written(tmp_path / "s.txt", "a\n\nc\n"), written(tmp_path / "t.txt.gz", "x\ny\nz\n")
    found = read_parallel(source, target)
    assert [(e.inputs, e.gold) for e in found.examples] == [(SourceText("a"), "x"), (SourceText("c"), "z")]
    assert found.skipped == 1
    with pytest.raises(ValueError, match=r"3 lines and .* has 1"):
        read_parallel(source, written(tmp_path / "u.txt", "x\n"))


def test_a_written_gold_is_read_from_a_column(tmp_path: Path) -> None:
    found = read_written(
        written(tmp_path / "a.tsv", "story\thead\nlong\tShort\n \tx\n"), Columns("story", "head")
    )
    assert [(e.inputs, e.gold) for e in found.examples] == [(SourceText("long"), "Short")]
    assert found.skipped == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "", "is empty"),
        ("a.tsv", "text\tlabel\na\n", "line 2: it has 1 columns; the header has 2"),
        ("a.xlsx", "x", r"accepted are .tsv, .csv"),
        ("a.jsonl", "[1]\n", "line 1: it is not a JSON object"),
        ("a.jsonl", "{\n", "line 1: it is no JSON"),
        ("a.tsv", "words\tlabel\na\tb\n", "no column 'text'; it has: words, label"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = written(tmp_path / name, text)
    with pytest.raises(ValueError, match=message):
        read_labelled(path, Columns("text", "label"), CLASSIFICATION, ("a",), {})


def test_a_missing_or_damaged_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_rows(tmp_path / "none.tsv")
    (tmp_path / "bad.tsv.gz").write_bytes(gzip.compress(b"text\nabc\n" * 50)[:20])
    with pytest.raises(ValueError, match="damaged gzip"):
        read_rows(tmp_path / "bad.tsv.gz")


def test_one_text_models_refuse_a_pair_column(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "text\tpair\tlabel\na\tb\tc\n")
    with pytest.raises(ValueError, match="reads one text"):
        read_labelled(path, Columns("text", "label", "pair"), CLASSIFICATION, ("c",), {})
    with pytest.raises(ValueError, match="--pair-column"):
        read_labelled(path, Columns("text", "label"), ENTAILMENT, ("c",), {})
    assert read_labelled(path, Columns("text", "label"), TRANSLATION, ("c",), {}).examples[
        0
    ].inputs == SourceText("a")
    assert read_labelled(path, Columns("text", "label"), CLASSIFICATION, ("c",), {}).examples[
        0
    ].inputs == Sentence("a")
