"""Text to tokens and back: one normalisation rule, words for English, subwords for translation.

The rule, the same for every model: Unicode NFC; control and invisible characters are dropped (a
zero-width joiner stays inside a word or emoji); every run of white space is one blank. A word model
reads the lower-case form with plain quotes, a subword model keeps case. The typed form is kept beside.
"""

from __future__ import annotations

import json
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import regex
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from modelzoo.results import Token

VECTORS_DIR = Path(__file__).resolve().parent.parent / "assets" / "vectors"
PAD, BOS, EOS, UNK = 0, 1, 2, 3
SUBWORD_SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
WORD_START = "▁"
_JOINERS = "\u200c\u200d"


class Encoded(NamedTuple):
    """A text's tokens and their ids, of equal length."""

    tokens: tuple[Token, ...]
    ids: tuple[int, ...]


class Text(Protocol):
    """What a model needs from its text side; `decode` exists where the model writes text."""

    kind: ClassVar[str]

    def encode(self, text: str) -> Encoded: ...
    def save(self, folder: Path) -> None: ...


def normalise(text: str) -> str:
    """The text under the module's rule; a lone surrogate becomes U+FFFD."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = regex.sub(r"\s+", " ", text)
    text = "".join(c for c in text if c in _JOINERS or unicodedata.category(c) not in ("Cc", "Cf"))
    text = regex.sub(rf"(?<![^\s])[{_JOINERS}]+|[{_JOINERS}]+(?![^\s])", "", text)
    return unicodedata.normalize("NFC", regex.sub(" +", " ", text).strip())


# --- words -----------------------------------------------------------------------------------

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

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.txt").write_text("\n".join(self.words) + "\n", encoding="utf-8")
        save_file({"vectors": self.matrix.astype(np.float16)}, folder / f"{self.name}.safetensors")


class WordText:
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
        tokens = tuple(
            Token(typed, model, True) if model in self else Token(typed, "<unk>", False) for typed, model in pairs
        )
        return Encoded(tokens, tuple(self.id(model) for _, model in pairs))

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
        _write_json(folder / "text.json", about)
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


# --- subwords --------------------------------------------------------------------------------


class SubwordText:
    """Subword pieces of one vocabulary for both languages (byte-pair encoding, Hugging Face `tokenizers`).

    Ids 0 to 3 are padding, start, end and unknown; `▁` marks the start of a word. What is typed is
    never read as a special token. A run of characters the vocabulary lacks is one `<unk>`.
    """

    kind: ClassVar[str] = "subwords"

    def __init__(self, tokenizer: Tokenizer, *, source_language: str, target_language: str) -> None:
        tokenizer.encode_special_tokens = True
        self.tokenizer = tokenizer
        self.source_language, self.target_language = source_language, target_language

    @classmethod
    def train(cls, texts: Iterable[str], size: int, *, source_language: str, target_language: str) -> SubwordText:
        """Learn `size` pieces from texts (both languages)."""
        from tokenizers import models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Metaspace(),
                pre_tokenizers.Punctuation("isolated"),
                pre_tokenizers.Digits(individual_digits=True),
            ]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(SUBWORD_SPECIALS), show_progress=False, limit_alphabet=4000
        )
        tokenizer.train_from_iterator((normalise(text) for text in texts), trainer)
        return cls(tokenizer, source_language=source_language, target_language=target_language)

    @property
    def size(self) -> int:
        """The number of ids."""
        return self.tokenizer.get_vocab_size()

    def encode(self, text: str) -> Encoded:
        """The pieces of a text and the end token."""
        text = normalise(text)
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        tokens, ids = [], []
        for i, (piece_id, (start, end)) in enumerate(zip(encoding.ids, encoding.offsets, strict=True)):
            piece = encoding.tokens[i]
            if piece == WORD_START and i + 1 < len(encoding.ids) and encoding.ids[i + 1] == UNK:
                continue  # the blank before an unknown word says nothing
            typed = "" if piece == WORD_START else text[start:end].strip()  # the first blank is not in the text
            tokens.append(Token(typed or piece, piece, piece_id != UNK))
            ids.append(piece_id)
        return Encoded((*tokens, self.token(EOS)), (*ids, EOS)) if ids else Encoded((), ())

    def token(self, piece_id: int) -> Token:
        """The token of an id, for text the model wrote."""
        piece = self._piece(piece_id)
        typed = piece.removeprefix(WORD_START) or piece
        return Token(typed, piece, piece_id != UNK, special=piece_id in (PAD, BOS, EOS))

    def _piece(self, piece_id: int) -> str:
        piece = self.tokenizer.id_to_token(piece_id)
        if piece is None:
            raise ValueError(f"{piece_id} is no id of this vocabulary; it has {self.size}")
        return piece

    def piece_ids(self, pieces: Sequence[str]) -> tuple[int, ...]:
        """Ids of the model's own pieces; ValueError names one it does not have."""
        ids = []
        for piece in pieces:
            piece_id = self.tokenizer.token_to_id(piece)
            if piece_id is None or piece_id in (PAD, BOS):
                raise ValueError(f"{piece!r} is not a piece of this model's vocabulary; give a text, or pieces it has")
            ids.append(piece_id)
        return tuple(ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text that ids spell, end token and padding left out."""
        pieces = [self._piece(i) for i in ids if i not in (PAD, BOS, EOS)]
        return "".join(pieces).replace(WORD_START, " ").strip()

    def save(self, folder: Path) -> None:
        """Write tokenizer.json and text.json."""
        self.tokenizer.save(str(folder / "tokenizer.json"))
        languages = {"source_language": self.source_language, "target_language": self.target_language}
        _write_json(folder / "text.json", {"kind": self.kind, **languages})

    @classmethod
    def load(cls, folder: Path, about: dict[str, Any]) -> SubwordText:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        return cls(
            tokenizer, source_language=about["source_language"], target_language=about["target_language"]
        )


def load_text(folder: Path) -> WordText | SubwordText:
    """The text side of a checkpoint folder; ValueError when text.json names an unknown kind."""
    about = json.loads((folder / "text.json").read_text(encoding="utf-8"))
    if about["kind"] == WordText.kind:
        return WordText.load(folder, about)
    if about["kind"] == SubwordText.kind:
        return SubwordText.load(folder, about)
    raise ValueError(f"{folder / 'text.json'} names the text kind {about['kind']!r}; accepted are words and subwords")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
