"""Charts of counts: their specifications are written out, so here Altair checks them."""

from __future__ import annotations

import json

import altair as alt
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
def test_a_specification_is_one_of_vega_lite(name: str) -> None:
    made = alt.Chart.from_dict(CHARTS[name]).to_dict(validate=True)
    assert made["height"] == CHARTS[name]["height"]
    json.dumps(CHARTS[name], allow_nan=False)


def test_labels_of_confusions_are_only_ever_data() -> None:
    spec = CHARTS["confusion"]
    assert {spec["encoding"][axis]["field"] for axis in "xy"} == {"i", "j"}


def test_bins_without_rows_are_left_out() -> None:
    points = CHARTS["calibration"]["layer"][1]["data"]["values"]
    assert [(one["rows"], one["sure"]) for one in points] == [(3, 0.2), (2, 0.8)]
    bars = CHARTS["histogram"]["data"]["values"]
    assert [(one["verdict"], one["rows"]) for one in bars] == [
        ("right", 1),
        ("right", 2),
        ("wrong", 1),
        ("wrong", 1),
        ("wrong", 1),
    ]
