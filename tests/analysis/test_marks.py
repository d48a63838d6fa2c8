"""Agreement with people, on maps whose answer is known by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modelzoo.alignment import LinkScore
from modelzoo.analysis import Filter, OpenRun
from modelzoo.analysis.marks import links_agreement, marks_agreement
from tests.analysis.runs import ODD, label_rows, write


def cell(name: str, kinds: tuple[str, str], weights: Any) -> dict[str, Any]:
    array = np.array(weights, dtype="<f2")
    rows, columns = array.shape
    axes = {"name": name, "row_kind": kinds[0], "column_kind": kinds[1], "rows": rows, "columns": columns}
    return {**axes, "values": array.tobytes()}


HOPS = [[0.5, 0.3, 0.1, 0.1], [0.3, 0.5, 0.1, 0.1]]
SENTENCE = {"text": "good film. today", "tokens": ["good", "film", ".", "today"]}
MARKED = [
    {**SENTENCE, "x_genre": "0,1"},  # the two words with most: 0.4 and 0.5
    {**SENTENCE, "x_genre": "2"},  # the one with least
    {**SENTENCE, "x_genre": "0 1 2"},  # all of them: says nothing
    {**SENTENCE, "x_genre": "{}"},
    {**SENTENCE, "x_genre": None},
    {**SENTENCE, "x_genre": "7"},  # there is no such word
    {**SENTENCE, "tokens": ["other", "film", ".", "today"], "x_genre": "1"},
]
PAIR = {
    "text": "a dog",
    "tokens": ["NULL", "a", "dog"],
    "text_pair": "un chien noir",
    "tokens_pair": ["NULL", "un", "chien", "noir"],
    "x_genre": "0-0 1-1",
}
FORTH = [[1, 0, 0, 0], [0, 0.75, 0.25, 0], [0.5, 0, 0.125, 0.375]]  # a → un, dog → noir


def rows_of(found: list[dict[str, Any]], maps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    base = label_rows(len(found))
    return [{**one, **given, "attention": maps} for one, given in zip(base, found, strict=True)]


def test_attention_is_compared_with_the_words_people_marked(tmp_path: Path) -> None:
    run = OpenRun(write(tmp_path, rows_of(MARKED, [cell("hops", ("hop", "sentence"), HOPS)])))
    found = marks_agreement(run, "hops", "x_genre")
    assert found.rows == 2
    assert found.auc == pytest.approx((1 + 0) / 2)  # scores of the words: 0.4, 0.5, 0.1
    assert found.token_f1 == pytest.approx(2 / 3)
    assert found.every_word == pytest.approx(2 * 3 / (3 + 6))
    assert marks_agreement(run, "hops", "x_genre", Filter(rows=(1,))).auc == 0
    with pytest.raises(ValueError, match=r"no marks in .* can be compared"):
        marks_agreement(run, "hops", ODD)
    with pytest.raises(ValueError, match="are hops"):
        links_agreement(run, "hops", "x_genre")
    with pytest.raises(ValueError, match="no such column as 'm_entropy'"):
        marks_agreement(run, "hops", "m_entropy")


def test_links_are_first_text_to_second_whatever_attends(tmp_path: Path) -> None:
    back = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])  # un → a, chien → dog, noir → dog
    maps = [
        cell("premise_to_hypothesis", ("premise", "hypothesis"), FORTH),
        cell("hypothesis_to_premise", ("hypothesis", "premise"), back),
    ]
    run = OpenRun(write(tmp_path, rows_of([PAIR, {**PAIR, "x_genre": "none"}], maps)))
    forth = links_agreement(run, "premise_to_hypothesis", "x_genre")  # 0-0 1-2
    assert forth == LinkScore(aer=1 - (1 + 1) / (2 + 2), precision=0.5, recall=0.5, f1=0.5)
    backward = links_agreement(run, "hypothesis_to_premise", "x_genre")  # 0-0 1-1 1-2
    assert backward.recall == 1
    assert backward.precision == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="no links in 'text' can be compared"):
        links_agreement(run, "premise_to_hypothesis", "text")


def test_a_written_text_counts_where_it_is_the_gold_one(tmp_path: Path) -> None:
    written = {
        "text": "a dog",
        "tokens": ["a", "dog", "</s>"],
        "tokens_pair": ["un", "chi", "en", "</s>"],
        "prediction": "un chien",
        "gold": "un chien",
        "x_genre": "0-0 1-1",
    }
    weights = [[1, 0, 0], [0.25, 0.5, 0.25], [0.5, 0.5, 0], [0, 0, 1]]
    rows = rows_of(
        [written, {**written, "gold": "le chien"}], [cell("alignment", ("target", "source"), weights)]
    )
    run = OpenRun(write(tmp_path, rows))
    assert links_agreement(run, "alignment", "x_genre").aer == 0
    with pytest.raises(ValueError, match="no links"):
        links_agreement(run, "alignment", "x_genre", Filter(rows=(1,)))
