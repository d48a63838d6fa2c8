"""Tiny seeded models and texts, so that a test of what all models share takes milliseconds."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn

from modelzoo.models.base import AttentionModel
from modelzoo.tasks import CLASSIFICATION, ENTAILMENT, Example, Sentence, SentencePair, SourceText
from modelzoo.text import SubwordText, WordText, WordVectors, words

ENGLISH = (
    "A man is riding a red bicycle.",
    "Two dogs are playing in the snow.",
    "The little girl eats an apple.",
    "A woman in a blue dress sings.",
    "Three children run along the beach.",
    "The old man does not like the film.",
    "A black cat sleeps on the chair.",
    "Some people are waiting for the bus.",
    "The boy throws a ball to his dog.",
    "A group of friends eats in a park.",
    "The film was dull and far too long.",
    "It was a warm and funny story.",
    "Nobody is sitting at the table.",
    "A tall man is reading a book.",
    "The horse jumps over the fence.",
)
FRENCH = (
    "Un homme fait du vélo rouge.",
    "Deux chiens jouent dans la neige.",
    "La petite fille mange une pomme.",
    "Une femme en robe bleue chante.",
    "Trois enfants courent le long de la plage.",
    "Le vieil homme n'aime pas le film.",
    "Un chat noir dort sur la chaise.",
    "Des gens attendent le bus.",
    "Le garçon lance une balle à son chien.",
    "Un groupe d'amis mange dans un parc.",
    "Le film était ennuyeux et trop long.",
    "C'était une histoire drôle et tendre.",
    "Personne n'est assis à la table.",
    "Un grand homme lit un livre.",
    "Le cheval saute la barrière.",
)
NASTY = (
    "the cat saw the dog and the bird",
    "the",
    "It cost $5 , not $10 .",
    "<s> a <b> b </b> <unk> x<y & &amp; </s>",
    "in 1999 1 E 1 costs 10 or 2",
    "LITTLE Little little",
    "Quixotic zyzzyva sleeps",
    "今天 天气 很 好",
    "هذا كتاب جديد",
    "नमस्ते दुनिया",
    "a a a a a a a a a a a a",
    '"Second half of a quote',
    'x<!-- y --> <script>alert(1)</script> & &amp; "q"',
    "I said שלום today",
    "a <b>bold</b> <br> word <br /> <unk> <s> x<y",
    "👩‍👩‍👧 and 👍🏽 in 🇫🇷",
)
"""Texts that broke tools like this one."""
SENTIMENTS = ("negative", "positive")
ENTAILMENTS = ("entailment", "neutral", "contradiction")

SIZES: dict[str, dict[str, Any]] = {
    "self-attentive": {"labels": SENTIMENTS, "u": 6, "d_a": 5, "r": 3, "b": 7},
    "decomposable": {"labels": ENTAILMENTS, "projection": 8, "hidden": 8},
    "rnn-search": {"m": 8, "n": 8, "n_align": 7, "l": 6, "dropout": 0.2},
    "conv-s2s": {"f": 8, "encoder": ((8, 3), (10, 5)), "decoder": ((8, 3), (12, 2)), "f_out": 8},
}


@cache
def tiny_words() -> WordText:
    """A word text over 8-dimensional random vectors of the English sentences' words."""
    forms = sorted({model for sentence in ENGLISH for _, model in words(sentence)})
    matrix = np.random.default_rng(0).standard_normal((len(forms), 8)).astype(np.float16)  # as it is stored
    vectors = WordVectors("tiny", tuple(forms), matrix.astype(np.float32))
    return WordText(vectors, trained_words=forms[: len(forms) // 2], oov_buckets=5, shared=False)


@cache
def tiny_subwords() -> SubwordText:
    """A subword text of about 120 pieces, learned from the sentences of both languages."""
    return SubwordText.train(ENGLISH + FRENCH, 120, source_language="en", target_language="fr")


def tiny_model(name: str, *, seed: int = 0, **overrides: Any) -> AttentionModel:
    """The registered model of that name with tiny sizes and noisy weights, in eval mode.

    The noise keeps attention from being uniform where a paper's initial values make it so.
    """
    from modelzoo.registry import MODELS

    model_class = MODELS[name]
    config = model_class.Config(**{**SIZES[name], **overrides})
    text = tiny_subwords() if model_class.task.output == "text" else tiny_words()
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        model = model_class(config, text)
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
        for module in model.modules():
            if isinstance(module, nn.Embedding) and module.padding_idx is not None:
                module.weight[module.padding_idx] = 0.0
    return model.eval()


def tiny_examples(model: AttentionModel) -> list[Example]:
    """Examples of the model's task, of different lengths."""
    if model.task is CLASSIFICATION:
        return [Example(Sentence(text), SENTIMENTS[i % 2]) for i, text in enumerate(ENGLISH)]
    if model.task is ENTAILMENT:
        pairs = zip(ENGLISH, ENGLISH[1:] + ENGLISH[:1], strict=True)
        return [Example(SentencePair(*pair), ENTAILMENTS[i % 3]) for i, pair in enumerate(pairs)]
    return [Example(SourceText(source), target) for source, target in zip(ENGLISH, FRENCH, strict=True)]
