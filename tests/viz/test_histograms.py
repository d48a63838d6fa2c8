"""Histograms and calibration as HTML: every bin with its rows, and text that stays text."""

from __future__ import annotations

import re

import numpy as np

from modelzoo.viz import histograms

EDGES = np.linspace(0, 1, 4)


def heights(made: str) -> list[float]:
    return [float(one) for one in re.findall(r"height:([\d.]+)%;", made)]


def tips(made: str) -> list[str]:
    return re.findall(r'title="(.*?)"', made)


def test_a_histogram_stacks_its_groups_up_to_the_fullest_bin() -> None:
    groups = {"right": np.array([0, 1, 3]), "wrong": np.array([1, 1, 1]), "not judged": np.zeros(3)}
    made = histograms.histogram(EDGES, groups, title="length", alt="")
    assert heights(made) == [25.0, 25.0, 25.0, 75.0, 25.0]
    assert tips(made) == [
        "0 to 0.3333: 1 wrong",
        "0.3333 to 0.6667: 1 right, 1 wrong",
        "0.6667 to 1: 3 right, 1 wrong",
    ]
    assert "4 rows" in made
    assert "not judged" not in made


def test_one_row_is_told_as_one() -> None:
    made = histograms.histogram(EDGES, {"right": np.array([1, 0, 1])}, title="length", alt="")
    assert ">1 row<" in made


def test_a_histogram_without_rows_is_drawn() -> None:
    assert heights(histograms.histogram(EDGES, {"right": np.zeros(3)}, title="length", alt="")) == []


def test_calibration_has_a_column_and_a_line_where_there_are_rows() -> None:
    sure, right = np.array([0.2, np.nan, 0.8]), np.array([0.5, np.nan, 1.0])
    made = histograms.calibration(EDGES, np.array([4, 0, 2]), sure, right, alt="")
    assert heights(made) == [50.0, 100.0]
    assert re.findall(r"bottom:([\d.]+)%", made) == ["20.00", "80.00"]
    assert tips(made) == [
        "confidence 0% to 33%: 4 rows, on average 20.0% sure, 50.0% right",
        "",
        "confidence 67% to 100%: 2 rows, on average 80.0% sure, 100.0% right",
    ]


def test_text_is_no_markup() -> None:
    made = histograms.histogram(EDGES, {"right": np.ones(3)}, title="<b>x</b>", alt='"><script>')
    assert "<b>" not in made
    assert "<script>" not in made
