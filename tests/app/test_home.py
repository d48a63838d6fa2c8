"""The home page: what is wrong with checkpoints and their folder, said exactly, and no torch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import state
from modelzoo import cards
from tests.app.conftest import APP, TIMEOUT
from tests.app.test_views import said
from tests.checkpoints import write_checkpoint


def test_damaged_card_is_said_on_the_home_page(
    only_tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_checkpoint(tmp_path, "rnn-search", "broken")
    (tmp_path / "broken" / cards.CARD_FILE).write_text("{")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    assert not page.exception
    assert "broken/card.json is damaged" in said(page.error)


def test_questions_stand_in_reading_order_where_columns_are_stacked(only_tiny: None) -> None:
    page = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    questions = [text.value for text in page.markdown if text.value.startswith("**")]
    another, layers = (
        "**How is this said in another language?**",
        "**And what does each layer look at meanwhile?**",
    )
    assert len(questions) == 4
    assert questions.index(layers) == questions.index(another) + 1


CASES = [
    (cards.WEIGHTS_FILE, None, "is missing"),
    (cards.WEIGHTS_FILE, b"not weights", "is damaged"),
    (cards.WEIGHTS_FILE, "half", "is damaged"),
    (cards.TEXT_FILE, None, "is missing"),
    (cards.TEXT_FILE, b"{", "is damaged"),
    ("tokenizer.json", None, "is missing"),
    ("tokenizer.json", b"[]", "is damaged"),
]
"""A file, what is put in its place, and what is said."""


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("folder", ["shipped", "own"])
def test_file_missing_or_damaged_beside_a_good_card_is_said(
    folder: str, case: tuple[str, bytes | str | None, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, content, told = case
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "shipped")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path / "own"))
    for each in ("shipped", "own"):
        write_checkpoint(tmp_path / each, "rnn-search", f"{each}-one")
    assert state.problems() == ()
    path = tmp_path / folder / f"{folder}-one" / name
    whole = path.read_bytes()
    path.unlink()
    if content is not None:
        path.write_bytes(whole[: len(whole) // 2] if isinstance(content, str) else content)
    assert [str(problem) for problem in state.problems()] == [
        f"the checkpoint file {path} {told}; `python -m modelzoo train {folder}-one` makes it anew"
    ]


def test_home_page_says_what_is_wrong_and_nothing_else(
    only_tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    assert not page.error
    assert not page.info
    write_checkpoint(tmp_path, "rnn-search", "broken")
    (tmp_path / "broken" / cards.WEIGHTS_FILE).unlink()
    (tmp_path / "notes").mkdir()
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page.run()
    assert "broken/model.safetensors is missing" in said(page.error)
    assert "Notes of ATLAS_CHECKPOINTS has no card.json" in said(page.info)


def test_home_page_imports_no_torch(only_tiny: None) -> None:
    """In a fresh process: torch is imported by the first model that answers."""
    import subprocess

    program = (
        "import sys; from streamlit.testing.v1 import AppTest; "
        f"page = AppTest.from_file({str(APP / 'main.py')!r}, default_timeout={TIMEOUT}).run(); "
        "assert not page.exception; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"
