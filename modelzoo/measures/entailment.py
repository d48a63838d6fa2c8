"""Whether a sentence-pair model attends where people see a link or a reason.

Links: pairs of words each of which is the other's best, by the attention of both directions; exact word
matching is scored in the same way, and both again with the links grown along the diagonal. Reasons: the
words that receive most attention from the other sentence, as many as people marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from modelzoo.alignment import Links, grown, link_score, mutual_links, same_words, word_attention
from modelzoo.cards import Measure
from modelzoo.data import esnli, word_alignment
from modelzoo.data.folder import data_folder
from modelzoo.measures.base import attended
from modelzoo.metrics import auc
from modelzoo.models.base import AttentionModel
from modelzoo.results import AttentionResult
from modelzoo.tasks import SentencePair

Words = Sequence[str]
HALF = 0.5
"""Links grow into cells that have more than half an equal share; chosen on the dev part."""


class Marked(NamedTuple):
    """One side of one pair: which words people marked, and a score of each word.

    Shapes:
        people  (n,) bool
        scores  (n,)
    """

    side: str
    people: np.ndarray
    scores: np.ndarray


def measures(model: AttentionModel) -> list[Measure]:
    """Alignment of MTRef test, and agreement with the marks of e-SNLI dev, each beside baselines."""
    data = data_folder()
    return [*_alignment(model, data), *_agreement(model, data)]


def directions(result: AttentionResult, premise: Words, hypothesis: Words) -> tuple[np.ndarray, np.ndarray]:
    """Attention over words: of the premise over the hypothesis, and the other way. NULL is left out.

    Shapes:
        result  (premise, hypothesis) and (hypothesis, premise)
    """
    tokens = result.tokens["premise"], result.tokens["hypothesis"]
    forth, back = result.map("premise_to_hypothesis"), result.map("hypothesis_to_premise")
    return (
        word_attention(forth.values, tokens, (premise, hypothesis)),
        word_attention(back.values, tokens[::-1], (hypothesis, premise)),
    )


def _alignment(model: AttentionModel, data: Path) -> list[Measure]:
    pairs = word_alignment.read(data, "test")
    same = [same_words(pair.source, pair.target) for pair in pairs]
    inputs = [SentencePair(" ".join(pair.source), " ".join(pair.target)) for pair in pairs]
    results = zip(pairs, attended(model, inputs), strict=True)
    joint = [joint_attention(*directions(result, pair.source, pair.target)) for pair, result in results]
    methods = {
        "same words": same,
        "attention": joint,
        "same words, then attention": [1000 * a + b for a, b in zip(same, joint, strict=True)],
    }
    sure, name = [pair.sure for pair in pairs], f"MTRef test, {len(pairs):,} pairs"
    found = {method: [mutual_links(one) for one in weights] for method, weights in methods.items()}
    found["same words, grown"] = _grown(found["same words"], [np.ones_like(one) for one in same])
    found["attention, grown"] = _grown(found["attention"], joint)
    found["same words, grown by attention"] = _grown(found["same words"], joint)
    return [Measure(name, method, asdict(link_score(links, sure))) for method, links in found.items()]


def _grown(links: Sequence[Links], weights: Sequence[np.ndarray]) -> list[Links]:
    return [grown(some, one, HALF) for some, one in zip(links, weights, strict=True)]


def joint_attention(forth: np.ndarray, back: np.ndarray) -> np.ndarray:
    """How many times an equal share the two directions give each other, the smaller of both: of the ways
    to join them that were tried, the best on the dev part.

    Shapes:
        forth   (premise, hypothesis)
        back    (hypothesis, premise)
        result  (premise, hypothesis)
    """
    joint: np.ndarray = np.minimum(forth * forth.shape[1], back.T * back.shape[1])
    return joint


def _agreement(model: AttentionModel, data: Path) -> list[Measure]:
    pairs = [pair for pair in esnli.read(data, "dev") if all(pair.words.values())]
    inputs = [SentencePair(*(" ".join(pair.words[side]) for side in esnli.SIDES)) for pair in pairs]
    received: list[Marked] = []
    for pair, result in zip(pairs, attended(model, inputs), strict=True):
        received += marked_sides(pair, result)
    generator = np.random.default_rng(0)
    found = []
    for side in esnli.SIDES:
        given = [one for one in received if one.side == side]
        if given:
            name = f"e-SNLI dev, {len(given):,} times the {side}"
            chance = [one._replace(scores=generator.random(len(one.people))) for one in given]
            found += [
                Measure(name, "every word alike", _every_word(given)),
                Measure(name, "random words", _agreement_values(chance)),
                Measure(name, "attention received", _agreement_values(given)),
            ]
    return found


def marked_sides(pair: esnli.MarkedPair, result: AttentionResult) -> list[Marked]:
    """The sides of which people marked some words and not all, with the attention each word receives."""
    forth, back = directions(result, pair.words["premise"], pair.words["hypothesis"])
    found = []
    for side, attention in (("premise", back), ("hypothesis", forth)):
        people = np.isin(np.arange(len(pair.words[side])), list(pair.marked[side]))
        if people.any() and not people.all():
            found.append(Marked(side, people, attention.sum(axis=0)))
    return found


def _every_word(sides: Sequence[Marked]) -> dict[str, float]:
    """What marking every word gives: uniform attention prefers none."""
    return {"token_f1": token_f1((one.people, np.ones_like(one.people)) for one in sides), "auc": 0.5}


def _agreement_values(sides: Sequence[Marked]) -> dict[str, float]:
    """Token F1 of as many words as people marked, highest scores first, and the mean AUC."""
    return {
        "token_f1": token_f1((one.people, highest(one.scores, int(one.people.sum()))) for one in sides),
        "auc": float(np.mean([auc(one.people, one.scores) for one in sides])),
    }


def highest(scores: np.ndarray, count: int) -> np.ndarray:
    """True for the `count` highest scores; of equal ones the first."""
    chosen = np.zeros(len(scores), dtype=bool)
    chosen[np.argsort(-scores, kind="stable")[:count]] = True
    return chosen


def token_f1(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> float:
    """F1 of marked words against people's, counted over all sentences together."""
    shared = counted = 0
    for people, model in pairs:
        shared += int((people & model).sum())
        counted += int(people.sum()) + int(model.sum())
    return 2 * shared / max(counted, 1)
