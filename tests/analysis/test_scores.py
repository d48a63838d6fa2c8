"""Metrics, confusion, calibration, histograms and slices against plain Python."""

from __future__ import annotations

from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

from modelzoo.analysis import Filter, OpenRun
from modelzoo.analysis.chance import fisher, holm, mcnemar
from modelzoo.analysis.scores import calibration, confusion, histogram, metrics
from modelzoo.analysis.slices import candidates, slices
from modelzoo.columns import COUNTS
from modelzoo.metrics import bleu, chrf
from modelzoo.rows import gold_columns
from tests.analysis.runs import LABELS, label_rows, write
from tests.tiny import FRENCH

ROWS = label_rows(600)
JUDGED = [row for row in ROWS if row["correct"] is not None]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> OpenRun:
    return OpenRun(write(tmp_path_factory.mktemp("run"), ROWS, size=600), labels=LABELS)


def test_accuracy_and_its_interval_are_of_the_judged_rows(run: OpenRun) -> None:
    found = metrics(run)
    right = sum(row["correct"] for row in JUDGED)
    assert (found.rows, found.judged) == (600, len(JUDGED))
    accuracy = found.values["accuracy"]
    assert accuracy.value == pytest.approx(right / len(JUDGED))
    half = 1.96 * (accuracy.value * (1 - accuracy.value) / len(JUDGED)) ** 0.5
    assert accuracy.interval == pytest.approx((accuracy.value - half, accuracy.value + half), abs=0.006)
    assert metrics(run) == found
    assert metrics(run, Filter(search="nowhere at all")).values == {}


@pytest.mark.parametrize("language", ["fr", "zh"])
def test_written_texts_have_corpus_scores_of_the_rows_of_the_filter(tmp_path: Path, language: str) -> None:
    said = [*FRENCH[:9], "", "今天 天气 很好"]
    gold = [*FRENCH[:3], *(text.replace("un ", "le ") for text in FRENCH[3:9]), "Oui.", "今天天气很好"]
    scored = gold_columns([*gold, None], [*said, "x"], language=language).to_pylist()
    texts = zip([*gold, None], [*said, "x"], scored, strict=True)
    rows = [
        {"row": k, "line": k + 1, "text": f"row {k % 2}", "gold": g, "prediction": p, **one}
        for k, (g, p, one) in enumerate(texts)
    ]
    run = OpenRun(write(tmp_path, rows))
    for chosen, places in ((Filter(), range(11)), (Filter(search="row 1"), range(1, 11, 2))):
        found = metrics(run, chosen)
        some = [gold[k] for k in places], [said[k] for k in places]
        for name, score in (("bleu", bleu(*some, language)), ("chrf", chrf(*some))):
            low, high = found.values[name].interval
            assert found.values[name].value == pytest.approx(score)
            assert low < score < high
        assert found.values["row_chrf"].value == pytest.approx(np.mean([scored[k]["m_chrf"] for k in places]))
        assert found.judged == len(places)
    older = [{name: value for name, value in row.items() if name not in COUNTS} for row in rows]
    assert "bleu" not in metrics(OpenRun(write(tmp_path, older))).values


def test_f1_is_the_mean_of_the_labels(run: OpenRun) -> None:
    f1 = []
    for label in LABELS:
        hits = sum(row["gold"] == row["prediction"] == label for row in JUDGED)
        said = sum(row["prediction"] == label for row in JUDGED)
        f1.append(2 * hits / (said + sum(row["gold"] == label for row in JUDGED)))
    assert metrics(run).values["f1"].value == pytest.approx(np.mean(f1))


def test_every_cell_of_the_confusion_is_a_filter_of_as_many_rows(run: OpenRun) -> None:
    found = confusion(run, Filter(search="cat"))
    for i, gold in enumerate(found.labels):
        for j, said in enumerate(found.labels):
            assert found.counts[i, j] == run.count(Filter(gold=(gold,), prediction=(said,), search="cat"))


def test_calibration_compares_confidence_and_accuracy_in_bins(run: OpenRun) -> None:
    found = calibration(run, bins=5)
    error = 0.0
    for k in range(5):
        inside = [row for row in JUDGED if k / 5 <= row["confidence"] < (k + 1) / 5]
        assert found.counts[k] == len(inside)
        if inside:
            sure, right = (np.mean([row[name] for row in inside]) for name in ("confidence", "correct"))
            assert found.accuracy[k] == pytest.approx(right)
            assert found.confidence[k] == pytest.approx(sure)
            error += len(inside) / len(JUDGED) * abs(sure - right)
    assert found.error == pytest.approx(error)


def test_a_histogram_counts_right_wrong_and_unjudged_apart(run: OpenRun) -> None:
    found = histogram(run, "m_entropy", bins=8)
    for counts, verdict in ((found.right, True), (found.wrong, False), (found.unjudged, None)):
        values = [float(np.float32(row["m_entropy"])) for row in ROWS if row["correct"] is verdict]
        assert counts.tolist() == np.histogram(values, found.edges)[0].tolist()
    assert found.missing == 0
    assert histogram(run, "m_bleu").missing == 600
    with pytest.raises(ValueError, match="no such column as 'text'"):
        histogram(run, "text")


def test_the_slice_with_the_planted_errors_comes_first(run: OpenRun) -> None:
    first, *others = slices(run)
    negated = [row for row in JUDGED if row["m_negation"]]
    wrong = sum(not row["correct"] for row in negated)
    outside = [not row["correct"] for row in JUDGED if not row["m_negation"]]
    assert first.name == "has negation"
    assert (first.rows, first.errors) == (len(negated), wrong)
    assert first.ratio == pytest.approx(wrong / len(negated) / np.mean(outside))
    assert first.p < 1e-6
    assert all(one.p > first.p for one in others)
    for one in (first, *others):
        assert run.count(one.chosen) >= one.rows


def test_the_typed_label_is_no_second_slice_where_it_stands_in_the_rows_of_the_gold(tmp_path: Path) -> None:
    """`Yes` and `yes` are one gold label, so each of them is a slice of its own; `no` is not."""
    typed = [{**row, "x_genre": row["gold"] or "-"} for row in ROWS]
    for row in typed[::3]:
        row["x_genre"] = {"yes": "Yes"}.get(row["x_genre"], row["x_genre"])
    names = list(candidates(OpenRun(write(tmp_path, typed), labels=LABELS)))
    assert {name for name in names if name.startswith("gold")} == {
        "gold = (empty)",
        "gold = no",
        "gold = yes",
    }
    assert {name for name in names if name.startswith("genre")} == {"genre = Yes", "genre = yes"}


def test_own_slices_are_tested_within_the_filter(run: OpenRun) -> None:
    (one,) = slices(run, Filter(gold=("yes",)), parts={"cats": Filter(search="cat")})
    inside = [row for row in JUDGED if row["gold"] == "yes" and "cat" in row["text"]]
    assert (one.name, one.rows) == ("cats", len(inside))
    assert one.p == pytest.approx(
        fisher(
            (one.errors, one.rows - one.errors),
            tuple(  # type: ignore[arg-type]
                sum(
                    row["correct"] is verdict and "cat" not in row["text"]
                    for row in JUDGED
                    if row["gold"] == "yes"
                )
                for verdict in (False, True)
            ),
        )
    )


# --- chance ------------------------------------------------------------------------------------


def test_fishers_test_on_the_tasting_of_tea() -> None:
    assert fisher((3, 1), (1, 3)) == pytest.approx(34 / 70)
    assert fisher((4, 0), (0, 4)) == pytest.approx(2 / 70)
    assert fisher((2, 2), (2, 2)) == pytest.approx(1)
    assert fisher((0, 5), (0, 9)) == 1.0


def test_fishers_test_equals_counting_every_arrangement() -> None:
    """Which 3 of 9 rows are errors, when the first 4 are inside."""
    hits = [sum(i < 4 for i in chosen) for chosen in combinations(range(9), 3)]
    share = {k: hits.count(k) / len(hits) for k in range(4)}
    for k in range(4):
        wanted = sum(p for p in share.values() if p <= share[k] + 1e-12)
        assert fisher((k, 4 - k), (3 - k, 2 + k)) == pytest.approx(wanted)


def test_mcnemars_test_is_a_coin() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 5) == 1.0
    assert mcnemar(1, 9) == mcnemar(9, 1) == pytest.approx(2 * (1 + 10) / 2**10)
    assert mcnemar(400, 500) == pytest.approx(2 * sum(comb(900, i) for i in range(401)) / 2**900)


def test_holms_correction_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
