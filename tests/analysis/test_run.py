"""Filters, order and pages of a run against plain Python over the same rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modelzoo.analysis import Between, Filter, OneOf, OpenRun, Sort
from modelzoo.analysis import run as analysis_run
from tests.analysis.runs import ODD, label_rows, write

Row = dict[str, Any]
ROWS = label_rows(250)


@pytest.fixture(scope="module", params=[0, analysis_run.MOST_HELD], ids=["from files", "in memory"])
def run(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[OpenRun]:
    folder = tmp_path_factory.mktemp("runs") / "a [b] *"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis_run, "MOST_HELD", request.param)
        yield OpenRun(write(folder, ROWS))


def test_the_rows_of_a_small_run_are_held_without_their_attention(run: OpenRun) -> None:
    held = run.ask("SELECT table_name, column_count FROM duckdb_tables()")
    kept = run.columns.keys() - {"attention"}
    assert held == ([("run", len(kept))] if analysis_run.MOST_HELD else [])
    assert len(run.table([3, 1], "attention", "text")) == 2


def wrong(row: Row) -> bool:
    return row["correct"] is False


Fits = Callable[[Row], bool]
CASES: list[tuple[Filter, Fits]] = [
    (Filter(), lambda row: True),
    (Filter(gold=("yes",)), lambda row: row["gold"] == "yes"),
    (Filter(gold=("yes", None)), lambda row: row["gold"] in ("yes", None)),
    (Filter(gold=(None,)), lambda row: row["gold"] is None),
    (
        Filter(prediction=("no",), right=False),
        lambda row: row["prediction"] == "no" and row["correct"] is False,
    ),
    (Filter(right=True), lambda row: row["correct"] is True),
    (Filter(between=(Between("confidence", 0.6, 0.8),)), lambda row: 0.6 <= row["confidence"] <= 0.8),
    (
        Filter(between=(Between("m_length", low=6), Between("m_entropy", high=1))),
        lambda row: row["m_length"] >= 6 and row["m_entropy"] <= 1,
    ),
    (Filter(one_of=(OneOf("x_genre", ("film",)),)), lambda row: row["x_genre"] == "film"),
    (Filter(one_of=(OneOf(ODD, ("a'b",)),)), lambda row: row[ODD] == "a'b"),
    (Filter(search="CAT "), lambda row: "cat " in row["text"]),
    (Filter(search="今天"), lambda row: "今天" in row["text"]),
    (Filter(search="' OR 1=1 --"), lambda row: False),
    (Filter(pattern=r"^the\b.*dog$"), lambda row: bool(re.search(r"^the\b.*dog$", row["text"]))),
    (Filter(word="Cat"), lambda row: "cat" in row["tokens"]),
    (Filter(word="ca"), lambda row: False),
    (Filter(rows=(3, 7, 249, 9999)), lambda row: row["row"] in (3, 7, 249)),
    (Filter(rows=()), lambda row: False),
    (
        Filter(gold=("no",), search="not", right=False, one_of=(OneOf("x_genre", ("news",)),)),
        lambda row: (
            row["gold"] == "no" and "not" in row["text"] and row["correct"] is False and row["row"] % 2 == 0
        ),
    ),
]


@pytest.mark.parametrize(("chosen", "fits"), CASES, ids=[str(chosen)[:60] for chosen, _ in CASES])
def test_a_filter_leaves_what_plain_python_leaves(
    run: OpenRun, chosen: Filter, fits: Callable[[Row], bool]
) -> None:
    wanted = [row["row"] for row in ROWS if fits(row)]
    assert run.rows(chosen).tolist() == wanted
    assert run.count(chosen) == len(wanted)


@pytest.mark.parametrize("chosen", [chosen for chosen, _ in CASES])
def test_a_filter_is_saved_and_comes_back(chosen: Filter) -> None:
    assert Filter.from_json(chosen.to_json()) == chosen


def test_what_is_no_filter_is_refused_with_the_place() -> None:
    with pytest.raises(ValueError, match="the filter, right is 'yes'"):
        Filter.from_json('{"right": "yes"}')
    with pytest.raises(ValueError, match="the filter has 'sql'; accepted are gold"):
        Filter.from_json('{"sql": "1=1"}')
    with pytest.raises(ValueError, match="no JSON"):
        Filter.from_json("gold = yes")


def test_pages_follow_the_order_and_hold_no_attention(run: OpenRun) -> None:
    sort = Sort("confidence", descending=True)
    wanted = sorted(ROWS, key=lambda row: -row["confidence"])
    page = run.page(Filter(right=False), sort, offset=5, count=7)
    expected = [row for row in wanted if row["correct"] is False][5:12]
    assert page["row"].to_pylist() == [row["row"] for row in expected]
    assert page["text"].to_pylist() == [row["text"] for row in expected]
    assert "attention" not in page.column_names
    assert run.page(offset=1000).num_rows == 0


def test_missing_values_come_last_both_ways(run: OpenRun) -> None:
    for descending in (False, True):
        assert run.page(sort=Sort(ODD, descending), count=1)["row"].to_pylist() == [3]


def test_a_stream_holds_every_row_once(run: OpenRun) -> None:
    batches = list(run.stream(np.arange(250), "text", size=60))
    assert max(map(len, batches)) <= 60
    assert sorted(row for batch in batches for row in batch["row"].to_pylist()) == list(range(250))


def test_columns_say_what_they_hold_and_measures_have_values(run: OpenRun) -> None:
    assert run.columns["x_genre"] == "text"
    assert run.columns["m_bleu"] == "number"
    assert run.columns["attention"] == "other"
    assert set(run.measures) == {"confidence", "m_length", "m_negation", "m_entropy"}


def test_what_the_run_lacks_is_refused_by_name(run: OpenRun) -> None:
    with pytest.raises(ValueError, match=r"no such column as 'm_x\"; DROP'; accepted are .*confidence"):
        run.count(Filter(between=(Between('m_x"; DROP', 0, 1),)))
    with pytest.raises(ValueError, match="no such column as 'text'"):
        run.count(Filter(between=(Between("text", 0, 1),)))
    with pytest.raises(ValueError, match="no regular expression"):
        run.count(Filter(pattern="(unclosed"))
    with pytest.raises(ValueError, match="at most 1,000"):
        run.count(Filter(search="x" * 1001))
    for row in (12345, -1, 10**23):
        with pytest.raises(ValueError, match=f"no row {row}"):
            run.table([row])
    with pytest.raises(ValueError, match="no rows yet"):
        OpenRun([])


def test_an_unmade_part_is_a_mistake_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="part-00009"):
        OpenRun([tmp_path / "part-00009.parquet"])
