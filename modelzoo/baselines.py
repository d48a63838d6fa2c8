"""What needs no network: the most frequent label, naive Bayes over words and word pairs, the first words.

They stand beside a checkpoint's score, so that it says something.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from modelzoo.metrics import accuracy, rouge1
from modelzoo.tasks import Example, Sentence, SentencePair, SourceText

FEATURES = 2**20
"""Words and pairs of neighbouring words are hashed to so many numbers."""
LEAD_WORDS = 12


def majority(train: Sequence[Example], test: Sequence[Example]) -> float:
    """The accuracy of always saying the label that is most frequent in training."""
    most = Counter(example.gold for example in train).most_common(1)[0][0]
    return accuracy([example.gold for example in test], [most] * len(test))


def naive_bayes(train: Sequence[Example], test: Sequence[Example]) -> float:
    """The accuracy of naive Bayes over which words and word pairs occur, counts smoothed by one.

    Of a sentence pair it reads the hypothesis only: what can be guessed without the premise.
    """
    labels = sorted({example.gold for example in train})
    found = {label: [features(example) for example in train if example.gold == label] for label in labels}
    counts = np.stack([np.bincount(np.concatenate(found[label]), minlength=FEATURES) for label in labels])
    seen = counts.sum(axis=0) > 0
    log_p = np.log(counts + 1.0) - np.log((counts + seen).sum(axis=1, keepdims=True))  # (labels, FEATURES)
    prior = np.log([len(found[label]) / len(train) for label in labels])
    predicted = []
    for example in test:
        known = features(example)
        predicted.append(labels[int((prior + log_p[:, known[seen[known]]].sum(axis=1)).argmax())])
    return accuracy([example.gold for example in test], predicted)


def lead(test: Sequence[Example]) -> float:
    """ROUGE-1 of taking the first words of a text for its headline."""
    firsts = [" ".join(_text(example).split()[:LEAD_WORDS]).lower() for example in test]
    return rouge1([example.gold for example in test], firsts)


def features(example: Example) -> np.ndarray:
    """The numbers of the words and word pairs that occur in a text, each once."""
    forms = re.findall(r"\w+|[^\w\s]", _text(example).lower())
    pairs = (f"{one} {other}" for one, other in pairwise(forms))
    return np.array(
        sorted({zlib.crc32(gram.encode()) % FEATURES for gram in (*forms, *pairs)}), dtype=np.int64
    )


def _text(example: Example) -> str:
    inputs = example.inputs
    if isinstance(inputs, SentencePair):
        return inputs.hypothesis
    if isinstance(inputs, Sentence | SourceText):
        return inputs.text
    raise TypeError(f"no text of {type(inputs).__name__}")
