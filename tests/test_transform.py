from __future__ import annotations

import numpy as np
import pytest

from modelzoo import transform
from tests.samples import label_result


def test_internal_over_hops_is_a_grid_with_hop_labels() -> None:
    result = label_result()
    grid = transform.as_grid(result, "AAT", title="overlap")
    assert grid.rows == grid.columns == ("hop 1", "hop 2")
    assert (grid.name, grid.title, grid.limits) == ("AAT", "overlap", (0.0, 1.0))
    np.testing.assert_array_equal(grid.values, result.internal("AAT").values)


def test_internal_over_tokens_is_labelled_by_them() -> None:
    grid = transform.as_grid(label_result(), "scores")
    assert grid.rows == ("hop 1", "hop 2")
    assert grid.columns == ("The", "cat", "zyzzyva")


def test_internal_of_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="has 0 dimensions; a grid has two"):
        transform.as_grid(label_result(), "P")


def test_unknown_internal_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="there are AAT, scores, P"):
        transform.as_grid(label_result(), "Q")
