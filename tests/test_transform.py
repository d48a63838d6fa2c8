from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from modelzoo import transform
from modelzoo.results import AttentionMap, AttentionResult, Grid, Internal, LabelPrediction, Token
from modelzoo.tasks import Sentence
from modelzoo.transform import Reading, Sheet, apply, selection, sheet_over, values, words
from tests.samples import label_result, text_result

END = Token("</s>", "</s>", special=True)
SOURCE = (Token("re", "▁re"), Token("ading", "ading"), Token(".", "."), END)
TARGET = (Token("il", "▁il"), Token("li", "▁li"), Token("t", "t"), END)


def grid(cells: list[list[float]], rows: str = "a b c d", columns: str = "w x y z", **options: str) -> Grid:
    array = np.array(cells)
    return Grid(
        "g", array, tuple(rows.split()[: len(array)]), tuple(columns.split()[: array.shape[1]]), **options
    )


def pieces() -> Sheet:
    cells = [
        [0.5, 0.25, 0.0, 0.25],
        [0.125, 0.5, 0.25, 0.125],
        [0.5, 0.0, 0.25, 0.25],
        [0.0, 0.0, 0.25, 0.75],
    ]
    made = AttentionMap(
        "alignment", cells, tuple(t.typed for t in TARGET), tuple(t.typed for t in SOURCE),
        row_kind="target", column_kind="source",
    )  # fmt: skip
    return sheet_over(made, TARGET, SOURCE)


# --- internals ---------------------------------------------------------------------------------


def test_internal_over_hops_is_a_grid_with_hop_labels() -> None:
    result = label_result()
    made = transform.as_grid(result, "AAT", title="overlap")
    assert made.rows == made.columns == ("hop 1", "hop 2")
    assert (made.name, made.title, made.limits) == ("AAT", "overlap", (0.0, 1.0))
    np.testing.assert_array_equal(made.values, result.internal("AAT").values)


def test_internal_over_tokens_is_labelled_by_them() -> None:
    made = transform.as_grid(label_result(), "scores")
    assert made.rows == ("hop 1", "hop 2")
    assert made.columns == ("The", "cat", "zyzzyva")


def test_internal_of_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="has 0 dimensions; a grid has two"):
        transform.as_grid(label_result(), "P")


def test_unknown_internal_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="there are AAT, scores, P"):
        transform.as_grid(label_result(), "Q")


def scored(axes: tuple[str, str]) -> tuple[AttentionResult, np.ndarray]:
    """A map of two hops over three words, and the scores of which it is the softmax."""
    scores = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, -1.0]])
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    made = AttentionMap(
        "hops", weights, ("hop 1", "hop 2"), ("a", "b", "c"), row_kind="hop", column_kind="sentence"
    )
    other = Internal("other", np.zeros((2, 3)), ("hop", "sentence"))
    kept = scores if axes[0] == "hop" else scores.T
    tokens = {"sentence": tuple(Token(t, t) for t in "abc")}
    prediction = LabelPrediction(("yes",), np.array([1.0]))
    found = (other, Internal("E", kept, axes))
    return AttentionResult(Sentence("a b c"), tokens, prediction, (made,), found), scores


@pytest.mark.parametrize("axes", [("hop", "sentence"), ("sentence", "hop")])
def test_scores_are_the_internal_whose_softmax_is_the_map(axes: tuple[str, str]) -> None:
    result, scores = scored(axes)
    drawn = apply(transform.sheet_of(result, result.map("hops")), Reading(scale="scores", threshold=0.4)).grid
    np.testing.assert_allclose(drawn.values, scores, atol=1e-6)
    assert (drawn.limits, drawn.diverging, drawn.quantity) == ((-3.0, 3.0), True, "score")
    assert drawn.notes == ("scores before softmax",)


def test_map_without_scores_says_so_and_stays() -> None:
    result = text_result()
    sheet = apply(transform.sheet_of(result, result.maps[0]), Reading(scale="scores"))
    assert sheet.remarks == ("no scores before softmax here, so weights are drawn",)
    np.testing.assert_array_equal(sheet.grid.values, result.maps[0].values)


# --- values ------------------------------------------------------------------------------------


def test_threshold_keeps_what_reaches_it_and_normalises_nothing() -> None:
    made = values.threshold(grid([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]), 0.25)
    np.testing.assert_allclose(made.values, [[0.5, 0.25, 0.25], [0.0, 0.0, 0.8]])


def test_mass_keeps_the_fewest_strongest_of_each_row() -> None:
    cells = [[0.5, 0.3, 0.2], [0.25, 0.25, 0.5], [0.0, 1.0, 0.0]]
    kept = values.keep_mass(grid(cells), 0.75).values
    np.testing.assert_allclose(kept, [[0.5, 0.3, 0.0], [0.25, 0.0, 0.5], [0.0, 1.0, 0.0]])


def test_per_row_maximum_gives_each_row_a_one_and_leaves_zeros() -> None:
    made = values.per_row_maximum(grid([[0.5, 0.25, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(made.values, [[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
    assert made.quantity == "share of the row's maximum"


def test_log_scale_counts_powers_of_ten_down_to_its_floor() -> None:
    made = values.log_scale(grid([[1.0, 0.1, 0.0]]), floor=1e-3)
    np.testing.assert_allclose(made.values, [[0.0, -1.0, -3.0]], atol=1e-6)
    assert made.limits == (-3.0, 0.0)


# --- tokens ------------------------------------------------------------------------------------


def test_hidden_tokens_take_rows_and_columns_and_their_mass_is_said() -> None:
    sheet = apply(pieces(), Reading(hide_special=True, hide_punctuation=True))
    assert sheet.grid.rows == ("il", "li", "t")
    assert sheet.grid.columns == ("re", "ading")
    np.testing.assert_allclose(sheet.grid.values, [[0.5, 0.25], [0.125, 0.5], [0.5, 0.0]])
    assert sheet.grid.notes == (
        "special tokens hidden: 2 tokens, up to 0.25 of a row",
        "punctuation hidden: 1 token, up to 0.25 of a row",
    )
    assert len(sheet.rows) == 3
    assert len(sheet.columns) == 2


def test_hiding_everything_is_refused_with_a_remark() -> None:
    sheet = apply(sheet_over(grid([[1.0]]), (END,), (END,)), Reading(hide_special=True))
    assert sheet.grid.values.shape == (1, 1)
    assert sheet.remarks == ("special tokens shown: there is nothing else",)


@pytest.mark.parametrize(
    ("typed", "hidden"), [(".", True), ("…", True), ("$", True), ("U.S.", False), ("▁", False)]
)
def test_punctuation_is_what_has_nothing_else(typed: str, hidden: bool) -> None:
    assert selection.is_punctuation(Token(typed, typed)) is hidden


def test_words_sum_columns_and_average_rows() -> None:
    sheet = apply(pieces(), Reading(words=True))
    assert sheet.grid.rows == ("il", "lit", "</s>")
    assert sheet.grid.columns == ("reading.", "</s>")
    np.testing.assert_allclose(sheet.grid.values, [[0.75, 0.25], [0.8125, 0.1875], [0.25, 0.75]])
    np.testing.assert_allclose(sheet.grid.values.sum(axis=1), 1.0)
    assert sheet.grid.notes == ("by word: pieces of a column summed, of a row averaged",)
    assert [token.model for token in sheet.rows] == ["▁il", "▁li t", "</s>"]


def test_words_of_a_word_model_stay() -> None:
    tokens = (Token("Dogs", "dogs"), Token("bark", "bark"))
    sheet = sheet_over(grid([[0.5, 0.5]], columns="Dogs bark"), (), tokens)
    assert apply(sheet, Reading(words=True)) is sheet


def test_mark_of_a_words_start_is_no_part_of_the_word() -> None:
    alone = (Token("▁", "▁"), Token("zy", "<unk>", known=False))
    assert words.merged(alone, words.word_groups(alone)) == (Token("zy", "▁ <unk>", known=False),)


@pytest.mark.parametrize(
    ("search", "found"),
    [("NOT", [1, 3]), ("not dog", [0, 1, 3]), ("2:3", [1, 2]), ("3:99", [2, 3]), ("none", [])],
)
def test_search_finds_words_and_windows(search: str, found: list[int]) -> None:
    assert selection.find(("dog", "not", "a", "nothing"), search) == found


def test_found_columns_say_what_they_leave_out() -> None:
    sheet = apply(pieces(), Reading(columns="ading .", rows="1:2"))
    assert sheet.grid.rows == ("il", "li")
    assert sheet.grid.columns == ("ading", ".")
    assert sheet.grid.notes == ("2 of 4 rows", "2 of 4 columns, up to 0.75 of a row left out")


def test_found_columns_are_scaled_and_kept_by_their_whole_rows() -> None:
    sheet = apply(pieces(), Reading(scale="row", columns="ading .", rows="1:2"))
    np.testing.assert_allclose(sheet.grid.values, [[0.5, 0.0], [1.0, 0.5]])
    assert not apply(pieces(), Reading(count="1", columns=".", rows="1:2")).grid.values.any()


def test_search_without_a_match_shows_all_and_says_so() -> None:
    sheet = apply(pieces(), Reading(columns="zebra"))
    assert sheet.grid.values.shape == (4, 4)
    assert sheet.remarks == ("no column has 'zebra', so all are shown",)


# --- several -----------------------------------------------------------------------------------


def test_difference_is_signed_with_symmetric_limits_and_zero_with_itself() -> None:
    one, other = grid([[0.5, 0.5]]), grid([[0.25, 0.75]])
    made = transform.difference(one, other)
    np.testing.assert_allclose(made.values, [[-0.25, 0.25]])
    assert (made.limits, made.diverging) == ((-0.25, 0.25), True)
    assert not transform.difference(one, one).values.any()


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (grid([[1.0]]), "2 and 1 columns"),
        (grid([[0.5, 0.5]], columns="w q"), "column 2 is 'x' in one map and 'q' in the other"),
        (grid([[0.5, 0.5], [0.5, 0.5]]), "1 and 2 rows"),
    ],
)
def test_difference_over_other_axes_says_where_they_differ(other: Grid, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        transform.difference(grid([[0.5, 0.5]]), other)


def test_mean_and_sum_of_rows() -> None:
    one, other = grid([[0.5, 0.5], [1.0, 0.0]]), grid([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(transform.mean([one, other]).values, [[0.25, 0.75], [1.0, 0.0]])
    made = transform.summed(one, [0, 1])
    np.testing.assert_allclose(made.values, [[1.5, 0.5]])
    assert (made.rows, made.limits, made.notes) == (("sum of 2",), (0.0, 2.0), ("rows summed: a, b",))


def test_rows_apart_are_named_by_their_labels() -> None:
    first, second = transform.rows_apart(grid([[0.5, 0.5], [1.0, 0.0]]))
    assert (first.name, first.title, second.rows) == ("g_1", "a", ("b",))
    np.testing.assert_allclose(second.values, [[1.0, 0.0]])


def test_summary_of_a_sharp_diagonal_and_of_a_flat_map() -> None:
    sharp, flat = grid(np.eye(4).tolist()), grid(np.full((4, 4), 0.25).tolist())
    numbers = transform.summaries([sharp, flat])
    assert numbers[0] == pytest.approx((0.0, 1.0, 1.0, 0.25))
    assert numbers[1] == pytest.approx((2.0, 0.25, 0.625, 0.25))
    assert transform.summary(grid([[0.5, 0.5]])).diagonal is None


def test_sentence_tells_the_strongest_and_leaves_out_the_weak() -> None:
    made = grid([[0.06, 0.81, 0.01, 0.12]], rows="rouge", columns="the red , cat")
    assert transform.sentence(made, 0) == "rouge looks at red 0.81, cat 0.12, the 0.06"
    signed = grid([[0.25, -0.5, 0.01]], rows="rouge", columns="the red ,")
    assert transform.sentence(signed, 0, "") == "rouge: red −0.50, the 0.25"


# --- reading -----------------------------------------------------------------------------------


def test_reading_by_default_changes_nothing() -> None:
    sheet = pieces()
    assert apply(sheet, Reading()) is sheet
    assert Reading().link() == {}


def test_largest_weights_of_a_row_are_kept_the_first_of_equals_first() -> None:
    sheet = sheet_over(grid([[0.4, 0.1, 0.4, 0.1], [0.25, 0.25, 0.25, 0.25]]))
    shown = apply(sheet, Reading(count="2")).grid
    np.testing.assert_array_equal(shown.values, np.float32([[0.4, 0, 0.4, 0], [0.25, 0.25, 0, 0]]))
    assert shown.notes == ("the 2 largest of a row, the rest drawn as 0",)


def test_reading_comes_back_from_its_link() -> None:
    read = Reading("curves", True, True, True, 0.9, "3", 0.05, "log", "a b", "1:40")
    assert all(getattr(read, one.name) != one.default for one in fields(Reading))
    assert Reading.from_link(read.link()) == (read, ())
    assert hash(read) == hash(replace(read))


def test_link_with_unknown_values_keeps_the_rest_and_says_what_it_left() -> None:
    given = {"scale": "huge", "least": "7", "mass": "nan", "words": "yes", "view": "text", "rows": "x" * 201}
    read, notes = Reading.from_link({**given, "other": "1"})
    assert read == Reading(view="text")
    assert len(notes) == 5
    assert "the link's least is '7'; accepted is a number from 0 to 0.5; it is left as it was" in notes


def test_every_option_has_a_name_of_its_own_in_a_link_and_a_label() -> None:
    options = transform.options()
    assert len({option.link for option in options}) == len(options) == len(fields(Reading))
    assert all(option.label for option in options)


def test_steps_run_in_the_order_of_the_controls() -> None:
    sheet = apply(pieces(), Reading(words=True, hide_special=True, threshold=0.3, scale="row"))
    assert [note.partition(":")[0] for note in sheet.grid.notes] == [
        "by word",
        "special tokens hidden",
        "below 0.30 drawn as 0",
        "each row divided by its maximum",
    ]
    np.testing.assert_allclose(sheet.weights.values, [[0.75], [0.8125]])
