"""Lin et al.: our modules with the reference's weights give the reference's numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from modelzoo.batching import Padded, length_mask
from modelzoo.models.gated_pair import GatedPairConfig, GatedPairEncoder
from modelzoo.models.self_attentive import (
    SelfAttentive,
    SelfAttentiveConfig,
    SelfAttentiveOutput,
    SentenceBatch,
)
from modelzoo.text import WordText, WordVectors
from tests.parity.cases import PRECISIONS, Case, case_files

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


def cases(*variants: str) -> pytest.MarkDecorator:
    """One test per file and precision."""
    return pytest.mark.parametrize(
        ("path", "precision"),
        [
            pytest.param(path, precision, id=f"{path.stem}-{str(precision).removeprefix('torch.')}")
            for path in case_files("lin", *variants)
            for precision in PRECISIONS
        ],
    )


def model_of(case: Case, **choices: str) -> SelfAttentive:
    """Our model of the file's sizes, with the file's weights."""
    vectors = case["weights.encoder.bilstm.encoder.weight"]
    d_a, r = case["weights.encoder.ws1.weight"].shape[0], case["weights.encoder.ws2.weight"].shape[0]
    labels, b = case["weights.pred.weight"].shape
    config = SelfAttentiveConfig(
        labels=tuple(map(str, range(labels))),
        u=case["weights.encoder.bilstm.bilstm.weight_hh_l0"].shape[1],
        d_a=d_a,
        r=r,
        b=b,
        train_words=False,
        **choices,  # type: ignore[arg-type]
    )
    text = WordText(WordVectors("tiny", ("word",), np.zeros((1, vectors.shape[1]), np.float32)), shared=False)
    model = SelfAttentive(config, text).to(case.precision).eval()
    model.embedding.table = vectors
    model.encoder.lstm.load_state_dict(case.under("weights.encoder.bilstm.bilstm."))
    if model.attention is not None:
        model.attention.W_s1.load_state_dict(case.under("weights.encoder.ws1."))
        model.attention.W_s2.load_state_dict(case.under("weights.encoder.ws2."))
        model.classifier.hidden.load_state_dict(case.under("weights.fc."))
    model.classifier.classes.load_state_dict(case.under("weights.pred."))
    return model


def run(case: Case, model: SelfAttentive) -> SelfAttentiveOutput:
    ids, lengths = case["in.tokens"], case["in.lengths"]
    output: SelfAttentiveOutput = model(
        SentenceBatch(Padded(ids, lengths, length_mask(lengths, ids.shape[1])), None)
    )
    return output


@cases("")
def test_matches_the_reference(path: Path, precision: torch.dtype) -> None:
    case, tolerance = Case(path, precision), TOLERANCE[precision]
    relu = model_of(case)
    output = run(case, relu)
    for name in ("H", "A", "AAT", "M", "P", "overall"):
        case.compare(f"out.{name}", getattr(output, name), tolerance)
    case.compare("out.P_batch_mean", output.P.mean().reshape(case["out.P_batch_mean"].shape), tolerance)
    case.compare("out.logits_relu", output.logits, tolerance)
    case.compare("out.logits_tanh", run(case, model_of(case, activation="tanh")).logits, tolerance)
    for pooling in ("max", "mean", "last"):
        M: Tensor = run(case, model_of(case, pooling=pooling)).M
        case.compare(f"out.pool_{pooling}", M.squeeze(1), tolerance)
    output.P.mean().backward()
    for ours, theirs in (("W_s1", "ws1"), ("W_s2", "ws2")):
        gradient = relu.get_parameter(f"attention.{ours}.weight").grad
        assert gradient is not None
        case.compare(f"grad.P_mean.{theirs}.weight", gradient, tolerance)
    case.assert_all_compared("ref_padded.", "out.P_norm_eps")


@cases("_gated_equations")
def test_gated_pair_encoder_matches_the_equations(path: Path, precision: torch.dtype) -> None:
    case = Case(path, precision)
    r, width, k = case["weights.W_fh"].shape
    labels, b = case["weights.pred.weight"].shape
    config = GatedPairConfig(labels=tuple(map(str, range(labels))), r=r, width=width, k=k, b=b)
    encoder = GatedPairEncoder(config).to(precision).eval()
    renamed = {"W_fh": case["weights.W_fh"], "W_fp": case["weights.W_fp"]}
    renamed |= {f"hidden.{name}": value for name, value in case.under("weights.fc.").items()}
    renamed |= {f"classes.{name}": value for name, value in case.under("weights.pred.").items()}
    encoder.load_state_dict(renamed)
    output = encoder(case["in.M_h"], case["in.M_p"])
    for name, ours in output._asdict().items():
        case.compare(f"out.{name}", ours, TOLERANCE[precision])
    case.assert_all_compared()
