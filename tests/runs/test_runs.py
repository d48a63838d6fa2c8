"""Runs: whole, cancelled, killed and resumed, twice at once, and what their files hold."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modelzoo.columns import ANSWER, read_attention
from modelzoo.data.tables import Columns, find_layout
from modelzoo.models.base import AttentionModel
from modelzoo.registry import load
from modelzoo.runs import (
    Progress,
    Request,
    Settings,
    cancel,
    damaged_runs,
    delete_run,
    execute,
    is_running,
    keep_upload,
    list_runs,
    open_notes,
    open_run,
    part_files,
    prepare,
    unread_rows,
)
from modelzoo.runs.folder import run_lock
from modelzoo.tasks import Sentence
from tests.runs.files import LIN, PAIR, RNN, request, translation
from tests.sources import ROOT


@pytest.fixture(scope="session")
def model(tiny_checkpoints: Path) -> AttentionModel:
    return load(LIN, "cpu", folder=tiny_checkpoints / LIN)


def rows_of(run_id: str) -> pa.Table:
    return pa.concat_tables(map(pq.read_table, part_files(open_run(run_id))))


@pytest.mark.parametrize("slug", [LIN, PAIR, RNN])
def test_a_part_in_which_no_row_can_be_read_is_kept_empty(tmp_path: Path, slug: str) -> None:
    columns = {"text": "a", "pair": "b" if slug == PAIR else None, "label": "c"}
    path = tmp_path / "rows.tsv"
    path.write_text("a\tb\tc\n" + "\t\tx\n" * 4 + "a dog\ta cat\tx\n", encoding="utf-8")
    run = execute(prepare(Request(slug, find_layout(path), Columns(**columns), part_rows=2)), device="cpu")
    assert (run.state, run.done, run.unread) == ("done", 5, 4)
    assert [pq.read_table(part)["row"].to_pylist() for part in part_files(run)] == [[], [], [4]]
    assert rows_of(run.id).num_rows == 1


def test_a_run_has_every_row_once_and_in_order(tmp_path: Path, model: AttentionModel) -> None:
    run = execute(prepare(request(tmp_path)), model=model)
    table, unread = rows_of(run.id), unread_rows(run)
    assert (run.state, run.done, run.unread) == ("done", 60, 6)
    assert table["row"].to_pylist() == [i for i in range(60) if i % 10 != 9]
    assert unread["row"].to_pylist() == [9, 19, 29, 39, 49, 59]
    assert set(unread["reason"].to_pylist()) == {"the sentence is empty; type at least one word"}
    assert [path.name for path in part_files(run)] == [f"part-{k:05d}.parquet" for k in range(3)]
    assert set(ANSWER.names) | {"row", "line", "text", "gold", "correct", "x_id", "x_label"} <= set(
        table.column_names
    )


def test_the_rows_are_what_the_model_says_of_each_text_alone(tmp_path: Path, model: AttentionModel) -> None:
    run = execute(prepare(request(tmp_path)), model=model)
    for row in rows_of(run.id).slice(0, 12).to_pylist():
        alone = model.attend([Sentence(row["text"])])[0]
        assert row["probabilities"] == pytest.approx(list(alone.prediction.probabilities), abs=1e-5)
        for name, weights in read_attention(row["attention"]).items():
            assert weights == pytest.approx(alone.map(name).values, abs=2e-3)


def test_gold_is_known_labels_only_and_the_typed_label_is_kept(tmp_path: Path, model: AttentionModel) -> None:
    run = execute(prepare(request(tmp_path)), model=model)
    assert dict(run.label_counts) == {"positive": 12, "negative": 12, "-": 12, "": 12, "odd": 12}
    for row in rows_of(run.id).to_pylist():
        known = row["x_label"] in ("positive", "negative")
        assert row["gold"] == (row["x_label"] if known else None)
        assert row["correct"] == (row["prediction"] == row["gold"] if known else None)


def test_a_translation_is_scored_against_its_line(tmp_path: Path) -> None:
    run = execute(prepare(translation(tmp_path)), device="cpu")
    rows = rows_of(run.id).to_pylist()
    assert [row["gold"] is not None and 0 <= row["m_bleu"] <= 100 for row in rows] == [True] * 6
    assert all(row["log_probability"] < 0 and row["tokens_pair"] for row in rows)
    assert [each["line"] for each in unread_rows(run).to_pylist()] == [7]


def test_the_same_question_is_the_same_run_and_another_one_is_not(tmp_path: Path) -> None:
    asked = request(tmp_path)
    first = prepare(asked)
    assert prepare(asked).id == first.id
    copy = tmp_path / "copy.csv"
    copy.write_bytes(asked.layout.files[0].read_bytes())
    assert prepare(replace(asked, layout=find_layout(copy), name="other")).id == first.id
    others = [
        replace(asked, label_map={"odd": "positive"}),
        replace(asked, settings=replace(asked.settings, limit=7)),
        replace(asked, columns=Columns("text")),
        request(tmp_path, rows=61),
    ]
    assert len({first.id, *(prepare(other).id for other in others)}) == 5


def test_other_weights_are_another_run(tmp_path: Path, tiny_checkpoints: Path) -> None:
    before = prepare(request(tmp_path)).id
    path = tiny_checkpoints / LIN / "model.safetensors"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
        assert prepare(request(tmp_path)).id != before
    finally:
        path.write_bytes(kept)


def test_a_run_does_not_go_on_with_another_file(tmp_path: Path, model: AttentionModel) -> None:
    asked = request(tmp_path)
    run = prepare(asked)
    path = asked.layout.files[0]
    path.write_bytes(path.read_bytes() + b"60,more,positive\n")
    with pytest.raises(ValueError, match="changed since the run began; start a new run"):
        execute(run, model=model)
    assert open_run(run.id).state == "failed"
    path.unlink()
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        execute(run, model=model)


def test_a_limit_takes_the_first_rows(tmp_path: Path, model: AttentionModel) -> None:
    run = execute(prepare(request(tmp_path, limit=25)), model=model)
    assert rows_of(run.id)["row"].to_pylist() == [i for i in range(25) if i % 10 != 9]


def test_a_long_text_is_cut_only_when_that_is_wanted(tmp_path: Path, model: AttentionModel) -> None:
    words = [f"word{i}" for i in range(500)]
    (tmp_path / "a.tsv").write_text("text\n" + " ".join(words) + "\nshort\n", encoding="utf-8")
    asked = Request(LIN, find_layout(tmp_path / "a.tsv"), Columns("text"))
    plain = execute(prepare(asked), model=model)
    assert unread_rows(plain)["reason"].to_pylist() == [
        "the sentence has 500 tokens; accepted are at most 400"
    ]
    cut = execute(prepare(replace(asked, settings=Settings(is_cut=True))), model=model)
    assert rows_of(cut.id)["text"].to_pylist() == [" ".join(words[:400]), "short"]
    assert (cut.unread, rows_of(cut.id)["m_length"].to_pylist()) == (0, [400.0, 1.0])
    with pytest.raises(ValueError, match="texts are cut for models that read one text"):
        prepare(replace(translation(tmp_path), settings=Settings(is_cut=True)))


def test_progress_grows_to_all_rows(tmp_path: Path, model: AttentionModel) -> None:
    seen: list[Progress] = []
    execute(prepare(request(tmp_path)), model=model, on_progress=seen.append)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert (seen[-1].done, seen[-1].rows, seen[-1].seconds_left) == (60, 60, 0)


def test_a_cancelled_run_keeps_whole_parts_and_goes_on(tmp_path: Path, model: AttentionModel) -> None:
    run = prepare(request(tmp_path))

    def stop(progress: Progress) -> None:
        if progress.done > 20:
            cancel(run.id)

    stopped = execute(run, model=model, on_progress=stop)
    assert (stopped.state, stopped.done, len(part_files(stopped))) == ("cancelled", 20, 1)
    kept = part_files(stopped)[0].stat().st_mtime_ns
    finished = execute(run, model=model)
    assert finished.state == "done"
    assert part_files(finished)[0].stat().st_mtime_ns == kept
    assert rows_of(run.id)["row"].to_pylist() == [i for i in range(60) if i % 10 != 9]


def test_a_failure_is_in_the_record_and_can_be_repaired(
    tmp_path: Path, model: AttentionModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = prepare(request(tmp_path))

    def full(*arguments: object, **options: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(pq, "write_table", full)
        with pytest.raises(OSError, match="no space"):
            execute(run, model=model)
    assert (open_run(run.id).state, open_run(run.id).error) == ("failed", "no space left")
    assert execute(run, model=model).state == "done"


KILLED = """
import os, random, signal, sys, time
from modelzoo.runs import execute, open_run, part_files, request_of
import modelzoo.registry, modelzoo.rows
run = open_run(sys.argv[1])
for least in (1, 3, 5):
    child = os.fork()
    if not child:
        execute(run, device="cpu")
        os._exit(0)
    while len(part_files(run)) < least:
        time.sleep(0.001)
    time.sleep(random.random() / 50)
    os.kill(child, signal.SIGKILL)
    print(os.waitpid(child, 0)[1], open_run(run.id).state, len(part_files(run)))
"""


def test_a_run_killed_three_times_equals_one_that_was_not(
    tmp_path: Path, model: AttentionModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = request(tmp_path, rows=240, part_rows=20)
    run = prepare(asked)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, run.id], cwd=ROOT, capture_output=True, text=True, check=False
    )
    killed = [line.split() for line in done.stdout.splitlines()]
    assert [line[:2] for line in killed] == [["9", "stopped"]] * 3, done.stdout + done.stderr
    assert int(killed[-1][2]) < 12
    resumed = execute(open_run(run.id), model=model)
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "another"))
    whole = execute(prepare(asked), model=model)
    expected, unread = rows_of(whole.id), unread_rows(whole)
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "runs"))
    assert resumed.state == "done"
    assert rows_of(run.id).to_pylist() == expected.to_pylist()
    assert unread_rows(resumed).equals(unread)
    assert not list((tmp_path / "runs").rglob(".aside-*"))


def test_one_run_is_worked_on_by_one_session(tmp_path: Path, model: AttentionModel) -> None:
    run = prepare(request(tmp_path))
    refused: list[str] = []
    with run_lock(run.id):
        assert is_running(run.id)

        def other() -> None:
            try:
                execute(run, model=model)
            except ValueError as error:
                refused.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with pytest.raises(ValueError, match="another session"):
            delete_run(run.id)
    assert refused == [f"the run {run.id} is being worked on by another session; wait for it"]
    assert not is_running(run.id)
    assert execute(run, model=model).state == "done"


def test_runs_are_listed_and_deleted_with_what_belongs_to_them(tmp_path: Path, model: AttentionModel) -> None:
    text = request(tmp_path).layout.files[0].read_bytes()
    upload = keep_upload("../../My file.CSV", [text[:50], text[50:]])
    assert (upload.read_bytes(), upload.parent, upload.suffix) == (
        text,
        tmp_path / "runs" / "uploads",
        ".csv",
    )
    asked = replace(request(tmp_path), layout=find_layout(upload))
    first, second = execute(prepare(asked), model=model), prepare(replace(asked, columns=Columns("text")))
    assert {run.id for run in list_runs()} == {first.id, second.id}
    open_notes().add_label(first.id, 3, "negation")
    with pytest.raises(ValueError, match="has 1 labels, notes and stars"):
        delete_run(first.id)
    delete_run(first.id, with_notes=True)
    assert (upload.exists(), open_notes().labels(first.id)) == (True, {})
    delete_run(second.id)
    assert (list_runs(), upload.exists()) == ([], False)
    with pytest.raises(ValueError, match="there is no run"):
        open_run(first.id)


def test_a_damaged_record_is_said_and_can_be_deleted(tmp_path: Path) -> None:
    run = prepare(request(tmp_path))
    (run.folder / "run.json").write_text('{"id": 1}', encoding="utf-8")
    assert (list_runs(), damaged_runs()) == ([], (run.id,))
    with pytest.raises(ValueError, match=f"the record of the run {run.id} is damaged"):
        open_run(run.id)
    delete_run(run.id)
    assert damaged_runs() == ()
