"""Word dropout: words become unknown ones, padding and NULL do not; without it nothing is drawn."""

from __future__ import annotations

import torch

from modelzoo.models.base import WordEmbedding
from modelzoo.text import WordText
from tests.tiny import tiny_words

IDS = torch.tensor([[WordText.NULL, 9, 10, 11, 12, 0, 0]])


def embedding(word_dropout: float) -> WordEmbedding:
    return WordEmbedding(tiny_words(), trainable=False, word_dropout=word_dropout)


def test_every_word_is_hidden_and_nothing_else() -> None:
    hidden, plain = embedding(1.0).train()(IDS)[0], embedding(0.0)(IDS)[0]
    unknown = torch.from_numpy(tiny_words().table[2 : 2 + tiny_words().oov_buckets])
    assert torch.equal(hidden[[0, 5, 6]], plain[[0, 5, 6]])
    for vector in hidden[1:5]:
        assert (unknown == vector).all(dim=1).any()


def test_about_the_share_is_hidden() -> None:
    ids = torch.full((100, 100), 9)
    torch.manual_seed(0)
    share = (embedding(0.2).train()(ids) != embedding(0.0)(ids)).any(dim=-1).float().mean()
    assert 0.17 < share < 0.23


def test_in_evaluation_and_without_it_words_stay_and_no_number_is_drawn() -> None:
    before = torch.get_rng_state()
    assert torch.equal(embedding(1.0).eval()(IDS), embedding(0.0).train()(IDS))
    assert torch.equal(before, torch.get_rng_state())
