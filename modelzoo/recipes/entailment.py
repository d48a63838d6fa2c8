"""Recipes of the decomposable models: does the hypothesis follow, and do two questions ask the same?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from modelzoo.data import nli, quora
from modelzoo.models.decomposable import DecomposableConfig
from modelzoo.recipes.base import GLOVE, Recipe, seeded, word_text
from modelzoo.tasks import SentencePair
from modelzoo.training import TrainConfig

SNLI = "SNLI (Bowman et al. 2015), CC BY-SA 4.0, of which a part of the training set"
QUORA = "Quora Question Pairs (2017), a part; not commercial, by its publisher"
PROBES = (
    SentencePair("A man in a red jacket is riding a bicycle down the street.", "A man is outside."),
    SentencePair("Two children are playing football in a park.", "The children are asleep at home."),
    SentencePair("A woman is reading a book on a bench.", "The woman is waiting for her friend."),
)
QUESTIONS = (
    SentencePair("How can I learn to play the guitar?", "What is the best way to learn the guitar?"),
    SentencePair("How do I cook rice?", "How do I cook rice without a pot?"),
    SentencePair("Why is the sky blue?", "Why is the sea salty?"),
)

_NLI = Recipe(
    slug="decomposable-nli",
    title="Does the hypothesis follow?",
    model="decomposable",
    config=DecomposableConfig(
        labels=nli.LABELS,
        dropout=0.2,
        init="glorot",
        train_words=True,
        unit_norm=False,
        scaled=True,
        compare="difference",
    ),
    train=TrainConfig(
        epochs=7,
        batch_size=128,
        learning_rate=1.2e-3,
        schedule="cosine",
        clip_norm=5.0,
        average_decay=0.99,
        evaluations_per_epoch=2,
    ),
    read=partial(nli.read, sources=("snli",)),
    text=word_text,
    data="SNLI (part)",
    sources=(SNLI, GLOVE),
    limits=("Blind to word order; weak on numbers, negation scope and who did what to whom.",),
    probes=PROBES,
)
_INTRA = replace(
    _NLI,
    slug="decomposable-nli-intra",
    title="Does the hypothesis follow? Each word with its phrase",
    config=replace(_NLI.config, intra=True),
)
_PARAPHRASE = replace(
    _NLI,
    slug="decomposable-paraphrase",
    title="Do two questions ask the same?",
    config=replace(_NLI.config, labels=quora.LABELS),
    read=quora.read,
    data="Quora question pairs (part), negatives mined by shared words",
    sources=(QUORA, GLOVE),
    limits=("Knows English questions; blind to word order, and led astray by words in common.",),
    probes=QUESTIONS,
)

RECIPES = (_NLI, *seeded(_NLI, 2, 3), _INTRA, _PARAPHRASE)
