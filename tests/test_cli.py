"""The command line: its JSON forms, its metrics, and one sentence with status 2 for what cannot be done."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from modelzoo import cards
from tests.checkpoints import SLUGS, write_checkpoints
from tests.shell import run
from tests.tiny import ENGLISH, FRENCH


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    write_checkpoints(folder)
    return folder


@pytest.fixture(autouse=True)
def only_tiny(checkpoints: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "none")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(checkpoints))


ATTEND = {
    "self-attentive": (["--text", ENGLISH[0]], ["sentence"], ["hops", "overall"]),
    "rnn-search": (["--text", ENGLISH[0], "--beam", "2"], ["source", "target"], ["alignment"]),
    "decomposable": (
        ["--text", ENGLISH[0], "--text-pair", ENGLISH[1]],
        ["premise", "hypothesis"],
        ["premise_to_hypothesis", "hypothesis_to_premise"],
    ),
    "conv-s2s": (
        ["--text", ENGLISH[0], "--target", FRENCH[0]],
        ["source", "target"],
        ["layer_1", "layer_2", "mean"],
    ),
}


@pytest.mark.parametrize("model", list(SLUGS))
def test_attend_prints_tokens_prediction_and_maps(capsys: pytest.CaptureFixture[str], model: str) -> None:
    arguments, sides, names = ATTEND[model]
    status, out, err = run(capsys, "attend", SLUGS[model], *arguments, "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["checkpoint"] == SLUGS[model]
    assert list(found["tokens"]) == sides
    assert all(set(token) == {"typed", "model", "known"} for token in found["tokens"][sides[0]])
    assert [one["name"] for one in found["maps"]] == names
    for one in found["maps"]:
        assert set(one) == {"name", "rows", "columns", "weights", "equation"}
        assert len(one["weights"]) == len(one["rows"])
        for row in one["weights"]:
            assert len(row) == len(one["columns"])
            assert sum(row) == pytest.approx(1, abs=1e-5)


def test_attend_forces_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    slug = SLUGS["rnn-search"]
    _, out, _ = run(capsys, "attend", slug, "--text", ENGLISH[1], "--target", FRENCH[1], "--json")
    found = json.loads(out)
    assert found["prediction"]["text"] == FRENCH[1]
    assert found["tokens"]["target"][-1]["typed"] == "</s>"


def test_attend_without_json_is_readable(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "attend", SLUGS["self-attentive"], "--text", "A man eats.")
    assert status == 0
    assert "hop 1" in out
    assert "probabilities" in out


def table(folder: Path, name: str, rows: list[tuple[str, ...]]) -> str:
    (folder / name).write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    return str(folder / name)


def test_evaluate_counts_rows_and_skipped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [
        ("text", "label"),
        ("good", "Positive "),
        ('"bad', "0"),
        ("none", ""),
        ("   ", "positive"),
        ("x", "9"),
    ]
    arguments = ["--data", table(tmp_path, "a.tsv", rows), "--text-column", "text", "--label-column", "label"]
    status, out, err = run(
        capsys, "evaluate", SLUGS["self-attentive"], *arguments, "--label-map", "0=negative", "--json"
    )
    found = json.loads(out)
    assert status == 0
    assert (found["rows"], found["skipped"]) == (2, 3)
    assert found["accuracy"] in (0.0, 0.5, 1.0)
    assert "'9' (1)" in err
    assert "line 5: the sentence is empty" in err


def test_evaluate_lists_the_rows_that_cannot_be_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("text;label\nécrit;positive\none column\n".encode("cp1252"))
    columns = ["--text-column", "text", "--label-column", "label"]
    status, out, err = run(capsys, "evaluate", LIN, "--data", str(path), *columns, "--json")
    found = json.loads(out)
    assert (status, found["rows"], found["skipped"]) == (0, 1, 1)
    assert err == "line 3: it has 1 columns; the header has 2\n"
    for name in ("x-y", "base64", "idna"):
        status, _, err = run(capsys, "evaluate", LIN, "--data", str(path), *columns, "--encoding", name)
        assert (status, f"the encoding is '{name}'; accepted are" in err) == (2, True)


def test_evaluate_pairs_leave_out_dashes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [("p", "h", "y"), (ENGLISH[0], ENGLISH[1], "neutral"), (ENGLISH[0], ENGLISH[2], "-")]
    arguments = ["--data", table(tmp_path, "a.tsv", rows), "--text-column", "p", "--pair-column", "h"]
    status, out, err = run(
        capsys, "evaluate", SLUGS["decomposable"], *arguments, "--label-column", "y", "--json"
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["rows"] == 1
    assert json.loads(out)["skipped"] == 1


def test_evaluate_parallel_text_scores_translations(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "s.en", tmp_path / "t.fr"
    source.write_text("\n".join(ENGLISH[:4]) + "\n", encoding="utf-8")
    target.write_text("\n".join(FRENCH[:4]) + "\n", encoding="utf-8")
    arguments = ["--source", str(source), "--target", str(target), "--beam", "1", "--json"]
    status, out, _ = run(capsys, "evaluate", SLUGS["conv-s2s"], *arguments)
    found = json.loads(out)
    assert status == 0
    assert set(found) == {"bleu", "chrf", "rouge1", "rows", "skipped"}
    assert found["rows"] == 4


def test_list_names_the_checkpoints(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "list", "--json")
    assert status == 0
    assert {card["slug"] for card in json.loads(out)} == set(SLUGS.values())
    assert all(slug in run(capsys, "list")[1] for slug in SLUGS.values())


LIN, CONV, PAIR = SLUGS["self-attentive"], SLUGS["conv-s2s"], SLUGS["decomposable"]
TEXT = ("--text", "a")
REFUSED = {
    "unknown slug": (["attend", "../../etc", *TEXT], "there is no checkpoint named '../../etc'"),
    "empty text": (["attend", LIN, "--text", "  \u200b"], "the sentence is empty"),
    "no hypothesis": (["attend", PAIR, *TEXT], "--text-pair"),
    "pair for one text": (["attend", CONV, *TEXT, "--text-pair", "b"], "--text-pair is for"),
    "beam for labels": (["attend", LIN, *TEXT, "--beam", "2"], "--target and --beam"),
    "beam too wide": (["attend", CONV, *TEXT, "--beam", "99"], "accepted is a whole number from 1 to 10"),
    "no device": (["attend", LIN, *TEXT, "--device", "gpu9"], "the device is 'gpu9'"),
    "no command": ([], "train, attend, evaluate, measure, run, runs, fetch, list"),
    "no data": (["evaluate", LIN], "name the data with --data"),
    "one side": (["evaluate", CONV, "--source", "a"], "both --source and --target"),
    "parallel for labels": (["evaluate", LIN, "--source", "a", "--target", "b"], "write text"),
    "missing file": (
        ["evaluate", LIN, "--data", "x.tsv", "--text-column", "a", "--label-column", "b"],
        "cannot be read",
    ),
    "unknown recipe": (["train", "nothing"], "there is no recipe 'nothing'"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_cannot_be_done_is_one_sentence_and_status_two(
    capsys: pytest.CaptureFixture[str], case: str
) -> None:
    arguments, message = REFUSED[case]
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_training_without_data_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATLAS_DATA", raising=False)
    status, _, err = run(capsys, "train", "self-attentive-sst")
    assert status == 2
    assert "ATLAS_DATA is not set" in err


def test_listing_does_not_import_torch() -> None:
    program = "import sys; from modelzoo.cli import main; main(['list']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", ["model.safetensors", "card.json", "text.json", "tokenizer.json"])
@pytest.mark.parametrize("damage", ["missing", "cut", "garbage"])
def test_a_damaged_checkpoint_names_the_file_and_the_command(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    damage: str,
) -> None:
    write_checkpoints(tmp_path)
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    slug = SLUGS["conv-s2s"]
    path = tmp_path / slug / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:20] if damage == "cut" else b'{"a": 1}')
    status, _, err = run(capsys, "attend", slug, "--text", "a man")
    assert status == 2
    assert err.count("\n") == 1
    assert name in err
    assert "python -m modelzoo train" in err
