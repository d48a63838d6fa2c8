"""Charts of counts: pages draw their specifications unchecked, so here they are checked."""

from __future__ import annotations

import numpy as np
import pytest

from modelzoo.viz import counts

EDGES = np.linspace(0, 1, 4)
ODD = ("<b>x</b>", '"$y$\\', "a.b[0]")
CHARTS = {
    "confusion": counts.confusion(ODD, np.arange(9).reshape(3, 3)),
    "calibration": counts.calibration(EDGES, np.array([3, 0, 2]), np.array([0.2, np.nan, 0.8]), EDGES[:3]),
    "histogram": counts.histogram(EDGES, {"right": np.arange(3), "wrong": np.ones(3)}, title=ODD[1]),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_page_s_specification_is_what_altair_makes_and_checks(name: str) -> None:
    made, checked = counts.spec(CHARTS[name]), CHARTS[name].to_dict(validate=True)
    del checked["config"]
    assert made == checked


def test_labels_of_confusions_are_only_ever_data() -> None:
    spec = counts.spec(CHARTS["confusion"])
    assert {spec["encoding"][axis]["field"] for axis in "xy"} == {"i", "j"}
