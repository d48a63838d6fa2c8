"""The app over a folder of tiny checkpoints, and over no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from modelzoo import cards
from tests.checkpoints import write_checkpoints

APP = cards.ROOT / "app"
TIMEOUT = 120


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one tiny checkpoint per model."""
    folder = tmp_path_factory.mktemp("checkpoints")
    write_checkpoints(folder)
    return folder


@pytest.fixture
def only_tiny(tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shipped checkpoints, and the tiny ones as those of ATLAS_CHECKPOINTS."""
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "none")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tiny_folder))


@pytest.fixture
def open_view(only_tiny: None) -> Callable[..., AppTest]:
    """Open a view by its file name, with the parameters of a link."""

    def opened(view: str, **link: str) -> AppTest:
        page = AppTest.from_file(str(APP / "views" / f"{view}.py"), default_timeout=TIMEOUT)
        for name, value in link.items():
            page.query_params[name.replace("_", "-")] = value
        return page.run()

    return opened
