"""The shipped checkpoints: their cards tell the truth, and they get sentences of ours right."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from modelzoo.cards import CHECKPOINTS_DIR, WEIGHTS_FILE, list_cards, read_card
from modelzoo.data.folder import data_folder
from modelzoo.evaluation import answer, evaluate
from modelzoo.models.base import AttentionModel
from modelzoo.recipes import RECIPES
from modelzoo.registry import MODELS, config_of, count_parameters, load
from modelzoo.tasks import Inputs, Sentence, SentencePair, SourceText
from modelzoo.training import TrainConfig

pytestmark = pytest.mark.checkpoint
MAIN = {"self-attentive-sst", "decomposable-nli", "rnn-search-en-fr", "conv-s2s-en-fr"}
FOUND = sorted(path.parent.name for path in CHECKPOINTS_DIR.glob("*/card.json"))
OWN = {slug for slug in FOUND if read_card(slug, CHECKPOINTS_DIR / slug).made_by}
"""Those that somebody made of a file: their cards name the command."""
SLUGS = [slug for slug in FOUND if slug not in OWN]
SAMPLE = 200
"""Every so-many-th dev example is predicted again, so that this many are."""

OURS: dict[str, list[tuple[Inputs, str]]] = {
    "self-attentive-sst": [
        (Sentence("A warm, funny and beautifully acted film."), "positive"),
        (Sentence("I loved every minute of it."), "positive"),
        (Sentence("The plot is dull and the jokes are terrible."), "negative"),
        (Sentence("A complete waste of time."), "negative"),
        (Sentence("It is not funny at all."), "negative"),
    ],
    "self-attentive-news": [
        (Sentence("The striker scored twice and the league leaders won again."), "sports"),
        (Sentence("Shares fell after the company said its profit would miss forecasts."), "business"),
        (Sentence("The new version of the browser closes three security holes."), "sci/tech"),
        (Sentence("Rebels attacked a police station near the border, officials said."), "world"),
    ],
    "decomposable-nli": [
        (SentencePair("A man is playing a guitar on stage.", "A man is playing music."), "entailment"),
        (SentencePair("Two dogs are running in the snow.", "The dogs are asleep."), "contradiction"),
        (SentencePair("A woman is walking in the park.", "The woman will meet her sister."), "neutral"),
        (SentencePair("A boy is eating an apple.", "Nobody is eating."), "contradiction"),
    ],
    "rnn-search-en-fr": [
        (SourceText("A man is riding a bicycle."), "Un homme fait du vélo."),
        (SourceText("Two dogs are playing in the snow."), "Deux chiens jouent dans la neige."),
    ],
    "conv-s2s-en-fr": [
        (SourceText("A man is riding a bicycle."), "Un homme fait du vélo."),
        (SourceText("Two dogs are playing in the snow."), "Deux chiens jouent dans la neige."),
    ],
}  # fmt: skip
for variant in ("-nopenalty", "-max", "-mean", "-last"):
    OURS[f"self-attentive-sst{variant}"] = OURS["self-attentive-sst"]
OURS["self-attentive-imdb"] = OURS["self-attentive-sst"]
OURS["decomposable-nli-intra"] = OURS["decomposable-nli"]
for variant in ("-query", "-more"):
    OURS[f"rnn-search-en-fr{variant}"] = OURS["rnn-search-en-fr"]
OURS["rnn-encdec-en-fr"] = OURS["rnn-search-en-fr"]


def attends(slug: str) -> bool:
    """Whether the recipe's model has attention: the baselines that pool, or have one context, have none."""
    config = RECIPES[slug].config
    return getattr(config, "pooling", "attention") == "attention" and getattr(config, "attention", True)


@cache
def shipped(slug: str) -> AttentionModel:
    return load(slug, "cpu")


def test_every_shipped_checkpoint_is_a_recipe_s_and_the_main_ones_are_shipped() -> None:
    assert set(RECIPES) >= set(SLUGS) >= MAIN
    assert {card.slug for card in list_cards()} >= set(SLUGS)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_card_is_this_recipe_s(slug: str) -> None:
    card, recipe = read_card(slug), RECIPES[slug]
    assert (card.model, card.title, card.data, card.sources) == (
        recipe.model,
        recipe.title,
        recipe.data,
        recipe.sources,
    )
    assert card.parameters == count_parameters(shipped(slug))
    assert config_of(MODELS[card.model], card.config) == recipe.config
    assert TrainConfig(**card.training) == recipe.train


@pytest.mark.parametrize(("folder", "most"), [(CHECKPOINTS_DIR, 100e6), (CHECKPOINTS_DIR.parent, 110e6)])
def test_no_file_is_over_its_size(folder: Path, most: float) -> None:
    """The checkpoints, and all that is shipped, with the word vectors."""
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if _is_shipped(path)}
    assert max(sizes.values()) <= 45e6
    assert sum(sizes.values()) <= most


def _is_shipped(path: Path) -> bool:
    return path.is_file() and not {"resume", *OWN} & set(path.parts)


@pytest.mark.parametrize("slug", SLUGS)
def test_weights_are_no_pickle(slug: str) -> None:
    head = (CHECKPOINTS_DIR / slug / WEIGHTS_FILE).read_bytes()[:9]
    assert int.from_bytes(head[:8], "little") < 1_000_000
    assert head[8:] == b"{"


@pytest.mark.parametrize(("slug", "i"), [(slug, i) for slug in SLUGS for i in range(len(OURS.get(slug, [])))])
def test_a_sentence_of_ours_is_answered_right(slug: str, i: int) -> None:
    inputs, right = OURS[slug][i]
    result = shipped(slug).attend([inputs])[0]
    assert answer(result.prediction) == right
    assert bool(result.maps) == attends(slug)


@pytest.mark.parametrize(
    "slug", [f"rnn-search-en-fr{v}" for v in ("", "-query", "-more")] + ["conv-s2s-en-fr"]
)
def test_attention_finds_the_translated_word(slug: str) -> None:
    """`chien` stands for `dog`: in the (mean) map its row has its maximum there."""
    result = shipped(slug).attend([SourceText("A small dog runs on the beach.")])[0]
    attention = result.maps[-1]
    row = next(i for i, piece in enumerate(attention.rows) if piece.startswith("chien"))
    assert attention.columns[int(attention.values[row].argmax())] == "dog"


@pytest.mark.parametrize("slug", ["rnn-search-en-fr-query", "rnn-search-en-fr-more"])
def test_with_the_word_before_in_its_query_the_map_is_the_alignment(slug: str) -> None:
    """Word for word, articles and the full stop too."""
    result = shipped(slug).attend([SourceText("A small dog runs on the beach.")])[0]
    attention = result.map("alignment")
    looks = [attention.columns[int(weights.argmax())] for weights in attention.values]
    assert attention.rows == ("Un", "petit", "chien", "court", "sur", "la", "plage", ".", "</s>")
    assert looks == ["A", "small", "dog", "runs", "on", "the", "beach", ".", "</s>"]


@pytest.mark.data
@pytest.mark.parametrize("slug", SLUGS)
def test_a_sample_of_dev_scores_as_the_card_says(slug: str) -> None:
    """Accuracy of the sample within its sampling error (3.5 standard errors); BLEU within 6 points."""
    card = read_card(slug)
    dev = RECIPES[slug].read(data_folder()).dev
    found = evaluate(shipped(slug), dev[:: len(dev) // SAMPLE], beam_size=card.beam_size).metrics
    if "accuracy" in found:
        stated = card.metrics["dev_accuracy"]
        assert abs(found["accuracy"] - stated) < 3.5 * (stated * (1 - stated) / SAMPLE) ** 0.5
    else:
        assert abs(found["bleu"] - card.metrics["dev_bleu"]) < 6
