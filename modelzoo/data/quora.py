"""Quora question pairs: do two questions ask the same?

Of the full set only labelled dev and test and many paraphrases are at hand, so the negatives of the
training set are mined: of two questions that share rare words, which no one has called paraphrases.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from modelzoo.data.folder import Splits, is_held_out, letters, table
from modelzoo.tasks import Example, SentencePair
from modelzoo.text import words

LABELS = ("paraphrase", "not_paraphrase")
DEV_PER_MILLE = 100
RAREST_WORDS, NEIGHBOURS = 3, 40
"""Of so many words of a question, each looked up in so many other questions, a negative is chosen."""


def read(data: Path) -> Splits:
    """Nine tenths of the labelled dev set, clean paraphrases and mined negatives; the other tenth; test."""
    folder = data / "nli" / "qqp"
    given, test = _read(folder / "dev.tsv.gz"), _read(folder / "test.tsv.gz")
    dev = [example for example in given if is_held_out(_premise(example), DEV_PER_MILLE)]
    known = {_questions(example) for example in dev + test}
    labelled = [example for example in given if _questions(example) not in known]
    clean = [
        Example(SentencePair(row["sentence1"], row["sentence2"]), LABELS[0])
        for row in table(folder / "positives_train.tsv.gz")
        if row["in_qqp_dev_or_test"] == row["question_in_qqp_dev_or_test"] == "0"
    ]
    return Splits((*labelled, *clean, *mined(clean)), tuple(dev), tuple(test))


def mined(paraphrases: Sequence[Example]) -> list[Example]:
    """For each pair its first question with that of another pair which shares most of its words."""
    questions = [_premise(example) for example in paraphrases]
    bags = [frozenset(model for _, model in words(question)) for question in questions]
    groups = _groups(paraphrases)
    counts = Counter(word for bag in bags for word in bag)
    holders: dict[str, list[int]] = defaultdict(list)
    for i, bag in enumerate(bags):
        for word in bag:
            if len(holders[word]) < NEIGHBOURS:
                holders[word].append(i)
    negatives = []
    for i, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda word: (counts[word], word))[:RAREST_WORDS]
        near = sorted({j for word in rarest for j in holders[word]})
        near = [j for j in near if groups[j] != groups[i] and bags[j] != bag]
        if near:
            best = max(near, key=lambda j: len(bags[j] & bag) / len(bags[j] | bag))
            negatives.append(Example(SentencePair(questions[i], questions[best]), LABELS[1]))
    return negatives


def _groups(paraphrases: Sequence[Example]) -> list[str]:
    """Of each pair the name of its group: pairs that share a question, by way of others too, are one."""
    leader: dict[str, str] = {}

    def group(question: str) -> str:
        while leader.setdefault(question, question) != question:
            question = leader[question]
        return question

    for pair in paraphrases:
        one, other = map(group, _questions(pair))
        leader[one] = other
    return [group(_questions(pair)[0]) for pair in paraphrases]


def _questions(pair: Example) -> tuple[str, str]:
    inputs = pair.inputs
    if not isinstance(inputs, SentencePair):
        raise TypeError("an example of two questions holds a SentencePair")
    return letters(inputs.premise), letters(inputs.hypothesis)


def _read(path: Path) -> list[Example]:
    return [
        Example(SentencePair(row["sentence1"], row["sentence2"]), row["label"])
        for row in table(path)
        if row["sentence1"].strip() and row["sentence2"].strip()
    ]


def _premise(example: Example) -> str:
    inputs = example.inputs
    return inputs.premise if isinstance(inputs, SentencePair) else ""
