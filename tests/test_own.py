"""Training on a file of one's own: the checkpoint it makes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modelzoo import cards, probes
from modelzoo.cards import list_cards, read_card
from tests.shell import run
from tests.tiny import ENGLISH, FRENCH

MOODS = ("Glad", "sad ", "CROSS")


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No shipped checkpoints, no data, and a folder for one's own."""
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "none")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path / "own"))
    monkeypatch.delenv("ATLAS_DATA", raising=False)
    return tmp_path / "own"


def write(path: Path, rows: list[tuple[str, ...]]) -> str:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def sentences(folder: Path, count: int = 30, labels: tuple[str, ...] = MOODS) -> str:
    rows = [(f"{ENGLISH[i % 15]} Number {i}.", labels[i % len(labels)]) for i in range(count)]
    return write(folder / "moods.tsv", [("text", "mood"), *rows])


def table(data: str, model: str = "self-attentive", slug: str = "my-moods") -> list[str]:
    names = ["--text-column", "text", "--label-column", "mood"]
    return ["train", "--model", model, "--data", data, *names, "--slug", slug, "--epochs", "1"]


def test_a_table_makes_a_checkpoint_that_is_listed_and_answers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, own_folder: Path
) -> None:
    rows = [
        ("text", "mood"),
        *((f"{ENGLISH[i % 15]} {i}.", MOODS[i % 3]) for i in range(30)),
        ("x", ""),
        (" ", "sad"),
    ]
    data = write(tmp_path / "moods.tsv", rows)
    status, out, err = run(capsys, *table(data))
    assert status == 0, err
    assert set(json.loads(out)) == {"dev_accuracy"}
    assert "2 rows without a text or a known label are left out" in err
    card = read_card("my-moods")
    assert card.config["labels"] == ["cross", "glad", "sad"]
    assert card.data_size == {"train": 27, "dev": 3, "test": 0}
    assert set(card.intervals) == {"dev_accuracy"}
    assert card.command.startswith("python -m modelzoo train --model self-attentive --data ")
    assert [moment.step for moment in probes.read(own_folder / "my-moods" / "probes.npz")] == [0, 1, 2, 4]
    assert [listed.slug for listed in list_cards()] == ["my-moods"]
    status, out, _ = run(capsys, "attend", "my-moods", "--text", "A dog runs.", "--json")
    assert set(json.loads(out)["prediction"]["probabilities"]) == {"cross", "glad", "sad"}


def test_pairs_and_a_dev_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    header, labels = ("a", "b", "says"), ("yes", "no")
    rows = [(ENGLISH[i % 15], f"Number {i}.", labels[i % 2]) for i in range(24)]
    data = write(tmp_path / "pairs.tsv", [header, *rows, (ENGLISH[0], "No label.", "-")])
    dev = write(tmp_path / "dev.tsv", [header, *rows[:5]])
    columns = ["--text-column", "a", "--pair-column", "b", "--label-column", "says"]
    arguments = ["--model", "decomposable", "--data", data, *columns, "--dev", dev]
    status, _, err = run(capsys, "train", *arguments, "--slug", "pairs", "--epochs", "1")
    assert status == 0, err
    assert read_card("pairs").data_size == {"train": 19, "dev": 5, "test": 0}


@pytest.mark.parametrize("model", ["rnn-search", "conv-s2s"])
def test_parallel_text(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str) -> None:
    source = write(tmp_path / "s.en", [(f"{ENGLISH[i % 15]} {i}",) for i in range(20)])
    target = write(tmp_path / "t.fr", [(f"{FRENCH[i % 15]} {i}",) for i in range(20)])
    files = ["--source", source, "--target", target, "--languages", "en,fr"]
    status, out, err = run(capsys, "train", "--model", model, *files, "--slug", "mine", "--epochs", "1")
    assert status == 0, err
    assert "dev_bleu" in json.loads(out)
    assert read_card("mine").languages == ("en", "fr")


def test_the_same_file_again_goes_on_and_another_one_does_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(capsys, *table(sentences(tmp_path)))[0] == 0
    assert run(capsys, *table(sentences(tmp_path)))[0] == 0
    status, _, err = run(capsys, *table(sentences(tmp_path, 31)))
    assert status == 2
    assert "other data" in err


def test_a_damaged_own_checkpoint_names_the_command_that_made_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, own_folder: Path
) -> None:
    run(capsys, *table(sentences(tmp_path)))
    (own_folder / "my-moods" / cards.WEIGHTS_FILE).write_bytes(b"cut")
    _, _, err = run(capsys, "attend", "my-moods", "--text", "a")
    assert "train --model self-attentive --data" in err


REFUSED = {
    "no such model": (["--model", "bert"], "there is no model 'bert'"),
    "bad slug": (["--slug", "../x"], "the slug is '../x'; accepted are"),
    "a recipe's slug": (["--slug", "self-attentive-sst"], "is a checkpoint of this project"),
    "no epochs": (["--epochs", "0"], "the number of epochs is 0"),
    "no such column": (["--label-column", "x"], "has no column 'x'"),
    "a pair for one text": (["--pair-column", "mood"], "--pair-column is for models that read pairs"),
    "no pair": (["--model", "decomposable"], "name the second text's column with --pair-column"),
    "two devs": (["--dev", "a", "b"], "--dev names one file"),
    "both kinds": (["--source", "a", "--target", "b"], "name a table with --data, or parallel text"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_cannot_be_trained_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, own_folder: Path, case: str
) -> None:
    more, message = REFUSED[case]
    status, out, err = run(capsys, *table(sentences(tmp_path)), *more)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not own_folder.exists()


@pytest.mark.parametrize(
    ("count", "labels", "message"),
    [
        (19, MOODS, "has 19 usable rows; at least 20 are needed"),
        (30, ("one",), "has 1 different labels"),
        (200, tuple(f"label {i}" for i in range(101)), "has 101 different labels (label 0, label 1, "),
    ],
)
def test_files_that_teach_nothing_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, count: int, labels: tuple[str, ...], message: str
) -> None:
    status, _, err = run(capsys, *table(sentences(tmp_path, count, labels)))
    assert status == 2
    assert message in err


def test_a_slug_beside_a_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, *rest = table(sentences(tmp_path))
    status, _, err = run(capsys, "train", "self-attentive-sst", *rest)
    assert status == 2
    assert "train takes the slug of a recipe, or --model and --slug" in err
