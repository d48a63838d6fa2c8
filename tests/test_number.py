"""Numbers as people read them."""

from __future__ import annotations

import numpy as np
import pytest

from modelzoo.number import formatted


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (-0.5, ".2f", "\u22120.50"),
        (np.float32(0.25), "+.1f", "+0.2"),
        (-1e-9, ".3f", "0.000"),
        (-1e-9, ".4g", "\u22121e\u221209"),
        (-3, "d", "\u22123"),
    ],
)
def test_a_negative_number_has_a_minus_sign_and_zero_has_none(value: float, form: str, shown: str) -> None:
    assert formatted(value, form) == shown
