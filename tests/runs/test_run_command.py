"""`run` and `runs`: columns proposed or named, what is told, and one sentence for what cannot be done."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from modelzoo.runs import list_runs, open_notes, part_files
from tests.checkpoints import SLUGS
from tests.runs.files import LIN, PAIR, RNN, sentiment, translation
from tests.shell import run
from tests.tiny import ENGLISH


def test_a_run_tells_what_it_read_and_the_second_is_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["run", LIN, "--data", str(sentiment(tmp_path / "a.csv", 40)), "--json"]
    status, out, err = run(capsys, *arguments)
    found = json.loads(out)
    assert (status, found["state"], found["rows"], found["done"], found["unread"]) == (0, "done", 40, 40, 4)
    assert found["columns"] == {"text": "text", "label": "label", "pair": None}
    assert "a.csv: 40 rows; table, UTF-8, separated by commas" in err
    assert "'odd': unknown, out of the score" in err
    assert "'-': none, out of the score" in err
    assert "line 11: the sentence is empty" in err
    assert json.loads(run(capsys, *arguments)[1])["id"] == found["id"]
    status, out, _ = run(capsys, "runs")
    assert (status, len(out.splitlines())) == (0, 1)
    assert found["id"] in out


def test_a_run_and_evaluate_say_the_same_of_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = str(sentiment(tmp_path / "a.csv", 9))
    with open(path, "a", encoding="utf-8") as file:
        file.write("9,,positive\n")
    _, out, err = run(capsys, "run", LIN, "--data", path)
    (refused,) = [line for line in err.splitlines() if "the sentence is empty" in line]
    status, scores, told = run(capsys, "evaluate", LIN, "--data", path, "--json")
    found = json.loads(scores)
    assert status == 0
    assert f"accuracy   {found['accuracy']:g}  (" in out
    assert f"), {found['rows']:,} rows" in out
    assert "columns: text 'text', label 'label'" in told
    assert refused in told.splitlines()
    assert run(capsys, "runs")[1].rstrip().endswith("a.csv  1 unread")


def test_a_file_without_gold_has_answers_and_no_score(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"number,text\n1,{ENGLISH[0]}\n2,{ENGLISH[1]}\n", encoding="utf-8")
    status, out, _ = run(capsys, "run", LIN, "--data", str(path))
    assert (status, "accuracy" in out) == (0, False)
    status, _, err = run(capsys, "evaluate", LIN, "--data", str(path))
    assert status == 2
    assert "name it with --label-column (there are: number, text)" in err


def test_columns_and_labels_can_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"{ENGLISH[0]}\t1\n{ENGLISH[1]}\t0\n", encoding="utf-8")
    arguments = ["--no-header", "--text-column", "column 1", "--label-column", "column 2"]
    status, _, _ = run(
        capsys, "run", LIN, "--data", str(path), *arguments, "--label-map", "0=negative,1=positive"
    )
    rows = pq.read_table(part_files(list_runs()[0])[0]).to_pylist()
    assert status == 0
    assert [row["gold"] for row in rows] == ["positive", "negative"]


def test_snli_is_recognised_and_pairs_are_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = [
        {
            "annotator_labels": ["neutral"],
            "gold_label": label,
            "sentence1": ENGLISH[0],
            "sentence2": ENGLISH[1],
        }
        for label in ("neutral", "-", "entailment")
    ]
    path = tmp_path / "snli_1.0_dev.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    status, _, err = run(capsys, "run", PAIR, "--data", str(path))
    rows = pq.read_table(part_files(list_runs()[0])[0]).to_pylist()
    assert status == 0
    assert "SNLI: text 'sentence1', second text 'sentence2', label 'gold_label'" in err
    assert [row["gold"] for row in rows] == ["neutral", None, "entailment"]
    assert rows[0]["text_pair"] == ENGLISH[1]


def test_parallel_text_is_run_into_a_named_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, target = map(str, translation(tmp_path).layout.files)
    folder = tmp_path / "elsewhere"
    arguments = ["--source", source, "--target", target, "--runs", str(folder), "--limit", "2", "--beam", "2"]
    status, out, _ = run(capsys, "run", RNN, *arguments)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["bleu", "chrf", "row_bleu", "row_chrf"]
    assert len(list(folder.glob("runs/*/parts/part-00000.parquet"))) == 1


def test_deleting_asks_for_the_notes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "run", LIN, "--data", str(sentiment(tmp_path / "a.csv", 3)))
    run_id = list_runs()[0].id
    open_notes().add_label(run_id, 1, "irony")
    status, _, err = run(capsys, "runs", "delete", run_id)
    assert (status, len(list_runs())) == (2, 1)
    assert "has 1 labels, notes and stars" in err
    assert run(capsys, "runs", "delete", run_id, "--with-notes")[0] == 0
    assert "there are no runs" in run(capsys, "runs")[2]


REFUSED = {
    "no data": (["run", LIN], "name the data with --data"),
    "one side": (["run", RNN, "--source", "a"], "both --source and --target"),
    "parallel for labels": (["run", LIN, "--source", "a", "--target", "b"], "write text"),
    "missing file": (["run", LIN, "--data", "none.tsv"], "cannot be read"),
    "unknown slug": (["run", "x", "--data", "none.tsv"], "there is no checkpoint named 'x'"),
    "delete what": (["runs", "delete"], "name the run to delete"),
    "delete another": (["runs", "delete", "../x"], "there is no run '../x'"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_cannot_be_done_is_one_sentence(capsys: pytest.CaptureFixture[str], case: str) -> None:
    arguments, message = REFUSED[case]
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_the_pair_column_must_be_named_when_none_looks_like_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("first,other,label\na,b,neutral\n", encoding="utf-8")
    status, _, err = run(capsys, "run", PAIR, "--data", str(path))
    assert status == 2
    assert "name it with --pair-column (there are: first, other, label)" in err
    assert run(capsys, "run", PAIR, "--data", str(path), "--pair-column", "other")[0] == 0
    assert list_runs()[0].columns.text == "first"
    assert run(capsys, "run", SLUGS["self-attentive"], "--data", str(path), "--pair-column", "other")[0] == 2
