"""A batch as columns equals plain loops over the results of the same inputs, alone and in company."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sacrebleu.metrics import BLEU, CHRF

from modelzoo.alignment import mutual_links, word_attention
from modelzoo.columns import ANSWER, COUNTS, DROPPED, MEASURES, REPEATED, VERDICT, read_attention
from modelzoo.measures.classification import hop_statistics
from modelzoo.measures.entailment import joint_attention
from modelzoo.models.base import AttentionModel
from modelzoo.results import AttentionMap, AttentionResult, LabelPrediction, Token
from modelzoo.rows import batch_columns, gold_columns
from modelzoo.rows.texts import negation, overlap
from modelzoo.tasks import ENTAILMENT, TRANSLATION, SourceText
from modelzoo.transform import summary
from modelzoo.transform.selection import is_punctuation
from tests.variants import batch_inputs, variant

Row = dict[str, Any]
HALF = 2**-10
"""What float16 and a row divided by its sum may change of a weight, relative to it."""


KINDS = (
    *("self-attentive", "self-attentive, one hop", "self-attentive, max"),
    *("decomposable", "decomposable, intra", "decomposable, no NULL"),
    *("rnn-search", "rnn-search, no attention", "conv-s2s"),
)
"""The configurations that differ in their maps."""


@cache
def columns_of(model: AttentionModel, *, beam_size: int = 1) -> pa.Table:
    return batch_columns(model, [model.encode(given) for given in greedy(model)], beam_size=beam_size)


def greedy(model: AttentionModel) -> list[Any]:
    """Inputs of different lengths; a model that writes is asked for its likeliest piece each time."""
    is_text = model.task is TRANSLATION
    return [SourceText(one.text) if is_text else one for one in batch_inputs(model)]


@cache
def results_of(model: AttentionModel) -> list[AttentionResult]:
    return model.attend(greedy(model))


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest) -> AttentionModel:
    return variant(request.param)


# --- plain loops -------------------------------------------------------------------------------


def measured(result: AttentionResult) -> list[AttentionMap]:
    """The maps that count: hops, both directions of a pair, the alignment, the mean of layers."""
    chosen = ("hops", "premise_to_hypothesis", "hypothesis_to_premise", "alignment", "mean")
    return [one for one in result.maps if one.name in chosen]


def coverage(one: AttentionMap) -> float:
    rows, columns = one.values.shape
    received = [sum(one.values[i, j] for i in range(rows)) for j in range(columns)]
    return float(np.mean([min(1.0, share * columns / rows) for share in received]))


def weight_on(result: AttentionResult, one: AttentionMap, is_it: Callable[[Token], bool]) -> float:
    places = [j for j, token in enumerate(result.tokens[one.column_kind]) if is_it(token)]
    return float(np.mean([sum(row[j] for j in places) for row in one.values]))


def of_maps(result: AttentionResult) -> Row:
    maps, found = measured(result), {}
    for name in ("entropy", "maximum", "diagonal"):
        values = [getattr(summary(one), name) for one in maps]
        found[name] = None if None in values else np.mean(values)
    found["coverage"] = np.mean([coverage(one) for one in maps])
    found["punctuation"] = np.mean([weight_on(result, one, is_punctuation) for one in maps])
    found["end"] = np.mean([weight_on(result, one, lambda token: token.special) for one in maps])
    if not any(token.special for token in result.tokens[maps[0].column_kind]):
        found["end"] = None
    if maps[0].name == "hops":
        found["diagonal"] = None
        several = len(maps[0].rows) > 1
        found["hop_overlap"] = hop_statistics(maps[0].values.astype(float))["overlap"] if several else None
    return found


def unaligned(result: AttentionResult) -> float:
    words = [[t.typed for t in result.tokens[side] if not t.special] for side in ENTAILMENT.sides]
    tokens = [result.tokens[side] for side in ENTAILMENT.sides]
    forth = word_attention(result.map("premise_to_hypothesis").values, tokens, words)
    back = word_attention(result.map("hypothesis_to_premise").values, tokens[::-1], words[::-1])
    links = mutual_links(joint_attention(forth, back))
    total = len(words[0]) + len(words[1])
    return 1 - (len({i for i, _ in links}) + len({j for _, j in links})) / total


def read_over(result: AttentionResult) -> Row:
    one = measured(result)[0]
    received = one.values.sum(axis=0)
    real = [received[j] for j, token in enumerate(result.tokens["source"]) if not token.special]
    return {
        "dropped": np.mean([share < DROPPED for share in real]),
        "repeated": np.mean([share > REPEATED for share in real]),
    }


def of_tokens(model: AttentionModel, result: AttentionResult) -> Row:
    real = {side: [t for t in tokens if not t.special] for side, tokens in result.tokens.items()}
    read = [token for side in model.task.sides for token in real[side]]
    lengths = [len(tokens) for tokens in real.values()]
    found = {"unknown": np.mean([not t.known for t in read]), "length": lengths[0]}
    if len(lengths) > 1:
        found["length_pair"] = lengths[1]
    if model.task is TRANSLATION:
        cut = not any(token.special for token in result.tokens["target"])
        found |= {"length_ratio": lengths[1] / lengths[0], "cut": float(cut)}
    return found


def expected(model: AttentionModel, result: AttentionResult) -> Row:
    found = of_tokens(model, result)
    if result.maps:
        found |= of_maps(result)
        if model.task is ENTAILMENT:
            found["unaligned"] = unaligned(result)
        if model.task is TRANSLATION:
            found |= read_over(result)
    texts = [getattr(result.inputs, side, getattr(result.inputs, "text", "")) for side in model.task.sides]
    found["negation"] = sum(negation(text) for text in texts)
    if isinstance(result.prediction, LabelPrediction):
        if len(texts) > 1:
            found["overlap"] = overlap(*texts)
    else:
        found["overlap"] = overlap(texts[0], result.prediction.text)
    return {name: None if v is None or np.isnan(v) else float(v) for name, v in found.items()}


# --- equal -------------------------------------------------------------------------------------


def test_measures_equal_plain_loops_over_the_maps(model: AttentionModel) -> None:
    for row, result in zip(columns_of(model).to_pylist(), results_of(model), strict=True):
        wanted = dict.fromkeys(set(MEASURES) - {"bleu", "chrf"}) | expected(model, result)
        for name, value in wanted.items():
            assert row[f"m_{name}"] == (value if value is None else pytest.approx(value, abs=1e-5)), name


def test_answers_and_tokens_are_those_of_attend(model: AttentionModel) -> None:
    for row, result in zip(columns_of(model).to_pylist(), results_of(model), strict=True):
        said, typed = result.prediction, [[t.typed for t in side] for side in result.tokens.values()]
        assert [row["tokens"], row["tokens_pair"]] == [*typed, None][:2]
        if isinstance(said, LabelPrediction):
            assert row["prediction"] == said.label
            np.testing.assert_allclose(row["probabilities"], said.probabilities, atol=1e-6)
            assert row["confidence"] == max(row["probabilities"])
            assert row["log_probability"] is None
        else:
            assert row["prediction"] == said.text
            total = float(said.log_probabilities.sum())
            assert row["log_probability"] == pytest.approx(total, rel=1e-4)
            assert row["confidence"] == pytest.approx(np.exp(total / len(said.tokens)), rel=1e-3)
            assert row["probabilities"] is None


def test_attention_is_every_map_in_two_bytes_a_weight(model: AttentionModel) -> None:
    for row, result in zip(columns_of(model).to_pylist(), results_of(model), strict=True):
        read = read_attention(row["attention"])
        assert list(read) == [one.name for one in result.maps]
        for cell, one in zip(row["attention"], result.maps, strict=True):
            assert len(cell["values"]) == 2 * one.values.size
            assert (cell["row_kind"], cell["column_kind"]) == (one.row_kind, one.column_kind)
            assert read[one.name].shape == one.values.shape
            np.testing.assert_allclose(read[one.name], one.values, rtol=2 * HALF, atol=1e-5)
            AttentionMap(one.name, read[one.name], one.rows, one.columns)  # sums to 1 again


def test_a_row_is_the_same_alone_and_in_company(model: AttentionModel) -> None:
    together = columns_of(model).to_pylist()
    for given, row in zip(greedy(model), together, strict=True):
        (alone,) = batch_columns(model, [model.encode(given)]).to_pylist()
        for name in ("prediction", "tokens", "tokens_pair"):
            assert alone[name] == row[name]
        for name, value in row.items():
            if isinstance(value, float) and name != "log_probability":
                assert alone[name] == pytest.approx(value, abs=1e-5), name
        for one, other in zip(alone["attention"], row["attention"], strict=True):
            weights = [np.frombuffer(cell["values"], "<f2").astype(float) for cell in (one, other)]
            np.testing.assert_allclose(*weights, rtol=HALF, atol=1e-5)


def test_the_schema_is_the_same_for_every_model(model: AttentionModel) -> None:
    assert columns_of(model).schema == ANSWER
    assert batch_columns(model, []).schema == ANSWER
    assert set(MEASURES) == {
        name.removeprefix("m_") for name in (*ANSWER.names, *VERDICT.names) if name.startswith("m_")
    }


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rnn-search", "conv-s2s"])
def test_a_beam_gives_the_answer_and_the_map_of_the_search(name: str) -> None:
    model = variant(name)
    inputs = [SourceText(one.text, beam_size=3) for one in greedy(model)]
    for row, result in zip(columns_of(model, beam_size=3).to_pylist(), model.attend(inputs), strict=True):
        assert row["prediction"] == result.prediction.text
        shown = read_attention(row["attention"])[result.maps[-1].name]
        np.testing.assert_allclose(shown, result.maps[-1].values, rtol=2 * HALF, atol=1e-5)


@pytest.mark.parametrize("name", ["rnn-search", "conv-s2s"])
def test_a_forced_output_gets_its_own_attention(name: str) -> None:
    model = variant(name)
    inputs = [SourceText(one.text, forced="Un chat dort.") for one in greedy(model)]
    table = batch_columns(model, [model.encode(given) for given in inputs])
    for row, result in zip(table.to_pylist(), model.attend(inputs), strict=True):
        assert row["prediction"] == result.prediction.text == "Un chat dort."
        total = float(result.prediction.log_probabilities.sum())
        assert row["log_probability"] == pytest.approx(total, rel=1e-4)
        assert row["m_entropy"] == pytest.approx(summary(result.maps[-1]).entropy, abs=1e-5)


# --- gold, texts, bytes ------------------------------------------------------------------------


def test_labels_are_right_or_wrong_and_missing_without_gold() -> None:
    table = gold_columns(["a", "b", None, "a"], ["a", "a", "a", None])
    assert table["correct"].to_pylist() == [True, False, None, None]
    assert table["m_bleu"].to_pylist() == [None] * 4
    assert table.schema == VERDICT


def test_texts_are_scored_one_by_one() -> None:
    table = gold_columns(
        ["Un chat dort.", "Un chien.", None], ["Un chat dort.", "Le chien court.", "x"], language="fr"
    )
    assert table["m_bleu"].to_pylist() == [
        pytest.approx(100),
        pytest.approx(BLEU(effective_order=True).sentence_score("Le chien court.", ["Un chien."]).score),
        None,
    ]
    assert table["m_chrf"][1].as_py() == pytest.approx(
        CHRF().sentence_score("Le chien court.", ["Un chien."]).score
    )
    assert table["correct"].to_pylist() == [None] * 3
    assert [table[name].null_count for name in COUNTS] == [1, 1]


def test_negation_is_counted_in_words() -> None:
    assert negation("Nobody isn't here, and he does not know; CANNOT, don’t") == 5
    assert negation("A note about knots and nothingness") == 0


def test_overlap_is_of_the_second_texts_different_words() -> None:
    assert overlap("A man sleeps.", "a MAN is a man") == pytest.approx(2 / 3)
    assert np.isnan(overlap("A man", "…"))


def test_bytes_that_do_not_fit_their_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'hops' has 6 bytes for 2 by 2"):
        read_attention([{"name": "hops", "rows": 2, "columns": 2, "values": b"123456"}])
