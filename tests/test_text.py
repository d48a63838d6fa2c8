"""The rules of modelzoo/text.py: normalisation, Penn words, subwords, and typed forms that stay as typed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelzoo.text import (
    BOS,
    EOS,
    PAD,
    UNK,
    WORD_START,
    SubwordText,
    WordText,
    load_text,
    normalise,
    words,
)
from tests.tiny import ENGLISH, FRENCH, NASTY, tiny_subwords, tiny_words

TRICKY = st.text() | st.text(alphabet="aeé\u0301\u200b\u200c\u200d\ufeff\u00a0 \n\t'’.-<>/1,n$▁今👩\u0a03")


def without_blanks(text: str) -> str:
    return "".join(text.split())


def typed(text: str) -> list[str]:
    return [form for form, _ in words(text)]


def model_forms(text: str) -> list[str]:
    return [form for _, form in words(text)]


# --- normalisation -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("cafe\u0301", "café"),
        ("e\u200b\u0301", "é"),
        ("a\u200bb", "ab"),
        ("\ufeffa\u200e b\u2060", "a b"),
        ("a\u00a0\u202f\t\n b", "a b"),
        ("  a  ", "a"),
        ("a\x00\x07b", "ab"),
        ("a \u200b b", "a b"),
        ("\u200b", ""),
        ("\u200d \u200c", ""),
        ("👩\u200d👧", "👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ud800x", "\ufffdx"),
        ("", ""),
    ],
)
def test_normalise_follows_its_rule(given_text: str, expected: str) -> None:
    assert normalise(given_text) == expected


@given(TRICKY)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


# --- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know", "i do n't know"),
        ("can't won't isn't DON'T", "ca n't wo n't is n't do n't"),
        ("cannot", "can not"),
        ("it's they've we'll he'd I'm you're", "it 's they 've we 'll he 'd i 'm you 're"),
        ("don’t it’s", "do n't it 's"),
        ("is n't 's n't", "is n't 's n't"),
        ("the boys' dog", "the boys ' dog"),
        ("O'Brien's", "o'brien 's"),
        ("Mr. Smith of the U.S. left at 9 a.m. today", "mr. smith of the u.s. left at 9 a.m. today"),
        ("10,000 3.5 9:30 1/2 .5 1999", "10,000 3.5 9:30 1/2 .5 1999"),
        ("It cost $5.", "it cost $ 5 ."),
        ("2nd B2B", "2nd b2b"),
        ("a well-known, state-of-the-art thing", "a well-known , state-of-the-art thing"),
        ("wait -- no... yes—no", "wait -- no ... yes -- no"),
        ('"Hello," she said.', "`` hello , '' she said ."),
        ("“Hello”", "`` hello ''"),
        ('("Hello")', "( `` hello '' )"),
        ("``Hello''", "`` hello ''"),
        ("LITTLE Little little", "little little little"),
        ("<unk> and <br />", "<unk> and <br />"),
        ("今天 天气 很 好", "今天 天气 很 好"),
        ("هذا كتاب جديد", "هذا كتاب جديد"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("👩\u200d👧👍🏽", "👩\u200d👧 👍🏽"),
    ],
)
def test_words_are_penn_style(text: str, expected: str) -> None:
    assert " ".join(model_forms(text)) == expected


def test_typed_forms_keep_case_and_curly_marks() -> None:
    assert typed("Don’t say “YES”") == ["Do", "n’t", "say", "“", "YES", "”"]


@pytest.mark.parametrize("text", NASTY)
def test_nasty_texts_lose_nothing_but_blanks(text: str) -> None:
    assert without_blanks("".join(typed(text))) == without_blanks(text)


@given(TRICKY)
@settings(max_examples=300)
def test_typed_words_spell_the_normalised_text(text: str) -> None:
    assert without_blanks("".join(typed(text))) == without_blanks(normalise(text))


def test_repeated_words_stay_in_order() -> None:
    assert typed(NASTY[0]) == NASTY[0].split()
    assert typed("a " * 12) == ["a"] * 12


# --- word vocabulary ---------------------------------------------------------------------------


def test_unknown_words_are_marked_and_hashed_to_a_fixed_bucket() -> None:
    text = tiny_words()
    encoded = text.encode("The Zyzzyva sleeps")
    known, unknown, _ = encoded.tokens
    assert (known.typed, known.model, known.known) == ("The", "the", True)
    assert (unknown.typed, unknown.model, unknown.known) == ("Zyzzyva", "<unk>", False)
    assert encoded.ids[1] == text.id("zyzzyva") == text.encode("zyzzyva ZYZZYVA").ids[1]
    assert 2 <= encoded.ids[1] < 2 + text.oov_buckets


def test_padding_has_a_zero_vector_and_null_a_vector_of_its_own() -> None:
    table = tiny_words().table
    assert table.dtype == np.float32
    assert not table[PAD].any()
    assert table[WordText.NULL].any()


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "\n\t\ufeff"])
def test_blank_text_has_no_tokens(text: str) -> None:
    assert tiny_words().encode(text) == ((), ())
    assert tiny_subwords().encode(text) == ((), ())


def test_word_text_survives_save_and_load(tmp_path: Path) -> None:
    text = tiny_words()
    text.save(tmp_path)
    again = load_text(tmp_path)
    assert isinstance(again, WordText)
    assert again.trained_words == text.trained_words
    assert again.encode("The dog zyzzyva") == text.encode("The dog zyzzyva")
    np.testing.assert_allclose(again.table, text.table, atol=2e-3)  # vectors are stored as float16


# --- subwords ----------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", ["<pad>", "<s>", "</s>", "<unk>"])
def test_typed_markers_are_never_special_pieces(marker: str) -> None:
    encoded = tiny_subwords().encode(f"the {marker} dog")
    assert not {PAD, BOS, EOS} & set(encoded.ids[:-1])
    assert "".join(token.typed for token in encoded.tokens[:-1]).replace(WORD_START, "") == f"the{marker}dog"


def test_the_end_token_closes_every_text_and_is_special() -> None:
    encoded = tiny_subwords().encode("the dog")
    assert encoded.ids[-1] == EOS
    assert [token.special for token in encoded.tokens] == [False] * (len(encoded.ids) - 1) + [True]


def test_a_run_of_unknown_characters_is_one_unknown_piece() -> None:
    tokens = tiny_subwords().encode("the 今天 dog").tokens
    (unknown,) = [token for token in tokens if not token.known]
    assert (unknown.typed, unknown.model) == ("今天", "<unk>")


@pytest.mark.parametrize("text", NASTY)
def test_typed_pieces_spell_nasty_texts(text: str) -> None:
    tokens = tiny_subwords().encode(text).tokens[:-1]
    assert without_blanks("".join(token.typed for token in tokens)).replace(WORD_START, "") == without_blanks(
        text
    )


@given(TRICKY)
@settings(max_examples=300)
def test_typed_pieces_spell_the_normalised_text(text: str) -> None:
    tokens = tiny_subwords().encode(text).tokens[:-1]
    spelt = without_blanks("".join(token.typed for token in tokens))
    assert spelt.replace(WORD_START, "") == without_blanks(normalise(text)).replace(WORD_START, "")


@given(st.text(alphabet=sorted({c for sentence in ENGLISH + FRENCH for c in sentence})))
@settings(max_examples=300)
def test_decoding_gives_back_the_text_that_was_encoded(text: str) -> None:
    subwords = tiny_subwords()
    assert subwords.decode(subwords.encode(text).ids) == normalise(text)


def test_pieces_and_ids_are_inverse() -> None:
    subwords = tiny_subwords()
    encoded = subwords.encode(ENGLISH[0])
    assert subwords.piece_ids([token.model for token in encoded.tokens]) == encoded.ids
    assert subwords.piece_ids(["<unk>", "</s>"]) == (UNK, EOS)
    for wrong in ("no such piece", "<s>", "<pad>"):
        with pytest.raises(ValueError, match=wrong):
            subwords.piece_ids([wrong])


def test_subword_text_survives_save_and_load(tmp_path: Path) -> None:
    text = tiny_subwords()
    text.save(tmp_path)
    again = load_text(tmp_path)
    assert isinstance(again, SubwordText)
    assert (again.source_language, again.target_language, again.size) == ("en", "fr", text.size)
    for sentence in (*ENGLISH, *FRENCH, *NASTY):
        assert again.encode(sentence) == text.encode(sentence)


def test_training_twice_gives_the_same_pieces() -> None:
    again = SubwordText.train(ENGLISH + FRENCH, 120, source_language="en", target_language="fr")
    assert again.tokenizer.get_vocab() == tiny_subwords().tokenizer.get_vocab()


def test_an_unknown_kind_of_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text('{"kind": "runes"}', encoding="utf-8")
    with pytest.raises(ValueError, match="runes"):
        load_text(tmp_path)
