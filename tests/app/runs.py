"""Runs over tiny models for the tests of the page on errors, and reading what the page says."""

from __future__ import annotations

import csv
import html
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from modelzoo.data.tables import Columns, find_layout
from modelzoo.registry import load
from modelzoo.runs import Request, Run, Settings, execute, prepare
from tests.checkpoints import SLUGS
from tests.tiny import ENGLISH, FRENCH, SENTIMENTS

Opened = Callable[..., AppTest]
ROWS = 24
ODD = 'x<b>y</b> $5 and $10, "q" **m** :red[r] =1+1'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of this test alone."""
    monkeypatch.setenv("ATLAS_RUNS", str(tmp_path / "runs"))
    return tmp_path


def write_rows(path: Path, count: int = ROWS) -> Path:
    """A labelled file with an odd text, labels nobody knows, and a column whose name has a dot."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label", "genre.a"])
        for i in range(count):
            text = ODD if i == 3 else ENGLISH[i % len(ENGLISH)]
            label = ("-", "Positive", "five")[i] if i < 3 else SENTIMENTS[i % 2]
            writer.writerow([text, label, "ab"[i % 2]])
    return path


def run_over(
    path: Path, model: str, columns: Columns, *, limit: int | None = None, part_rows: int = 10
) -> Run:
    slug = SLUGS[model]
    request = Request(slug, find_layout(path), columns, {}, Settings(1, limit), path.name, part_rows)
    return execute(prepare(request), model=load(slug, "cpu"))


@pytest.fixture
def labelled(only_tiny: None, folder: Path) -> Run:
    """A finished run of the tiny classifier."""
    return run_over(write_rows(folder / "rows.csv"), "self-attentive", Columns("text", "label"))


@pytest.fixture
def of_pairs(only_tiny: None, folder: Path) -> Run:
    """A finished run over pairs of sentences."""
    path = folder / "pairs.tsv"
    lines = "\n".join(f"{one}\t{other}\tneutral" for one, other in pairwise(ENGLISH))
    path.write_text(f"premise\thypothesis\tlabel\n{lines}", encoding="utf-8")
    return run_over(path, "decomposable", Columns("premise", "label", "hypothesis"))


@pytest.fixture
def translated(only_tiny: None, folder: Path) -> Run:
    """A finished run that translates."""
    path = folder / "lines.tsv"
    lines = "\n".join(map("\t".join, zip(ENGLISH, FRENCH, strict=True)))
    path.write_text(f"en\tfr\n{lines}", encoding="utf-8")
    return run_over(path, "rnn-search", Columns("en", "fr"))


def texts(page: AppTest) -> str:
    """Everything that the page says."""
    said = (str(one.value) for one in (*page.markdown, *page.caption, *page.info, *page.error))
    return html.unescape("\n".join(said))


def table(page: AppTest) -> Any:
    return page.dataframe[0].value
