"""What follows from an answer and what people say is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from modelzoo.columns import VERDICT
from modelzoo.metrics import bleu_of_counts, chrf_of_counts, text_counts


def gold_columns(
    gold: Sequence[str | None], answers: Sequence[str | None], *, language: str | None = None
) -> pa.Table:
    """`correct`; or of texts `m_bleu`, `m_chrf` of each row, and the counts that corpus scores sum up;
    missing without gold or answer.

    `language` is the one that a model writes in, None for labels: a label is right or wrong, a text is
    scored.
    """
    pairs = list(zip(gold, answers, strict=True))
    columns: dict[str, list[Any]] = {name: [None] * len(pairs) for name in VERDICT.names}
    if language is None:
        columns["correct"] = [None if g is None or a is None else g == a for g, a in pairs]
    else:
        _score(columns, pairs, language)
    return pa.table(columns, schema=VERDICT)


def _score(
    columns: dict[str, list[Any]], pairs: Sequence[tuple[str | None, str | None]], language: str
) -> None:
    both = [(place, g, a) for place, (g, a) in enumerate(pairs) if g is not None and a is not None]
    if not both:
        return
    places, gold, answers = zip(*both, strict=True)
    counts = text_counts(gold, answers, language)
    chrf = chrf_of_counts(counts.chrf).tolist()
    for place, bleu_counts, chrf_counts, score in zip(places, *counts, chrf, strict=True):
        columns["m_bleu"][place] = bleu_of_counts(bleu_counts, is_row=True)
        columns["m_chrf"][place] = score
        columns["bleu_counts"][place], columns["chrf_counts"][place] = bleu_counts, chrf_counts
