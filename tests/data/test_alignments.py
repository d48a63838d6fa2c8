"""The aligned pairs: ours are whole and consistent; gold sets, marks and links are read as they stand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from modelzoo.data import alignments, esnli, word_alignment
from modelzoo.data.alignments import GOLD_SETS, AlignedPair, GoldSet, spelled, words_of

FUNCTION_WORDS = set(words_of("a an the of to is are was has been do does did in on it", "en"))
"""English words that French may leave without any counterpart."""


@pytest.fixture(scope="module")
def ours() -> tuple[AlignedPair, ...]:
    return alignments.read_ours()


def linked(pair: AlignedPair, side: int) -> set[int]:
    return {link[side] for link in pair.sure | pair.possible}


def test_there_are_sixty_different_pairs_of_ours(ours: tuple[AlignedPair, ...]) -> None:
    assert len({pair.source for pair in ours}) == len({pair.target for pair in ours}) == len(ours) == 60


def test_our_sentences_have_five_to_fourteen_words(ours: tuple[AlignedPair, ...]) -> None:
    for pair in ours:
        assert 5 <= sum(word[0].isalnum() for word in pair.source) <= 14


def test_our_links_are_within_their_sentences_and_sure_or_possible(ours: tuple[AlignedPair, ...]) -> None:
    for pair in ours:
        assert not pair.sure & pair.possible
        for i, j in pair.sure | pair.possible:
            assert 0 <= i < len(pair.source)
            assert 0 <= j < len(pair.target)


def test_every_word_of_ours_is_linked_but_some_function_words(ours: tuple[AlignedPair, ...]) -> None:
    for pair in ours:
        assert linked(pair, 1) == set(range(len(pair.target))), pair.target
        unlinked = {word for i, word in enumerate(pair.source) if i not in linked(pair, 0)}
        assert unlinked <= FUNCTION_WORDS, pair.source


def test_our_words_are_those_of_our_texts() -> None:
    import json

    lines = (alignments.EXAMPLES_DIR / "alignments-en-fr.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        assert words_of(row["source"], "en") == row["source_tokens"]
        assert words_of(row["target"], "fr") == row["target_tokens"]
        for side in ("sure", "possible"):
            assert len(row[side]) == len(set(row[side]))


def test_words_split_at_french_elisions_and_not_inside_english_words() -> None:
    assert words_of("I don't like well-known food, OK?", "en") == [
        "I", "don't", "like", "well-known", "food", ",", "OK", "?",
    ]  # fmt: skip
    assert words_of("L'eau n’est pas là : qu'est-ce ?", "fr") == [
        "L'", "eau", "n’", "est", "pas", "là", ":", "qu'", "est-ce", "?",
    ]  # fmt: skip


def test_words_are_written_as_people_write_them() -> None:
    assert spelled(("je", "m", "'", "en", "tiens", "au", "procès", "-", "verbal", ".")) == (
        "je m'en tiens au procès-verbal."
    )
    assert spelled(("l'", "eau", ",", "oui", "?")) == "l'eau, oui ?"
    assert spelled(("汤姆", "爱", "玛丽", "。")) == "汤姆 爱 玛丽 。"


def test_languages_without_pairs_of_ours_have_none() -> None:
    assert alignments.read_ours(("en", "zh")) == ()


def written(folder: Path, name: str, lines: list[str]) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))


def test_a_gold_set_is_read_in_both_directions(tmp_path: Path) -> None:
    gold = GoldSet("tiny", "tiny/all.tsv.gz", ("zh", "en"))
    written(
        tmp_path, "alignment/tiny/all.tsv.gz", ["1\t汤姆 爱\tTom loves it\t0-0 1-1\t1-2", "2\ta\tb\t0-0\t"]
    )
    first, second = alignments.read_gold(tmp_path, gold, ("zh", "en"))
    assert first == AlignedPair(
        ("汤姆", "爱"), ("Tom", "loves", "it"), frozenset({(0, 0), (1, 1)}), frozenset({(1, 2)})
    )
    assert second.possible == frozenset()
    turned = alignments.read_gold(tmp_path, gold, ("en", "zh"))[0]
    assert (turned.source, turned.possible) == (first.target, frozenset({(2, 1)}))
    with pytest.raises(ValueError, match="tiny aligns zh-en, not en-fr"):
        alignments.read_gold(tmp_path, gold, ("en", "fr"))


def test_links_of_english_pairs_are_read(tmp_path: Path) -> None:
    rows = ["sentence1_tokens\tsentence2_tokens\talignment\tid", "a b\tb c\t1-0\t0:0"]
    written(tmp_path, "nli/word_alignment/mtref_dev.tsv.gz", rows)
    assert word_alignment.read(tmp_path, "dev") == (AlignedPair(("a", "b"), ("b", "c"), frozenset({(1, 0)})),)


def test_a_word_is_marked_when_two_of_three_marked_it(tmp_path: Path) -> None:
    columns = ["label", "premise", "hypothesis"]
    marks = {
        "premise_marked": ("*Two* men sit.", "*Two* men *sit.*", "Two *men* sit."),
        "hypothesis_marked": ("a * b", "a * b", "*a* * b"),
    }
    names = [f"{side}_{k}" for side in marks for k in (1, 2, 3)]
    values = [mark for side in marks.values() for mark in side]
    rows = ["\t".join(columns + names), "\t".join(["neutral", "Two men sit.", "a * b", *values])]
    written(tmp_path, "nli/esnli/dev.tsv.gz", rows)
    (pair,) = esnli.read(tmp_path, "dev")
    assert pair.words == {"premise": ("Two", "men", "sit."), "hypothesis": ("a", "*", "b")}
    assert pair.marked == {"premise": frozenset({0}), "hypothesis": frozenset()}
    assert pair.label == "neutral"


@pytest.mark.data
@pytest.mark.parametrize("gold", GOLD_SETS, ids=lambda gold: gold.file)
def test_every_gold_link_is_within_its_sentence(gold: GoldSet) -> None:
    from modelzoo.data.folder import data_folder

    pairs = alignments.read_gold(data_folder(), gold, gold.languages)
    assert pairs
    for pair in pairs:
        for i, j in pair.sure | pair.possible:
            assert 0 <= i < len(pair.source)
            assert 0 <= j < len(pair.target)
