"""Padding, masks and the softmax that respects them.

Masks are True where a real token stands; padding is on the right. Every tensor is made on a named device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class Padded(NamedTuple):
    """A batch of token ids.

    Shapes:
        ids      (B, n) int64, 0 at padding
        lengths  (B,)   int64
        mask     (B, n) bool, True at real tokens
    """

    ids: Tensor
    lengths: Tensor
    mask: Tensor


def length_mask(lengths: Tensor, size: int) -> Tensor:
    """True at the first `lengths[b]` of `size` positions.

    Shapes:
        lengths  (B,)
        result   (B, size)
    """
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(-1)


def pad(sequences: Sequence[Sequence[int]], device: torch.device, padding: int = 0) -> Padded:
    """Put sequences of ids into one batch. Raises ValueError for an empty one."""
    if not sequences or any(len(sequence) == 0 for sequence in sequences):
        raise ValueError("a batch was given an empty text; every text needs at least one token")
    size = max(len(sequence) for sequence in sequences)
    rows = [list(sequence) + [padding] * (size - len(sequence)) for sequence in sequences]
    lengths = torch.tensor([len(sequence) for sequence in sequences], dtype=torch.int64, device=device)
    ids = torch.tensor(rows, dtype=torch.int64, device=device)
    return Padded(ids, lengths, length_mask(lengths, size))


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Softmax over `dim` in at least float32; exactly 0 where `mask` (broadcast) is False.

    A slice that is masked throughout gives zeros, not NaN.
    """
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    scores = scores.masked_fill(~mask, float("-inf"))
    highest = scores.amax(dim=dim, keepdim=True)
    highest = highest.masked_fill(highest == float("-inf"), 0.0)
    weights = torch.exp(scores - highest)  # exp(-inf) is exactly 0
    return weights / weights.sum(dim=dim, keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny)
