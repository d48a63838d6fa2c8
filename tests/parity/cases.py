"""The parity files: numbers from independent implementations that ours must reproduce."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ.get("ATLAS_PARITY") or HERE / "cases")
PRECISIONS = (torch.float64, torch.float32)


def case_files(model: str, *variants: str) -> list[Path]:
    """The files of a model whose name goes on, after `case<N>`, as one of `variants` ("" for the plain case).

    Raises ValueError when there is none: a parity test never passes for want of a file.
    """
    found = [path for path in sorted((FOLDER / model).glob("case*.safetensors")) if variant(path) in variants]
    if not found:
        raise ValueError(f"no parity case {variants} of {model} under {FOLDER}")
    return found


def variant(path: Path) -> str:
    """What follows `case<N>` in a file's name: "", "_paper", "_intra" …"""
    return path.stem.removeprefix("case").lstrip("0123456789")


class Case:
    """One parity file at one precision; `seen` collects the outputs that were compared."""

    def __init__(self, path: Path, precision: torch.dtype) -> None:
        tensors = load_file(path)
        self.path, self.precision = path, precision
        self.tensors = {k: v.to(precision) if v.is_floating_point() else v for k, v in tensors.items()}
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def __contains__(self, name: str) -> bool:
        return name in self.tensors

    def under(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose name starts with prefix, without it."""
        return {k.removeprefix(prefix): v for k, v in self.tensors.items() if k.startswith(prefix)}

    def compare(self, name: str, ours: Tensor, tolerance: float) -> None:
        """Ours against the stored tensor of that name, same shape, largest difference at most `tolerance`, of
        numbers beyond 1 that share: another processor adds up in another order."""
        theirs = self.tensors[name]
        self.seen.add(name)
        assert ours.shape == theirs.shape, f"{self.path.name} {name}: {ours.shape} != {theirs.shape}"
        np.testing.assert_allclose(
            ours.detach().numpy(),
            theirs.numpy(),
            rtol=tolerance,
            atol=tolerance,
            err_msg=f"{self.path.name} {name}",
        )

    def assert_all_compared(self, *but: str) -> None:
        """Every stored output was compared, except names that start with one of `but`."""
        outputs = {n for n in self.tensors if n.split(".")[0] not in ("in", "weights")}
        missed = {n for n in outputs - self.seen if not n.startswith(but)} if but else outputs - self.seen
        assert not missed, f"{self.path.name}: not compared: {sorted(missed)}"
