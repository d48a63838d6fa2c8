"""English words over pretrained vectors: Penn Treebank clitics, lower case, unknown words hashed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import regex
from safetensors.numpy import load_file, save_file

from modelzoo.results import Token
from modelzoo.text.base import Encoded, Text, normalise, write_json

VECTORS_DIR = Path(__file__).resolve().parents[2] / "assets" / "vectors"
_LETTER = r"[\p{L}\p{M}\p{N}_\u200c\u200d]"
_CLITIC = r"['’](?:s|re|ve|ll|d|m)(?!\p{L})"


@cache
def _word_pattern() -> regex.Pattern[str]:
    """Penn Treebank words: clitics, abbreviations and numbers as GloVe has them."""
    return regex.compile(
        rf"""
        </?\p{{L}}{{1,20}}\s?/?>                                  # a marker such as <unk> or <br />
        | n['’]t(?!\p{{L}}) | {_CLITIC}                           # clitics on their own
        | can(?=not(?!\p{{L}}))                                   # can|not
        | (?:\p{{L}}\.){{2,}}                                     # u.s.
        | (?:mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|inc|corp|no)\.(?=\s)
        | {_LETTER}+?(?=n['’]t(?!\p{{L}}))                        # do|n't
        | [.,]?\p{{N}}+(?:[.,:/]\p{{N}}+)*(?![\p{{L}}\p{{M}}_-])  # 10,000  3.5  9:30
        | {_LETTER}+(?:-{_LETTER}+|(?!{_CLITIC})['’]{_LETTER}+)*  # well-known, o'brien
        | \.{{2,}} | -{{2,}} | `{{2}} | '{{2}} | \X               # marks; else one grapheme
        """,
        regex.VERBOSE | regex.IGNORECASE,
    )


def words(text: str) -> list[tuple[str, str]]:
    """The (typed, model) forms of an English text's words, in order; nothing typed is lost but blanks."""
    text = normalise(text)
    pairs = []
    for match in _word_pattern().finditer(text):
        typed = match.group()
        if not typed.isspace():
            pairs.append((typed, _model_form(typed, text[: match.start()])))
    return pairs


def first_words(text: str, count: int) -> str:
    """The text up to the end of its `count`-th word."""
    text, end = normalise(text), 0
    for typed, _ in words(text)[:count]:
        end = text.index(typed, end) + len(typed)
    return text[:end]


def _model_form(typed: str, before: str) -> str:
    if typed in ('"', "“", "”"):
        opens = typed == "“" or (typed == '"' and (not before or before[-1] in " ([{-"))
        return "``" if opens else "''"
    return typed.lower().replace("’", "'").replace("‘", "'").replace("–", "--").replace("—", "--")


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Pretrained vectors: the words in order and their matrix (words, d) float32."""

    name: str
    words: tuple[str, ...]
    matrix: np.ndarray

    @classmethod
    def load(cls, name: str, folder: Path = VECTORS_DIR) -> WordVectors:
        """The shared vectors of that name; FileNotFoundError names the missing file."""
        matrix_file, words_file = folder / f"{name}.safetensors", folder / f"{name}.txt"
        words = tuple(words_file.read_text(encoding="utf-8").splitlines())
        return cls(name, words, load_file(matrix_file)["vectors"].astype(np.float32))

    def neighbours(self, word: str, k: int) -> tuple[tuple[str, float], ...]:
        """The k words nearest to a word's model form, by cosine, nearest first; none for a word not here."""
        place = self._places.get(word)
        if place is None:
            return ()
        cosines = self.matrix @ self.matrix[place] / (self._norms * self._norms[place])
        cosines[place] = -np.inf
        nearest = np.argsort(-cosines, kind="stable")[: min(k, len(cosines) - 1)]
        return tuple((self.words[i], float(cosines[i])) for i in nearest)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def _norms(self) -> np.ndarray:
        return np.maximum(np.linalg.norm(self.matrix, axis=1), 1e-12)  # (words,)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.txt").write_text("\n".join(self.words) + "\n", encoding="utf-8")
        save_file({"vectors": self.matrix.astype(np.float16)}, folder / f"{self.name}.safetensors")


class WordText(Text):
    """English words over pretrained vectors.

    Ids: 0 padding, 1 NULL, then `oov_buckets` random vectors to which unknown words are hashed
    (crc32, the same on every machine), then the words. `table` is (ids, d) float32; row 0 is zero.
    `trained_words` are those of the training text: a model may learn an offset for them.
    """

    kind: ClassVar[str] = "words"
    NULL: ClassVar[int] = 1

    def __init__(
        self,
        vectors: WordVectors,
        *,
        trained_words: Sequence[str] = (),
        oov_buckets: int = 100,
        seed: int = 0,
        shared: bool = True,
    ) -> None:
        self.vectors, self.oov_buckets, self.seed, self.shared = vectors, oov_buckets, seed, shared
        first = 2 + oov_buckets
        self._ids = {word: first + i for i, word in enumerate(vectors.words)}
        self.trained_words = tuple(word for word in trained_words if word in self._ids)
        dimension = vectors.matrix.shape[1]
        fixed = np.random.default_rng(seed).standard_normal((first, dimension)).astype(np.float32)
        fixed[0] = 0.0
        self.table = np.concatenate([fixed, vectors.matrix.astype(np.float32)])

    def id(self, word: str) -> int:
        """The id of a word's model form; an unknown word's is its bucket's."""
        return self._ids.get(word, 2 + zlib.crc32(word.encode("utf-8")) % self.oov_buckets)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def encode(self, text: str) -> Encoded:
        pairs = words(text)
        tokens = [Token(typed, form if form in self else "<unk>", form in self) for typed, form in pairs]
        return Encoded(tuple(tokens), tuple(self.id(form) for _, form in pairs))

    def save(self, folder: Path) -> None:
        """Write text.json; the vectors go beside it unless they are the shared ones."""
        about: dict[str, Any] = {
            "kind": self.kind,
            "vectors": self.vectors.name,
            "shared": self.shared,
            "oov_buckets": self.oov_buckets,
            "seed": self.seed,
            "trained_words": list(self.trained_words),
        }
        write_json(folder / "text.json", about)
        if not self.shared:
            self.vectors.save(folder)

    @classmethod
    def load(cls, folder: Path, about: dict[str, Any]) -> WordText:
        vectors = WordVectors.load(about["vectors"], VECTORS_DIR if about["shared"] else folder)
        return cls(
            vectors,
            trained_words=about["trained_words"],
            oov_buckets=about["oov_buckets"],
            seed=about["seed"],
            shared=about["shared"],
        )
