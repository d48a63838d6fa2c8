"""Padding, masks and the softmax that respects them, against plain loops."""

from __future__ import annotations

import math

import pytest
import torch

from modelzoo.batching import length_mask, masked_softmax, pad

CPU = torch.device("cpu")


def test_padding_is_on_the_right_with_its_mask_and_lengths() -> None:
    batch = pad([[5, 6, 7], [8]], CPU)
    assert batch.ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert batch.lengths.tolist() == [3, 1]
    assert batch.mask.tolist() == [[True, True, True], [True, False, False]]
    assert (batch.ids.dtype, batch.lengths.dtype, batch.mask.dtype) == (torch.int64, torch.int64, torch.bool)


def test_padding_can_have_another_id() -> None:
    assert pad([[5, 6], [8]], CPU, padding=9).ids.tolist() == [[5, 6], [8, 9]]


@pytest.mark.parametrize("sequences", [[], [[]], [[1], []]])
def test_an_empty_text_in_a_batch_is_refused(sequences: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        pad(sequences, CPU)


def test_length_mask_is_true_at_the_first_tokens() -> None:
    mask = length_mask(torch.tensor([0, 2, 3], device=CPU), 3)
    assert mask.tolist() == [[False] * 3, [True, True, False], [True] * 3]


def softmax_by_loop(scores: list[float], mask: list[bool]) -> list[float]:
    total = sum(math.exp(s) for s, real in zip(scores, mask, strict=True) if real)
    return [math.exp(s) / total if real else 0.0 for s, real in zip(scores, mask, strict=True)]


@pytest.mark.parametrize("dim", [-1, 1])
def test_masked_softmax_equals_a_loop_over_real_tokens(dim: int) -> None:
    scores = torch.randn(4, 6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    mask = length_mask(torch.tensor([6, 1, 3, 2]), 6).unsqueeze(1 if dim == -1 else 2).expand(4, 6, 6)
    weights = masked_softmax(scores, mask, dim)
    for lines in zip(scores, mask, weights, strict=True):
        rows = lines if dim == -1 else tuple(table.T for table in lines)
        for score, real, weight in zip(*(table.tolist() for table in rows), strict=True):
            assert weight == pytest.approx(softmax_by_loop(score, real), abs=1e-12)


def test_masked_positions_are_exactly_zero_and_rows_sum_to_one() -> None:
    scores = torch.tensor([[1e4, -1e4, 0.0], [-1e30, 5.0, 1e30]])
    weights = masked_softmax(scores, torch.tensor([[True, True, False], [True, True, True]]))
    assert weights[0, 2] == 0
    assert torch.isfinite(weights).all()
    assert weights.sum(dim=1).tolist() == [1, 1]


def test_a_slice_masked_throughout_gives_zeros_with_a_gradient_of_zeros() -> None:
    scores = torch.randn(2, 3, requires_grad=True)
    weights = masked_softmax(scores, torch.tensor([[False] * 3, [True] * 3]))
    assert weights[0].tolist() == [0, 0, 0]
    weights.square().sum().backward()
    assert scores.grad is not None
    assert torch.isfinite(scores.grad).all()
    assert scores.grad[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("precision", [torch.float16, torch.bfloat16])
def test_low_precision_scores_are_normalised_in_float32(precision: torch.dtype) -> None:
    weights = masked_softmax(torch.zeros(1, 300, dtype=precision), torch.ones(1, 300, dtype=torch.bool))
    assert weights.dtype == torch.float32
    assert float(weights.sum()) == pytest.approx(1, abs=1e-6)
