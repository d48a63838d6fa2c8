"""Two results side by side: equal maps differ by zero, and where there is no difference a reason is given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from modelzoo import comparison
from modelzoo.comparison import Pair
from modelzoo.results import LabelPrediction
from tests.samples import attention, label_result, text_result

ROWS, COLUMNS = ("le", "chat"), ("the", "cat", "the")


def test_a_map_less_itself_is_zero_everywhere() -> None:
    shown = attention(ROWS, COLUMNS)
    found = comparison.difference(Pair(shown, shown))
    assert not found.values.any()
    assert found.limits == (-1.0, 1.0)
    assert (found.rows, found.columns) == (ROWS, COLUMNS)
    assert not comparison.moved(found).any()


def test_the_difference_is_the_second_less_the_first_on_symmetric_limits() -> None:
    first = attention(ROWS, COLUMNS)
    second = replace(first, values=first.values[:, ::-1], title="other")
    found = comparison.difference(Pair(first, second, ("before", "after")))
    np.testing.assert_allclose(found.values, second.values - first.values, atol=1e-7)
    low, high = found.limits
    assert -low == high == pytest.approx(np.abs(found.values).max())
    assert found.diverging
    assert found.title == "after − before: where it looked and other"
    np.testing.assert_allclose(found.values.sum(axis=1), 0.0, atol=1e-6)


def test_what_moved_is_the_share_of_a_row_that_lies_elsewhere() -> None:
    first = replace(attention(ROWS, ("a", "b")), values=np.array([[1.0, 0.0], [0.5, 0.5]]))
    second = replace(first, values=np.array([[0.0, 1.0], [0.25, 0.75]]))
    assert comparison.moved(comparison.difference(Pair(first, second))) == pytest.approx([1.0, 0.25])


@pytest.mark.parametrize(
    ("rows", "columns", "reason"),
    [
        (ROWS, ("the", "dog", "the"), "column 2 is the first that differs, 'cat' in A and 'dog' in B"),
        (ROWS, ("the", "cat"), "A has 3 columns and B has 2; column 3 is the first that only A has, 'the'"),
        (("le",), COLUMNS, "A has 2 rows and B has 1; row 2 is the first that only A has, 'chat'"),
        (("un", "chat", "x"), COLUMNS, "B has 3; row 1 is the first that differs, 'le' in A and 'un' in B"),
    ],
)
def test_axes_that_differ_are_told_with_the_first_token(
    rows: tuple[str, ...], columns: tuple[str, ...], reason: str
) -> None:
    pair = Pair(attention(ROWS, COLUMNS), attention(rows, columns))
    assert reason in comparison.mismatch(pair)
    with pytest.raises(ValueError, match="first that"):
        comparison.difference(pair)


def test_axes_of_another_kind_do_not_match() -> None:
    first = attention(ROWS, COLUMNS)
    reason = comparison.mismatch(Pair(first, replace(first, column_kind="hypothesis")))
    assert reason == "each column of A is a source, each column of B a hypothesis"


def test_a_replaced_word_is_compared_in_its_place_and_told_in_the_label() -> None:
    first, second = attention(ROWS, COLUMNS), attention(ROWS, ("the", "dog", "the"))
    found = comparison.difference(Pair(first, second, edited=("source",)))
    assert found.columns == ("the", "cat → dog", "the")


@pytest.mark.parametrize("columns", [("a", "cat", "an"), ("x", "y", "z"), ("the", "cat")])
def test_more_than_one_stretch_of_other_words_is_no_replacement(columns: tuple[str, ...]) -> None:
    pair = Pair(attention(ROWS, COLUMNS), attention(ROWS, columns), edited=("source",))
    assert comparison.mismatch(pair)


def test_written_words_are_never_compared_by_place() -> None:
    pair = Pair(attention(ROWS, COLUMNS), attention(("le", "chien"), COLUMNS), edited=("source",))
    assert "'chat' in A and 'chien' in B" in comparison.mismatch(pair)


def test_maps_go_together_by_name_else_by_the_kind_of_their_axes() -> None:
    result = text_result()
    layers = [replace(result.maps[0], name=name) for name in ("layer_1", "mean")]
    other = replace(result, maps=tuple(layers))
    assert [(pair.a.name, pair.b.name) for pair in comparison.pairs(other, other)] == [
        ("layer_1", "layer_1"),
        ("mean", "mean"),
    ]
    assert [pair.b.name for pair in comparison.pairs(result, other)] == ["layer_1", "mean"]


def test_results_without_maps_or_without_common_axes_say_so() -> None:
    result = label_result()
    without = replace(result, maps=())
    assert comparison.no_pair(result, without) == "B has no attention"
    assert comparison.no_pair(without, without) == "A and B have no attention"
    pairwise = replace(result, maps=(replace(result.maps[0], name="other", row_kind="premise"),))
    assert "no map over the same kinds" in comparison.no_pair(result, pairwise)
    assert comparison.no_pair(result, result) == ""


def test_labels_that_only_one_model_has_are_kept() -> None:
    first = LabelPrediction(("no", "yes"), np.array([0.25, 0.75]))
    second = LabelPrediction(("no", "maybe"), np.array([0.5, 0.5]))
    no, yes, maybe = comparison.label_rows(first, second)
    assert no == ("no", 0.25, 0.5)
    assert yes[:2] == ("yes", 0.75)
    assert np.isnan(yes[2])
    assert np.isnan(maybe[1])


def test_both_maps_are_named_and_have_the_wider_limits() -> None:
    shown = attention(ROWS, COLUMNS)
    first, second = comparison.on_one_scale(Pair(shown, replace(shown, limits=(0.0, 2.0))))
    assert (first.title, second.title) == ("A: where it looked", "B: where it looked")
    assert first.limits == second.limits == (0.0, 2.0)
