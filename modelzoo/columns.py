"""The columns of a run: one row an example, its measures, and its attention in two bytes a weight.

A measure that does not apply is missing (null). Weights are float16, row by row, padding cut; read again
their rows sum to 1 up to the rounding, and are divided by that sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

WEIGHT = np.dtype("<f2")
"""How a weight is stored."""
MAP = pa.struct(
    [
        *((name, pa.string()) for name in ("name", "row_kind", "column_kind")),
        *((name, pa.int32()) for name in ("rows", "columns")),
        ("values", pa.binary()),
    ]
)
"""One map: its name, what its axes are (`hop`, or a side of the input or output), its size, its weights."""
DROPPED, REPEATED = 0.25, 2.0
"""Attention that a source piece gets from all output pieces together: one that is read once gets 1. Below
the first it counts as dropped, above the second as repeated."""


@dataclass(frozen=True)
class Measure:
    """A number of each example: its title, what it is, its least and its largest value (None: no bound)."""

    title: str
    meaning: str
    low: float | None = 0.0
    high: float | None = 1.0


MEASURES: dict[str, Measure] = {
    "entropy": Measure(
        "entropy",
        "how spread a row is, in bits, mean over the rows; 0 when each reads one word",
        high=None,
    ),
    "maximum": Measure("maximum", "the largest weight of a row, mean over the rows"),
    "coverage": Measure(
        "coverage",
        "how much of its equal share each word receives, at most all of it, mean over the words "
        "(Wu et al. 2016, Eq. 14, without the logarithm)",
    ),
    "diagonal": Measure(
        "diagonal",
        "the weight within one word of the line from corner to corner, mean over the rows",
    ),
    "punctuation": Measure("punctuation", "the weight on punctuation marks, mean over the rows"),
    "end": Measure(
        "end token", "the weight on tokens the model adds (end of sentence, NULL), mean over the rows"
    ),
    "hop_overlap": Measure(
        "hop overlap",
        "how far two hops read the same words: mean of A A^T off its diagonal (Lin et al. 2017)",
    ),
    "unaligned": Measure(
        "unaligned words",
        "the share of the words of both sentences that are not each other's best by both directions",
    ),
    "unknown": Measure("unknown words", "the share of the input's words that the vocabulary lacks"),
    "length": Measure("length", "tokens of the (first) text, without those the model adds", high=None),
    "length_pair": Measure("second length", "tokens of the second text, or of the output", high=None),
    "negation": Measure(
        "negation", "words of an English input that negate: not, n't, no, never …", high=None
    ),
    "overlap": Measure(
        "word overlap",
        "the share of the different words of hypothesis (or output) that the other text has",
    ),
    "length_ratio": Measure("length ratio", "output pieces a source piece", high=None),
    "dropped": Measure("dropped", f"the share of source pieces that get less than {DROPPED:g} in all"),
    "repeated": Measure("repeated", f"the share of source pieces that get more than {REPEATED:g} in all"),
    "cut": Measure("cut", "1 when the output was cut at its limit, else 0"),
    "bleu": Measure("BLEU", "BLEU of this one output (sacrebleu, effective order)", high=100.0),
    "chrf": Measure("chrF", "chrF2 of this one output (sacrebleu)", high=100.0),
}
"""Every measure by the name of its column, without `m_`. Where a model has several maps a measure of
attention is the mean of those that are no mean of others and look at another text or along the hops."""
PREFIX = "m_"
OF_GOLD = ("bleu", "chrf")
"""Measures that need what people say is right."""

ANSWER = pa.schema(
    [
        ("prediction", pa.string()),
        ("confidence", pa.float32()),
        ("probabilities", pa.list_(pa.float32())),
        ("log_probability", pa.float32()),
        ("tokens", pa.list_(pa.string())),
        ("tokens_pair", pa.list_(pa.string())),
        *((PREFIX + name, pa.float32()) for name in MEASURES if name not in OF_GOLD),
        ("attention", pa.list_(MAP)),
    ]
)
"""What a model says of an example."""
COUNTS = ("bleu_counts", "chrf_counts")
"""What the BLEU and chrF of many rows sum up: `metrics.TextCounts`."""
VERDICT = pa.schema(
    [
        ("correct", pa.bool_()),
        *((PREFIX + name, pa.float32()) for name in OF_GOLD),
        *((name, pa.list_(pa.int32())) for name in COUNTS),
    ]
)
"""What follows from an answer and what people say is right."""


def read_attention(cell: Iterable[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """The maps of one row's `attention` by name, float32, (rows, columns) each; rows sum to 1.

    ValueError when a map's bytes do not fit its shape.
    """
    found = {}
    for one in cell:
        shape = (one["rows"], one["columns"])
        if len(one["values"]) != WEIGHT.itemsize * shape[0] * shape[1]:
            raise ValueError(
                f"the map {one['name']!r} has {len(one['values'])} bytes for {shape[0]} by {shape[1]} weights"
            )
        weights = np.frombuffer(one["values"], WEIGHT).reshape(shape).astype(np.float32)
        found[one["name"]] = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    return found
