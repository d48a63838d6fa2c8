"""Generated runs: parts written by hand, with answers whose errors are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from modelzoo.columns import ANSWER, VERDICT

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("line", pa.int64()),
        *((name, pa.string()) for name in ("text", "text_pair", "gold")),
        *ANSWER,
        *VERDICT,
        *((name, pa.string()) for name in ("x_genre", 'x_odd "name"; --')),
    ]
)
ODD = 'x_odd "name"; --'
LABELS = ("no", "yes")
WORDS = ("the", "cat", "dog", "saw", "not", "big", "今天", "<b>")


def label_rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    """Rows of a label run; rows with a negation are wrong much more often."""
    chance = np.random.default_rng(seed)
    made = []
    for row in range(count):
        words = list(chance.choice(WORDS, size=int(chance.integers(3, 9))))
        negates = "not" in words
        gold = LABELS[int(chance.integers(2))]
        right = bool(chance.random() > (0.6 if negates else 0.1))
        confidence = float(chance.uniform(0.5, 1.0))
        said = gold if right else LABELS[1 - LABELS.index(gold)]
        made.append(
            {
                "row": row,
                "line": row + 2,
                "text": " ".join(words),
                "gold": gold if row % 17 else None,
                "prediction": said,
                "correct": right if row % 17 else None,
                "confidence": confidence,
                "probabilities": [confidence, 1 - confidence],
                "tokens": words,
                "m_length": len(words),
                "m_negation": float(negates),
                "m_entropy": float(chance.uniform(0, 3)),
                "attention": [hops(chance, len(words))],
                "x_genre": ("news", "film")[row % 2],
                ODD: "a'b" if row == 3 else None,
            }
        )
    return made


def hops(chance: np.random.Generator, columns: int, rows: int = 2) -> dict[str, Any]:
    weights = chance.dirichlet(np.ones(columns), size=rows).astype("<f2")
    axes = {"name": "hops", "row_kind": "hop", "column_kind": "sentence"}
    return {**axes, "rows": rows, "columns": columns, "values": weights.tobytes()}


def write(folder: Path, rows: list[dict[str, Any]], size: int = 100) -> list[Path]:
    """The rows as parts."""
    paths = []
    for start in range(0, len(rows), size):
        paths.append(folder / f"part-{start // size:05}.parquet")
        pq.write_table(pa.Table.from_pylist(rows[start : start + size], schema=SCHEMA), paths[-1])
    return paths
