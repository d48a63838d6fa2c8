"""What follows from an answer and what people say is right."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from modelzoo.columns import VERDICT
from modelzoo.metrics import bleu_tokenizer


def gold_columns(
    gold: Sequence[str | None], answers: Sequence[str | None], *, language: str | None = None
) -> pa.Table:
    """`correct`, `m_bleu`, `m_chrf` of each row; missing without gold or answer.

    `language` is the one that a model writes in, None for labels: a label is right or wrong, a text is
    scored.
    """
    pairs = list(zip(gold, answers, strict=True))
    columns: dict[str, list[bool | float | None]] = {name: [None] * len(pairs) for name in VERDICT.names}
    if language is None:
        columns["correct"] = [None if g is None or a is None else g == a for g, a in pairs]
    else:
        columns["m_bleu"], columns["m_chrf"] = _scores(pairs, language)
    return pa.table(columns, schema=VERDICT)


def _scores(
    pairs: Sequence[tuple[str | None, str | None]], language: str
) -> tuple[list[bool | float | None], list[bool | float | None]]:
    from sacrebleu.metrics import BLEU, CHRF

    metrics = (BLEU(tokenize=bleu_tokenizer(language), effective_order=True), CHRF())
    bleu, chrf = (
        [None if g is None or a is None else float(metric.sentence_score(a, [g]).score) for g, a in pairs]
        for metric in metrics
    )
    return bleu, chrf
