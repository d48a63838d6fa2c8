"""The curve of a run: every evaluation, and the step that was kept."""

from __future__ import annotations

from modelzoo.viz import curve

HISTORY = [
    {"step": 10, "loss": 1.5, "dev_bleu": 20.0, "minutes": 0.1},
    {"step": 20, "loss": 1.0, "dev_bleu": 31.5, "minutes": 0.2},
    {"step": 30, "loss": 0.9, "dev_bleu": 30.0, "minutes": 0.3},
]


def test_every_evaluation_is_drawn_and_the_kept_step_is_marked() -> None:
    spec = curve.curve(HISTORY, "dev_bleu", kept=20).to_dict()
    line, mark = (spec["datasets"][layer["data"]["name"]] for layer in spec["layer"])
    assert [(row["step"], row["dev_bleu"]) for row in line] == [(10, 20.0), (20, 31.5), (30, 30.0)]
    assert [row["step"] for row in mark] == [20]
    assert {tip["field"] for tip in spec["layer"][0]["encoding"]["tooltip"]} == set(HISTORY[0])


def test_description_says_where_it_was_highest() -> None:
    said = curve.describe(HISTORY, "dev_bleu")
    assert said.startswith("Line, dev bleu over 3 evaluations: 20 at step 10, highest 31.5 at step 20")
