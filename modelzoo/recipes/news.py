"""The recipe of the self-attentive model that sorts news by topic."""

from __future__ import annotations

from modelzoo.data import ag_news
from modelzoo.models.self_attentive import SelfAttentiveConfig
from modelzoo.recipes.base import GLOVE, Recipe, word_text
from modelzoo.tasks import Sentence
from modelzoo.training import TrainConfig

AG_NEWS = "AG News (Zhang, Zhao, LeCun 2015), a part of its training set; for research, not commercial"
PROBES = (
    Sentence("The home side won the final after two goals in the last ten minutes."),
    Sentence("Shares fell as the carmaker warned that its profit would miss forecasts."),
    Sentence("A probe sent back the first pictures of a lake of methane on a moon of Saturn."),
)

RECIPES = (
    Recipe(
        slug="self-attentive-news",
        title="Topic of a news item",
        model="self-attentive",
        config=SelfAttentiveConfig(
            labels=ag_news.LABELS, u=150, d_a=100, r=8, b=256, dropout=0.5, penalty=0.03
        ),
        train=TrainConfig(
            epochs=5,
            batch_size=64,
            learning_rate=1e-3,
            schedule="cosine",
            warmup_steps=100,
            evaluations_per_epoch=2,
            patience=6,
        ),
        read=ag_news.read,
        text=word_text,
        data="AG News (part), title and text",
        sources=(AG_NEWS, GLOVE),
        limits=("Knows news of about 2004 in English; four topics, so anything else gets one of them.",),
        probes=PROBES,
    ),
)
