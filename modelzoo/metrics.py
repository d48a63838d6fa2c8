"""Scores of predictions against what people say is right: f(gold, predicted) -> float."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np


def accuracy(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """The share of equal labels, 0 to 1."""
    return sum(g == p for g, p in zip(gold, predicted, strict=True)) / len(gold)


def bleu(gold: Sequence[str], predicted: Sequence[str], language: str = "en") -> float:
    """Corpus BLEU, 0 to 100 (sacrebleu, detokenised and cased; by character for Chinese)."""
    from sacrebleu.metrics import BLEU

    return float(BLEU(tokenize=bleu_tokenizer(language)).corpus_score(list(predicted), [list(gold)]).score)


def bleu_signature(language: str = "en") -> str:
    """What sacrebleu did, so that the score can be compared."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize=bleu_tokenizer(language))
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


def bleu_tokenizer(language: str) -> str:
    """What sacrebleu cuts texts by: characters for Chinese, else the words of mteval-13a."""
    return "zh" if language == "zh" else "13a"


def chrf(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Corpus chrF2, 0 to 100 (sacrebleu)."""
    from sacrebleu.metrics import CHRF

    return float(CHRF().corpus_score(list(predicted), [list(gold)]).score)


class TextCounts(NamedTuple):
    """What corpus BLEU and chrF sum over rows, so that any rows can be scored without their texts.

    Shapes:
        bleu  (rows, 10) the lengths of output and gold; of 1- to 4-grams those that match, and all
        chrf  (rows, 18) for 1 to 6 characters the n-grams of output and gold, and those that match
    """

    bleu: np.ndarray
    chrf: np.ndarray


def text_counts(gold: Sequence[str], predicted: Sequence[str], language: str = "en") -> TextCounts:
    """The counts of each row (sacrebleu)."""
    from sacrebleu.metrics import BLEU, CHRF

    metrics = (BLEU(tokenize=bleu_tokenizer(language)), CHRF())
    found = (metric._extract_corpus_statistics(list(predicted), [list(gold)]) for metric in metrics)
    return TextCounts(*(np.array(counts, dtype=np.int64) for counts in found))


def bleu_of_counts(counts: np.ndarray, *, is_row: bool = False) -> float:
    """BLEU, 0 to 100, from the sum of rows' counts, (10,); `is_row` leaves out orders that one row lacks."""
    from sacrebleu.metrics import BLEU

    written, right, *ngrams = counts.astype(np.int64).tolist()
    order = len(ngrams) // 2
    found = BLEU.compute_bleu(
        ngrams[:order], ngrams[order:], written, right, smooth_method="exp", effective_order=is_row
    )
    return float(found.score)


def chrf_of_counts(counts: np.ndarray) -> np.ndarray:
    """chrF2, 0 to 100, from sums of rows' counts; (…, 18) to (…)."""
    written, right, both = np.moveaxis(counts.reshape(*counts.shape[:-1], -1, 3), -1, 0)  # (…, 6)
    there = (written > 0) & (right > 0)
    orders = np.maximum(there.sum(axis=-1), 1)
    precision = np.where(there, both / np.maximum(written, 1), 0.0).sum(axis=-1) / orders
    recall = np.where(there, both / np.maximum(right, 1), 0.0).sum(axis=-1) / orders
    found: np.ndarray = 100 * 5 * precision * recall / np.maximum(4 * precision + recall, 1e-16)
    return found


def rouge1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Mean ROUGE-1 F1 over the rows, 0 to 100 (rouge-score, no stemming)."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1"])
    scores = [scorer.score(g, p)["rouge1"].fmeasure for g, p in zip(gold, predicted, strict=True)]
    return 100 * sum(scores) / len(scores)


def label_metrics(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, float]:
    """Every metric of label predictions by name."""
    return {"accuracy": accuracy(gold, predicted)}


def text_metrics(gold: Sequence[str], predicted: Sequence[str], language: str = "en") -> dict[str, float]:
    """Every metric of written texts by name."""
    functions: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {"chrf": chrf, "rouge1": rouge1}
    scores = {name: function(gold, predicted) for name, function in functions.items()}
    return {"bleu": bleu(gold, predicted, language), **scores}


def auc(marked: np.ndarray, scores: np.ndarray) -> float:
    """The chance that a marked item scores above one that is not, a tie counting half; 0 to 1.

    Shapes:
        marked  (n,) bool, neither all nor none
        scores  (n,)
    """
    ahead = scores[marked][:, None] - scores[~marked][None, :]
    return float((ahead > 0).mean() + 0.5 * (ahead == 0).mean())
