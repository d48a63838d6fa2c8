"""What a result refuses, and that nobody can change it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from modelzoo.results import (
    AttentionMap,
    AttentionResult,
    Grid,
    Internal,
    LabelPrediction,
    TextPrediction,
    Token,
    read_only,
)
from modelzoo.tasks import LengthPenalty, Sentence, SourceText, output_limit
from tests import samples

WEIGHTS = np.array([[0.25, 0.75], [1.0, 0.0]])


def attention(values: Any = WEIGHTS, rows: tuple[str, ...] = ("hop 1", "hop 2")) -> AttentionMap:
    return AttentionMap("hops", values, rows, ("the", "the"), row_kind="hop", column_kind="sentence")


def result(*maps: AttentionMap) -> AttentionResult:
    tokens = {"sentence": (Token("The", "the"), Token("the", "the"))}
    prediction = LabelPrediction(("negative", "positive"), np.array([0.2, 0.8]))
    internal = Internal("H", np.zeros((2, 4)), ("sentence", "unit"))
    return AttentionResult(Sentence("The the"), tokens, prediction, maps, (internal,))


def test_values_are_a_read_only_float32_copy() -> None:
    given = WEIGHTS.copy()
    grid = attention(given)
    given[0, 0] = 9.0
    assert grid.values[0, 0] == 0.25
    assert grid.values.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        grid.values[0, 0] = 1.0
    assert not read_only([1, 2]).flags.writeable


def test_fields_cannot_be_replaced() -> None:
    with pytest.raises(FrozenInstanceError):
        attention().name = "other"  # type: ignore[misc]


def test_equal_labels_stay_apart() -> None:
    assert attention().columns == ("the", "the")


@pytest.mark.parametrize("values", [np.ones((2, 3)) / 3, np.ones(2), np.ones((1, 2)) / 2])
def test_a_shape_that_disagrees_with_the_labels_is_refused(values: np.ndarray) -> None:
    with pytest.raises(ValueError, match="2 rows and 2 columns"):
        attention(values)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not a finite number"):
        Grid("scores", np.array([[number]]), ("a",), ("b",))


def test_a_grid_may_hold_any_finite_number() -> None:
    assert Grid("scores", np.array([[-3.5]]), ("a",), ("b",), limits=(-4, 4)).values[0, 0] == -3.5


def test_a_row_that_is_no_distribution_is_refused_by_its_place() -> None:
    with pytest.raises(ValueError, match=r"row 1 .*sums to 0\.900000, not to 1"):
        attention(np.array([[0.5, 0.5], [0.4, 0.5]]))
    with pytest.raises(ValueError, match="negative weight"):
        attention(np.array([[0.5, 0.5], [1.5, -0.5]]))


def test_a_map_of_one_cell_and_a_map_without_rows_are_maps() -> None:
    assert AttentionMap("m", np.ones((1, 1)), ("a",), ("b",)).values.item() == 1
    assert AttentionMap("m", np.zeros((0, 2)), (), ("a", "b")).values.shape == (0, 2)


def test_an_internal_has_an_axis_for_each_dimension() -> None:
    assert Internal("P", np.array(3.0), ()).values.shape == ()
    with pytest.raises(ValueError, match="2 dimensions and 1 axes"):
        Internal("H", np.zeros((2, 4)), ("sentence",))


def test_maps_and_internals_are_found_by_name() -> None:
    hops = attention()
    assert result(hops).map("hops") is hops
    assert result().internal("H").axes == ("sentence", "unit")
    with pytest.raises(KeyError, match="hops"):
        result(hops).map("overall")
    with pytest.raises(KeyError, match="none"):
        result().map("hops")
    with pytest.raises(KeyError, match="H"):
        result().internal("M")


def test_the_label_is_the_likeliest() -> None:
    prediction = LabelPrediction(("negative", "positive"), np.array([0.2, 0.8]))
    assert prediction.label == "positive"
    assert not prediction.probabilities.flags.writeable


def test_log_probabilities_of_a_text_are_read_only() -> None:
    prediction = TextPrediction("un chien", ("▁un", "▁chien", "</s>"), np.zeros(3))
    assert not prediction.log_probabilities.flags.writeable


def test_inputs_are_equal_and_hash_alike_when_they_ask_the_same() -> None:
    assert SourceText("a", beam_size=3) == SourceText("a", beam_size=3)
    assert len({SourceText("a"), SourceText("a"), SourceText("a", forced=("▁b",)), Sentence("a")}) == 3


@pytest.mark.parametrize("size", [0, -1, 11])
def test_a_beam_size_out_of_range_is_refused_with_the_range(size: int) -> None:
    with pytest.raises(ValueError, match=f"is {size}; accepted is a whole number from 1 to 10"):
        SourceText("a", beam_size=size)


def test_length_penalties_are_the_formulas_of_their_names() -> None:
    assert LengthPenalty("none").divisor(7) == 1
    assert LengthPenalty("average", 0.5).divisor(9) == pytest.approx(3)
    assert LengthPenalty("gnmt", 0.6).divisor(7) == pytest.approx(2**0.6)


def test_output_is_limited_by_the_source_and_by_a_fixed_number() -> None:
    assert (output_limit(1), output_limit(20), output_limit(200)) == (12, 50, 200)


def test_notebook_shows_the_main_map_as_literal_text() -> None:
    bundle = samples.label_result()._repr_mimebundle_()
    assert bundle["text/plain"] == "AttentionResult of sample with 1 maps"
    assert bundle["text/html"].count("<td style") == 6
    odd = AttentionResult(
        Sentence("x"),
        {},
        LabelPrediction(("a",), np.ones(1)),
        (samples.attention(("<b>r</b>",), ("<script>", "b")),),
    )
    page = odd._repr_mimebundle_()["text/html"]
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "text/html" not in replace(odd, maps=())._repr_mimebundle_()
