"""ConvS2S against fairseq's fconv: keys, values, every layer, logits both ways, loss, gradients."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from modelzoo.batching import Padded, length_mask
from modelzoo.models.conv_s2s import ConvDecoder, ConvEncoder, ConvS2SConfig, ConvS2SOutput
from modelzoo.models.translation import cross_entropy
from modelzoo.text import PAD
from tests.parity.cases import PRECISIONS, Case, case_files

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}
FAIRSEQ_PAD = 1
SKIPPED_POSITIONS = FAIRSEQ_PAD + 1  # rows of its position tables before that of the first token


@pytest.mark.parametrize("precision", PRECISIONS, ids=str)
@pytest.mark.parametrize("path", case_files("convs2s", "", "_widths"), ids=lambda path: path.stem)
def test_conv_s2s_equals_fairseq(path: Path, precision: torch.dtype) -> None:
    case = Case(path, precision)
    reference = Reference(case)
    source, target = reference.batch("src"), reference.batch("trg_in", "trg_lengths")

    state = reference.decoder.start(*reference.encoder(source), source.mask)
    output, _ = reference.decoder(target.ids, state)
    loss = cross_entropy(output.logits, reference.swapped(case["in.targets"]))
    loss.backward()

    reference.compare_outputs(output, source, target)
    reference.compare_incremental(source, target)
    case.compare("out.loss", loss.unsqueeze(0), TOLERANCE[precision])
    reference.compare_weights_and_gradients()
    case.assert_all_compared()


class Reference:
    """Our encoder and decoder with a file's sizes and weights; ids 0 and 1 change places, as our pad is 0."""

    def __init__(self, case: Case) -> None:
        self.case, self.tolerance = case, TOLERANCE[case.precision]
        sizes = {side: len(case[f"weights.{side}.embed_tokens.weight"]) for side in ("encoder", "decoder")}
        config = self.config()
        self.encoder = ConvEncoder(sizes["encoder"], config).to(case.precision)
        self.decoder = ConvDecoder(sizes["decoder"], config).to(case.precision)
        self.linear: dict[str, nn.Linear] = {}
        self.fill("encoder", self.encoder)
        self.fill("decoder", self.decoder)

    def config(self) -> ConvS2SConfig:
        case, layers = self.case, {"encoder": [], "decoder": []}
        for side, sizes in layers.items():
            while (name := f"weights.{side}.convolutions.{len(sizes)}.weight_v") in case:
                k, _, twice_d = case[name].shape
                sizes.append((twice_d // 2, k))
        positions, f = case["weights.encoder.embed_positions.weight"].shape
        return ConvS2SConfig(
            f=f,
            encoder=tuple(layers["encoder"]),
            decoder=tuple(layers["decoder"]),
            f_out=len(case["weights.decoder.fc2.bias"]),
            max_positions=positions - SKIPPED_POSITIONS,
            dropout=0.0,
        )

    def swapped(self, ids: Tensor) -> Tensor:
        """The same pieces under our ids: padding 0 instead of 1."""
        return torch.where(ids < 2, 1 - ids, ids)

    def swap_rows(self, values: Tensor) -> Tensor:
        return values[self.swapped(torch.arange(len(values)))]

    def batch(self, name: str, lengths: str = "src_lengths") -> Padded:
        ids = self.swapped(self.case[f"in.{name}"])
        size = self.case[f"in.{lengths}"]
        mask = length_mask(size, ids.shape[1])
        assert torch.equal(mask, ids != PAD)
        return Padded(ids, size, mask)

    def fill(self, side: str, module: ConvEncoder | ConvDecoder) -> None:
        weights = self.case.under(f"weights.{side}.")
        words = module.elements.words
        positions = module.elements.positions
        assert positions is not None
        words.weight.data = self.swap_rows(weights.pop("embed_tokens.weight"))
        positions.weight.data = weights.pop("embed_positions.weight")[SKIPPED_POSITIONS:]
        for name in sorted({name.rpartition(".")[0] for name in weights}):
            layer = find(module, name)
            v, g, bias = (weights.pop(f"{name}.{part}") for part in ("weight_v", "weight_g", "bias"))
            original = layer.parametrizations.weight
            original.original0.data, original.original1.data = self.ours(name, g), self.ours(name, v)
            layer.bias.data = self.ours(name, bias)
            self.linear[f"{side}.{name}"] = layer
        assert not weights

    def ours(self, name: str, theirs: Tensor) -> Tensor:
        """A weight in our form: kernels (k, in, 2 out) as matrices (2 out, k in), rows of fc3 by our ids."""
        if theirs.ndim == 3:
            return theirs.flatten(0, 1).T.contiguous()
        return self.swap_rows(theirs) if name == "fc3" else theirs

    def theirs(self, name: str, ours: Tensor, like: Tensor) -> Tensor:
        if like.ndim == 3:
            return ours.T.reshape(like.shape)
        return self.swap_rows(ours) if name.endswith("fc3") or "embed_tokens" in name else ours

    def compare_outputs(self, output: ConvS2SOutput, source: Padded, target: Padded) -> None:
        case, real = self.case, target.mask.unsqueeze(-1)  # theirs are 0 at padded steps
        case.compare("out.z", output.z, self.tolerance)
        case.compare("out.values", output.values, self.tolerance)
        for i, layer in enumerate(output.layers):
            assert not layer.attention.masked_select(~source.mask.unsqueeze(1)).any()
            case.compare(f"out.layer{i}.attention", layer.attention * real, self.tolerance)
            case.compare(f"out.layer{i}.conditional_input", layer.conditional * real, self.tolerance)
            case.compare(f"out.layer{i}.gate", layer.gate * real, self.tolerance)
            case.compare(f"out.layer{i}.glu", layer.glu * real, self.tolerance)
        mean = torch.stack([layer.attention for layer in output.layers]).mean(0)
        case.compare("out.attention_mean", mean * real, self.tolerance)
        case.compare("out.logits", self.logits(output.logits) * real, self.tolerance)

    def compare_incremental(self, source: Padded, target: Padded) -> None:
        state, steps = self.decoder.start(*self.encoder(source), source.mask), []
        for y in target.ids.split(1, dim=1):
            output, state = self.decoder(y, state)
            steps.append(self.logits(output.logits))
        logits = torch.cat(steps, dim=1) * target.mask.unsqueeze(-1)
        self.case.compare("out.incremental_logits", logits, self.tolerance)

    def logits(self, ours: Tensor) -> Tensor:
        return ours[..., self.swapped(torch.arange(ours.shape[-1]))]

    def compare_weights_and_gradients(self) -> None:
        case = self.case
        for name in case.under("effective."):
            ours = self.linear[name.removesuffix(".weight")].weight
            case.compare(
                f"effective.{name}",
                self.theirs(name.removesuffix(".weight"), ours, case[f"effective.{name}"]),
                self.tolerance,
            )
        for name, gradient in case.under("grad.").items():
            case.compare(f"grad.{name}", self.theirs(name, self.gradient(name), gradient), self.tolerance)

    def gradient(self, name: str) -> Tensor:
        layer, _, part = name.rpartition(".")
        side = layer.partition(".")[0]
        module = self.encoder if side == "encoder" else self.decoder
        if layer.endswith("embed_positions"):
            assert module.elements.positions is not None
            return pad(gradient_of(module.elements.positions.weight), (0, 0, SKIPPED_POSITIONS, 0))
        if layer.endswith("embed_tokens"):
            parameter = module.elements.words.weight
        elif part == "bias":
            parameter = self.linear[layer].bias
        else:
            original = self.linear[layer].parametrizations.weight
            parameter = original.original0 if part == "weight_g" else original.original1
        return gradient_of(parameter)


def gradient_of(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad


def find(module: nn.Module, name: str) -> nn.Linear:
    """Our layer of fairseq's name: fc1 to fc3, convolutions.l, projections.l, attention.l.in_projection."""
    kind, *rest = name.split(".")
    if not rest:
        return module.get_submodule(name)
    block = module.blocks[int(rest[0])]
    parts = {"convolutions": "convolution.W", "projections": "residual"}
    parts |= {"in_projection": "W_d", "out_projection": "W_c"}
    return block.get_submodule(parts[rest[1] if kind == "attention" else kind])
