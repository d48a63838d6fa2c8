"""Attention over pieces as attention over words, links, and the alignment error rate."""

from __future__ import annotations

import numpy as np
import pytest

from modelzoo.alignment import (
    best_links,
    diagonal_links,
    grown,
    link_score,
    mutual_links,
    same_words,
    word_attention,
    words_of_pieces,
)
from modelzoo.results import Token
from tests.tiny import ENGLISH, FRENCH, NASTY, tiny_subwords, tiny_words

END = Token("</s>", "</s>", special=True)


def links(written: str) -> frozenset[tuple[int, int]]:
    return frozenset((int(i), int(j)) for i, j in (one.split("-") for one in written.split()))


def tokens(*typed: str) -> tuple[Token, ...]:
    return tuple(Token(text, text) for text in typed)


# --- pieces and words --------------------------------------------------------------------------

PIECES = {
    "a word in pieces": (["un", "believ", "able", "!"], ["unbelievable", "!"], (0, 0, 0, 1)),
    "repeated words": (["the", "cat", "the", "c", "at"], ["the", "cat", "the", "cat"], (0, 1, 2, 3, 3)),
    "an apostrophe on its own": (["l", "'", "eau"], ["l'", "eau"], (0, 0, 1)),
    "an apostrophe inside": (["don", "'", "t"], ["do", "n't"], (0, 1, 1)),
    "a piece over two words": (["il", "nya"], ["il", "n", "ya"], (0, 2)),
    "a piece over two words, halved": (["ab"], ["a", "b"], (0,)),
    "Chinese": (["一个", "穿", "红", "衣服", "的"], ["一", "个", "穿红", "衣服的"], (0, 2, 2, 3, 3)),
    "a bare blank": (["▁", "Qui", "xotic", "▁", "."], ["Quixotic", "."], (0, 0, 0, 1, 1)),
    "a bare blank at the end": (["a", "▁"], ["a"], (0, 0)),
    "a decomposed accent": (["\u00e9t\u00e9"], ["e\u0301te\u0301"], (0,)),
}


@pytest.mark.parametrize("case", list(PIECES))
def test_pieces_find_their_words(case: str) -> None:
    pieces, words, expected = PIECES[case]
    assert words_of_pieces(pieces, words) == expected


def test_pieces_of_another_text_are_refused() -> None:
    with pytest.raises(ValueError, match="'a dog' do not spell the words 'a cat'"):
        words_of_pieces(["a", "dog"], ["a", "cat"])


@pytest.mark.parametrize("text", [*ENGLISH[:3], *FRENCH[5:8], *NASTY])
def test_every_piece_of_any_text_has_a_word(text: str) -> None:
    words = text.split()
    for encoded in (tiny_subwords().encode(text), tiny_words().encode(text)):
        pieces = [token.typed for token in encoded.tokens if not token.special]
        found = words_of_pieces(pieces, words)
        assert list(found) == sorted(found)
        assert (found[0], found[-1]) == (0, len(words) - 1)


# --- attention over words ----------------------------------------------------------------------


def test_columns_are_added_and_rows_averaged() -> None:
    weights = np.array([[0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.1, 0.2], [0.0, 0.0, 0.0, 1.0]])
    sides = ((*tokens("cha", "t"), END), (*tokens("a", "ca", "t"), END))
    found = word_attention(weights, sides, (["chat"], ["a", "cat"]))
    np.testing.assert_allclose(found, [[0.2, 0.5]])


def test_special_tokens_may_stand_anywhere() -> None:
    null = Token("NULL", "NULL", special=True)
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    found = word_attention(weights, ((null, *tokens("a")), (null, *tokens("b", "c"))), (["a"], ["b", "c"]))
    np.testing.assert_allclose(found, [[0.2, 0.7]])


def test_each_row_is_linked_to_its_strongest_column() -> None:
    attention = np.array([[0.2, 0.7], [0.6, 0.3], [0.0, 0.0]])
    assert best_links(attention) == links("1-0 0-1")


def test_a_shuffled_one_hot_map_gives_back_its_permutation() -> None:
    order = np.random.default_rng(0).permutation(7)
    assert best_links(np.eye(7)[order]) == {(int(i), j) for j, i in enumerate(order)}


def test_words_are_linked_that_are_each_others_best() -> None:
    weights = np.array([[0.9, 0.5, 0.0], [0.8, 0.6, 0.0], [0.1, 0.7, 0.0]])
    assert mutual_links(weights) == links("0-0 2-1")


def test_of_equal_weights_the_nearest_to_the_diagonal_is_linked() -> None:
    assert mutual_links(np.ones((3, 3))) == links("0-0 1-1 2-2")
    assert mutual_links(np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0000001]])) == links(
        "0-0 2-2"
    )


def test_a_word_without_weight_is_not_linked() -> None:
    assert mutual_links(np.zeros((2, 3))) == frozenset()


def test_links_grow_along_the_diagonal_into_strong_cells_of_free_words() -> None:
    weights = np.array([[9.0, 0, 0, 0], [0, 0.6, 0, 0], [0, 0, 0.4, 0], [0, 0.5, 0, 0.9]])
    assert grown(links("0-0"), weights, 0.5) == links("0-0 1-1")
    assert grown(links("0-0 2-2"), weights, 0.5) == links("0-0 1-1 2-2 3-3")
    assert grown(links("0-0 2-1"), weights, 0.0) == links("0-0 2-1")
    assert grown(links(""), weights) == frozenset()


def test_of_two_cells_to_grow_into_the_stronger_is_taken() -> None:
    weights = np.zeros((3, 5))
    weights[1, 1], weights[1, 3] = 0.6, 0.7
    assert grown(links("0-0 2-4"), weights) == links("0-0 2-4 1-3")


# --- baselines ---------------------------------------------------------------------------------


def test_the_diagonal_of_equal_lengths_is_the_identity() -> None:
    assert diagonal_links(4, 4) == links("0-0 1-1 2-2 3-3")


@pytest.mark.parametrize(("source", "target"), [(1, 5), (5, 1), (3, 7), (7, 3)])
def test_the_diagonal_links_every_target_word_within_the_source(source: int, target: int) -> None:
    found = sorted((j, i) for i, j in diagonal_links(source, target))
    assert [j for j, _ in found] == list(range(target))
    assert all(0 <= i < source for _, i in found)
    assert [i for _, i in found] == sorted(i for _, i in found)


def test_equal_words_are_found_and_repeated_ones_linked_in_order() -> None:
    source, target = ["The", "cat", "saw", "the", "dog"], ["the", "dog", "saw", "The", "Cat", "the"]
    assert same_words(source, target).sum() == 2 * 3 + 3
    assert mutual_links(same_words(source, target)) == links("0-0 4-1 2-2 3-3 1-4")


# --- scores ------------------------------------------------------------------------------------

SURE, POSSIBLE = [links("0-0 1-2"), links("0-1")], [links("2-1"), links("")]


def test_perfect_links_have_no_error() -> None:
    assert link_score(SURE, SURE).aer == 0.0
    assert link_score(SURE, SURE, POSSIBLE).f1 == 1.0


def test_possible_links_cost_nothing_and_are_not_asked_for() -> None:
    found = [SURE[0] | POSSIBLE[0], SURE[1]]
    assert link_score(found, SURE, POSSIBLE).aer == 0.0
    assert link_score(found, SURE).aer == pytest.approx(1 - 6 / 7)


def test_wrong_links_and_no_links_are_all_error() -> None:
    assert link_score([links("5-5"), links("")], SURE, POSSIBLE).aer == 1.0
    nothing = link_score([frozenset(), frozenset()], SURE)
    assert (nothing.aer, nothing.precision, nothing.recall, nothing.f1) == (1.0, 0.0, 0.0, 0.0)


def test_the_error_is_counted_over_the_set_as_by_hand() -> None:
    found = [links("0-0 2-1 2-2"), links("1-1")]  # A = 4, A∩S = 1, A∩P = 2, S = 3
    score = link_score(found, SURE, POSSIBLE)
    assert score.aer == pytest.approx(1 - (1 + 2) / (4 + 3))
    assert score.precision == pytest.approx(2 / 4)
    assert score.recall == pytest.approx(1 / 3)
    assert score.f1 == pytest.approx(0.4)
