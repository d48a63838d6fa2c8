"""Two runs over the same data against counting by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from modelzoo.analysis import Filter, OpenRun
from modelzoo.analysis.chance import mcnemar
from modelzoo.analysis.two import OUTCOMES, TwoRuns
from tests.analysis.runs import label_rows, write

FIRST = label_rows(300)
CHANCE = np.random.default_rng(5)
SECOND = [
    {
        **row,
        "correct": None if row["correct"] is None else bool(CHANCE.random() > 0.05 or "cat" in row["text"]),
    }
    for row in FIRST
]
PAIRS = [(a, b) for a, b in zip(FIRST, SECOND, strict=True) if a["correct"] is not None]
WANTED = {
    "both": lambda a, b: a and b,
    "first": lambda a, b: a and not b,
    "second": lambda a, b: b and not a,
    "neither": lambda a, b: not a and not b,
}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> TwoRuns:
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
    return TwoRuns(
        *(OpenRun(write(*given, size=300)) for given in zip(folders, (FIRST, SECOND), strict=True))
    )


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_is_a_filter_of_its_rows(two: TwoRuns, outcome: str) -> None:
    rows = [a["row"] for a, b in PAIRS if WANTED[outcome](a["correct"], b["correct"])]
    assert two.first.rows(two.filter(outcome)).tolist() == rows
    films = [row for row in rows if row % 2]
    assert two.first.rows(two.filter(outcome, Filter(rows=tuple(range(1, 300, 2))))).tolist() == films


def test_the_difference_counts_outcomes_and_tests_them(two: TwoRuns) -> None:
    found = two.difference()
    counts = {name: sum(fits(a["correct"], b["correct"]) for a, b in PAIRS) for name, fits in WANTED.items()}
    assert found.counts == counts
    assert found.rows == len(PAIRS)
    gain = (counts["second"] - counts["first"]) / len(PAIRS)
    assert found.gain.value == found.second - found.first == pytest.approx(gain)
    discordant = (counts["second"] + counts["first"]) / len(PAIRS)
    half = 1.96 * ((discordant - gain**2) / len(PAIRS)) ** 0.5
    assert found.gain.interval == pytest.approx((gain - half, gain + half), abs=0.015)
    assert found.p == mcnemar(counts["first"], counts["second"])
    assert two.chrf() is None


def test_the_difference_of_a_slice_is_that_of_its_filter(two: TwoRuns) -> None:
    for one in two.slices():
        alone = two.difference(one.chosen)
        assert (one.counts, one.gain) == (alone.counts, alone.gain)
        assert one.p >= alone.p
    (negated,) = (one for one in two.slices() if one.name == "has negation")
    assert negated.gain.value > two.difference().gain.value


def test_no_row_in_the_filter_is_no_difference(two: TwoRuns) -> None:
    found = two.difference(Filter(search="nowhere at all"))
    assert found.rows == 0
    assert found.p == 1.0
    assert np.isnan(found.gain.value)


def test_other_data_are_refused_by_their_row(two: TwoRuns, tmp_path: Path) -> None:
    other = [{**row, "text": row["text"] + ("!" if row["row"] == 7 else "")} for row in FIRST]
    with pytest.raises(ValueError, match="row 7 has one text in the first run and another"):
        TwoRuns(two.first, OpenRun(write(tmp_path, other)))


def test_written_texts_are_compared_by_chrf(tmp_path: Path) -> None:
    runs = []
    for k in range(2):
        rows = [{**row, "correct": None, "m_chrf": float(row["row"] % 50 + k)} for row in FIRST]
        (tmp_path / str(k)).mkdir()
        runs.append(OpenRun(write(tmp_path / str(k), rows)))
    found = TwoRuns(*runs).chrf()
    assert found is not None
    assert found.value == pytest.approx(1)
    assert found.interval == pytest.approx((1, 1))
    assert runs[0].count(Filter(right=False)) == pytest.approx(75, abs=6)
