"""IBM Model 1: what it learns from a few sentences, and its equations against plain loops."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from modelzoo import ibm1

TOY = [
    (source.split(), target.split())
    for source, target in (
        ("the house", "la maison"),
        ("the book", "le livre"),
        ("a book", "un livre"),
        ("the red house", "la maison rouge"),
        ("a red flower", "une fleur rouge"),
        ("a flower", "une fleur"),
    )
]


def plain(pairs: list[tuple[list[str], list[str]]], iterations: int) -> dict[tuple[str, str], float]:
    """t(f | e) by loops and dicts, as the paper has it; "" is the empty word."""
    t = {(e, f): 1.0 for source, target in pairs for e in ["", *source] for f in target}
    for _ in range(iterations):
        counts, totals = defaultdict(float), defaultdict(float)
        for source, target in pairs:
            for f in target:
                total = sum(t[e, f] for e in ["", *source])
                for e in ["", *source]:
                    counts[e, f] += t[e, f] / total
                    totals[e] += t[e, f] / total
        t = {(e, f): counts[e, f] / totals[e] for e, f in t}
    return t


@pytest.mark.parametrize("iterations", [1, 4])
def test_every_probability_is_that_of_plain_loops(iterations: int) -> None:
    table, expected = ibm1.train(TOY, iterations), plain(TOY, iterations)
    for source, target in TOY:
        found = table.probabilities(source, target)
        by_hand = [[expected[e, f] for e in ["", *source]] for f in target]
        np.testing.assert_allclose(found, by_hand, rtol=1e-12)


def test_the_probabilities_of_a_word_sum_to_one() -> None:
    table = ibm1.train(TOY)
    every = list(table.targets)
    sums = table.probabilities(list(table.sources), every).sum(axis=0)
    np.testing.assert_allclose(sums, 1.0)


def test_it_finds_the_right_pairs_whatever_the_order() -> None:
    table = ibm1.train(TOY, iterations=20)
    found = table.links(*TOY[3])
    assert {(1, 2), (2, 1)} <= found
    assert table.links(["flower", "book"], ["livre", "fleur"]) == {(1, 0), (0, 1)}


def test_what_no_word_explains_goes_to_the_empty_word() -> None:
    pairs = [([f"e{k}"], [f"f{k}", "de"]) for k in range(30)]
    table = ibm1.train(pairs, iterations=10)
    assert table.links(["e3"], ["f3", "de"]) == {(0, 0)}


def test_unknown_words_have_no_links() -> None:
    table = ibm1.train(TOY)
    assert table.links(["zyzzyva"], ["maison"]) <= {(0, 0)}
    assert not table.probabilities(["zyzzyva"], ["maison"])[:, 1:].any()
    assert table.links(["house"], ["zyzzyva"]) == frozenset()


def test_repeated_words_count_each_time() -> None:
    pairs = [(["a", "a"], ["x", "x", "y"]), (["b"], ["y"])]
    np.testing.assert_allclose(
        ibm1.train(pairs, 3).probabilities(["a"], ["x", "y"])[:, 1],
        [plain(pairs, 3)["a", "x"], plain(pairs, 3)["a", "y"]],
    )
