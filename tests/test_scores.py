"""What a card says beyond dev and test: known failures, lengths, baselines; and the note on a long input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from modelzoo import cards
from modelzoo.cards import CARD_FILE, CheckpointError, Score, read_card
from modelzoo.data import joined
from modelzoo.data.folder import Splits
from modelzoo.evaluation import answer, evaluate
from modelzoo.models.base import AttentionModel
from modelzoo.probes import PROBES_FILE
from modelzoo.recipes import RECIPES, Recipe, making, scores
from modelzoo.recipes.making import make
from modelzoo.recipes.scores import USUAL, usual_lengths
from modelzoo.registry import MODELS, load
from modelzoo.tasks import Example, Sentence, SentencePair, SourceText
from modelzoo.text import SubwordText, WordText
from modelzoo.training import TrainConfig
from tests.failures import write_failures
from tests.tiny import ENGLISH, tiny_examples, tiny_model

LIKE = {
    "self-attentive": "self-attentive-sst",
    "decomposable": "decomposable-nli",
    "rnn-search": "rnn-search-en-fr",
}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with the sets of known failures, and short buckets."""
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "checkpoints")
    monkeypatch.delenv("ATLAS_CHECKPOINTS", raising=False)
    monkeypatch.setenv("ATLAS_DATA", str(tmp_path))
    monkeypatch.setattr(making, "measure", lambda model, dev: [])
    monkeypatch.setattr(scores, "BUCKET_ROWS", 1)
    monkeypatch.setattr(joined, "BUCKETS", ((1, 10), (21, 30)))
    write_failures(tmp_path)
    return tmp_path


def tiny_recipe(name: str) -> tuple[Recipe, Splits]:
    model = tiny_model(name)
    rows = tuple(tiny_examples(model))
    metric = "bleu" if model.task.output == "text" else "accuracy"
    train = TrainConfig(epochs=1, batch_size=8, learning_rate=1e-2, metric=metric)
    like, text = RECIPES[LIKE[name]], cast(WordText | SubwordText, model.text)
    recipe = replace(like, config=model.config, train=train, text=lambda splits: text, beam_size=1, probes=())
    return recipe, Splits(rows, rows[:6], rows[6:])


@pytest.mark.parametrize("name", list(LIKE))
def test_a_card_holds_what_the_commands_print(data: Path, name: str) -> None:
    recipe, splits = tiny_recipe(name)
    made = make(recipe, splits, data / "checkpoints", device="cpu")
    assert read_card(recipe.slug) == made
    model = load(recipe.slug, "cpu")
    held = {"known-failures": made.known_failures, "lengths": made.lengths}
    for split in scores.splits_of(recipe, splits):
        for k, found in enumerate(scores.scores(recipe, splits, model, split)):
            on_card = made.score(split) if split in splits.held_out else held[split][k]
            assert on_card is not None
            assert (on_card.split, on_card.rows) == (found.split, found.rows)
            assert on_card.number(made.metric) == found.number(made.metric)
            assert on_card.beside == pytest.approx(found.beside, abs=1e-4)
    has = {split for split, found in held.items() if found}
    assert (
        has == {"self-attentive": set(), "decomposable": {"known-failures"}, "rnn-search": {"lengths"}}[name]
    )
    assert made.usual_lengths == usual_lengths(model, splits.train)


def test_known_failures_are_right_answers_counted_by_hand(data: Path) -> None:
    recipe, splits = tiny_recipe("decomposable")
    model = tiny_model("decomposable")
    found = {score.split: score for score in scores.scores(recipe, splits, model, "known-failures")}
    assert list(found) == ["HANS", "MED", "SICK test", "MultiNLI dev"]
    pairs = [Example(SentencePair(ENGLISH[k], ENGLISH[k + 1]), "entailment") for k in range(4)]
    said = [answer(p) == "entailment" for p in evaluate(model, pairs).predictions if p is not None]
    follows = [True, False, False, True]
    right = sum(one == other for one, other in zip(said, follows, strict=True)) / 4
    assert found["HANS"].metrics == {
        "accuracy": right,
        "entailment_said": sum(said) / 4,
        "entailment_right": 0.5,
    }
    assert found["HANS"].beside == {"most frequent label": 0.5}
    assert found["MED"].beside == {"most frequent label": 0.75}
    low, high = found["HANS"].intervals["accuracy"]
    assert 0 <= low < right < high <= 1 or right in (0, 1)


def test_lengths_are_of_dev_and_of_test() -> None:
    recipe, splits = tiny_recipe("rnn-search")
    found = scores.scores(recipe, splits, tiny_model("rnn-search"), "lengths")
    buckets = [f"{split}, {words} words" for split in ("dev", "test") for words in ("1 to 10", "21 to 30")]
    assert [score.split for score in found] == buckets
    assert all(score.rows == 1 and "bleu" in score.intervals for score in found)


def test_without_minutes_a_checkpoint_is_measured_again_and_nothing_else_changes(data: Path) -> None:
    recipe, splits = tiny_recipe("decomposable")
    recipe = replace(recipe, probes=(SentencePair(ENGLISH[0], ENGLISH[1]),))
    made = make(recipe, splits, data / "checkpoints", device="cpu")
    folder = data / "checkpoints" / recipe.slug
    for path in (folder / "resume").iterdir():
        path.unlink()
    (folder / "resume").rmdir()
    values = json.loads((folder / CARD_FILE).read_text())
    new = ("known_failures", "lengths", "usual_lengths", "beside", "intervals")
    old = {name: value for name, value in values.items() if name not in new} | {"date": "2020-02-02"}
    (folder / CARD_FILE).write_text(json.dumps(old))
    assert read_card(recipe.slug).known_failures == ()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != CARD_FILE}
    assert PROBES_FILE in before
    assert make(recipe, splits, data / "checkpoints", device="cpu", minutes=0) == replace(
        made, date="2020-02-02"
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name != CARD_FILE} == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("known_failures", [{"split": "HANS", "rows": 4, "right": 2}]),
        ("lengths", [{"split": "test", "rows": 4, "metrics": {}, "intervals": {"bleu": [1]}}]),
        ("usual_lengths", {"sentence": "many"}),
        ("usual_lengths", [7]),
    ],
)
def test_a_card_with_other_scores_than_these_is_damaged(data: Path, field: str, value: object) -> None:
    recipe, splits = tiny_recipe("self-attentive")
    make(recipe, splits, data / "checkpoints", device="cpu")
    file = data / "checkpoints" / recipe.slug / CARD_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), field: value}))
    with pytest.raises(CheckpointError, match=r"card\.json is damaged"):
        read_card(recipe.slug)


def test_a_number_stands_with_its_interval() -> None:
    score = Score("test", 10, {"accuracy": 0.5, "bleu": 12.34}, {"accuracy": (0.25, 0.75)})
    assert score.number("accuracy") == "0.500 (0.250 to 0.750)"
    assert score.number("bleu") == "12.3"


def test_99_percent_of_the_training_texts_are_as_long_as_usual() -> None:
    model = tiny_model("self-attentive")
    rows = [Example(Sentence(" ".join(["dog"] * n)), "positive") for n in range(1, 101)]
    too_long = Example(Sentence("dog " * 500), "positive")
    assert usual_lengths(model, [*rows, too_long]) == {"sentence": USUAL}
    pair = Example(SentencePair("A man eats .", "He eats ."), "neutral")
    assert usual_lengths(tiny_model("decomposable"), [pair]) == {"premise": 4, "hypothesis": 3}


def long_inputs(model: AttentionModel, words: int) -> Sentence | SentencePair | SourceText:
    if model.task.inputs is SentencePair:
        return SentencePair("A man eats.", " ".join(["a"] * words))
    return model.task.inputs(" ".join(["a"] * words))


@pytest.mark.parametrize("name", list(MODELS))
def test_an_input_longer_than_usual_carries_a_note(name: str) -> None:
    model = tiny_model(name)
    side = model.task.sides[-1]
    (first,) = model.attend([long_inputs(model, 5)])
    model.usual_lengths = {side: 5}
    usual, longer = model.attend([long_inputs(model, 5), long_inputs(model, 6)])
    assert usual.notes == first.notes
    said = f"the {side} has 6 tokens; 99 % of those it learned from have at most 5"
    assert [note for note in longer.notes if "99 %" in note] == [said]


def test_a_loaded_checkpoint_knows_what_is_usual(data: Path) -> None:
    recipe, splits = tiny_recipe("decomposable")
    made = make(recipe, splits, data / "checkpoints", device="cpu")
    long = SentencePair("A dog runs. " * 10, "A dog runs.")
    (result,) = load(recipe.slug, "cpu").attend([long])
    usual = made.usual_lengths["premise"]
    said = f"the premise has 40 tokens; 99 % of those it learned from have at most {usual}"
    assert result.notes == (said,)
    replace(made, usual_lengths={}).save(data / "checkpoints" / recipe.slug)
    (result,) = load(recipe.slug, "cpu").attend([long])
    assert result.notes == ()
