"""Results made by hand, for tests of what only reads them."""

from __future__ import annotations

import numpy as np

from modelzoo.results import (
    AttentionMap,
    AttentionResult,
    Candidate,
    Internal,
    LabelPrediction,
    TextPrediction,
    Token,
)
from modelzoo.tasks import Sentence, SourceText

ODD_TOKENS = (
    "the",
    "<b>bold</b>",
    "&amp;",
    "$x$",
    "the",
    '"q", a',
    "今天",
    "هذا",
    "10",
    "2",
    "a\nb",
    "**m**",
)


def tokens(*typed: str) -> tuple[Token, ...]:
    return tuple(Token(text, text.lower()) for text in typed)


def attention(rows: tuple[str, ...], columns: tuple[str, ...], *, name: str = "alignment") -> AttentionMap:
    """A seeded map over these labels."""
    values = np.random.default_rng(0).dirichlet(np.ones(len(columns)), size=len(rows))
    return AttentionMap(
        name,
        values,
        rows,
        columns,
        title="where it looked",
        row_kind="target",
        column_kind="source",
        equation="Eq. (6)",
    )


def label_result() -> AttentionResult:
    words = (*tokens("The", "cat"), Token("zyzzyva", "<unk>", known=False))
    hops = attention(("hop 1", "hop 2"), ("The", "cat", "zyzzyva"), name="hops")
    return AttentionResult(
        Sentence("The cat zyzzyva"),
        {"sentence": words},
        LabelPrediction(("negative", "positive"), np.array([0.25, 0.75])),
        (hops,),
        (
            Internal("AAT", hops.values @ hops.values.T, ("hop", "hop"), "Eq. (8)"),
            Internal("scores", np.zeros((2, 3)), ("hop", "sentence")),
            Internal("P", np.array(1.5), (), "Eq. (8)"),
        ),
        checkpoint="sample",
    )


def text_result() -> AttentionResult:
    end = Token("</s>", "</s>", special=True)
    written = ("▁le", "▁chat", "</s>")
    candidate = Candidate(written, "le chat", -0.6, -0.2, True)
    return AttentionResult(
        SourceText("the cat", beam_size=2),
        {"source": (*tokens("the", "cat"), end), "target": (*tokens("le", "chat"), end)},
        TextPrediction("le chat", written, np.array([-0.1, -0.2, -0.3]), (candidate,), True),
        (attention(("le", "chat", "</s>"), ("the", "cat", "</s>")),),
        checkpoint="sample",
        notes=("cut at 3 tokens",),
    )
