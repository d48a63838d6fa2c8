"""Attention over a data set against plain loops over the stored maps."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modelzoo.analysis import Filter, OpenRun, attention
from modelzoo.analysis import weights as stored
from modelzoo.analysis.attention import lexicon, profile, rows_of_word, top_words
from modelzoo.analysis.weights import MapAbout, maps_of
from modelzoo.columns import read_attention
from tests.analysis.runs import hops, label_rows, write

HOPS = label_rows(60)
Row = dict[str, Any]


def pair_rows() -> list[Row]:
    """Premise and hypothesis; the map goes from each word of the one to those of the other."""
    chance = np.random.default_rng(3)
    made = []
    for row in label_rows(40, seed=1):
        second = list(chance.choice(["a", "Dog", "cat", "sleeps"], size=4))
        cell = hops(chance, 4, rows=len(row["tokens"]))
        cell |= {"name": "premise_to_hypothesis", "row_kind": "premise", "column_kind": "hypothesis"}
        made.append({**row, "text_pair": " ".join(second), "tokens_pair": second, "attention": [cell]})
    return made


PAIRS = pair_rows()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> OpenRun:
    return OpenRun(write(tmp_path_factory.mktemp("hops"), HOPS))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> OpenRun:
    return OpenRun(write(tmp_path_factory.mktemp("pairs"), PAIRS))


def matrix(row: Row) -> np.ndarray:
    (weights,) = read_attention(row["attention"]).values()
    return weights


def test_the_maps_of_a_run_name_their_axes(run: OpenRun, pairs: OpenRun) -> None:
    assert maps_of(run) == (MapAbout("hops", "hop", "sentence"),)
    assert maps_of(pairs) == (MapAbout("premise_to_hypothesis", "premise", "hypothesis"),)
    with pytest.raises(ValueError, match="no map 'alignment'; it has hops"):
        top_words(run, "alignment")


def test_top_words_add_up_the_weight_of_each_hop(run: OpenRun) -> None:
    found = top_words(run, "hops", Filter(search="cat"), most=100)
    rows = [row for row in HOPS if "cat" in row["text"]]
    assert found.rows == len(rows)
    assert list(found.groups) == ["hop 1", "hop 2"]
    for hop in range(2):
        mass: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            for word, weight in zip(row["tokens"], matrix(row)[hop], strict=True):
                mass[word].append(float(weight))
        total = sum(sum(weights) for weights in mass.values())
        group = found.groups[f"hop {hop + 1}"]
        assert [one.word for one in group] == sorted(mass, key=lambda word: -sum(mass[word]))
        for one in group:
            assert one.times == len(mass[one.word])
            assert one.share == pytest.approx(sum(mass[one.word]) / total)
            assert one.mean == pytest.approx(np.mean(mass[one.word]))


def test_a_lexicon_has_both_ways(pairs: OpenRun) -> None:
    found = lexicon(pairs, "premise_to_hypothesis", "DOG")
    onto: dict[str, float] = defaultdict(float)
    by: dict[str, float] = defaultdict(float)
    for row in PAIRS:
        for i, word in enumerate(row["tokens"]):
            for j, other in enumerate(row["tokens_pair"]):
                if word == "dog":
                    onto[other.lower()] += float(matrix(row)[i, j])
                if other == "Dog":
                    by[word] += float(matrix(row)[i, j])
    for shown, wanted in ((found.attends_to, onto), (found.attended_by, by)):
        assert {one.word: one.share for one in shown} == {
            word: pytest.approx(mass / sum(wanted.values())) for word, mass in wanted.items()
        }
        assert [one.share for one in shown] == sorted((one.share for one in shown), reverse=True)
    assert lexicon(pairs, "premise_to_hypothesis", "zyzzyva").attends_to == ()


def piece_rows() -> list[Row]:
    """A model that writes: the pieces of source and output, each with a token at its end."""
    cells = {"text": "Dogs bark, don't they?", "prediction": "Les chiens aboient."}
    source = ["Do", "gs", "bar", "k", ",", "don", "'t", "they", "?", "</s>"]
    target = ["Les", "chi", "ens", "ab", "oient", ".", "</s>"]
    chance = np.random.default_rng(5)
    made = []
    for row in range(4):
        cell = hops(chance, len(source), rows=len(target))
        cell |= {"name": "alignment", "row_kind": "target", "column_kind": "source"}
        tokens = {"tokens": source, "tokens_pair": target, "attention": [cell], "log_probability": -1.0}
        made.append({"row": row, "line": row + 1, **cells, **tokens})
    odd = {"tokens": ["not", "the", "text"], "attention": [{**hops(chance, 3, rows=7), **AXES}]}
    return [*made, {**made[0], "row": 4, "line": 5, **odd}]


AXES = {"name": "alignment", "row_kind": "target", "column_kind": "source"}
PIECES = piece_rows()


def test_pieces_are_merged_to_words_columns_added_and_rows_averaged(tmp_path: Path) -> None:
    run, chosen = OpenRun(write(tmp_path, PIECES)), Filter(rows=(0, 1, 2, 3))
    maps = [matrix(row) for row in PIECES[:4]]
    found = lexicon(run, "alignment", "CHIENS", chosen)
    by_word = {one.word: one.mean for one in found.attends_to}
    assert set(by_word) == {"dogs", "bark", ",", "don't", "they", "?", "</s>"}
    rows = np.mean([one[[1, 2]].mean(axis=0) for one in maps], axis=0)
    for word, columns in {"dogs": [0, 1], "bark": [2, 3], "don't": [5, 6], "</s>": [9]}.items():
        assert by_word[word] == pytest.approx(rows[columns].sum(), abs=1e-5)
    assert sum(by_word.values()) == pytest.approx(1, abs=1e-5)
    (group,) = top_words(run, "alignment", chosen).groups.values()
    assert sum(one.share for one in group) == pytest.approx(1)
    assert {one.word for one in group} == set(by_word)
    (best, *_) = rows_of_word(run, "alignment", "dogs", chosen)
    words = [
        [one[k].mean() for k in ([0], [1, 2], [3, 4], [5], [6])] for one in (m[:, :2].sum(1) for m in maps)
    ]
    assert best.weight == pytest.approx(max(map(np.mean, words)), abs=1e-5)


def test_pieces_are_shown_where_they_are_wanted_or_do_not_spell_the_text(tmp_path: Path) -> None:
    run = OpenRun(write(tmp_path, PIECES))
    assert lexicon(run, "alignment", "ens", by_piece=True).attends_to
    assert lexicon(run, "alignment", "ens").attends_to == ()
    assert "text" in {one.word for one in lexicon(run, "alignment", "chiens").attends_to}
    assert lexicon(run, "alignment", "</s>").attended_by


def test_hops_have_no_lexicon(run: OpenRun) -> None:
    with pytest.raises(ValueError, match="rows of 'hops' are hops"):
        lexicon(run, "hops", "cat")


def test_a_profile_is_the_mean_over_rows_of_weight_by_tenths(run: OpenRun, pairs: OpenRun) -> None:
    found = profile(run, "hops", bins=4)
    wanted = np.zeros((2, 4))
    for row in HOPS:
        fine = np.repeat(matrix(row), 1680, axis=1) / 1680  # 1680 / size is whole for sizes to 8
        wanted += fine.reshape(2, 4, -1).sum(axis=2) / len(HOPS)
    np.testing.assert_allclose(found.values, wanted, atol=1e-5)
    assert found.rows == ("hop 1", "hop 2")
    assert found.columns == ("0–25 %", "25–50 %", "50–75 %", "75–100 %")
    square = profile(pairs, "premise_to_hypothesis", bins=5)
    assert square.values.shape == (5, 5)
    np.testing.assert_allclose(square.values.sum(axis=1), 1, atol=1e-5)
    with pytest.raises(ValueError, match="no row is left"):
        profile(run, "hops", Filter(search="nowhere at all"))


def test_a_word_finds_the_rows_where_it_has_most_weight(
    run: OpenRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = rows_of_word(run, "hops", "Cat")
    wanted = {
        row["row"]: sum(matrix(row)[:, j].mean() for j, word in enumerate(row["tokens"]) if word == "cat")
        for row in HOPS
        if "cat" in row["tokens"]
    }
    assert {one.row: one.weight for one in found} == {row: pytest.approx(w) for row, w in wanted.items()}
    assert [one.weight for one in found] == sorted((one.weight for one in found), reverse=True)
    monkeypatch.setattr(attention, "MOST_FOUND", 2)
    assert len(rows_of_word(run, "hops", "cat")) == 2


def test_many_rows_are_read_at_equal_distances(run: OpenRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "MOST_ROWS", 7)
    assert stored.sampled(run).tolist() == [0, 10, 20, 30, 39, 49, 59]
    assert top_words(run, "hops").rows == 7


def test_a_model_without_attention_has_no_maps(tmp_path: Path) -> None:
    run = OpenRun(write(tmp_path, [{**row, "attention": []} for row in HOPS]))
    assert maps_of(run) == ()
    with pytest.raises(ValueError, match="it has none"):
        profile(run, "hops")
