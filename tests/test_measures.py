"""The measures of attention: known answers by hand, and tiny models through the command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from modelzoo import cards
from modelzoo.cli import main
from modelzoo.data.alignments import AlignedPair, read_ours
from modelzoo.data.esnli import MarkedPair
from modelzoo.measures import measure
from modelzoo.measures.classification import hop_statistics
from modelzoo.measures.entailment import highest, joint_attention, marked_sides, token_f1
from modelzoo.measures.translation import map_links, scores_of
from modelzoo.metrics import auc
from modelzoo.results import AttentionMap, AttentionResult, LabelPrediction, Token
from modelzoo.tasks import Example, Sentence, SentencePair
from tests.checkpoints import SLUGS, write_checkpoints
from tests.tiny import ENGLISH, FRENCH, tiny_model

TRANSLATED = tuple(zip(ENGLISH, FRENCH, strict=True))

# --- by hand -----------------------------------------------------------------------------------


def test_the_area_counts_pairs_in_the_right_order_and_ties_half() -> None:
    marked = np.array([True, False, True, False])
    assert auc(marked, np.array([0.9, 0.1, 0.8, 0.2])) == 1.0
    assert auc(marked, np.array([0.1, 0.9, 0.2, 0.8])) == 0.0
    assert auc(marked, np.ones(4)) == 0.5
    assert auc(marked, np.array([0.5, 0.5, 0.1, 0.3])) == pytest.approx((0.5 + 1 + 0 + 0) / 4)


def test_token_f1_is_counted_over_all_words() -> None:
    people = np.array([True, False, False, True])
    assert token_f1([(people, people)]) == 1.0
    assert token_f1([(people, ~people)]) == 0.0
    assert token_f1([(people, np.ones(4, bool)), (people, people)]) == pytest.approx(2 * 4 / (4 + 6))


def test_the_highest_scores_are_marked_and_no_more() -> None:
    assert highest(np.array([0.1, 0.5, 0.5, 0.2]), 1).tolist() == [False, True, False, False]
    assert highest(np.array([0.1, 0.5, 0.4, 0.2]), 3).tolist() == [False, True, True, True]


def test_disjoint_one_hot_hops_do_not_overlap() -> None:
    assert hop_statistics(np.eye(3)) == {"overlap": 0.0, "sharpness": 1.0, "penalty": 0.0}
    same = hop_statistics(np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert same == {"overlap": 1.0, "sharpness": 1.0, "penalty": 2.0}
    uniform = hop_statistics(np.full((30, 20), 0.05))
    assert uniform["overlap"] == pytest.approx(0.05)
    assert uniform["penalty"] == pytest.approx(29.25)
    assert hop_statistics(np.array([[0.5, 0.5]]))["overlap"] == 0.0


def pair_result() -> AttentionResult:
    """NULL before each side; the hypothesis's "b." is two tokens, and gets most."""
    null = Token("NULL", "NULL", special=True)
    premise = (null, *(Token(w, w) for w in ("x", "y")))
    hypothesis = (null, *(Token(w, w) for w in ("a", "b", ".")))
    rows, columns = ("NULL", "x", "y"), ("NULL", "a", "b", ".")
    forth = np.array([[0.0, 1.0, 0.0, 0.0], [0.2, 0.1, 0.4, 0.3], [0.6, 0.1, 0.1, 0.2]])
    back = np.array([[0.0, 1.0, 0.0], [0.1, 0.2, 0.7], [0.1, 0.9, 0.0], [0.3, 0.3, 0.4]])
    return AttentionResult(
        SentencePair("x y", "a b."),
        {"premise": premise, "hypothesis": hypothesis},
        LabelPrediction(("entailment",), np.array([1.0])),
        (
            AttentionMap("premise_to_hypothesis", forth, rows, columns),
            AttentionMap("hypothesis_to_premise", back, columns, rows),
        ),
    )


def test_a_word_receives_what_the_other_sides_words_give_it() -> None:
    words = {"premise": ("x", "y"), "hypothesis": ("a", "b.")}
    marked = {"premise": frozenset({1}), "hypothesis": frozenset({1})}
    premise, hypothesis = marked_sides(MarkedPair(words, marked, "neutral"), pair_result())
    np.testing.assert_allclose(premise.scores, [0.2 + (0.9 + 0.3) / 2, 0.7 + (0.0 + 0.4) / 2], rtol=1e-6)
    np.testing.assert_allclose(hypothesis.scores, [0.1 + 0.1, 0.7 + 0.3], rtol=1e-6)
    assert hypothesis.people.tolist() == [False, True]


def test_directions_are_joined_as_shares_of_what_is_equal() -> None:
    forth, back = np.array([[0.5, 0.5, 0.0]]), np.array([[1.0], [1.0], [1.0]])  # one premise word, three
    np.testing.assert_allclose(joint_attention(forth, back), [[1.0, 1.0, 0.0]])
    both = joint_attention(np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[0.6, 0.4], [0.5, 0.5]]))
    np.testing.assert_allclose(both, [[1.2, 0.2], [0.8, 1.0]])


def test_sides_without_or_with_only_marks_are_left_out() -> None:
    words = {"premise": ("x", "y"), "hypothesis": ("a", "b.")}
    marked = {"premise": frozenset(), "hypothesis": frozenset({0, 1})}
    assert marked_sides(MarkedPair(words, marked, "neutral"), pair_result()) == []


# --- tiny models -------------------------------------------------------------------------------


def test_every_map_links_every_target_word() -> None:
    pairs = [AlignedPair(tuple(e.split()), tuple(f.split()), frozenset()) for e, f in TRANSLATED]
    found = map_links(tiny_model("conv-s2s"), pairs)
    assert list(found) == ["layer_1", "layer_2", "mean"]
    for links in found.values():
        for pair, of_pair in zip(pairs, links, strict=True):
            assert sorted(j for _, j in of_pair) == list(range(len(pair.target)))
            assert all(0 <= i < len(pair.source) for i, _ in of_pair)


def table(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(("\n".join("\t".join(row) for row in rows) + "\n").encode()))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of a few rows in the formats of the real one."""
    folder = tmp_path_factory.mktemp("data")
    links = ["sentence1_tokens", "sentence2_tokens", "alignment", "id"]
    for split in ("dev", "test"):
        rows = [[e.lower(), e, " ".join(f"{i}-{i}" for i in range(len(e.split()))), "0"] for e in ENGLISH]
        table(folder / f"nli/word_alignment/mtref_{split}.tsv.gz", [links, *rows])
    marks = [f"{side}_marked_{k}" for side in ("premise", "hypothesis") for k in (1, 2, 3)]
    rows = [["neutral", e, e, *3 * [e], *3 * [e.replace(" is ", " *is* ")]] for e in ENGLISH]
    table(folder / "nli/esnli/dev.tsv.gz", [["label", "premise", "hypothesis", *marks], *rows])
    sst = [["text", "label"], *([e, str(i % 2 * 4)] for i, e in enumerate(ENGLISH))]
    for name in ("sst5_dev", "sst5_test", "sst5_train_phrases"):
        table(folder / f"sentiment/sst/{name}.tsv.gz", sst)
    gold = [["1", "the cat sleeps", "le chat dort", "0-0 1-1", "2-2"]]
    for name in ("hansards-en-fr/trial", "golden-en-fr/all"):
        table(folder / f"alignment/{name}.tsv.gz", gold)
    for split in ("train", "val", "test_2016_flickr"):
        for language, lines in (("en", ENGLISH), ("fr", FRENCH)):
            own = lines[:10] if split == "train" else lines[10:]
            table(folder / f"translation/multi30k/{split}.{language}.gz", [[line] for line in own])
    for split in ("train", "dev", "test"):
        own = TRANSLATED if split == "train" else [("Go away!", "Va-t'en !")]
        table(folder / f"translation/tatoeba-en-fr/{split}.tsv.gz", [[e, f] for e, f in own])
    return folder


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    write_checkpoints(folder)
    return folder


@pytest.fixture(autouse=True)
def only_tiny(checkpoints: Path, data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "none")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(checkpoints))
    monkeypatch.setenv("ATLAS_DATA", str(data))


ALIGNED = {"aer", "precision", "recall", "f1"}
BY_KIND = ALIGNED | {"aer_content", "aer_function"}
MARKED = {"token_f1", "auc"}
METHODS = {
    "self-attentive": {"hops", "uniform"},
    "rnn-search": {"diagonal", "IBM Model 1", "alignment"},
    "conv-s2s": {"diagonal", "IBM Model 1", "layer_1", "layer_2", "mean"},
    "decomposable": {"same words", "attention", "every word alike", "random words", "attention received"},
}


@pytest.mark.parametrize("model", list(SLUGS))
def test_measure_prints_every_map_beside_its_baselines(
    capsys: pytest.CaptureFixture[str], model: str
) -> None:
    assert main(["measure", SLUGS[model], "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert METHODS[model] <= {row["method"] for row in rows}
    for row in rows:
        assert set(row) == {"data", "method", "values"}
        assert set(row["values"]) in (ALIGNED, BY_KIND, MARKED, {"overlap", "sharpness", "penalty"})
        assert all(0 <= value <= 1 for name, value in row["values"].items() if name != "penalty")


def test_measure_without_json_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", SLUGS["self-attentive"]]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert first == "SST dev, 15 texts:"
    assert [row.split()[0] for row in rows] == ["hops", "uniform"]


def test_a_classifier_is_measured_on_the_dev_set_that_it_brings() -> None:
    dev = [Example(Sentence(text), "positive") for text in ENGLISH[:3]]
    too_long = Example(Sentence("word " * 401), "positive")
    rows = measure(tiny_model("self-attentive"), [too_long, *dev])
    assert {row.data for row in rows} == {"its own dev set, 3 texts"}
    own = tiny_model("self-attentive").attend([one.inputs for one in dev])
    overlaps = [hop_statistics(result.map("hops").values.astype(float))["overlap"] for result in own]
    assert rows[0].values["overlap"] == pytest.approx(np.mean(overlaps))


def test_other_corpora_are_called_out_of_domain() -> None:
    found = {one.data for one in measure(tiny_model("rnn-search"))}
    assert found == {
        "60 pairs of ours",
        "Hansards trial (out of domain)",
        "Europarl, first 97 (out of domain)",
    }


def test_translation_is_measured_on_our_pairs_without_the_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATLAS_DATA")
    rows = measure(tiny_model("rnn-search"))
    assert [(row.data, row.method) for row in rows] == [
        ("60 pairs of ours", "diagonal"),
        ("60 pairs of ours", "alignment"),
    ]


@pytest.mark.parametrize("model", ["self-attentive", "decomposable"])
def test_measures_of_labels_need_the_data_sets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.delenv("ATLAS_DATA")
    assert main(["measure", SLUGS[model]]) == 2
    assert "ATLAS_DATA is not set" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "options"), [("rnn-search", {"attention": False}), ("self-attentive", {"pooling": "max"})]
)
def test_a_model_without_attention_is_refused(model: str, options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="has no attention"):
        measure(tiny_model(model, **options))


def test_the_diagonal_of_ours_is_far_from_perfect_and_far_from_nothing() -> None:
    """So that beating it means something."""
    rows = measure(tiny_model("rnn-search"))
    diagonal = next(row for row in rows if row.method == "diagonal")
    assert len(read_ours()) == 60
    assert 0.2 < diagonal.values["aer"] < 0.5


def test_error_of_content_and_of_function_words_is_told_apart() -> None:
    pair = AlignedPair(("the", "dog", "."), ("Le", "chien", "."), frozenset({(0, 0), (1, 1), (2, 2)}))
    wrong_article = [frozenset({(1, 0), (1, 1), (2, 2)})]
    values = scores_of(wrong_article, [pair], "fr")
    assert (values["aer_content"], values["aer_function"]) == (0, pytest.approx(0.5))
    wrong_noun = [frozenset({(0, 0), (0, 1), (2, 2)})]
    values = scores_of(wrong_noun, [pair], "fr")
    assert (values["aer_content"], values["aer_function"]) == (1, 0)
    assert "aer_content" not in scores_of(wrong_noun, [pair], "zh")
