"""The chart of confusions: its specification is written out, so here Altair checks it."""

from __future__ import annotations

import json

import altair as alt
import numpy as np

from modelzoo.viz import counts

ODD = ("<b>x</b>", '"$y$\\', "a.b[0]")
SPEC = counts.confusion(ODD, np.arange(9).reshape(3, 3))


def test_the_specification_is_one_of_vega_lite() -> None:
    made = alt.Chart.from_dict(SPEC).to_dict(validate=True)
    assert made["height"] == SPEC["height"]
    json.dumps(SPEC, allow_nan=False)


def test_labels_of_confusions_are_only_ever_data() -> None:
    assert {SPEC["encoding"][axis]["field"] for axis in "xy"} == {"i", "j"}
