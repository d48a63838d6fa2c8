"""RNNsearch: its equations against plain loops, its variants, and decoding step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from modelzoo.batching import Padded, pad
from modelzoo.models.rnn_search import GRUCell, PaperCell, RNNSearch, RNNSearchConfig, RNNSearchOutput
from modelzoo.models.translation import TranslationBatch
from modelzoo.tasks import LengthPenalty, SourceText
from modelzoo.text import BOS, EOS
from tests.tiny import ENGLISH, tiny_model, tiny_subwords

CPU = torch.device("cpu")
SOURCES = ((5, 9, 30, 7, 41, EOS), (8, EOS), (12, 13, 14, EOS))
TARGETS = ((6, 17, EOS), (21, 22, 23, 24, EOS), (25, EOS))
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "new state": {"readout_state": "new"},
    "gru": {"cell": "gru"},
    "bastings": {"cell": "gru", "readout": "linear", "readout_state": "new", "initial_state": "both"},
    "no attention": {"attention": False},
    "tied": {"tie_embeddings": True, "l": 8},
    "words, from zero": {"annotation_words": True, "initial_state": "zero"},
    "word in the query": {"query_word": True},
}


def model_of(**overrides: Any) -> RNNSearch:
    model = tiny_model("rnn-search", **overrides)
    assert isinstance(model, RNNSearch)
    return model.double()


def batch_of(sources: tuple[tuple[int, ...], ...], targets: tuple[tuple[int, ...], ...]) -> TranslationBatch:
    shifted = pad([(BOS, *target[:-1]) for target in targets], CPU)
    return TranslationBatch(pad(sources, CPU), shifted, pad(targets, CPU).ids)


@pytest.fixture(params=VARIANTS)
def model(request: pytest.FixtureRequest) -> RNNSearch:
    return model_of(**VARIANTS[request.param])


# --- the equations, one sentence and one number at a time ------------------------------------


def array(layer: nn.Module, name: str = "weight") -> np.ndarray:
    return layer.get_parameter(name).detach().numpy()


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def loop_cell(cell: nn.Module, x: np.ndarray, h: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sec. A.1.1 from the matrices of each gate; context holds C_z c, C_r c and C c."""
    n = len(h)
    W_z, W_r, W = np.split(array(cell.W), 3)
    b_z, b_r, b = np.split(array(cell.W, "bias"), 3)
    C_z, C_r, C = np.split(context, 3)
    U_z, U_r, U = array(cell.U_gates)[:n], array(cell.U_gates)[n:], array(cell.U)
    z = sigmoid(W_z @ x + U_z @ h + C_z + b_z)
    r = sigmoid(W_r @ x + U_r @ h + C_r + b_r)
    candidate = np.tanh(W @ x + U @ (r * h) + C + b)
    return (1 - z) * h + z * candidate, z, r


def loop_direction(cell: nn.Module, x: np.ndarray, n: int) -> list[np.ndarray]:
    h, states = np.zeros(n), []
    for x_j in x:
        h = loop_cell(cell, x_j, h, np.zeros(3 * n))[0]
        states.append(h)
    return states


def loop_context(
    model: RNNSearch, s: np.ndarray, y: np.ndarray, h: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, Eq. (6) and Eq. (5)."""
    W_a, U_a, v_a = array(model.W_a), array(model.U_a), array(model.v_a)[0]
    query = W_a @ s + (array(model.V_a) @ y if model.config.query_word else 0)
    e = np.array([v_a @ np.tanh(query + U_a @ h_j) for h_j in h])
    alpha = np.exp(e) / sum(np.exp(e))
    return e, alpha, sum(alpha_j * h_j for alpha_j, h_j in zip(alpha, h, strict=True))


def loop_logits(model: RNNSearch, s: np.ndarray, y: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The maxout readout of Sec. A.2.2."""
    t_tilde = array(model.U_o) @ s + array(model.U_o, "bias") + array(model.V_o) @ y + array(model.C_o) @ c
    t = np.array([max(t_tilde[2 * k], t_tilde[2 * k + 1]) for k in range(model.config.l)])
    return array(model.W_o) @ t + array(model.W_o, "bias")


def loop_decoder(
    model: RNNSearch, h: np.ndarray, seen: np.ndarray, target: tuple[int, ...]
) -> list[dict[str, np.ndarray]]:
    """Every step's quantities from the annotations h and the encoder state that s_0 sees."""
    s = np.tanh(array(model.W_s) @ seen + array(model.W_s, "bias"))
    s = np.zeros_like(s) if model.config.initial_state == "zero" else s
    steps = []
    for y_id in (BOS, *target[:-1]):
        y = array(model.E_y)[y_id]
        if model.config.attention:
            e, alpha, c = loop_context(model, s, y, h)
        else:
            e, alpha, c = np.zeros(0), np.zeros(0), seen
        new, z, r = loop_cell(model.cell, y, s, array(model.C) @ c)
        logits = loop_logits(model, new if model.config.readout_state == "new" else s, y, c)
        steps.append({"e": e, "alpha": alpha, "c": c, "z": z, "r": r, "states": new, "logits": logits})
        s = new
    return steps


def assert_equals_loops(
    output: RNNSearchOutput, item: int, steps: list[dict[str, np.ndarray]], length: int
) -> None:
    for i, step in enumerate(steps):
        for name, expected in step.items():
            ours = getattr(output, name)[item, i].detach().numpy()
            ours = ours[:length] if name in ("e", "alpha") else ours
            np.testing.assert_allclose(ours, expected, atol=1e-12, err_msg=f"{name} of step {i}")


@pytest.mark.parametrize("variant", ["paper", "new state", "words, from zero", "word in the query"])
def test_a_padded_batch_equals_loops_over_each_sentence(variant: str) -> None:
    model = model_of(**VARIANTS[variant])
    n = model.config.n
    output = model(batch_of(SOURCES, TARGETS))
    for item, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        x = array(model.E_x)[list(source)]
        forward = loop_direction(model.encoder.cells[0], x, n)
        backward = loop_direction(model.encoder.cells[1], x[::-1], n)[::-1]
        h = np.concatenate([forward, backward, *([x] if model.config.annotation_words else [])], axis=1)
        np.testing.assert_allclose(output.annotations[item, : len(source)].detach(), h, atol=1e-12)
        assert not output.annotations[item, len(source) :].any()
        assert not output.alpha[item, :, len(source) :].any()
        steps = loop_decoder(model, h, backward[0], target)
        assert_equals_loops(output, item, steps, len(source))


def test_without_attention_every_step_sees_the_encoders_last_state() -> None:
    model = model_of(attention=False)
    output = model(batch_of(SOURCES, TARGETS))
    assert output.alpha.shape[-1] == 0
    for item, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        last = loop_direction(model.encoder.cells[0], array(model.E_x)[list(source)], model.config.n)[-1]
        steps = loop_decoder(model, last[None], last, target)
        assert_equals_loops(output, item, steps, len(source))


def test_the_gru_variant_is_torchs_cell_and_the_papers_is_not() -> None:
    n, m = 4, 3
    torch.manual_seed(0)
    theirs, x, h = nn.GRUCell(m, n), torch.randn(5, m), torch.randn(5, n)
    ours, papers = GRUCell(m, n), PaperCell(m, n)
    ours.W.load_state_dict({"weight": theirs.weight_ih, "bias": theirs.bias_ih})
    ours.U.load_state_dict({"weight": theirs.weight_hh, "bias": theirs.bias_hh})
    torch.testing.assert_close(ours(ours.W(x), h)[0], theirs(x, h))

    # as alike as they can be: the same matrices and biases, and z turned round
    nn.init.zeros_(theirs.bias_hh)
    for name, into in (("weight_ih", papers.W.weight), ("bias_ih", papers.W.bias)):
        r, z, candidate = getattr(theirs, name).detach().chunk(3)
        into.data = torch.cat([-z, r, candidate])
    U_r, U_z, U = theirs.weight_hh.detach().chunk(3)
    papers.U_gates.weight.data, papers.U.weight.data = torch.cat([-U_z, U_r]), U
    assert (papers(papers.W(x), h)[0] - theirs(x, h)).abs().max() > 0.01
    papers.U.weight.data = torch.diag(torch.tensor([0.5, -1.0, 2.0, 0.1]))  # a diagonal U is moved past r
    theirs.weight_hh.data = torch.cat([U_r, U_z, papers.U.weight])
    torch.testing.assert_close(papers(papers.W(x), h)[0], theirs(x, h))


def test_dropout_of_annotations_leaves_the_words_vectors_alone() -> None:
    model = model_of(annotation_words=True, annotation_dropout=0.9, dropout=0.0)
    source = pad(SOURCES[:1], CPU)
    states, words = model.train().annotate(source)[0].split([2 * model.config.n, model.config.m], dim=-1)
    assert 0.5 < (states == 0).double().mean() < 1
    torch.testing.assert_close(words, model.E_x(source.ids), atol=0, rtol=0)


# --- step by step ------------------------------------------------------------------------------


def test_decoding_steps_equal_teacher_forcing(model: RNNSearch) -> None:
    batch = batch_of(SOURCES, TARGETS)
    output, state = model(batch), model.start(batch.source)
    for i, y in enumerate(batch.target_in.ids.unbind(1)):
        step = model.step(y, state)
        state = step.state
        expected = output.logits[:, i].log_softmax(-1)
        torch.testing.assert_close(step.log_probabilities, expected, atol=1e-12, rtol=0)
        torch.testing.assert_close(state["s"], output.states[:, i], atol=1e-12, rtol=0)
        for alpha in step.attention:
            torch.testing.assert_close(alpha, output.alpha[:, i], atol=1e-12, rtol=0)


def test_everything_carried_between_steps_has_the_batch_first(model: RNNSearch) -> None:
    state = model.start(pad(SOURCES, CPU))
    assert all(len(tensor) == len(SOURCES) for tensor in state.values())


def test_a_batch_gives_what_each_sentence_gives_alone(model: RNNSearch) -> None:
    together = model(batch_of(SOURCES, TARGETS))
    for item, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        alone = model(batch_of((source,), (target,)))
        n, m = len(target), len(source)
        torch.testing.assert_close(together.logits[item, :n], alone.logits[0], atol=1e-12, rtol=0)
        torch.testing.assert_close(together.alpha[item, :n, :m], alone.alpha[0][:, :m], atol=1e-12, rtol=0)


@pytest.mark.parametrize("penalty", [LengthPenalty(), LengthPenalty("gnmt", 0.6)], ids=str)
def test_a_beam_gives_what_each_sentence_gives_alone(penalty: LengthPenalty) -> None:
    model = model_of()
    inputs = [SourceText(text, beam_size=4, length_penalty=penalty) for text in ENGLISH[:4]]
    for item, result in zip(inputs, model.attend(inputs), strict=True):
        alone = model.attend([item])[0]
        assert alone.prediction.tokens == result.prediction.tokens
        assert len(alone.prediction.candidates) == len(result.prediction.candidates)
        for one, other in zip(alone.prediction.candidates, result.prediction.candidates, strict=True):
            assert (one.tokens, one.score) == (other.tokens, pytest.approx(other.score, abs=1e-6))
        np.testing.assert_allclose(alone.map("alignment").values, result.map("alignment").values, atol=1e-6)


def test_the_attention_of_a_hypothesis_is_that_of_forcing_its_pieces() -> None:
    model = model_of()
    encoded = [model.encode(SourceText(text, beam_size=5)) for text in ENGLISH[:3]]
    with torch.inference_mode():
        found = model.search(encoded)
    for text, hypotheses in zip(ENGLISH, found, strict=False):
        for hypothesis in hypotheses:
            pieces = tuple(model.text.token(piece).model for piece in hypothesis.ids)
            forced = model.attend([SourceText(text, forced=pieces)])[0]
            columns = len(forced.tokens["source"])
            stored = hypothesis.attention[0]
            np.testing.assert_allclose(stored[:, :columns], forced.map("alignment").values, atol=1e-6)
            assert not stored[:, columns:].any()
            np.testing.assert_allclose(
                hypothesis.log_probabilities, forced.prediction.log_probabilities, atol=1e-5
            )


# --- initial values and options ----------------------------------------------------------------


def test_initial_values_are_the_papers() -> None:
    torch.manual_seed(0)
    model = RNNSearch(RNNSearchConfig(m=30, n=40, n_align=50, l=30), tiny_subwords())
    cells = [*model.encoder.cells, model.cell]
    for block in [b for cell in cells for b in (cell.U.weight, *cell.U_gates.weight.chunk(2))]:
        torch.testing.assert_close(block @ block.T, torch.eye(40), atol=1e-5, rtol=0)
    for layer, deviation in ((model.W_a, 0.001), (model.U_a, 0.001), (model.C, 0.01), (model.E_y, 0.01)):
        assert layer.weight.std().item() == pytest.approx(deviation, rel=0.1)
    zeros = [p for name, p in model.named_parameters() if "bias" in name or name == "v_a.weight"]
    assert not any(parameter.any() for parameter in zeros)
    source = pad(SOURCES, CPU)
    alpha = model.step(torch.full((3,), BOS), model.start(source)).attention[0]
    torch.testing.assert_close(alpha, source.mask / source.lengths.unsqueeze(1))  # uniform at first


def test_tied_embeddings_are_one_table_and_need_equal_sizes() -> None:
    model = model_of(tie_embeddings=True, l=8)
    assert model.E_x.weight is model.E_y.weight
    assert model.E_x.weight is model.W_o.weight
    with pytest.raises(ValueError, match="l equal to m; given were l=6 and m=8"):
        RNNSearchConfig(m=8, l=6, tie_embeddings=True)


@pytest.mark.parametrize("variant", ["paper", "gru", "no attention"])
def test_training_under_bfloat16_lowers_the_loss_with_attention_and_states_in_float32(variant: str) -> None:
    model, batch = tiny_model("rnn-search", **VARIANTS[variant]), batch_of(SOURCES, TARGETS)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    losses = []
    for _ in range(10):
        with torch.autocast("cpu", torch.bfloat16):
            output, loss = model(batch), model.loss(batch)
            assert output.alpha.dtype == output.states.dtype == torch.float32
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.1
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_padding_of_the_source_gets_no_gradient() -> None:
    model = model_of()
    batch = batch_of(SOURCES, TARGETS)
    ids = batch.source.ids.masked_fill(~batch.source.mask, 3)  # a piece that occurs in padding only
    source = Padded(ids, batch.source.lengths, batch.source.mask)
    model.loss(batch._replace(source=source)).backward()
    gradient = model.E_x.weight.grad
    assert gradient is not None
    assert not gradient[3].any()
    assert gradient[5].any()
