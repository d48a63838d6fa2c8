"""How each checkpoint was made: slug → model, text side, configuration, data and training.

`train(slug)` is the only way a checkpoint comes into being.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from modelzoo.cards import CHECKPOINTS_DIR, ModelCard
from modelzoo.data import everyday_captions, nli, sst, vectors
from modelzoo.data.folder import Splits, data_folder
from modelzoo.evaluation import evaluate
from modelzoo.models.base import AttentionModel
from modelzoo.models.conv_s2s import ConvS2SConfig
from modelzoo.models.decomposable import DecomposableConfig
from modelzoo.models.rnn_search import RNNSearchConfig
from modelzoo.models.self_attentive import SelfAttentiveConfig
from modelzoo.registry import MODELS, choose_device, count_parameters, load, save
from modelzoo.tasks import Example, Sentence, SentencePair, SourceText
from modelzoo.text import SubwordText, WordText, WordVectors, words
from modelzoo.training import Progress, TrainConfig, Trainer


@dataclass(frozen=True)
class Recipe:
    """How one checkpoint is made. `text` builds the text side from the data; `beam_size` is the card's."""

    slug: str
    title: str
    model: str
    config: Any
    train: TrainConfig
    read: Callable[[Path], Splits]
    text: Callable[[Splits], WordText | SubwordText]
    data: str
    sources: tuple[str, ...]
    limits: tuple[str, ...]
    beam_size: int = 1
    languages: tuple[str, ...] = ("en",)


def word_text(splits: Splits) -> WordText:
    """GloVe's words; those of the training text may learn an offset."""
    seen: set[str] = set()
    for example in splits.train:
        for text in _texts(example):
            seen.update(model for _, model in words(text))
    return WordText(WordVectors.load(vectors.NAME), trained_words=sorted(seen))


def joint_pieces(source: str, target: str, size: int) -> Callable[[Splits], SubwordText]:
    """One subword vocabulary of both languages, learned from the training pairs."""

    def build(splits: Splits) -> SubwordText:
        both = (text for example in splits.train for text in (*_texts(example), example.gold))
        return SubwordText.train(both, size, source_language=source, target_language=target)

    return build


def _texts(example: Example) -> Iterable[str]:
    inputs = example.inputs
    if isinstance(inputs, SentencePair):
        return (inputs.premise, inputs.hypothesis)
    if isinstance(inputs, Sentence | SourceText):
        return (inputs.text,)
    raise TypeError(f"no texts of {type(inputs).__name__}")


GLOVE = (
    "GloVe 6B, 100 dimensions (Pennington, Socher, Manning 2014), Public Domain Dedication and License 1.0"
)
SST = "Stanford Sentiment Treebank (Socher et al. 2013), free for research with a citation"
SNLI = "SNLI (Bowman et al. 2015), CC BY-SA 4.0, of which a part of the training set"
TATOEBA = "Tatoeba by way of www.manythings.org/anki, CC BY 2.0 FR, attribution: tatoeba.org"
MULTI30K = "Multi30k (Elliott et al. 2016, 2017), captions of Flickr30k: for research"

SHORT = (
    "Knows captions and short everyday sentences; news, names and sentences over 40 words are far from them.",
)
EN_FR = joint_pieces("en", "fr", 6000)

_SST = Recipe(
    slug="self-attentive-sst",
    title="Sentiment of movie reviews",
    model="self-attentive",
    config=SelfAttentiveConfig(labels=sst.LABELS, u=150, d_a=100, r=8, b=256, dropout=0.5, penalty=0.03),
    train=TrainConfig(epochs=6, batch_size=64, learning_rate=1e-3, evaluations_per_epoch=4, patience=8),
    read=sst.read,
    text=word_text,
    data="SST-2 with phrases",
    sources=(SST, GLOVE),
    limits=("Knows film reviews in English; two classes, so a neutral sentence gets one of them.",),
)
_NLI = Recipe(
    slug="decomposable-nli",
    title="Does the hypothesis follow?",
    model="decomposable",
    config=DecomposableConfig(
        labels=nli.LABELS, dropout=0.2, init="glorot", train_words=True, unit_norm=False
    ),
    train=TrainConfig(
        epochs=6,
        batch_size=64,
        learning_rate=1e-3,
        schedule="cosine",
        clip_norm=5.0,
        average_decay=0.995,
        evaluations_per_epoch=2,
    ),
    read=partial(nli.read, sources=("snli",)),
    text=word_text,
    data="SNLI (part)",
    sources=(SNLI, GLOVE),
    limits=("Blind to word order; weak on numbers, negation scope and who did what to whom.",),
)
_RNN_EN_FR = Recipe(
    slug="rnn-search-en-fr",
    title="English to French, recurrent",
    model="rnn-search",
    config=RNNSearchConfig(
        m=256,
        n=256,
        n_align=256,
        l=256,
        dropout=0.3,
        label_smoothing=0.1,
        init="default",
        tie_embeddings=True,
    ),
    train=TrainConfig(
        epochs=8,
        batch_size=96,
        learning_rate=1e-3,
        schedule="cosine",
        warmup_steps=200,
        metric="bleu",
        precision="bfloat16",
    ),
    read=everyday_captions.read,
    text=EN_FR,
    data="Multi30k and 20,000 pairs of Tatoeba, one in ten joined",
    sources=(MULTI30K, TATOEBA),
    limits=SHORT,
    beam_size=5,
    languages=("en", "fr"),
)
_CONV_EN_FR = replace(
    _RNN_EN_FR,
    slug="conv-s2s-en-fr",
    title="English to French, convolutional",
    model="conv-s2s",
    config=ConvS2SConfig(
        f=256,
        encoder=((256, 3),) * 4,
        decoder=((256, 3),) * 3,
        f_out=256,
        dropout=0.2,
        label_smoothing=0.1,
        tie_embeddings=True,
    ),
    train=replace(_RNN_EN_FR.train, epochs=7, warmup_steps=400, clip_norm=0.5),
)

RECIPES = {recipe.slug: recipe for recipe in (_SST, _RNN_EN_FR, _NLI, _CONV_EN_FR)}


def train(
    slug: str, *, folder: Path = CHECKPOINTS_DIR, device: str = "auto", minutes: float = math.inf
) -> ModelCard:
    """Make a checkpoint: train (or go on training), keep the best, measure dev and test once, write the card.

    Raises ValueError for an unknown slug or when ATLAS_DATA names no data.
    """
    if slug not in RECIPES:
        raise ValueError(f"there is no recipe {slug!r}; there are: {', '.join(RECIPES)}")
    recipe, place = RECIPES[slug], folder / slug
    splits = recipe.read(data_folder())
    torch.manual_seed(recipe.train.seed)
    model = MODELS[recipe.model](recipe.config, recipe.text(splits)).to(choose_device(device))

    def keep(best: AttentionModel, progress: Progress) -> None:
        metrics = {f"dev_{recipe.train.metric}": progress.best}
        save(best, place, _card(recipe, best, splits, progress, metrics), precision=torch.float16)

    progress = Trainer(model, recipe.train, place, keep).fit(splits.train, splits.dev, minutes)
    return _measure(recipe, splits, progress, place)


def _measure(recipe: Recipe, splits: Splits, progress: Progress, place: Path) -> ModelCard:
    """The card with the shipped weights' metrics on dev and test, at the card's beam."""
    model = load(recipe.slug, folder=place)
    metrics: dict[str, float] = {}
    for split, examples in (("dev", splits.dev), ("test", splits.test)):
        found = evaluate(model, examples, beam_size=recipe.beam_size).metrics
        metrics |= {f"{split}_{name}": round(value, 4) for name, value in found.items()}
    card = _card(recipe, model, splits, progress, metrics)
    card.save(place)
    return card


def _card(
    recipe: Recipe, model: AttentionModel, splits: Splits, progress: Progress, metrics: dict[str, float]
) -> ModelCard:
    return ModelCard(
        slug=recipe.slug,
        title=recipe.title,
        model=recipe.model,
        task=model.task.name,
        config=json.loads(json.dumps(asdict(recipe.config))),
        data=recipe.data,
        data_size=splits.sizes,
        metrics=metrics,
        seed=recipe.train.seed,
        steps=progress.best_step,
        minutes=round(progress.seconds / 60, 1),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        parameters=count_parameters(model),
        beam_size=recipe.beam_size,
        languages=recipe.languages,
        sources=recipe.sources,
        limits=recipe.limits,
        training=asdict(replace(recipe.train)),
    )
