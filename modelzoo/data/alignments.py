"""Sentence pairs whose words people have aligned: ours, and the gold sets of other corpora.

Ours (`assets/examples/alignments-en-fr.jsonl`) are sixty sentences written and aligned by hand for this
project, before any attention map was seen. Words are what `words_of` finds. A link is sure where the
two words translate each other; possible are links to what only one language says: an auxiliary ("is"
riding), an article, the ne of "ne … jamais", a small word inside an expression ("en bois").
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from modelzoo.data.folder import lines

EXAMPLES_DIR = Path(__file__).resolve().parents[2] / "assets" / "examples"
Links = frozenset[tuple[int, int]]

_PLAIN = r"[^\W_]+(?:-[^\W_]+)*"
_WORD = {
    "en": re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]"),
    "fr": re.compile(rf"{_PLAIN}['’]|{_PLAIN}|[^\w\s]"),
}


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair in words, and its links (source word, target word); sure and possible are disjoint."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: Links
    possible: Links = frozenset()

    def swapped(self) -> AlignedPair:
        """The same pair in the other direction."""
        return AlignedPair(self.target, self.source, _swapped(self.sure), _swapped(self.possible))


@dataclass(frozen=True)
class GoldSet:
    """One file of the folder `alignment` and its direction."""

    name: str
    file: str
    languages: tuple[str, str]


GOLD_SETS = (
    GoldSet("Hansards trial", "hansards-en-fr/trial.tsv.gz", ("en", "fr")),
    GoldSet("Europarl, first 97", "golden-en-fr/all.tsv.gz", ("en", "fr")),
    GoldSet("Europarl, Bicici", "bicici-de-en/test.tsv.gz", ("de", "en")),
    GoldSet("newswire, Tsinghua", "tsinghua-zh-en/test.tsv.gz", ("zh", "en")),
)
"""Parliament and news: far from captions and everyday sentences, so out of domain for our models."""


def words_of(text: str, language: str) -> list[str]:
    """English and French words: marks stand alone; an English apostrophe stays inside its word (don't),
    a French one ends its word (l' eau)."""
    return _WORD[language].findall(text)


def spelled(words: tuple[str, ...]) -> str:
    """A text of these words as people would write it: no blank around apostrophes and hyphens, none
    before a full stop or comma. Letters and marks are the words' own."""
    text = re.sub(r"(?<=\w) ?(['’]) ?(?=\w)|(?<=\w) (-) (?=\w)", r"\1\2", " ".join(words))
    return re.sub(r" ([.,])(?= |$)", r"\1", text)


def read_ours(languages: tuple[str, str] = ("en", "fr")) -> tuple[AlignedPair, ...]:
    """Our pairs of these languages; none where we have none."""
    path = EXAMPLES_DIR / f"alignments-{'-'.join(languages)}.jsonl"
    if not path.is_file():
        return ()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return tuple(
        AlignedPair(
            tuple(row["source_tokens"]),
            tuple(row["target_tokens"]),
            parse_links(" ".join(row["sure"])),
            parse_links(" ".join(row["possible"])),
        )
        for row in rows
    )


def read_gold(data: Path, gold: GoldSet, languages: tuple[str, str]) -> tuple[AlignedPair, ...]:
    """A gold set in the direction of these languages; ValueError when it is of others."""
    pairs = []
    for line in lines(data / "alignment" / gold.file):
        _, source, target, sure, possible = line.split("\t")
        pair = (tuple(source.split(" ")), tuple(target.split(" ")))
        pairs.append(AlignedPair(*pair, parse_links(sure), parse_links(possible)))
    if languages == gold.languages:
        return tuple(pairs)
    if languages == gold.languages[::-1]:
        return tuple(pair.swapped() for pair in pairs)
    raise ValueError(f"{gold.name} aligns {'-'.join(gold.languages)}, not {'-'.join(languages)}")


def parse_links(written: str) -> Links:
    """`0-0 3-5` as {(0, 0), (3, 5)}."""
    return frozenset((int(i), int(j)) for i, _, j in (link.partition("-") for link in written.split()))


def _swapped(links: Links) -> Links:
    return frozenset((j, i) for i, j in links)
