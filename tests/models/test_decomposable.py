"""Parikh et al.: the equations against plain loops, word order, padding, and the published sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from modelzoo.batching import Padded
from modelzoo.models.decomposable import Decomposable, DecomposableConfig, DecomposableOutput, PairBatch
from modelzoo.tasks import SentencePair
from modelzoo.text import WordText, WordVectors

WORDS = ("a", "dog", "bites", "man", "the", "old", "not", ".")
LABELS = ("entailment", "neutral", "contradiction")
LONG = "the old man not dog bites a the old man not dog bites ."
PAIRS = (("A dog bites the old man.", "man"), ("dog", "A man bites a zyzzyva."), (LONG, "The man bites."))
SINGLE = {torch.float32: 1e-6, torch.float64: 1e-12}
INTRA = pytest.mark.parametrize("intra", [False, True], ids=["plain", "intra"])


def words_text(dimension: int = 6) -> WordText:
    matrix = np.random.default_rng(0).standard_normal((len(WORDS), dimension)).astype(np.float32)
    return WordText(WordVectors("tiny", WORDS, matrix), trained_words=WORDS, oov_buckets=4, shared=False)


def tiny(seed: int = 0, **choices: object) -> Decomposable:
    torch.manual_seed(seed)
    config = DecomposableConfig(**{"labels": LABELS, "projection": 4, "hidden": 5, **choices})  # type: ignore[arg-type]
    model = Decomposable(config, words_text())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.5 * torch.randn_like(parameter)
    return model.eval()


def batch_of(model: Decomposable, *pairs: tuple[str, str], gold: str | None = None) -> PairBatch:
    return model.collate([model.encode(SentencePair(*pair), gold) for pair in pairs])


def numbers(tensor: Tensor) -> np.ndarray:
    return tensor.detach().double().numpy()


# --- equations ---------------------------------------------------------------------------------


def network(layers: nn.Module, x: np.ndarray) -> np.ndarray:
    """The feed-forward network on one vector: linear, ReLU, layer by layer."""
    for layer in layers.modules():
        if isinstance(layer, nn.Linear):
            x = np.maximum(numbers(layer.weight) @ x + numbers(layer.bias), 0)
    return x


def softmax(scores: Sequence[float]) -> np.ndarray:
    exponents = np.exp(np.array(scores) - max(scores))
    return exponents / exponents.sum()


def scaled(model: Decomposable, score: np.ndarray) -> np.ndarray:
    return score / model.config.hidden**0.5 if model.config.scaled else score


def beside(model: Decomposable, own: np.ndarray, aligned: np.ndarray) -> np.ndarray:
    """What G reads."""
    more = [own - aligned, own * aligned] if model.config.compare == "difference" else []
    return np.concatenate([own, aligned, *more])


def represented(model: Decomposable, side: Padded, row: int) -> np.ndarray:
    """a_bar of one sentence, by loops."""
    n = int(side.lengths[row])
    vectors = numbers(model.embedding(side.ids))[row, :n]
    a = np.array([numbers(model.projection.weight) @ x for x in vectors])
    if model.intra is None:
        return a
    d, cap, h = (
        numbers(model.intra.d),
        model.config.max_distance,
        [network(model.intra.F_intra, x) for x in a],
    )
    signed = model.config.distance == "signed"
    rows = []
    for i in range(n):
        scores = []
        for j in range(n):
            index = max(-cap, min(i - j, cap)) + cap if signed else min(abs(i - j), cap)
            scores.append(float(scaled(model, h[i] @ h[j]) + d[index]))
        rows.append(np.concatenate([a[i], softmax(scores) @ a]))
    return np.array(rows)


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"intra": True},
        {"intra": True, "distance": "signed"},
        {"intra": True, "scaled": True, "compare": "difference"},
    ],
    ids=str,
)
def test_the_model_follows_the_equations(choices: dict[str, object]) -> None:
    model = tiny(**choices).double()
    batch = batch_of(model, *PAIRS)
    output: DecomposableOutput = model(batch)
    for row in range(len(PAIRS)):
        a, b = represented(model, batch.premise, row), represented(model, batch.hypothesis, row)
        e = scaled(model, np.array([[network(model.F, x) @ network(model.F, y) for y in b] for x in a]))
        beta = np.array([softmax(e[i]) @ b for i in range(len(a))])
        alpha = np.array([softmax(e[:, j]) @ a for j in range(len(b))])
        v1 = sum(network(model.G, beside(model, a[i], beta[i])) for i in range(len(a)))
        v2 = sum(network(model.G, beside(model, b[j], alpha[j])) for j in range(len(b)))
        top = network(model.H, np.concatenate([v1, v2]))
        logits = numbers(model.classes.weight) @ top + numbers(model.classes.bias)
        np.testing.assert_allclose(numbers(output.e[row, : len(a), : len(b)]), e, atol=1e-10)
        np.testing.assert_allclose(numbers(output.beta[row, : len(a)]), beta, atol=1e-10)
        np.testing.assert_allclose(numbers(output.alpha[row, : len(b)]), alpha, atol=1e-10)
        np.testing.assert_allclose(numbers(output.logits[row]), logits, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("distance", "scalars"), [("abs", 11), ("signed", 21)])
def test_far_distances_share_one_bias(distance: str, scalars: int) -> None:
    intra = Decomposable(
        DecomposableConfig(labels=LABELS, intra=True, distance=distance),  # type: ignore[arg-type]
        words_text(),
    ).intra
    assert intra is not None
    assert intra.d.tolist() == [0.0] * scalars
    index = intra.distances(14)
    assert index[0, 10] == index[0, 13] != index[0, 9]
    assert (index[0, 3] == index[3, 0]) == (distance == "abs")


def test_the_parameters_number_what_the_paper_says() -> None:
    text = words_text(300)
    plain = Decomposable(DecomposableConfig(labels=LABELS), text)
    intra = Decomposable(DecomposableConfig(labels=LABELS, intra=True), text)
    assert sum(p.numel() for p in plain.parameters()) == 381_803
    assert sum(p.numel() for p in intra.parameters()) == 582_203 + 11


def test_dropout_stands_before_each_linear_layer_but_the_last() -> None:
    model = tiny(intra=True)
    assert model.intra is not None
    for layers in (model.F, model.G, model.H, model.intra.F_intra):
        kinds = [type(layer) for layer in layers]
        assert kinds == [nn.Dropout, nn.Linear, nn.ReLU] * 2
    assert type(model.classes) is nn.Linear


def test_initial_values_are_small_and_biases_0() -> None:
    torch.manual_seed(0)
    for init in ("normal_001", "glorot"):
        config = DecomposableConfig(labels=LABELS, intra=True, init=init)  # type: ignore[arg-type]
        for name, parameter in Decomposable(config, words_text(300)).named_parameters():
            if name.endswith(("bias", ".d")):
                assert (parameter == 0).all(), name
            elif "classes" not in name:
                deviation = 0.01 if init == "normal_001" else (2 / sum(parameter.shape)) ** 0.5
                assert parameter.std().item() == pytest.approx(deviation, rel=0.05), name


def test_word_vectors_have_norm_1_and_stay_fixed() -> None:
    model = tiny()
    np.testing.assert_allclose(numbers(model.embedding.table[1:].norm(dim=1)), 1, atol=1e-6)
    assert not [name for name, _ in model.named_parameters() if name.startswith("embedding")]


# --- word order --------------------------------------------------------------------------------


def logits_of(model: Decomposable, premise: str, hypothesis: str) -> np.ndarray:
    return numbers(model(batch_of(model, (premise, hypothesis))).logits)


def test_without_intra_attention_word_order_does_not_matter() -> None:
    model = tiny().double()
    usual = logits_of(model, "the dog bites a man", "the man not bites")
    turned = logits_of(model, "a man bites the dog", "bites man the not")
    np.testing.assert_allclose(usual, turned, atol=1e-12)


def test_with_intra_attention_word_order_matters() -> None:
    model = tiny(intra=True).double()
    usual = logits_of(model, "the dog bites a man", "the man not bites")
    turned = logits_of(model, "a man bites the dog", "the man not bites")
    assert np.abs(usual - turned).max() > 1e-4


# --- padding -----------------------------------------------------------------------------------


@INTRA
@pytest.mark.parametrize("precision", SINGLE)
def test_a_batch_gives_what_each_pair_gives_alone(intra: bool, precision: torch.dtype) -> None:
    model = tiny(intra=intra).to(precision)
    together: DecomposableOutput = model(batch_of(model, *PAIRS))
    for row, pair in enumerate(PAIRS):
        alone: DecomposableOutput = model(batch_of(model, pair))
        l_a, l_b = alone.e.shape[1:]
        for name, slices in {
            "logits": (slice(None),),
            "e": (slice(l_a), slice(l_b)),
            "beta_weights": (slice(l_a), slice(l_b)),
            "alpha_weights": (slice(l_b), slice(l_a)),
            "v1_i": (slice(l_a),),
            "v2_j": (slice(l_b),),
        }.items():
            ours, theirs = getattr(together, name)[(row, *slices)], getattr(alone, name)[0]
            tolerance = SINGLE[precision] * max(1.0, np.abs(numbers(theirs)).max())
            np.testing.assert_allclose(numbers(ours), numbers(theirs), rtol=0, atol=tolerance, err_msg=name)


@INTRA
def test_padding_is_exactly_0(intra: bool) -> None:
    model = tiny(intra=intra, projection_bias=True)
    batch = batch_of(model, *PAIRS)
    output: DecomposableOutput = model(batch)
    a, b = ~batch.premise.mask, ~batch.hypothesis.mask
    for padding, rows in ((a, ("a_bar", "F_a", "beta", "v1_i")), (b, ("b_bar", "F_b", "alpha", "v2_j"))):
        for name in rows:
            assert (getattr(output, name)[padding] == 0).all(), name
    for weights in (output.e, output.beta_weights, output.alpha_weights.transpose(1, 2)):
        assert (weights[a] == 0).all()
        assert (weights.transpose(1, 2)[b] == 0).all()
    for own, padding in ((output.intra_a, a), (output.intra_b, b)):
        if own is not None:
            for values in (own.f, own.weights):
                assert (values[padding] == 0).all()
                assert (values.transpose(1, 2)[padding] == 0).all()
