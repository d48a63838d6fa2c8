"""The baselines on rows whose answer can be seen."""

from __future__ import annotations

import pytest

from modelzoo.baselines import features, lead, majority, naive_bayes
from modelzoo.tasks import Example, Sentence, SentencePair, SourceText


def rows(*texts: tuple[str, str]) -> list[Example]:
    return [Example(Sentence(text), label) for text, label in texts]


TRAIN = rows(
    ("good film", "yes"), ("a good one", "yes"), ("bad film", "no"), ("not good", "no"), ("so bad", "no")
)


def test_majority_says_the_label_of_most_training_rows() -> None:
    assert majority(TRAIN, rows(("x", "no"), ("y", "yes"), ("z", "yes"), ("w", "yes"))) == 0.25


def test_naive_bayes_learns_words_and_word_pairs() -> None:
    test = rows(("good", "yes"), ("bad", "no"), ("not good", "no"), ("unheard words", "no"))
    assert naive_bayes(TRAIN, test) == 1.0


def test_naive_bayes_reads_the_hypothesis_only() -> None:
    pair = Example(SentencePair("a premise", "hypothesis"), "no")
    assert features(pair).tolist() == features(Example(Sentence("Hypothesis"), "no")).tolist()


def test_lead_takes_the_first_words() -> None:
    text = " ".join(f"w{k}" for k in range(20))
    gold = " ".join(f"w{k}" for k in range(12))
    assert lead([Example(SourceText(text), gold)]) == pytest.approx(100)
