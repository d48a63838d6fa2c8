"""The folder of checkpoints that a person names: beside the shipped ones, or exactly what is wrong."""

from __future__ import annotations

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
