"""Tokens and matrices of anybody's: what is read, what is refused, and that nothing is changed."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest

from modelzoo import export
from modelzoo.data.matrix import read_matrices, row_sum_note
from modelzoo.results import AttentionMap, Grid
from tests.samples import ODD_TOKENS, attention, label_result

WIDE = ",the,cat\nle,0.9,0.1\nchat,0.2,0.8\n"


@pytest.mark.parametrize(
    "text", [WIDE, WIDE.replace(",", "\t"), WIDE.replace(",", ";"), WIDE.replace("\n", "\r\n")]
)
def test_table_with_tokens_in_first_row_and_column_is_read(text: str) -> None:
    (grid,) = read_matrices(text.encode())
    assert isinstance(grid, AttentionMap)
    assert (grid.rows, grid.columns) == (("le", "chat"), ("the", "cat"))
    np.testing.assert_array_equal(grid.values, np.float32([[0.9, 0.1], [0.2, 0.8]]))


def test_tokens_may_hold_the_marks_that_part_others() -> None:
    (grid,) = read_matrices(',"$5 , not $10",&amp; &\n&amp;,0.9,0.1\nchat,0.2,0.8')
    assert (grid.rows, grid.columns) == (("&amp;", "chat"), ("$5 , not $10", "&amp; &"))


def test_empty_line_parts_matrices_and_the_corner_names_them() -> None:
    first, second = read_matrices("layer 1,a,b\nx,1,0\n\n,c\ny,1\nz,1")
    assert (first.name, second.name) == ("layer 1", "matrix 2")
    assert second.rows == ("y", "z")


def test_long_form_that_the_atlas_wrote_comes_back_exactly() -> None:
    grids = attention(ODD_TOKENS, ODD_TOKENS[::-1]), attention(("a",), ("b", "b"), name="other")
    back = read_matrices(export.to_csv(*grids))
    for grid, one in zip(grids, back, strict=True):
        assert (one.name, one.rows, one.columns) == (grid.name, grid.rows, grid.columns)
        np.testing.assert_array_equal(one.values, grid.values)


def test_results_of_the_atlas_are_read_as_their_maps() -> None:
    result = label_result()
    for raw in (export.to_json(result), json.dumps(export.summary(result)), export.to_npz(result)):
        (grid,) = read_matrices(raw)
        assert (grid.name, grid.rows, grid.columns) == ("hops", ("hop 1", "hop 2"), ("The", "cat", "zyzzyva"))
        np.testing.assert_array_equal(grid.values, result.map("hops").values)


def test_npz_with_a_stack_gives_a_matrix_each() -> None:
    file = io.BytesIO()
    np.savez(
        file, heads=np.full((3, 2, 2), 0.5), rows=np.array(["a", "b"]), heads_columns=np.array(["c", "d"])
    )
    grids = read_matrices(file.getvalue())
    assert [grid.name for grid in grids] == ["heads 1", "heads 2", "heads 3"]
    assert grids[0].columns == ("c", "d")


def test_rows_that_do_not_sum_to_one_are_drawn_as_given_and_marked() -> None:
    (grid,) = read_matrices(",a,b\nx,0.5,0.4\ny,0.5,0.5")
    assert type(grid) is Grid
    np.testing.assert_array_equal(grid.values, np.float32([[0.5, 0.4], [0.5, 0.5]]))
    assert row_sum_note(grid).startswith("1 of 2 rows do not sum to 1: x (0.9).")
    assert row_sum_note(read_matrices(WIDE)[0]) == ""


def test_negative_values_get_a_scale_around_zero() -> None:
    (grid,) = read_matrices(",a,b\nx,-0.5,0.4")
    assert (grid.diverging, grid.limits) == (True, (-1.0, 1.0))
    assert read_matrices(",a,b\nx,3,123")[0].limits == pytest.approx((0.0, 130.0))


def test_lone_quotation_marks_are_characters_and_quoted_cells_are_read() -> None:
    (tabbed,) = read_matrices('\t"a\tb\n5" disk\t1\t0')
    assert (tabbed.rows, tabbed.columns) == (('5" disk',), ('"a', "b"))
    (quoted,) = read_matrices(',"a, b","c\nd"\nx,1,0')
    assert quoted.columns == ("a, b", "c\nd")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas_are_read_where_another_mark_parts_the_cells(mark: str) -> None:
    (grid,) = read_matrices("|a,b|c\nx|0,25|0,75\ny|1,000|\u22120,5".replace("|", mark))
    assert grid.columns == ("a,b", "c")
    assert grid.values.tolist() == [[0.25, 0.75], [1, -0.5]]


def test_what_a_spreadsheet_saves_as_unicode_text_is_read() -> None:
    (grid,) = read_matrices("\tder\tHund\nthe\t0,9\t0,1\n狗\t0\t1".encode("utf-16"))
    assert (grid.rows, grid.columns) == (("the", "狗"), ("der", "Hund"))
    with pytest.raises(ValueError, match="it is not UTF-16: byte"):
        read_matrices("\ta".encode("utf-16")[:-1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("  \n ", "it is empty; accepted is a table"),
        ("hello", "row 1 is 'hello'; accepted are tokens parted by"),
        (",a,b\nx,1", "row 2 has 2 cells and row 1 has 3"),
        (",a,b\nx,1,maybe", "row 2, column 3 is 'maybe'; accepted is a number, such as 0.25"),
        (";a;b\nx;0,5;0.5", "accepted is a number with a point, not a comma"),
        ("\ta\nx\t1,234", "row 2, column 2 is '1,234', which is two numbers to different readers"),
        (",a,b\nx,1,nan", "row 1, column 2 of the weights of 'matrix 1' is nan; accepted are finite numbers"),
        (",a\nx,inf", "row 1, column 1 of the weights of 'matrix 1' is inf"),
        (",a\nx,1e39", "row 1, column 1 of the weights of 'matrix 1' is inf"),
        (",a,b", "row 1 stands alone"),
        ("0.5,0.5\n0.5,0.5", "row 1 holds only numbers; the first row names the columns"),
        (f",a\n{'x' * 201},1", "row 1 of 'matrix 1' has 201 characters; accepted are at most 200"),
        (",a\n" + "x,1\n" * 401, "has 401 rows; accepted are 1 to 400"),
        (",a\nx,1\n\n" * 65, "it holds 65 matrices; accepted are 1 to 64"),
        ("row_index,weight\n0,1", "row 1 lacks row_token, column_index, column_token"),
        ("row_index,row_token,column_index,column_token,weight\n-1,a,0,b,1", "row 2 has the index '-1'"),
        ("row_index,row_token,column_index,column_token,weight\n1,a,0,b,1", "lacks cell (0, 0)"),
        ("row_index,row_token,column_index,column_token,weight\n0,a,0,b,1\n0,a,0,b,1", "a second time"),
        ("{\n1", "line 2 is no JSON"),
        ("[" * 100_000, "line 1 is no JSON, or nested too deeply"),
        ("[[1]]", "no named rows and columns; accepted is {"),
        ('{"rows": ["a"]}', "matrix 1 has no columns and no values"),
        ('{"rows": [1], "columns": ["b"], "values": [[1]]}', "row tokens of 'matrix 1' are [1]"),
        ('{"rows": ["a"], "columns": ["b"], "values": [[1], [2, 3]]}', "are no matrix of numbers"),
        ('{"rows": ["a"], "columns": ["b"], "values": [[1, 2]]}', "shape 1 x 2 for 1 row and 1 column"),
        ('{"rows": ["a"], "columns": ["b"], "values": [[1%s]]}' % ("0" * 400), "are no matrix of numbers"),
        ('{"rows": ["\\ud800"], "columns": ["b"], "values": [[1]]}', "row 1 of 'matrix 1' holds half a char"),
        ('{"name": "\\udfff", "rows": ["a"], "columns": ["b"], "values": [[1]]}', "the name '\\udfff' holds"),
        (',a\n"' + "x" * 200_000 + '",1', "row 1 of 'matrix 1' has 200002 characters; accepted"),
        (',a\n"x,1\n' + "y,1\n" * 60_000, "'matrix 1' has 60001 rows; accepted are 1 to 400"),
    ],
)  # fmt: skip
def test_refusal_names_place_rule_and_example(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        read_matrices(text)


def test_npz_without_tokens_and_other_bytes_are_refused() -> None:
    file = io.BytesIO()
    np.savez(file, a=np.eye(2))
    with pytest.raises(ValueError, match="'a' has no tokens; accepted are arrays of texts named a_rows"):
        read_matrices(file.getvalue())
    with pytest.raises(ValueError, match="it is not UTF-8: byte 0"):
        read_matrices(b"\xff,a\nx,1")


@pytest.mark.parametrize(
    "side", [np.array([b"\xff"]), np.array([["a"]]), np.zeros(401, "U1"), np.array([0.5])]
)
def test_npz_tokens_that_are_no_list_of_texts_are_refused(side: np.ndarray) -> None:
    file = io.BytesIO()
    np.savez(file, weights=np.eye(1), rows=side, columns=np.array(["b"]))
    with pytest.raises(ValueError, match=r"the tokens of array 'weights' are .*; accepted (is|are) "):
        read_matrices(file.getvalue())


@pytest.mark.parametrize("place", range(60, 1000, 97))
def test_npz_with_a_damaged_byte_is_read_or_refused(place: int) -> None:
    file = io.BytesIO()
    rows = np.array([f"token {k}" for k in range(99)])
    np.savez_compressed(file, weights=np.eye(99), rows=rows, columns=rows)
    raw = bytearray(file.getvalue())
    raw[place] ^= 0xFF
    try:
        found, told = [grid.values.shape for grid in read_matrices(bytes(raw))], ""
    except ValueError as error:
        found, told = [], str(error)
    assert found == [(99, 99)] or "NPZ" in told
