"""The folder of checkpoints that a person names: beside the shipped ones, or exactly what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelzoo import cards


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shipped"
    card(folder, "one")
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", folder)
    return folder


def card(folder: Path, slug: str) -> None:
    (folder / slug).mkdir(parents=True)
    (folder / slug / cards.CARD_FILE).write_text("{}")


def problems(monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(folder))
    return "; ".join(cards.folder_problems())


def test_checkpoints_of_the_folder_stand_beside_the_shipped_ones(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card(tmp_path / "own", "two")
    assert problems(monkeypatch, tmp_path / "own") == ""
    assert list(cards.checkpoint_folders()) == ["one", "two"]


def test_what_is_wrong_with_the_folder_is_said(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "none, which does not exist" in problems(monkeypatch, tmp_path / "none")
    assert "which is a file" in problems(monkeypatch, shipped / "one" / cards.CARD_FILE)
    own = tmp_path / "own"
    (own / "notes").mkdir(parents=True)
    assert "holds no checkpoint, a folder with a card.json" in problems(monkeypatch, own)
    card(own, "one")
    said = problems(monkeypatch, own)
    assert "notes of ATLAS_CHECKPOINTS has no card.json, so it is left out" in said
    assert "one of ATLAS_CHECKPOINTS stands in for the shipped checkpoint of that name" in said
    assert problems(monkeypatch, shipped) == ""
    monkeypatch.delenv("ATLAS_CHECKPOINTS")
    assert cards.folder_problems() == ()


def test_a_folder_that_cannot_be_read_is_said_and_the_shipped_ones_stay(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, listed = tmp_path / "own", Path.iterdir

    def refused(folder: Path) -> Iterator[Path]:
        if folder == own:
            raise PermissionError(13, "Permission denied")
        return listed(folder)

    own.mkdir()
    monkeypatch.setattr(Path, "iterdir", refused)
    assert problems(monkeypatch, own).endswith("of ATLAS_CHECKPOINTS cannot be read: Permission denied")
    assert list(cards.checkpoint_folders()) == ["one"]


CARD = {
    "slug": "one", "title": "One", "model": "self-attentive", "task": "classification", "config": {},
    "data": "ours", "data_size": {"train": 2}, "metrics": {"dev_accuracy": 1}, "seed": 0, "steps": 1,
    "minutes": 1, "date": "2026-01-01", "parameters": 3,
}  # fmt: skip


def written(folder: Path, **changes: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / cards.CARD_FILE).write_text(json.dumps({**CARD, **changes}), encoding="utf-8")
    return folder


def test_card_of_a_copied_folder_is_that_of_its_folder(tmp_path: Path) -> None:
    """Else the copy would be listed under its name and answered by the first one."""
    card_ = cards.read_card("copy", written(tmp_path / "copy"))
    assert (card_.slug, card_.languages) == ("copy", ("en",))


@pytest.mark.parametrize(
    "changes",
    [
        {"task": ["classification"]}, {"model": {}}, {"metrics": [1]}, {"metrics": {"dev_accuracy": "high"}},
        {"config": None}, {"languages": []}, {"languages": [1]}, {"title": 5}, {"beam_size": "x"},
        {"data_size": {"dev": None}}, {"usual_lengths": {"source": 1e999}}, {"beside": {"dev": 1}},
        {"parameters": True}, {"intervals": {"dev_accuracy": ["a", "b"]}},
    ],
)  # fmt: skip
def test_card_with_a_field_of_another_type_is_damaged(tmp_path: Path, changes: dict[str, object]) -> None:
    folder = written(tmp_path / "one", **changes)
    with pytest.raises(cards.CheckpointError, match="is damaged"):
        cards.read_card("one", folder)


def test_card_that_is_deeply_nested_is_damaged(tmp_path: Path) -> None:
    folder = written(tmp_path / "one")
    (folder / cards.CARD_FILE).write_text("[" * 100_000)
    with pytest.raises(cards.CheckpointError, match="is damaged"):
        cards.read_card("one", folder)
