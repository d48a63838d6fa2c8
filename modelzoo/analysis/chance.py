"""Whether counts differ by more than chance: Fisher's exact test, McNemar's, and Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log

import numpy as np

_CLOSE = 1e-7
"""Probabilities that differ by less, relative to each other, count as equal."""


def fisher(inside: tuple[int, int], outside: tuple[int, int]) -> float:
    """Fisher's exact test, two-sided: the probability, margins given, of a table no likelier than this one.

    Each pair is (errors, right ones).
    """
    errors, size, total = inside[0] + outside[0], sum(inside), sum(inside) + sum(outside)
    low, high = max(0, errors + size - total), min(errors, size)
    k = np.arange(low, high + 1)
    logs = _log_factorials(total)
    log_p = -logs[k] - logs[size - k] - logs[errors - k] - logs[total - size - errors + k]
    p = np.exp(log_p - log_p.max())
    here = p[inside[0] - low]
    return float(min(1.0, p[p <= here * (1 + _CLOSE)].sum() / p.sum()))


def mcnemar(first_only: int, second_only: int) -> float:
    """McNemar's exact test, two-sided: of the rows that one model alone gets right, as uneven by a coin."""
    n, k = first_only + second_only, min(first_only, second_only)
    logs = _log_factorials(n)
    log_p = logs[n] - logs[: k + 1] - logs[n - np.arange(k + 1)] - n * log(2)
    return float(min(1.0, 2 * np.exp(log_p).sum()))


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> np.ndarray:
    """log k! of k from 0 to n."""
    found: np.ndarray = np.concatenate([[0.0], np.log(np.arange(1, n + 1)).cumsum()])
    return found


def holm(p: Sequence[float]) -> list[float]:
    """The probabilities corrected for their number (Holm 1979), in the order given."""
    corrected, highest = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[i]))
        corrected[i] = highest
    return corrected
