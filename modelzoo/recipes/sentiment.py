"""Recipes of the self-attentive models that read reviews."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from modelzoo.data import imdb, sst
from modelzoo.models.self_attentive import SelfAttentiveConfig
from modelzoo.recipes.base import GLOVE, Recipe, frequent_word_text, seeded, word_text
from modelzoo.tasks import Sentence
from modelzoo.training import TrainConfig

SST = "Stanford Sentiment Treebank (Socher et al. 2013), free for research with a citation"
IMDB = "Large Movie Review Dataset (Maas et al. 2011), free for research with a citation"
PROBES = (
    Sentence("A warm, funny and beautifully acted film that I did not want to end."),
    Sentence("The plot is thin, the jokes are old, and nobody on screen seems to care."),
    Sentence("It is not a bad film, but it is far from the great one that was promised."),
)

_SST = Recipe(
    slug="self-attentive-sst",
    title="Sentiment of movie reviews",
    model="self-attentive",
    config=SelfAttentiveConfig(
        labels=sst.LABELS, u=200, d_a=100, r=8, b=256, dropout=0.3, penalty=0.03, word_dropout=0.05
    ),
    train=TrainConfig(
        epochs=3,
        batch_size=64,
        learning_rate=1e-3,
        schedule="cosine",
        average_decay=0.995,
        evaluations_per_epoch=4,
        patience=8,
    ),
    read=sst.read,
    text=word_text,
    data="SST-2 with phrases",
    sources=(SST, GLOVE),
    limits=("Knows film reviews in English; two classes, so a neutral sentence gets one of them.",),
    probes=PROBES,
)
_SST_NO_PENALTY = replace(
    _SST,
    slug="self-attentive-sst-nopenalty",
    title="Sentiment of movie reviews, hops not pushed apart",
    config=replace(_SST.config, penalty=0.0),
)


def _pooled(pooling: Literal["max", "mean", "last"], what: str) -> Recipe:
    """The recipe of a baseline that pools the states instead of attending to them."""
    config = replace(_SST.config, pooling=pooling, penalty=0.0)
    title = f"Sentiment of movie reviews, {what} instead of attention"
    return replace(_SST, slug=f"{_SST.slug}-{pooling}", title=title, config=config)


_IMDB = replace(
    _SST,
    slug="self-attentive-imdb",
    title="Sentiment of whole reviews",
    config=replace(_SST.config, labels=imdb.LABELS, u=100, r=10),
    train=TrainConfig(
        epochs=3,
        batch_size=32,
        learning_rate=1e-3,
        schedule="cosine",
        warmup_steps=100,
        evaluations_per_epoch=2,
        patience=6,
    ),
    read=imdb.read,
    text=frequent_word_text,
    data="IMDB, the first 400 words of each review",
    sources=(IMDB, GLOVE),
    limits=(
        "Knows film reviews in English of up to 400 words; two classes, so a mixed one gets one of them.",
    ),
)
_IMDB_NO_PENALTY = replace(
    _IMDB,
    slug="self-attentive-imdb-nopenalty",
    title="Sentiment of whole reviews, hops not pushed apart",
    config=replace(_IMDB.config, penalty=0.0),
)

RECIPES = (
    _SST,
    *seeded(_SST, 2, 3),
    _SST_NO_PENALTY,
    _pooled("max", "the maximum"),
    _pooled("mean", "the mean"),
    _pooled("last", "the last states"),
    _IMDB,
    _IMDB_NO_PENALTY,
)
