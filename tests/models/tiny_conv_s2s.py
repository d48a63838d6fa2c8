"""Tiny seeded ConvS2S models and batches of different lengths."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from modelzoo.batching import pad
from modelzoo.models.conv_s2s import ConvS2S, ConvS2SConfig
from modelzoo.models.translation import TranslationBatch
from modelzoo.text import BOS, EOS, PAD
from tests.tiny import tiny_subwords

CPU = torch.device("cpu")
EVEN = {"f": 6, "f_out": 5, "encoder": ((8, 3), (8, 3)), "decoder": ((8, 3), (8, 3), (8, 3))}
WIDTHS = {"f": 6, "f_out": 4, "encoder": ((6, 5), (9, 1)), "decoder": ((6, 2), (9, 1), (7, 4))}
SIZES = pytest.mark.parametrize("sizes", [EVEN, WIDTHS], ids=["even", "widths"])
SOURCES = [(7, 18, 17, 12, 16, EOS), (9, EOS), (10, 30, 30, EOS)]
TARGETS = [(15, 16, 13, EOS), (44, 19, 8, 9, 14, 11, EOS), (EOS,)]


def model_of(sizes: dict[str, Any], *, noise: float = 0.3, **options: Any) -> ConvS2S:
    """A seeded model in float64 and eval mode, with noise on every weight, so that biases and gains count."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        model = ConvS2S(ConvS2SConfig(**{**sizes, **options}), tiny_subwords()).double()
        for parameter in model.parameters():
            parameter += noise * torch.randn_like(parameter)
        for side in (model.encoder, model.decoder):
            side.elements.words.weight[PAD] = 0.0
    return model.eval()


def batch_of(sources: list[tuple[int, ...]], targets: list[tuple[int, ...]]) -> TranslationBatch:
    inputs = pad([(BOS, *target[:-1]) for target in targets], CPU)
    return TranslationBatch(pad(sources, CPU), inputs, pad(targets, CPU).ids)
