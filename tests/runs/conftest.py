"""A folder of tiny checkpoints, an empty folder of runs, and files to run over."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelzoo import cards
from tests.checkpoints import write_checkpoints


@pytest.fixture(scope="session")
def tiny_checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    write_checkpoints(folder)
    return folder


@pytest.fixture(autouse=True)
def own_folders(tiny_checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only the tiny checkpoints, and the folder of runs, which is empty."""
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "none")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tiny_checkpoints))
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"
