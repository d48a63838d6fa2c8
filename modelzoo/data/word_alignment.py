"""MultiMWA: English sentence pairs whose words people have aligned (Lan, Jiang, Xu 2021)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from modelzoo.data.alignments import AlignedPair, parse_links
from modelzoo.data.folder import table


def read(data: Path, split: Literal["train", "dev", "test"]) -> tuple[AlignedPair, ...]:
    """Pairs of MTRef (translations of news, with their references); all links are sure."""
    rows = table(data / "nli" / "word_alignment" / f"mtref_{split}.tsv.gz")
    return tuple(
        AlignedPair(
            tuple(row["sentence1_tokens"].split()),
            tuple(row["sentence2_tokens"].split()),
            parse_links(row["alignment"]),
        )
        for row in rows
    )
