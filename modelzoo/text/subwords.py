"""Subword pieces of one vocabulary for two languages (Hugging Face `tokenizers`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tokenizers import Tokenizer

from modelzoo.results import Token
from modelzoo.text.base import Encoded, Text, normalise, write_json

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SUBWORD_SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
WORD_START = "▁"


class SubwordText(Text):
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
    def train(
        cls, texts: Iterable[str], size: int, *, source_language: str, target_language: str
    ) -> SubwordText:
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
            # the first word's blank is not in the text, so its offsets say nothing
            typed = "" if piece == WORD_START else text[start:end].strip()
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
                raise ValueError(f"{piece!r} is not a piece of this model; give a text, or pieces it has")
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
        write_json(folder / "text.json", {"kind": self.kind, **languages})

    @classmethod
    def load(cls, folder: Path, about: dict[str, Any]) -> SubwordText:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        return cls(
            tokenizer, source_language=about["source_language"], target_language=about["target_language"]
        )
