"""The tokens of one side of a batch: their typed forms, and masks that say what they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from modelzoo.batching import length_mask
from modelzoo.models.base import EncodedInputs
from modelzoo.results import Token
from modelzoo.transform.selection import is_punctuation


class Side(NamedTuple):
    """One side of a batch.

    Shapes:
        typed    B lists of texts, as an array for the `tokens` column
        lengths  (B,) int64, added tokens counted
        real     (B, n) True at tokens of the text, added ones left out
        added    (B, n) True at tokens that the model adds (end of sentence, NULL)
        marks    (B, n) True at punctuation
        unknown  (B, n) True at tokens that the vocabulary lacks
    """

    typed: pa.ListArray
    lengths: Tensor
    real: Tensor
    added: Tensor
    marks: Tensor
    unknown: Tensor

    @property
    def mask(self) -> Tensor:
        """(B, n) True at every token, added ones too."""
        return self.real | self.added

    def words(self) -> Tensor:
        """The number of tokens without added ones, (B,)."""
        return self.real.sum(dim=1)


def side_of(encoded: Sequence[EncodedInputs], side: str, device: torch.device) -> Side:
    """A side of every item of a batch."""
    tokens = [item.sides[side].tokens for item in encoded]
    flat = [token for one in tokens for token in one]
    sizes = np.array([len(one) for one in tokens])
    offsets = np.concatenate([[0], sizes.cumsum()]).astype(np.int32)
    typed = pa.ListArray.from_arrays(offsets, pa.array([token.typed for token in flat], pa.string()))
    lengths = torch.tensor(sizes, device=device)
    mask = length_mask(lengths, int(sizes.max()))
    kinds = torch.zeros(mask.shape, dtype=torch.uint8, device=device)
    kinds[mask] = torch.tensor([_kind(token) for token in flat], dtype=torch.uint8, device=device)
    added, marks, unknown = ((kinds & bit).bool() for bit in (_ADDED, _MARK, _UNKNOWN))
    return Side(typed, lengths, mask & ~added, added, marks, unknown)


_ADDED, _MARK, _UNKNOWN = 1, 2, 4


@lru_cache(maxsize=100_000)
def _kind(token: Token) -> int:
    """What a token is, as bits."""
    return _ADDED * token.special + _MARK * is_punctuation(token) + _UNKNOWN * (not token.known)
