"""The two kinds of recurrent cell, and the encoder made of each."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from modelzoo.batching import Padded


class PaperCell(nn.Module):
    """The gated hidden unit: the reset gate acts before the product, U (r * h).

    Shapes:
        x       (B, 3n) the input's part of z, r and the candidate
        h       (B, n)
        result  h', z, r, each (B, n)
    """

    def __init__(self, m: int, n: int) -> None:
        super().__init__()
        self.n = n
        self.W = nn.Linear(m, 3 * n)  # W_z, W_r, W
        self.U_gates = nn.Linear(n, 2 * n, bias=False)  # U_z, U_r
        self.U = nn.Linear(n, n, bias=False)

    def forward(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x_gates, x_candidate = x.split([2 * self.n, self.n], dim=-1)
        # Sec. A.1.1 gates, candidate, new state
        z, r = torch.sigmoid(x_gates + self.U_gates(h)).chunk(2, dim=-1)
        candidate = torch.tanh(x_candidate + self.U(r * h))
        return (1 - z) * h + z * candidate, z, r


class GRUCell(nn.Module):
    """torch's GRU cell in the form of a PaperCell; the order of gates is r, z, candidate."""

    def __init__(self, m: int, n: int) -> None:
        super().__init__()
        self.W = nn.Linear(m, 3 * n)
        self.U = nn.Linear(n, 3 * n)

    def forward(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x_r, x_z, x_candidate = x.chunk(3, dim=-1)
        h_r, h_z, h_candidate = self.U(h).chunk(3, dim=-1)
        r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        return (1 - z) * torch.tanh(x_candidate + r * h_candidate) + z * h, z, r


class Encoder(nn.Module):
    """Reads the source in one or two directions, each from the sentence's own end, never from padding.

    Shapes:
        x       (B, T_x, m)
        result  annotations (B, T_x, 2n), ends (B, 2n)
    """

    def __init__(self, m: int, n: int, directions: int) -> None:
        super().__init__()
        self.cells = nn.ModuleList(PaperCell(m, n) for _ in range(directions))

    def forward(self, x: Tensor, source: Padded) -> tuple[Tensor, Tensor]:
        mask = source.mask.unsqueeze(-1)  # (B, T_x, 1)
        states, ends = [], []
        for cell, axes in zip(self.cells, ((), (1,)), strict=False):  # the second one reads backwards
            run = self.run(cell, x.flip(axes), mask.flip(axes))  # (B, T_x, n)
            states.append(run.flip(axes))
            ends.append(run[:, -1])
        # Eq. (7) annotations
        return torch.cat(states, dim=-1) * mask, torch.cat(ends, dim=-1)

    @staticmethod
    def run(cell: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
        """The states of one direction; a padded place keeps the state before it."""
        inputs = cell.get_submodule("W")(x)  # (B, T_x, 3n)
        h = x.new_zeros(len(x), inputs.shape[-1] // 3)
        states = []
        for x_j, is_real in zip(inputs.unbind(1), mask.unbind(1), strict=True):
            h = torch.where(is_real, cell(x_j, h)[0], h)
            states.append(h)
        return torch.stack(states, dim=1)


class GRUEncoder(nn.Module):
    """The Encoder with torch's packed GRU."""

    def __init__(self, m: int, n: int, directions: int) -> None:
        super().__init__()
        self.gru = nn.GRU(m, n, batch_first=True, bidirectional=directions == 2)

    def forward(self, x: Tensor, source: Padded) -> tuple[Tensor, Tensor]:
        packed = pack_padded_sequence(x, source.lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, last = self.gru(packed)
        annotations, _ = pad_packed_sequence(states, batch_first=True, total_length=x.shape[1])
        return annotations, last.transpose(0, 1).flatten(1)
