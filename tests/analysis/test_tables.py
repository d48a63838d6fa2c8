"""A table taken away is read back equal, in every form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from modelzoo.analysis import Filter, OpenRun, Sort
from modelzoo.analysis import run as opened
from modelzoo.analysis.tables import FORMS, Said, Taken, write_table
from tests.analysis.runs import LABELS, label_rows, write

NASTY = (
    '=cmd|"/c calc"!A1',
    "+1",
    "-1 or so",
    "@x",
    "\tindented",
    'a "quoted", text',
    "two\nlines",
    "今天 $x$ <b>",
)
ROWS = [{**row, "text": NASTY[row["row"] % len(NASTY)]} for row in label_rows(90)]
SAID = Said({3: ("negation", "=not, that"), 4: ("other",)}, {3: "why?\nBecause."}, {3, 8})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> OpenRun:
    return OpenRun(write(tmp_path_factory.mktemp("run"), ROWS), labels=LABELS)


def taken_away(run: OpenRun, form: Any, taken: Taken | None = None) -> tuple[bytes, int]:
    file = io.BytesIO()
    rows = write_table(run, file, form, taken)
    return file.getvalue(), rows


def read(form: str, raw: bytes) -> list[dict[str, Any]]:
    if form == "jsonl":
        return [json.loads(line) for line in raw.decode().split("\n")[:-1]]
    if form == "parquet":
        return pq.read_table(io.BytesIO(raw)).to_pylist()
    text = io.StringIO(raw.decode("utf-8-sig"), newline="")
    return list(csv.DictReader(text, delimiter="\t" if form == "tsv" else ","))


@pytest.mark.parametrize("form", FORMS)
def test_every_row_comes_back_with_what_was_said(run: OpenRun, form: str) -> None:
    raw, count = taken_away(run, form, Taken(Filter(rows=(8, 3, 4, 17)), Sort("row", descending=True), SAID))
    found = read(form, raw)
    assert count == 4
    assert [int(row["row"]) for row in found] == [17, 8, 4, 3]
    for row in found:
        wanted = ROWS[int(row["row"])]
        assert row["text"] == wanted["text"]
        assert row["genre"] == wanted["x_genre"]
        assert row["prediction"] == wanted["prediction"]
        assert np.float32(row["m_entropy"]) == np.float32(wanted["m_entropy"])
        assert np.float32(row["p_yes"]) == np.float32(wanted["probabilities"][1])
    last = found[-1]
    assert last["note"] == "why?\nBecause."
    labels = ["negation", "=not, that"]
    assert last["labels"] == ("; ".join(labels) if form in ("csv", "tsv") else labels)
    assert str(last["star"]) == "True"
    assert str(found[0]["star"]) == "False"
    assert found[0]["gold"] == ("" if form in ("csv", "tsv") else None)


def test_a_safe_table_is_in_the_order_of_the_texts_as_typed(run: OpenRun) -> None:
    found = read("csv", taken_away(run, "csv", Taken(sort=Sort("text"), is_safe=True))[0])
    assert [int(row["row"]) for row in found] == run.rows(sort=Sort("text")).tolist()


def test_a_safe_table_runs_no_formula_and_a_plain_one_is_as_typed(run: OpenRun) -> None:
    for form in ("csv", "tsv"):
        safe = read(form, taken_away(run, form, Taken(said=SAID, is_safe=True))[0])
        for row, wanted in zip(safe, ROWS, strict=True):
            text = wanted["text"]
            assert row["text"] == (f"'{text}" if text[0] in "=+-@\t" else text)
            assert not any(value.startswith(("=", "+", "@", "\t", "\r")) for value in row.values())
        plain = read(form, taken_away(run, form)[0])
        assert [row["text"] for row in plain] == [row["text"] for row in ROWS]
    assert taken_away(run, "csv", Taken(is_safe=True))[0].startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("form", FORMS)
def test_a_run_that_is_not_held_in_memory_gives_the_same_file(
    run: OpenRun, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(opened, "MOST_HELD", 0)
    streamed = OpenRun(run.parts, labels=LABELS)
    taken = Taken(Filter(search="two"), Sort("text", descending=True), SAID)
    assert read(form, taken_away(streamed, form, taken)[0]) == read(form, taken_away(run, form, taken)[0])


@pytest.mark.parametrize("name", ['a "b\'s"', "=1+1", "x.y", "row", "ROW", "Note", "naïve 列"])
def test_a_column_of_any_name_is_taken_under_it(tmp_path: Path, name: str) -> None:
    (path,) = write(tmp_path, label_rows(3))
    part = pq.read_table(path)
    names = [f"x_{name}" if one == "x_genre" else one for one in part.column_names]
    pq.write_table(part.rename_columns(names), path)
    odd = OpenRun([path], labels=LABELS)
    shown = f"x_{name}" if name.lower() in ("row", "note") else name
    for form in FORMS:
        assert [row[shown] for row in read(form, taken_away(odd, form)[0])] == ["news", "film", "news"]
    (head, *_) = taken_away(odd, "csv", Taken(is_safe=True))[0].decode("utf-8-sig").splitlines()
    assert not any(one.startswith("=") for one in next(csv.reader([head])))


def test_an_empty_filter_gives_the_head_alone(run: OpenRun) -> None:
    raw, count = taken_away(run, "csv", Taken(Filter(rows=())))
    assert count == 0
    assert raw.decode().startswith(
        "row,line,text,text_pair,gold,prediction,correct,confidence,log_probability,p_no"
    )
    assert raw.count(b"\n") == 1


def test_another_form_is_refused(run: OpenRun) -> None:
    with pytest.raises(ValueError, match="'xlsx'; accepted are csv, tsv, jsonl, parquet"):
        taken_away(run, "xlsx")
