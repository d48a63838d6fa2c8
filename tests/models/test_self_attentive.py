"""Lin et al.: the equations against plain loops, padding, pooling and the penalty."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from modelzoo.batching import length_mask, pad
from modelzoo.models.gated_pair import GatedPairConfig, GatedPairEncoder
from modelzoo.models.self_attentive import (
    SelfAttention,
    SelfAttentive,
    SelfAttentiveConfig,
    SelfAttentiveOutput,
    SentenceBatch,
    penalty,
)
from modelzoo.results import AttentionResult
from modelzoo.tasks import MAX_SENTENCE_TOKENS, Example, Sentence, SentencePair
from modelzoo.text import WordText, WordVectors

WORDS = ("the", "film", "was", "good", "bad", "not", ".")
TEXTS = ("The film was not good.", "bad", "Good film, zyzzyva the the the.")
POOLINGS = ("max", "mean", "last")
SINGLE = {torch.float32: 1e-6, torch.float64: 1e-12}


def tiny(seed: int = 0, **choices: object) -> SelfAttentive:
    matrix = np.random.default_rng(0).standard_normal((len(WORDS), 6)).astype(np.float32)
    text = WordText(WordVectors("tiny", WORDS, matrix), trained_words=WORDS, oov_buckets=4, shared=False)
    sizes = {"labels": ("negative", "positive"), "u": 3, "d_a": 5, "r": 4, "b": 7}
    torch.manual_seed(seed)
    model = SelfAttentive(SelfAttentiveConfig(**{**sizes, **choices}), text)  # type: ignore[arg-type]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.5 * torch.randn_like(parameter)
    return model.eval()


def batch_of(model: SelfAttentive, *texts: str, gold: str | None = None) -> SentenceBatch:
    return model.collate([model.encode(Sentence(text), gold) for text in texts])


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().double().numpy()


# --- equations ---------------------------------------------------------------------------------


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm_loop(S: np.ndarray, weights: dict[str, np.ndarray], suffix: str) -> np.ndarray:
    """One direction of the LSTM, word by word; gates in torch's order i, f, g, o."""
    u = weights[f"weight_hh_{suffix}"].shape[1]
    h, c, states = np.zeros(u), np.zeros(u), []
    for w in S:
        gates = weights[f"weight_ih_{suffix}"] @ w + weights[f"bias_ih_{suffix}"]
        gates = gates + weights[f"weight_hh_{suffix}"] @ h + weights[f"bias_hh_{suffix}"]
        i, f, g, o = (gates[k * u : (k + 1) * u] for k in range(4))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def test_H_is_both_directions_side_by_side() -> None:
    model = tiny().double()
    batch = batch_of(model, *TEXTS)
    H, S = numbers(model(batch).H), numbers(model.embedding(batch.sentence.ids))
    weights = {name: numbers(value) for name, value in model.encoder.lstm.named_parameters()}
    for b, n in enumerate(batch.sentence.lengths.tolist()):
        forward = lstm_loop(S[b, :n], weights, "l0")
        backward = lstm_loop(S[b, :n][::-1], weights, "l0_reverse")[::-1]
        np.testing.assert_allclose(H[b, :n], np.concatenate([forward, backward], axis=1), atol=1e-12)


def test_A_M_P_and_overall_follow_the_equations() -> None:
    model = tiny().double()
    batch = batch_of(model, *TEXTS)
    output: SelfAttentiveOutput = model(batch)
    assert model.attention is not None
    W_s1, W_s2 = numbers(model.attention.W_s1.weight), numbers(model.attention.W_s2.weight)
    r = len(W_s2)
    for b, n in enumerate(batch.sentence.lengths.tolist()):
        H = numbers(output.H[b, :n])
        A = np.zeros((r, n))
        for hop in range(r):
            scores = [W_s2[hop] @ np.tanh(W_s1 @ H[t]) for t in range(n)]
            A[hop] = np.exp(scores) / np.exp(scores).sum()
        M = [sum(A[hop, t] * H[t] for t in range(n)) for hop in range(r)]
        P = sum((A[i] @ A[j] - (i == j)) ** 2 for i in range(r) for j in range(r))
        np.testing.assert_allclose(numbers(output.A[b, :, :n]), A, atol=1e-12)
        np.testing.assert_allclose(numbers(output.M[b]), M, atol=1e-12)
        np.testing.assert_allclose(numbers(output.P[b]), P, atol=1e-12)
        np.testing.assert_allclose(numbers(output.overall[b, :n]), A.sum(axis=0) / A.sum(), atol=1e-12)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_classifier_reads_M_row_by_row(activation: str) -> None:
    model = tiny(activation=activation).double()
    output: SelfAttentiveOutput = model(batch_of(model, *TEXTS))
    hidden, classes = model.classifier.hidden, model.classifier.classes
    for b in range(len(TEXTS)):
        flat = np.concatenate(list(numbers(output.M[b])))
        inner = numbers(hidden.weight) @ flat + numbers(hidden.bias)
        inner = np.maximum(inner, 0) if activation == "relu" else np.tanh(inner)
        logits = numbers(classes.weight) @ inner + numbers(classes.bias)
        np.testing.assert_allclose(numbers(output.logits[b]), logits, atol=1e-12)


def test_a_factor_of_the_gated_encoder_is_a_product_per_hop() -> None:
    torch.manual_seed(0)
    encoder = GatedPairEncoder(GatedPairConfig(labels=("a", "b"), r=3, width=4, k=5, b=6)).double().eval()
    M_h, M_p = torch.randn(2, 3, 4, dtype=torch.float64), torch.randn(2, 3, 4, dtype=torch.float64)
    output = encoder(M_h, M_p)
    for b in range(2):
        for i in range(3):
            F_h = numbers(M_h)[b, i] @ numbers(encoder.W_fh)[i]
            F_p = numbers(M_p)[b, i] @ numbers(encoder.W_fp)[i]
            np.testing.assert_allclose(numbers(output.F_r[b, i]), F_h * F_p, atol=1e-12)


# --- the penalty -------------------------------------------------------------------------------


def test_P_of_uniform_attention_is_the_known_value() -> None:
    r, n = 5, 8
    _, P = penalty(torch.full((1, r, n), 1 / n, dtype=torch.float64))
    assert P.item() == pytest.approx(r * (1 - 1 / n) ** 2 + r * (r - 1) / n**2)


def test_P_of_hops_on_one_word_is_r_times_r_minus_1() -> None:
    A = torch.zeros(1, 5, 8)
    A[:, :, 3] = 1
    assert penalty(A)[1].item() == 5 * 4


def test_P_of_hops_on_different_words_is_0() -> None:
    assert penalty(torch.eye(4, 6).unsqueeze(0))[1].item() == 0


def test_P_of_more_hops_than_words_cannot_reach_0() -> None:
    one_hot = torch.eye(3)[torch.tensor([0, 1, 2, 0])].unsqueeze(0)  # four hops, three words
    assert penalty(one_hot)[1].item() == 2


def test_the_diagonal_of_AAT_lies_between_1_over_n_and_1() -> None:
    model = tiny()
    batch = batch_of(model, *TEXTS)
    sharpness = model(batch).AAT.diagonal(dim1=1, dim2=2)
    assert (sharpness >= 1 / batch.sentence.lengths.unsqueeze(1) - 1e-6).all()
    assert (sharpness <= 1 + 1e-6).all()


def test_the_loss_is_cross_entropy_and_the_mean_penalty() -> None:
    model = tiny(penalty=0.3)
    batch = batch_of(model, *TEXTS, gold="positive")
    output: SelfAttentiveOutput = model(batch)
    right = -numbers(output.logits.log_softmax(-1))[:, 1].mean()
    assert model.loss(batch).item() == pytest.approx(right + 0.3 * numbers(output.P).mean(), abs=1e-6)


def test_the_loss_needs_labels() -> None:
    model = tiny()
    with pytest.raises(ValueError, match="label"):
        model.loss(batch_of(model, *TEXTS))


# --- padding and pooling -----------------------------------------------------------------------


@pytest.mark.parametrize("pooling", ["attention", *POOLINGS])
@pytest.mark.parametrize("precision", SINGLE)
def test_a_batch_gives_what_each_sentence_gives_alone(pooling: str, precision: torch.dtype) -> None:
    model = tiny(pooling=pooling).to(precision)
    together = model(batch_of(model, *TEXTS))
    for b, text in enumerate(TEXTS):
        alone = model(batch_of(model, text))
        n = alone.H.shape[1]
        for name in SelfAttentiveOutput._fields:
            ours, theirs = getattr(together, name)[b], getattr(alone, name)[0]
            if name in ("E", "A", "overall"):
                ours = ours[..., :n]
            elif name == "H":
                ours = ours[:n]
            np.testing.assert_allclose(
                numbers(ours), numbers(theirs), atol=SINGLE[precision], rtol=0, err_msg=name
            )


def test_padding_is_exactly_0() -> None:
    model = tiny()
    batch = batch_of(model, *TEXTS)
    output: SelfAttentiveOutput = model(batch)
    padding = ~batch.sentence.mask
    assert (output.H[padding] == 0).all()
    for per_token in (output.A, output.E):
        assert (per_token.transpose(1, 2)[padding] == 0).all()
    assert (output.overall[padding] == 0).all()


@pytest.mark.parametrize("pooling", POOLINGS)
def test_pooling_is_over_real_tokens(pooling: str) -> None:
    model = tiny(pooling=pooling).double()
    batch = batch_of(model, *TEXTS)
    output: SelfAttentiveOutput = model(batch)
    u = model.config.u
    for b, n in enumerate(batch.sentence.lengths.tolist()):
        H = numbers(output.H[b, :n])
        by_loop = {
            "max": H.max(axis=0),
            "mean": H.mean(axis=0),
            "last": np.concatenate([H[-1, :u], H[0, u:]]),
        }
        np.testing.assert_allclose(numbers(output.M[b, 0]), by_loop[pooling], atol=1e-12)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_pooling_has_no_maps_no_attention_and_no_penalty(pooling: str) -> None:
    model = tiny(pooling=pooling)
    assert not [name for name, _ in model.named_parameters() if "W_s" in name]
    result = model.attend([Sentence(TEXTS[0])])[0]
    assert result.maps == ()
    assert result.internal("pooled").values.shape == (2 * model.config.u,)
    batch = batch_of(model, *TEXTS, gold="negative")
    assert model(batch).P.tolist() == [0.0] * len(TEXTS)
    model.loss(batch).backward()


# --- results -----------------------------------------------------------------------------------


def test_a_result_has_hops_overall_and_its_internals() -> None:
    model = tiny()
    result: AttentionResult = model.attend([Sentence("bad"), Sentence("The film was not good.")])[1]
    hops, overall = result.map("hops"), result.map("overall")
    assert hops.rows == ("hop 1", "hop 2", "hop 3", "hop 4")
    assert hops.columns == overall.columns == ("The", "film", "was", "not", "good", ".")
    assert overall.rows == ("overall",)
    np.testing.assert_allclose(overall.values[0], hops.values.sum(axis=0) / hops.values.sum(), atol=1e-6)
    shapes = {internal.name: internal.values.shape for internal in result.internals}
    assert shapes == {
        "H": (6, 6), "scores": (4, 6), "M": (4, 6), "AAT": (4, 4), "P": (), "contribution": (4, 2)
    }  # fmt: skip
    np.testing.assert_allclose(result.internal("AAT").values, hops.values @ hops.values.T, atol=1e-6)


def test_one_word_and_one_hop_give_a_weight_of_1() -> None:
    result = tiny(r=1).attend([Sentence("film")])[0]
    assert result.map("hops").values.tolist() == [[1.0]]
    assert result.map("overall").values.tolist() == [[1.0]]


def test_what_cannot_be_read_is_refused() -> None:
    model = tiny()
    with pytest.raises(ValueError, match="empty"):
        model.encode(Sentence("  \u200b "))
    with pytest.raises(ValueError, match=f"{MAX_SENTENCE_TOKENS + 1} tokens.*{MAX_SENTENCE_TOKENS}"):
        model.encode(Sentence("film " * (MAX_SENTENCE_TOKENS + 1)))
    with pytest.raises(ValueError, match="SentencePair"):
        model.encode(SentencePair("the film", "the film"))
    with pytest.raises(ValueError, match="negative, positive"):
        model.collate([model.encode_example(Example(Sentence("film"), "neutral"))])


def test_attention_stays_in_float32_under_bfloat16_autocast() -> None:
    model = tiny()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output: SelfAttentiveOutput = model(batch_of(model, *TEXTS))
        loss = model.loss(batch_of(model, *TEXTS, gold="positive"))
    loss.backward()
    assert output.A.dtype == torch.float32
    np.testing.assert_allclose(numbers(output.A.sum(dim=-1)), 1, atol=1e-6)


def test_initial_values_are_those_of_the_released_program() -> None:
    torch.manual_seed(0)
    text = WordText(WordVectors("tiny", WORDS, np.ones((len(WORDS), 50), np.float32)), shared=False)
    model = SelfAttentive(SelfAttentiveConfig(labels=("a", "b"), u=60, d_a=40, r=5, b=30), text)
    for name, parameter in model.named_parameters():
        if "bias" in name:
            assert (parameter == 0).all(), name
        elif "lstm" in name:
            assert parameter.std().item() == pytest.approx(0.1, rel=0.05), name
        else:
            assert parameter.abs().max().item() <= (6 / sum(parameter.shape)) ** 0.5, name


def test_attention_has_no_bias_and_its_softmax_is_per_sentence() -> None:
    torch.manual_seed(0)
    attention = SelfAttention(width=6, d_a=5, r=2)
    assert [name for name, _ in attention.named_parameters()] == ["W_s1.weight", "W_s2.weight"]
    lengths = pad([[1, 1, 1], [1]], torch.device("cpu")).lengths
    _, A = attention(torch.randn(2, 3, 6), length_mask(lengths, 3))
    np.testing.assert_allclose(numbers(A.sum(dim=2)), np.ones((2, 2)), atol=1e-6)
