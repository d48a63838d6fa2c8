"""95 % intervals of scores: what another sample of as many rows might have given."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from modelzoo.metrics import bleu_of_counts, chrf_of_counts, rouge1, text_counts

Interval = tuple[float, float]
DRAWS = 1000
Z = 1.959964
"""The normal deviate of 95 %."""


def wilson(right: int, rows: int) -> Interval:
    """Wilson's interval of a share, 0 to 1."""
    share, z = right / rows, Z * Z / rows
    half = Z * sqrt(share * (1 - share) / rows + z / (4 * rows))
    return max(0.0, (share + z / 2 - half) / (1 + z)), min(1.0, (share + z / 2 + half) / (1 + z))


def label_intervals(gold: Sequence[str], predicted: Sequence[str]) -> dict[str, Interval]:
    """The intervals of label predictions by metric."""
    return {"accuracy": wilson(sum(g == p for g, p in zip(gold, predicted, strict=True)), len(gold))}


def text_intervals(
    gold: Sequence[str], predicted: Sequence[str], language: str = "en", *, seed: int = 0
) -> dict[str, Interval]:
    """The intervals of written texts by metric, from rows drawn anew with the seed."""
    each = np.array([rouge1([g], [p]) for g, p in zip(gold, predicted, strict=True)])
    counts, draws = text_counts(gold, predicted, language), _draws(len(gold), seed)
    return {
        "bleu": _middle([bleu_of_counts(counts.bleu[rows].sum(axis=0)) for rows in draws]),
        "chrf": _middle(chrf_of_counts(np.stack([counts.chrf[rows].sum(axis=0) for rows in draws]))),
        "rouge1": _middle([each[rows].mean() for rows in draws]),
    }


def _draws(rows: int, seed: int) -> np.ndarray:
    """Row numbers, as many as there are rows, with repeats, DRAWS times."""
    return np.random.default_rng(seed).integers(rows, size=(DRAWS, rows))


def _middle(scores: Sequence[float] | np.ndarray) -> Interval:
    low, high = np.percentile(scores, [2.5, 97.5])
    return float(low), float(high)
