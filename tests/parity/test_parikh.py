"""Parikh et al.: our model with the reference's weights gives the reference's numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from modelzoo.batching import Padded, length_mask
from modelzoo.models.decomposable import Decomposable, DecomposableConfig, DecomposableOutput, PairBatch
from modelzoo.text import WordText, WordVectors
from tests.parity.cases import PRECISIONS, Case, case_files

TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-5}
LIBOWEN = {
    "projection.weight": "encoder.input_linear.weight",
    "classes.weight": "atten.final_linear.weight",
    "classes.bias": "atten.final_linear.bias",
    **{
        f"{ours}.{place}.{kind}": f"atten.mlp_{ours.lower()}.{place}.{kind}"
        for ours in "FGH"
        for place in (1, 4)
        for kind in ("weight", "bias")
    },
}
"""Our parameter's name to the reference's, in libowen2121's program."""


def allennlp(intra: bool) -> dict[str, str]:
    """Our parameter's name to the reference's, in AllenNLP."""
    names = {}
    for kind in ("weight", "bias"):
        names[f"projection.{kind}"] = f"_text_field_embedder.projection.{kind}"
        for layer, place in ((0, 1), (1, 4)):
            names[f"F.{place}.{kind}"] = f"_attend_feedforward._module._linear_layers.{layer}.{kind}"
            names[f"G.{place}.{kind}"] = f"_compare_feedforward._module._linear_layers.{layer}.{kind}"
            if intra:
                names[f"intra.F_intra.{place}.{kind}"] = f"F_intra._linear_layers.{layer}.{kind}"
        names[f"H.1.{kind}"] = f"_aggregate_feedforward._linear_layers.0.{kind}"
        names[f"classes.{kind}"] = f"_aggregate_feedforward._linear_layers.1.{kind}"
    return names | ({"intra.d": "distance_bias"} if intra else {})


def cases(*variants: str) -> pytest.MarkDecorator:
    """One test per file and precision."""
    return pytest.mark.parametrize(
        ("path", "precision"),
        [
            pytest.param(path, precision, id=f"{path.stem}-{str(precision).removeprefix('torch.')}")
            for path in case_files("parikh", *variants)
            for precision in PRECISIONS
        ],
    )


def run(case: Case, names: dict[str, str], vectors: Tensor, *, layers: int) -> DecomposableOutput:
    """Our model of the file's sizes, with its weights, on its batch."""
    weights = {ours: case[f"weights.{theirs}"] for ours, theirs in names.items()}
    config = DecomposableConfig(
        labels=tuple(map(str, range(len(weights["classes.bias"])))),
        projection=len(weights["projection.weight"]),
        projection_bias="projection.bias" in weights,
        hidden=len(weights["F.1.bias"]),
        aggregate_layers=layers,
        intra="intra.d" in weights,
        max_distance=len(weights.get("intra.d", range(11))) - 1,
    )
    text = WordText(WordVectors("tiny", ("word",), np.zeros((1, vectors.shape[1]), np.float32)), shared=False)
    model = Decomposable(config, text).to(case.precision).eval()
    model.load_state_dict(weights)
    model.embedding.table = vectors
    sides = []
    for side in "ab":
        ids, lengths = case[f"in.{side}"], case[f"in.{side}_lengths"]
        sides.append(Padded(ids, lengths, length_mask(lengths, ids.shape[1])))
    output: DecomposableOutput = model(PairBatch(sides[0], sides[1], None))
    return output


def compare(case: Case, output: DecomposableOutput, tolerance: float, *names: str) -> None:
    """What every file holds, and the fields of these names."""
    for name in ("e", "v1", "v2", "logits", *names):
        case.compare(f"out.{name}", getattr(output, name), tolerance)
    case.compare("out.row_softmax", output.beta_weights, tolerance)
    case.compare("out.col_softmax", output.alpha_weights.transpose(1, 2), tolerance)


@cases("")
def test_matches_the_reference(path: Path, precision: torch.dtype) -> None:
    case, tolerance = Case(path, precision), TOLERANCE[precision]
    output = run(case, LIBOWEN, case["weights.encoder.embedding.weight"], layers=3)
    compare(case, output, tolerance, "F_a", "F_b", "alpha", "beta", "v1_i", "v2_j")
    case.compare("out.a_proj", output.a_bar, tolerance)
    case.compare("out.b_proj", output.b_bar, tolerance)
    case.compare("out.log_probs", output.logits.log_softmax(-1), tolerance)
    case.assert_all_compared()


@cases("_allennlp")
def test_matches_the_reference_with_two_layers_and_a_projection_bias(
    path: Path, precision: torch.dtype
) -> None:
    case, tolerance = Case(path, precision), TOLERANCE[precision]
    vectors = case["weights._text_field_embedder.embedding.weight"]
    output = run(case, allennlp(intra=False), vectors, layers=2)
    compare(case, output, tolerance)
    case.compare("out.probs", output.logits.softmax(-1), tolerance)
    case.assert_all_compared()


@cases("_intra")
def test_matches_the_reference_with_intra_sentence_attention(path: Path, precision: torch.dtype) -> None:
    case, tolerance = Case(path, precision), TOLERANCE[precision]
    vectors = case["weights._text_field_embedder.embedding.weight"]
    output = run(case, allennlp(intra=True), vectors, layers=2)
    compare(case, output, tolerance, "a_bar", "b_bar")
    case.compare("out.probs", output.logits.softmax(-1), tolerance)
    for side, intra in (("a", output.intra_a), ("b", output.intra_b)):
        assert intra is not None
        # the files hold f without the distance bias (their README says: with it)
        case.compare(f"out.intra_{side}.f", intra.f, tolerance)
        case.compare(f"out.intra_{side}.attention", intra.weights, tolerance)
    case.assert_all_compared()
