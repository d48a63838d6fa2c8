"""The decomposable model: what its results hold, what it refuses, its loss."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from modelzoo.models.decomposable import DecomposableOutput
from modelzoo.tasks import MAX_PAIR_TOKENS, Sentence, SentencePair
from modelzoo.text import WordText
from tests.models.test_decomposable import INTRA, PAIRS, batch_of, numbers, tiny


def test_both_directions_stand_under_their_own_names() -> None:
    model = tiny()
    result = model.attend([SentencePair("The dog bites", "A man bites the old dog .")])[0]
    premise, hypothesis = (
        ("NULL", "The", "dog", "bites"),
        ("NULL", "A", "man", "bites", "the", "old", "dog", "."),
    )
    forth, back = result.map("premise_to_hypothesis"), result.map("hypothesis_to_premise")
    assert (forth.rows, forth.columns) == (premise, hypothesis)
    assert (back.rows, back.columns) == (hypothesis, premise)
    assert (
        (forth.row_kind, forth.column_kind) == (back.column_kind, back.row_kind) == ("premise", "hypothesis")
    )
    scores = result.internal("scores").values
    by_row = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    by_column = np.exp(scores) / np.exp(scores).sum(axis=0, keepdims=True)
    np.testing.assert_allclose(forth.values, by_row, atol=1e-5)
    np.testing.assert_allclose(back.values, by_column.T, atol=1e-5)


def test_a_result_has_its_internals() -> None:
    result = tiny(intra=True).attend([SentencePair("The dog bites", "man .")])[0]
    assert [m.name for m in result.maps] == [
        "premise_to_hypothesis",
        "hypothesis_to_premise",
        "premise_intra",
        "hypothesis_intra",
    ]
    assert {internal.name: internal.values.shape for internal in result.internals} == {
        "scores": (4, 3),
        "beta": (4, 8),
        "alpha": (3, 8),
        "compare_premise": (4,),
        "compare_hypothesis": (3,),
        "premise_intra_scores": (4, 4),
        "hypothesis_intra_scores": (3, 3),
        "distance_bias": (11,),
    }


def test_null_is_in_front_marked_special_and_can_be_left_out() -> None:
    encoded = tiny().encode(SentencePair("dog", "man"))
    for side in encoded.sides.values():
        assert side.ids[0] == WordText.NULL
        assert side.tokens[0].special
        assert not side.tokens[1].special
    without = tiny(null="none").attend([SentencePair("dog", "man")])[0]
    assert without.map("premise_to_hypothesis").values.tolist() == [[1.0]]


def test_what_cannot_be_read_is_refused_by_side() -> None:
    model, long = tiny(), "dog " * MAX_PAIR_TOKENS
    model.encode(SentencePair(long, long))
    with pytest.raises(ValueError, match=f"premise has {MAX_PAIR_TOKENS + 1} tokens"):
        model.encode(SentencePair(long + "dog", "dog"))
    with pytest.raises(ValueError, match="hypothesis is empty"):
        model.encode(SentencePair("dog", "  "))
    with pytest.raises(ValueError, match="Sentence"):
        model.encode(Sentence("dog"))


def test_the_loss_is_cross_entropy() -> None:
    model = tiny()
    batch = batch_of(model, *PAIRS, gold="neutral")
    right = -numbers(model(batch).logits.log_softmax(-1))[:, 1].mean()
    assert model.loss(batch).item() == pytest.approx(right, abs=1e-5)
    with pytest.raises(ValueError, match="label"):
        model.loss(batch_of(model, *PAIRS))


@INTRA
def test_attention_stays_in_float32_under_bfloat16_autocast(intra: bool) -> None:
    model = tiny(intra=intra)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output: DecomposableOutput = model(batch_of(model, *PAIRS))
        loss = model.loss(batch_of(model, *PAIRS, gold="neutral"))
    loss.backward()
    assert output.beta_weights.dtype == output.alpha_weights.dtype == torch.float32
