"""A part of a large map, swept with the pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app import window
from modelzoo.results import Grid
from modelzoo.transform import sheet_over

ROWS, COLUMNS = 60, 80


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    held: dict[str, Any] = {}
    monkeypatch.setattr(window.st, "session_state", held)
    monkeypatch.setattr(window, "notice", held.setdefault("told", []).append)
    return held


def large(label: str = "r") -> Grid:
    values = np.full((ROWS, COLUMNS), 1 / COLUMNS)
    labels = (tuple(f"{side}{k}" for k in range(size)) for side, size in ((label, ROWS), ("c", COLUMNS)))
    return Grid("m", values, *labels)


def swept(session: dict[str, Any], x: list[float], y: list[float]) -> None:
    session["own"] = {"selection": {"box": [{"x": x, "y": y}]}}
    window.sweep("key", large(), "own")


def test_a_box_is_drawn_in_place_of_the_map_and_the_rest_of_a_row_is_said(session: dict[str, Any]) -> None:
    swept(session, x=[9.6, 29.4], y=[14.2, 4.8])
    sheet = window.windowed("key", sheet_over(large()))
    assert window.shown("key", sheet.grid) == (range(5, 15), range(10, 30))
    assert window.shown("key", large()) is None
    assert sheet.grid.rows == tuple(f"r{k}" for k in range(5, 15))
    assert sheet.grid.columns == tuple(f"c{k}" for k in range(10, 30))
    assert sheet.grid.notes == ("rows 6 to 15 of 60, columns 11 to 30 of 80, up to 0.75 of a row left out",)


def test_a_box_over_the_edge_ends_at_the_last_cell(session: dict[str, Any]) -> None:
    swept(session, x=[-7.0, 500.0], y=[58.9, 99.0])
    sheet = window.windowed("key", sheet_over(large()))
    assert sheet.grid.values.shape == (1, COLUMNS)
    assert sheet.grid.rows == ("r59",)


def test_a_window_goes_when_the_labels_change(session: dict[str, Any]) -> None:
    swept(session, x=[1.0, 2.0], y=[1.0, 2.0])
    sheet = sheet_over(large("other"))
    assert window.windowed("key", sheet) is sheet


def test_no_box_leaves_the_window_as_it_is(session: dict[str, Any]) -> None:
    swept(session, x=[1.0, 2.0], y=[1.0, 2.0])
    session["own"] = {"selection": {"box": []}}
    window.sweep("key", large(), "own")
    assert window.windowed("key", sheet_over(large())).grid.values.shape == (2, 2)


def test_a_part_that_is_swept_again_counts_from_the_whole_map(session: dict[str, Any]) -> None:
    swept(session, x=[20.0, 79.0], y=[10.0, 59.0])
    part = window.windowed("key", sheet_over(large()))
    session["own"] = {"selection": {"box": [{"x": [1.0, 2.0], "y": [3.0, 4.0]}]}}
    window.sweep("key", part.grid, "own")
    again = window.windowed("key", sheet_over(large()))
    assert (again.grid.rows, again.grid.columns) == (("r13", "r14"), ("c21", "c22"))


def test_a_link_shows_a_part_until_the_whole_map_is_asked_for(session: dict[str, Any]) -> None:
    session["page_reading"] = {"window": "m:5,15,10,30;other:0,1,0,1"}
    part = window.windowed("page_m", sheet_over(large()))
    assert window.shown("page_m", part.grid) == (range(5, 15), range(10, 30))
    window._forget("page_m")
    whole = sheet_over(large())
    assert window.windowed("page_m", whole) is whole
    assert session["told"] == []


@pytest.mark.parametrize(
    "ends",
    ["0,9", "0,61,0,9", "9,9,0,9", "5,2,0,9", "0,9,0,x", "0,9,0,-9", "0,9,0,9,9,9", "0,9,0," + "9" * 5000],
)
def test_a_part_that_the_map_does_not_have_is_said(session: dict[str, Any], ends: str) -> None:
    session["page_reading"] = {"window": f"m:{ends}"}
    whole = sheet_over(large())
    assert window.windowed("page_m", whole) is whole
    assert session["told"] == [
        "The part of m that the link shows is not in its 60 rows and 80 columns; all of it is shown."
    ]
