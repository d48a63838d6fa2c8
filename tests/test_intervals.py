"""95 % intervals: Wilson's against its published values, the bootstrap's against what it is drawn from."""

from __future__ import annotations

import pytest

from modelzoo.intervals import label_intervals, text_intervals, wilson
from modelzoo.metrics import text_metrics
from tests.tiny import FRENCH

SHORTER = [
    " ".join(word for k, word in enumerate(text.split()) if (k + i) % 4) for i, text in enumerate(FRENCH)
]


@pytest.mark.parametrize(
    ("right", "rows", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_wilson_s_interval(right: int, rows: int, low: float, high: float) -> None:
    """81 of 263 is Newcombe's example (1998)."""
    assert wilson(right, rows) == pytest.approx((low, high), abs=5e-5)


def test_labels_have_the_interval_of_their_accuracy() -> None:
    assert label_intervals(["a", "b", "b", "a"], ["a", "b", "a", "a"])["accuracy"] == wilson(3, 4)


def test_bootstrap_holds_the_score_is_seeded_and_narrows() -> None:
    found = text_intervals(FRENCH, SHORTER)
    for name, score in text_metrics(FRENCH, SHORTER).items():
        low, high = found[name]
        assert low < score < high
    assert found == text_intervals(FRENCH, SHORTER)
    assert found != text_intervals(FRENCH, SHORTER, seed=1)
    low, high = text_intervals(FRENCH * 4, SHORTER * 4)["bleu"]
    assert high - low < 0.7 * (found["bleu"][1] - found["bleu"][0])


def test_without_variation_the_interval_is_the_score() -> None:
    assert text_intervals(FRENCH, FRENCH)["bleu"] == pytest.approx((100, 100))
