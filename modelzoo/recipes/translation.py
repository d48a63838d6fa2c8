"""Recipes of the models that translate: English to French and English to Chinese."""

from __future__ import annotations

from dataclasses import replace

from modelzoo.data import everyday_captions
from modelzoo.models.conv_s2s import ConvS2SConfig
from modelzoo.models.rnn_search import RNNSearchConfig
from modelzoo.recipes.base import Recipe, joint_pieces, seeded
from modelzoo.tasks import SourceText
from modelzoo.training import TrainConfig

TATOEBA = "Tatoeba by way of www.manythings.org/anki, CC BY 2.0 FR, attribution: tatoeba.org"
MULTI30K = "Multi30k (Elliott et al. 2016, 2017), captions of Flickr30k: for research"
THREE_AM = "3AM (Ma et al. 2024), MIT; its captions come from image sets whose terms are for research"
SHORT = (
    "Knows captions and short everyday sentences; news, names and sentences over 40 words are far from them.",
)
EN_FR = joint_pieces("en", "fr", 6000, everyday_captions.read)
EN_ZH = joint_pieces("en", "zh", 8000)
FRENCH = (
    SourceText("A man is playing the guitar.", forced="Un homme joue de la guitare."),
    SourceText(
        "A little girl in a red dress is playing with a white dog.",
        forced="Une petite fille en robe rouge joue avec un chien blanc.",
    ),
    SourceText("I don't know what you want.", forced="Je ne sais pas ce que tu veux."),
)
CHINESE = (
    SourceText("Tom loves Mary.", forced="汤姆爱玛丽。"),
    SourceText("Tom chases Jerry.", forced="汤姆追逐杰瑞。"),
    SourceText("A man is playing the guitar.", forced="一个男人正在弹吉他。"),
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
    probes=FRENCH,
)
_WORDS = replace(
    _RNN_EN_FR,
    slug="rnn-search-en-fr-words",
    title="English to French, recurrent, words beside the annotations",
    config=replace(_RNN_EN_FR.config, initial_state="zero", annotation_words=True, annotation_dropout=0.2),
    train=replace(_RNN_EN_FR.train, epochs=5, average_decay=0.998),
)
_QUERY = replace(
    _WORDS,
    slug="rnn-search-en-fr-query",
    title="English to French, recurrent, the word before in the query",
    config=replace(_WORDS.config, query_word=True),
)
_MORE = replace(
    _QUERY,
    slug="rnn-search-en-fr-more",
    title="English to French, recurrent, more everyday sentences",
    read=everyday_captions.read_more,
    data="Multi30k and 40,000 pairs of Tatoeba, one in ten joined",
)
_ENCDEC_EN_FR = replace(
    _RNN_EN_FR,
    slug="rnn-encdec-en-fr",
    title="English to French, recurrent, without attention",
    config=replace(_RNN_EN_FR.config, attention=False),
    train=_QUERY.train,
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


def _into_chinese(recipe: Recipe, slug: str, title: str) -> Recipe:
    """The same model over English and Chinese."""
    return replace(
        recipe,
        slug=slug,
        title=title,
        read=everyday_captions.read_chinese,
        text=EN_ZH,
        data="Tatoeba and 3AM captions, one pair in ten joined; dev and test are Tatoeba's",
        sources=(TATOEBA, THREE_AM),
        languages=("en", "zh"),
        probes=CHINESE,
    )


_FEW = replace(
    _QUERY,
    slug="rnn-search-en-fr-few",
    title="English to French, recurrent, from 2,000 pairs",
    read=everyday_captions.read_few,
    text=joint_pieces("en", "fr", 6000),
    data="2,000 captions of Multi30k",
    sources=(MULTI30K,),
    train=replace(_QUERY.train, epochs=20, batch_size=32),
)

RECIPES = (
    _RNN_EN_FR,
    _WORDS,
    _QUERY,
    *seeded(_QUERY, 2),
    _MORE,
    _FEW,
    _CONV_EN_FR,
    _ENCDEC_EN_FR,
    _into_chinese(_RNN_EN_FR, "rnn-search-en-zh", "English to Chinese, recurrent"),
    _into_chinese(_CONV_EN_FR, "conv-s2s-en-zh", "English to Chinese, convolutional"),
)
