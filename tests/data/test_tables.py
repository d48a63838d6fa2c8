"""Reading anybody's files record by record: quotes, encodings, separators, and what cannot be read."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelzoo.data.tables import Record, Told, Unread, as_rows, find_layout, preview, records, survey

TEXT = '中文, "quoted"\ttab\nnew line €'


def written(path: Path, content: str | bytes, encoding: str = "utf-8") -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def texts(path: Path, told: Told | None = None) -> list[str]:
    return [row["text"] for row in as_rows(list(records(find_layout(path, told=told))))]


# --- quotation marks (case 27) --------------------------------------------------------------------


@pytest.mark.parametrize(("name", "separator"), [("a.tsv", "\t"), ("a.csv", ","), ("a.csv", ";")])
def test_a_lone_quote_swallows_no_line_in_any_table(tmp_path: Path, name: str, separator: str) -> None:
    given_texts = ["First", '"Second', "third", 'a 5" disk', "fifth", '"', 'x "y', "last"]
    body = "".join(f"{text}{separator}{i}\n" for i, text in enumerate(given_texts))
    found = list(records(find_layout(written(tmp_path / name, f"text{separator}label\n{body}"))))
    assert [(r.row, r.line, r.cells["text"], r.cells["label"]) for r in found if isinstance(r, Record)] == [
        (i, i + 2, text, str(i)) for i, text in enumerate(given_texts)
    ]


def test_quoted_csv_keeps_breaks_and_counts_physical_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", 'text,label\r\n"two\r\nlines, ""q""",a\r\nx,b\r\n"",c\r\n')
    found = [r for r in records(find_layout(path)) if isinstance(r, Record)]
    assert [(r.line, r.cells["text"]) for r in found] == [(2, 'two\r\nlines, "q"'), (4, "x"), (5, "")]


def test_tsv_that_a_spreadsheet_wrote_is_unquoted(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", 'text\tlabel\n"He said ""no"""\ta\nx\tb\n')
    assert find_layout(path).is_quoted
    assert texts(path) == ['He said "no"', "x"]
    assert texts(path, Told(is_quoted=False)) == ['"He said ""no"""', "x"]
    broken = written(tmp_path / "b.tsv", 'text\tlabel\n"two\nlines"\ta\nx\tb\n')
    assert texts(broken) == ["two\nlines", "x"]


def test_tsv_with_whole_sentences_in_quotes_keeps_them(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", 'text\tlabel\n"Never."\ta\n"So" it is\tb\n')
    assert not find_layout(path).is_quoted
    assert texts(path) == ['"Never."', '"So" it is']


# --- encodings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_the_encoding_is_found(tmp_path: Path, encoding: str) -> None:
    body = "text\tlabel\nl’été à 5 € – “non”\ta\n" + "plain words again and again\tb\n" * 3
    path = written(tmp_path / "a.tsv", body, encoding)
    assert texts(path)[0] == "l’été à 5 € – “non”"
    described = find_layout(path).description
    assert ("Windows-1252" if encoding == "cp1252" else encoding.upper()) in described


def test_a_late_byte_decides_the_encoding_too(tmp_path: Path) -> None:
    body = b"text\n" + b"many words\n" * 10 + (b"words " * 500 + b"\n") * 500 + b"caf\xe9\n"
    assert texts(written(tmp_path / "a.tsv", body))[-1] == "café"


def test_a_damaged_line_of_utf8_is_listed_and_the_others_read(tmp_path: Path) -> None:
    body = "text\tlabel\nété\ta\n".encode() + b"bad \xff\tb\n" + "été là\tc\n".encode()
    found = list(records(find_layout(written(tmp_path / "a.tsv", body))))
    assert [r.cells["text"] for r in found if isinstance(r, Record)] == ["été", "été là"]
    assert isinstance(found[1], Unread)
    assert (found[1].row, found[1].line, found[1].raw) == (1, 3, "bad \ufffd\tb")
    assert "not of the file's encoding" in found[1].reason


def test_a_told_encoding_is_used_and_an_unknown_one_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "text\n今天天气\n", "gb18030")
    assert texts(path, Told(encoding="gb18030")) == ["今天天气"]
    with pytest.raises(ValueError, match="the encoding is 'klingon'"):
        find_layout(path, told=Told(encoding="klingon"))


# --- separators and columns -----------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_of_a_csv_is_found(tmp_path: Path, separator: str) -> None:
    rows = [("text", "label"), ("a, b; c", "x"), ('say "no"', "y")]
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows(rows)
    layout = find_layout(written(tmp_path / "a.csv", file.getvalue()))
    assert (layout.separator, layout.columns) == (separator, ("text", "label"))
    assert texts(tmp_path / "a.csv") == ["a, b; c", 'say "no"']


def test_without_a_header_columns_have_numbers_and_no_row_is_lost(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "x\ty\nz\tw\n")
    found = list(records(find_layout(path, told=Told(has_header=False))))
    assert as_rows(found) == [{"column 1": "x", "column 2": "y"}, {"column 1": "z", "column 2": "w"}]


def test_a_first_line_of_sentences_or_labels_is_a_row(tmp_path: Path) -> None:
    sentences = written(tmp_path / "a.tsv", "Got it!\tCompris !\nGo.\tVa !\n")
    labels = written(tmp_path / "b.csv", "fine,1\nbad,0\ngood,1\nworse,0\nbest,1\n")
    names = written(tmp_path / "c.csv", "text,label\nfine,1\nbad,0\ngood,1\nlabel,0\n")
    form = written(tmp_path / "d.csv", "When,How was it?\n1,fine\n2,bad\n")
    found = [find_layout(path).has_header for path in (sentences, labels, names, form)]
    assert found == [False, False, True, True]
    assert len(list(records(find_layout(sentences)))) == 2
    assert "no line of column names" in find_layout(sentences).description
    assert find_layout(sentences, told=Told(has_header=True)).columns == ("Got it!", "Compris !")


def test_repeated_and_blank_names_of_columns_stay_apart(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "a,a,,a 2\n1,2,3,4\n")
    assert as_rows(list(records(find_layout(path)))) == [
        {"a": "1", "a 2": "2", "column 3": "3", "a 2 2": "4"}
    ]


# --- what cannot be read --------------------------------------------------------------------------


def test_rows_that_cannot_be_used_are_listed_with_line_and_reason(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "text\tlabel\na\tb\n\nonly one\nc\td\te\nf\tg\n\n\n")
    found = list(records(find_layout(path)))
    unread = [(r.row, r.line, r.reason) for r in found if isinstance(r, Unread)]
    assert unread == [
        (1, 3, "the line is blank"),
        (2, 4, "it has 1 columns; the header has 2"),
        (3, 5, "it has 3 columns; the header has 2"),
    ]
    assert len(found) == 5
    counted = survey(find_layout(path))
    assert (counted.rows, counted.unread, len(counted.listed)) == (5, 3, 3)


def test_json_lines_that_are_no_objects_are_listed(tmp_path: Path) -> None:
    lines = ['{"text": "a"}', "[1]", "{", '{"text": "\\ud800"}', '{"b": [1, null], "text": true}']
    found = list(records(find_layout(written(tmp_path / "a.jsonl", "\n".join(lines) + "\n"))))
    assert [r.line for r in found if isinstance(r, Unread)] == [2, 3, 4]
    assert as_rows(found) == [{"text": "a", "b": ""}, {"text": "true", "b": "[1, null]"}]


def test_an_endless_line_is_refused_and_not_kept_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "text\n" + "x" * 3_000_000 + "\nshort\n")
    found = list(records(find_layout(path)))
    assert isinstance(found[0], Unread)
    assert "more than 1,000,000 characters" in found[0].reason
    assert as_rows(found) == [{"text": "short"}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlsx", b"PK\x03\x04", "accepted are .tsv, .csv, .txt, .jsonl and .parquet"),
        ("a.csv", b"\n\n", "is empty"),
        ("a.jsonl", b"\n", "is empty"),
        ("a.parquet", b"PAR1 is not all", "damaged Parquet"),
        ("a.csv.gz", gzip.compress(b"text\n" * 99, mtime=0)[:20], "damaged gzip"),
    ],
)
def test_a_file_of_no_use_says_why(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(records(find_layout(written(tmp_path / name, content))))


# --- other forms ----------------------------------------------------------------------------------


def test_parquet_cells_are_texts_in_order(tmp_path: Path) -> None:
    table = pa.table({"text": ["a", None, TEXT], "label": [0, 1, -1], "tags": [["x"], [], None]})
    pq.write_table(table, tmp_path / "a.parquet")
    found = list(records(find_layout(tmp_path / "a.parquet")))
    assert as_rows(found) == [
        {"text": "a", "label": "0", "tags": '["x"]'},
        {"text": "", "label": "1", "tags": "[]"},
        {"text": TEXT, "label": "-1", "tags": ""},
    ]
    assert [r.line for r in found] == [1, 2, 3]


def test_old_mac_line_ends_and_gzip_without_its_ending_are_read(tmp_path: Path) -> None:
    assert texts(written(tmp_path / "a.tsv", "text\tlabel\ra\tb\rc\td\r")) == ["a", "c"]
    assert texts(written(tmp_path / "b.tsv", gzip.compress(b"text\na\n"))) == ["a"]


def test_plain_lines_of_text_are_a_column(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "One, two.\nThree.\n")
    assert find_layout(path).kind == "lines"
    assert texts(path) == ["One, two.", "Three."]


def test_parallel_files_of_two_encodings_belong_together(tmp_path: Path) -> None:
    source = written(tmp_path / "a.en", "one\n\n two\n")
    target = written(tmp_path / "a.fr", "été\n\ndeux\n", "cp1252")
    found = list(records(find_layout(source, target)))
    assert as_rows(found) == [{"source": "one", "target": "été"}, {"source": " two", "target": "deux"}]
    assert isinstance(found[1], Unread)


# --- nothing is lost ------------------------------------------------------------------------------

CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_whatever_the_csv_module_writes_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(("text", "label"))
    writer.writerows(rows)
    path = written(tmp_path_factory.mktemp("csv") / "a.csv", file.getvalue())
    found = as_rows(list(records(find_layout(path, told=Told(encoding="utf-8")))))
    assert [(row["text"], row["label"]) for row in found] == rows


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_whatever_json_writes_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    lines = (json.dumps({"text": t, "label": y}, ensure_ascii=False) for t, y in rows)
    path = written(tmp_path_factory.mktemp("json") / "a.jsonl", "\n".join(lines) + "\n")
    found = as_rows(list(records(find_layout(path, told=Told(encoding="utf-8")))))
    assert [(row["text"], row["label"]) for row in found] == rows


@settings(max_examples=60, deadline=None)
@given(raw=st.binary(max_size=200), name=st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.txt", "a.parquet"]))
def test_any_bytes_are_read_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, name: str
) -> None:
    path = written(tmp_path_factory.mktemp("any") / name, raw)
    try:
        found = list(records(find_layout(path)))
    except ValueError as error:
        message = str(error)
    else:
        message = str(path)
        "".join(cell for row in as_rows(found) for cell in row.values()).encode()
    assert str(path) in message


def big_csv(path: Path, rows: int) -> list[tuple[str, str]]:
    """A CSV of quotes, tabs, Chinese and line breaks; its rows."""
    made = [
        (f'row {i}, "q{i % 7}"\t天气{i}\nnext' if i % 3 else f"plain {i}", str(i % 2)) for i in range(rows)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *made])
    return made


def test_twenty_thousand_nasty_rows_read_equal(tmp_path: Path) -> None:
    made = big_csv(tmp_path / "a.csv", 20_000)
    found = as_rows(list(records(find_layout(tmp_path / "a.csv"))))
    assert [(row["text"], row["label"]) for row in found] == made


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for rows in (1_000, 6_000):
        big_csv(tmp_path / "a.csv", rows)
        preview(find_layout(tmp_path / "a.csv"))
        tracemalloc.start()
        assert survey(find_layout(tmp_path / "a.csv")).rows == rows
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 1_000_000
