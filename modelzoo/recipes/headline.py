"""The recipe of the RNNsearch that writes headlines."""

from __future__ import annotations

from modelzoo.data import reuters
from modelzoo.models.rnn_search import RNNSearchConfig
from modelzoo.recipes.base import Recipe, joint_pieces
from modelzoo.tasks import SourceText
from modelzoo.training import TrainConfig

REUTERS = "Reuters-21578, Distribution 1.0 (Lewis 1997), copyright Reuters Ltd., for research only"
PROBES = (
    SourceText(
        "The central bank said it would leave its discount rate unchanged at six per cent.",
        forced="central bank leaves discount rate unchanged",
    ),
    SourceText(
        "Crude oil prices rose sharply after exporters agreed to produce one million barrels a day less.",
        forced="oil prices rise on agreement to cut output",
    ),
)

RECIPES = (
    Recipe(
        slug="rnn-search-headline",
        title="Headline of a news item",
        model="rnn-search",
        config=RNNSearchConfig(
            m=256,
            n=256,
            n_align=256,
            l=256,
            dropout=0.4,
            label_smoothing=0.1,
            init="default",
            tie_embeddings=True,
        ),
        train=TrainConfig(
            epochs=20,
            batch_size=64,
            learning_rate=1e-3,
            schedule="cosine",
            warmup_steps=200,
            metric="rouge1",
            precision="bfloat16",
        ),
        read=reuters.read,
        text=joint_pieces("en", "en", 8000),
        data="Reuters-21578, first sentences and headlines",
        sources=(REUTERS,),
        limits=("Knows newswire of 1987 in English and writes lower-cased headlines.",),
        beam_size=5,
        languages=("en", "en"),
        probes=PROBES,
    ),
)
