"""RNNsearch against the annotated encoder-decoder, JoeyNMT's scorer and a decoder after the appendix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
import torch
from torch import Tensor

from modelzoo.batching import Padded, length_mask
from modelzoo.decoding import Bounds, greedy
from modelzoo.models.rnn_search import RNNSearch, RNNSearchConfig, RNNSearchOutput
from modelzoo.models.translation import TranslationBatch
from modelzoo.text import SubwordText
from tests.parity.cases import PRECISIONS, Case, case_files

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


@dataclass
class Pieces:
    """A text side of which only the size of the vocabulary matters."""

    size: int


def model_like(case: Case, config: RNNSearchConfig, source_table: str, target_table: str) -> RNNSearch:
    """A model of the file's sizes; the reference has a vocabulary per language."""
    text = Pieces(len(case[target_table]))
    model = RNNSearch(config, cast(SubwordText, text))
    model.E_x = torch.nn.Embedding(*case[source_table].shape)
    return model.to(case.precision).eval()


def load(model: RNNSearch, weights: dict[str, Tensor]) -> None:
    """Put weights in by name: each parameter is given exactly once, with its shape."""
    model.load_state_dict(weights, strict=True)


def batch_of(case: Case) -> TranslationBatch:
    def padded(ids: str, lengths: str) -> Padded:
        return Padded(case[ids], case[lengths], length_mask(case[lengths], case[ids].shape[1]))

    source, target = padded("in.src", "in.src_lengths"), padded("in.trg_in", "in.trg_lengths")
    return TranslationBatch(source, target, torch.zeros_like(target.ids))


def compare_real_steps(case: Case, name: str, ours: Tensor, batch: TranslationBatch) -> None:
    """Ours against the file's at real target steps; padded ones hold what no one defines."""
    real = batch.target_in.mask.unsqueeze(-1)
    case.compare(name, torch.where(real, ours, case[name]), TOLERANCE[case.precision])


def compare_common(case: Case, output: RNNSearchOutput, batch: TranslationBatch) -> None:
    tolerance = TOLERANCE[case.precision]
    case.compare("out.annotations", output.annotations, tolerance)
    case.compare("out.s0", output.s0, tolerance)
    compare_real_steps(case, "out.e", output.e * batch.source.mask.unsqueeze(1), batch)
    for name, ours in (("alpha", output.alpha), ("c", output.c), ("states", output.states)):
        compare_real_steps(case, f"out.{name}", ours, batch)


# --- the nn.GRU variant ----------------------------------------------------------------------


def gru_model(case: Case) -> RNNSearch:
    n, m = case["out.s0"].shape[1], case["weights.trg_embed.weight"].shape[1]
    config = RNNSearchConfig(
        m=m,
        n=n,
        n_align=len(case["weights.decoder.attention.key_layer.weight"]),
        l=len(case["weights.decoder.pre_output_layer.weight"]),
        cell="gru",
        readout="linear",
        readout_state="new",
        initial_state="both",
    )
    model = model_like(case, config, "weights.src_embed.weight", "weights.trg_embed.weight")
    theirs = case.under("weights.")
    W, C = theirs["decoder.rnn.weight_ih_l0"].split([m, 2 * n], dim=1)
    V_o, U_o, C_o = theirs["decoder.pre_output_layer.weight"].split([m, n, 2 * n], dim=1)
    ours = {
        "E_x.weight": theirs["src_embed.weight"],
        "E_y.weight": theirs["trg_embed.weight"],
        "W_s.weight": theirs["decoder.bridge.weight"],
        "W_s.bias": theirs["decoder.bridge.bias"],
        "W_a.weight": theirs["decoder.attention.query_layer.weight"],
        "U_a.weight": theirs["decoder.attention.key_layer.weight"],
        "v_a.weight": theirs["decoder.attention.energy_layer.weight"],
        "cell.W.weight": W,
        "cell.W.bias": theirs["decoder.rnn.bias_ih_l0"],
        "cell.U.weight": theirs["decoder.rnn.weight_hh_l0"],
        "cell.U.bias": theirs["decoder.rnn.bias_hh_l0"],
        "C.weight": C,
        "V_o.weight": V_o,
        "U_o.weight": U_o,
        "C_o.weight": C_o,
        "W_o.weight": theirs["generator.proj.weight"],
    }
    encoder = {f"encoder.gru.{name}": value for name, value in case.under("weights.encoder.rnn.").items()}
    load(model, {**ours, **encoder})
    return model


def compare_scorer(case: Case) -> None:
    """The alignment model alone, its query of another size than its hidden layer."""
    given, text = case.under("attention_only."), Pieces(1)
    model = RNNSearch(RNNSearchConfig(m=1, n=1, n_align=1, l=1), cast(SubwordText, text))
    for layer, name in ((model.W_a, "query"), (model.U_a, "key"), (model.v_a, "energy")):
        layer.weight = torch.nn.Parameter(given[f"weights.{name}_layer.weight"])
    values, mask = given["values"], case["in.src"] != 0
    memory = {"annotations": values, "keys": model.U_a(values), "mask": mask}
    _, alpha, c = model.align(given["query"][:, 0], values.new_zeros(1), memory)
    case.compare("attention_only.alpha", alpha.unsqueeze(1), TOLERANCE[case.precision])
    case.compare("attention_only.context", c.unsqueeze(1), TOLERANCE[case.precision])
    case.seen |= {f"attention_only.{name}" for name in given if name.startswith("weights.")}
    case.seen |= {"attention_only.query", "attention_only.values"}


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("path", case_files("bahdanau", ""), ids=lambda path: path.stem)
def test_gru_variant_equals_reference(path: Path, precision: torch.dtype) -> None:
    case = Case(path, precision)
    model, batch = gru_model(case), batch_of(case)
    with torch.inference_mode():
        output = model(batch)
        compare_common(case, output, batch)
        case.compare("out.encoder_final", output.ends, TOLERANCE[precision])
        compare_real_steps(case, "out.pre_output", output.t, batch)
        compare_real_steps(case, "out.logits", output.logits, batch)
        compare_real_steps(case, "out.log_probs", output.logits.log_softmax(-1), batch)
        size, steps = case["out.greedy8"].shape
        bos = int(case["in.trg_in"][0, 0])
        bounds = Bounds(bos, eos=-1, limits=(steps,) * size)  # the reference does not stop at the end
        found = greedy(model.step, model.start(batch.source), bounds)
        case.compare("out.greedy8", torch.tensor([hypothesis.ids for hypothesis in found]), 0)
        compare_scorer(case)
    case.assert_all_compared()


# --- the appendix ----------------------------------------------------------------------------


def paper_model(case: Case) -> RNNSearch:
    """The appendix's model; the reference's several biases of one sum are added up."""
    theirs = case.under("weights.decoder.")
    config = RNNSearchConfig(
        m=theirs["embedding.weight"].shape[1],
        n=len(theirs["Ws.weight"]),
        n_align=len(theirs["Wa.weight"]),
        l=theirs["Wo.weight"].shape[1],
    )
    model = model_like(case, config, "weights.encoder.embedding", "weights.decoder.embedding.weight")
    assert not any(theirs[f"{name}.bias"].any() for name in ("Wa", "Ua"))  # ours has none there

    def stacked(letter: str, gates: str = "zrn") -> Tensor:
        return torch.cat([theirs[f"{letter}{gate}.weight"] for gate in gates])

    def bias(gate: str, letters: str = "WUC") -> Tensor:
        return torch.stack([theirs[f"{letter}{gate}.bias"] for letter in letters]).sum(0)

    ours = {
        "E_x.weight": case["weights.encoder.embedding"],
        "E_y.weight": theirs["embedding.weight"],
        "W_a.weight": theirs["Wa.weight"],
        "U_a.weight": theirs["Ua.weight"],
        "v_a.weight": theirs["va.weight"],
        "cell.W.weight": stacked("W"),
        "cell.W.bias": torch.cat([bias(gate) for gate in "zrn"]),
        "cell.U_gates.weight": stacked("U", "zr"),
        "cell.U.weight": theirs["Un.weight"],
        "C.weight": stacked("C"),
        "U_o.bias": bias("o", "UVC"),
    }
    ours |= {
        f"{a}_{b}.{kind}": theirs[f"{a}{b}.{kind}"] for a, b in ("Ws", "Wo") for kind in ("weight", "bias")
    }
    ours |= {f"{letter}_o.weight": theirs[f"{letter}o.weight"] for letter in "UVC"}
    load(model, {**ours, **paper_direction(case, "fwd", 0), **paper_direction(case, "bwd", 1)})
    return model


def paper_direction(case: Case, theirs: str, ours: int) -> dict[str, Tensor]:
    cell = case.under(f"weights.encoder.{theirs}.")
    return {
        f"encoder.cells.{ours}.W.weight": torch.cat([cell["Wz"], cell["Wr"], cell["W"]]),
        f"encoder.cells.{ours}.W.bias": torch.cat([cell["bz"], cell["br"], cell["b"]]),
        f"encoder.cells.{ours}.U_gates.weight": torch.cat([cell["Uz"], cell["Ur"]]),
        f"encoder.cells.{ours}.U.weight": cell["U"],
    }


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("path", case_files("bahdanau", "_paper"), ids=lambda path: path.stem)
def test_paper_cell_and_both_readouts_equal_reference(path: Path, precision: torch.dtype) -> None:
    case = Case(path, precision)
    model, batch = paper_model(case), batch_of(case)
    with torch.inference_mode():
        output = model(batch)
        compare_common(case, output, batch)
        for name in ("z", "r", "t_tilde", "t"):
            compare_real_steps(case, f"out.{name}", getattr(output, name), batch)
        compare_real_steps(case, "out.logits_prev", output.logits, batch)
        model.config = replace(model.config, readout_state="new")
        compare_real_steps(case, "out.logits_new", model(batch).logits, batch)
    case.assert_all_compared()
