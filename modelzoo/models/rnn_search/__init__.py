"""RNNsearch: an encoder-decoder that searches through its source at every step.

Bahdanau, Cho and Bengio (2015). Neural machine translation by jointly learning to align and
translate. ICLR; arXiv 1409.0473 v7, whose equation numbers are used.

Letters: T_x, T_y source and target length; m embedding size; n hidden units; n_align (n') units of
the alignment model; l readout units; K vocabulary. E_x, E_y embeddings, h annotations, s decoder
states, e scores, alpha weights, c contexts, z and r gates, t readout. Weights of a cell's gates
stand over each other in one matrix, so that a sentence is multiplied once, before the loop over time.

Differs from the paper: one bias per gate and candidate, on W_s, U_o and W_o; the decoder is fed BOS
where the original starts from zero; one vocabulary of subwords for both languages. Options that are
not the paper's: `cell="gru"` (torch's: the reset gate acts after the product, z keeps the old state),
`readout="linear"` (no maxout, no biases), `readout_state="new"` (s_i, as Eq. (4) says; the appendix
has s_{i-1}), `initial_state="both"` (s_0 from both directions) or "zero" (nothing of the source is known
but what attention finds), `annotation_words` (a word's own vector stands under its annotation, so that
looking at the word itself tells most), `annotation_dropout` (of the states alone), `query_word` (the
alignment model reads y_{i-1} too, which s_{i-1} does not hold yet: s_{i-1} was made from y_{i-2}),
`init="default"`, dropout, label smoothing, tied embeddings. `attention=False` is the paper's baseline
RNNencdec: the encoder reads forward only, and its last state is the context of every step.

Read encoder.py, then the model below; paper.py lists the equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from modelzoo.batching import Padded, masked_softmax
from modelzoo.decoding import State, Step
from modelzoo.models.base import MapFrame
from modelzoo.models.rnn_search.encoder import Encoder, GRUCell, GRUEncoder, PaperCell
from modelzoo.models.rnn_search.paper import PAPER
from modelzoo.models.translation import TranslationBatch, TranslationModel
from modelzoo.results import Internal
from modelzoo.text import SubwordText

__all__ = [
    "PAPER",
    "Encoder",
    "GRUCell",
    "GRUEncoder",
    "PaperCell",
    "RNNSearch",
    "RNNSearchConfig",
    "RNNSearchOutput",
    "Recurrence",
]


@dataclass(frozen=True)
class RNNSearchConfig:
    """Sizes in the paper's letters, its values by default, and the options of the module docstring."""

    m: int = 620
    n: int = 1000
    n_align: int = 1000
    l: int = 500  # noqa: E741
    cell: Literal["paper", "gru"] = "paper"
    readout: Literal["maxout", "linear"] = "maxout"
    readout_state: Literal["prev", "new"] = "prev"
    initial_state: Literal["backward", "both", "zero"] = "backward"
    attention: bool = True
    annotation_words: bool = False
    annotation_dropout: float = 0.0
    query_word: bool = False
    init: Literal["paper", "default"] = "paper"
    dropout: float = 0.0
    label_smoothing: float = 0.0
    tie_embeddings: bool = False

    def __post_init__(self) -> None:
        if self.tie_embeddings and self.l != self.m:
            raise ValueError(f"tied embeddings need l equal to m; given were l={self.l} and m={self.m}")


class Recurrence(NamedTuple):
    """What the decoder's loop gives, per step: s, z, r (B, n), e, alpha (B, T_x), c (B, 2n)."""

    s: Tensor
    z: Tensor
    r: Tensor
    e: Tensor
    alpha: Tensor
    c: Tensor


class RNNSearchOutput(NamedTuple):
    """What `forward` gives; padded target steps mean nothing.

    Shapes (without attention 2n is n, and T_x is 0 in e and alpha):
        annotations   (B, T_x, 2n) 0 at padding; 2n + m with `annotation_words`, here and in c
        ends          (B, 2n) forward state at the last piece, backward state at the first
        s0            (B, n)
        e, alpha      (B, T_y, T_x) e before the mask
        c             (B, T_y, 2n)
        states, z, r  (B, T_y, n)
        t_tilde, t    (B, T_y, 2l), (B, T_y, l); equal with the linear readout
        logits        (B, T_y, K)
    """

    annotations: Tensor
    ends: Tensor
    s0: Tensor
    e: Tensor
    alpha: Tensor
    c: Tensor
    states: Tensor
    z: Tensor
    r: Tensor
    t_tilde: Tensor
    t: Tensor
    logits: Tensor

    @property
    def attention(self) -> tuple[Tensor, ...]:
        """The weights of the model's map; none without attention."""
        return (self.alpha,) if self.alpha.shape[-1] else ()


class RNNSearch(TranslationModel):
    """The encoder, and a decoder that aligns itself with the annotations before every piece."""

    name = "rnn-search"
    paper = PAPER
    Config = RNNSearchConfig
    config: RNNSearchConfig

    def __init__(self, config: RNNSearchConfig, text: SubwordText) -> None:
        super().__init__(config, text)
        m, n, directions = config.m, config.n, 2 if config.attention else 1
        maxout = config.readout == "maxout"
        l_tilde = 2 * config.l if maxout else config.l
        self.E_x = nn.Embedding(text.size, m, padding_idx=0)
        self.E_y = self.E_x if config.tie_embeddings else nn.Embedding(text.size, m, padding_idx=0)
        self.encoder = (Encoder if config.cell == "paper" else GRUEncoder)(m, n, directions)
        context = directions * n + (m if config.attention and config.annotation_words else 0)
        self.W_s = nn.Linear(directions * n if config.initial_state == "both" else n, n)
        if config.attention:
            self.W_a = nn.Linear(n, config.n_align, bias=False)
            self.U_a = nn.Linear(context, config.n_align, bias=False)
            self.v_a = nn.Linear(config.n_align, 1, bias=False)
        if config.attention and config.query_word:
            self.V_a = nn.Linear(m, config.n_align, bias=False)
        self.cell = (PaperCell if config.cell == "paper" else GRUCell)(m, n)
        self.C = nn.Linear(context, 3 * n, bias=False)  # the gates in the cell's order
        self.U_o = nn.Linear(n, l_tilde, bias=maxout)
        self.V_o = nn.Linear(m, l_tilde, bias=False)
        self.C_o = nn.Linear(context, l_tilde, bias=False)
        self.W_o = nn.Linear(config.l, text.size, bias=maxout)
        self.dropout = nn.Dropout(config.dropout)
        self.annotation_dropout = nn.Dropout(config.annotation_dropout)
        self.initialise()

    @torch.no_grad()
    def initialise(self) -> None:
        """The paper's initial values; "default" keeps torch's own for all but U and the embeddings."""
        deviations = {"W_a.weight": 0.001, "U_a.weight": 0.001, "v_a.weight": 0.0}
        for name, parameter in self.named_parameters():
            # Sec. B.1 initial values
            if any(recurrent in name for recurrent in (".U.weight", ".U_gates.weight", "weight_hh")):
                for block in parameter.chunk(len(parameter) // self.config.n):
                    nn.init.orthogonal_(block)
            elif self.config.init == "paper":
                parameter.normal_(0.0, 0.0 if "bias" in name else deviations.get(name, 0.01))
        for table in (self.E_x, self.E_y):
            if self.config.init == "default":
                table.weight.normal_(0.0, 0.1)
            table.weight[0] = 0.0
        if self.config.tie_embeddings:
            self.W_o.weight = self.E_y.weight

    def memory(self, annotations: Tensor, ends: Tensor, mask: Tensor) -> State:
        """What every step reads of the source, and s_0 as "s"."""
        forward_last, backward_first = ends[:, : self.config.n], ends[:, self.config.n :]
        seen = backward_first if self.config.attention else forward_last
        if self.config.initial_state == "both":
            seen = ends
        s0 = torch.tanh(self.W_s(seen)).to(self.W_s.weight.dtype)  # (B, n) never bfloat16
        if self.config.initial_state == "zero":
            s0 = torch.zeros_like(s0)
        if not self.config.attention:
            # Sec. 2.1 one context, and s_0, from the encoder's last state
            return {"c": forward_last, "s": s0}
        keys = self.U_a(annotations)  # (B, T_x, n_align)
        return {"annotations": annotations.to(keys.dtype), "keys": keys, "mask": mask, "s": s0}

    def inputs(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """What steps take from y_{i-1}: the cell's input, with `query_word` also a part of the query.

        Shapes:
            y       (…, m)
            result  (…, 3n), (…, n_align), or (…, 1) of zeros without `query_word`
        """
        is_read = self.config.attention and self.config.query_word
        return self.cell.W(y), self.V_a(y) if is_read else y.new_zeros(*y.shape[:-1], 1)

    def align(self, s: Tensor, q: Tensor, memory: State) -> tuple[Tensor, Tensor, Tensor]:
        """e, alpha and c of one target step, from the state before it and the word's part of the query."""
        if not self.config.attention:
            nothing = s.new_zeros(len(s), 0)
            return nothing, nothing, memory["c"]
        # Sec. A.1.2 alignment model
        query = (self.W_a(s) + q).unsqueeze(1)  # (B, 1, n_align)
        e = self.v_a(torch.tanh(query + memory["keys"])).squeeze(-1)  # (B, T_x)
        # Eq. (6) attention
        alpha = masked_softmax(e, memory["mask"])  # (B, T_x)
        # Eq. (5) context
        c = torch.bmm(alpha.unsqueeze(1), memory["annotations"]).squeeze(1)  # (B, 2n)
        return e, alpha, c

    def advance(self, x: Tensor, q: Tensor, s: Tensor, memory: State) -> Recurrence:
        """One target step; x and q are its `inputs` from y_{i-1}, s (B, n) is s_{i-1}."""
        e, alpha, c = self.align(s, q, memory)
        s, z, r = self.cell(x + self.C(c), s)
        return Recurrence(s, z, r, e, alpha, c)

    def readout(self, y: Tensor, s: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """t~, t and logits of one step or all.

        Shapes:
            y, s, c  (…, m) embedded, (…, n), (…, 2n)
            result   (…, 2l), (…, l), (…, K)
        """
        # Sec. A.2.2 maxout of neighbours
        t_tilde = self.U_o(s) + self.V_o(y) + self.C_o(c)
        t = t_tilde.unflatten(-1, (-1, 2)).amax(-1) if self.config.readout == "maxout" else t_tilde
        # Eq. (4) logits of the next piece
        return t_tilde, t, self.W_o(self.dropout(t))

    def forward(self, batch: TranslationBatch) -> RNNSearchOutput:
        annotations, ends = self.annotate(batch.source)
        memory = self.memory(annotations, ends, batch.source.mask)
        y = self.dropout(self.E_y(batch.target_in.ids))  # (B, T_y, m)
        s, steps = memory["s"], []
        for x, q in zip(*(part.unbind(1) for part in self.inputs(y)), strict=True):
            steps.append(self.advance(x, q, s, memory))
            s = steps[-1].s
        states, z, r, e, alpha, c = (torch.stack(values, dim=1) for values in zip(*steps, strict=True))
        before = torch.cat([memory["s"].unsqueeze(1), states[:, :-1]], dim=1)
        t_tilde, t, logits = self.readout(y, before if self.config.readout_state == "prev" else states, c)
        return RNNSearchOutput(annotations, ends, memory["s"], e, alpha, c, states, z, r, t_tilde, t, logits)

    def annotate(self, source: Padded) -> tuple[Tensor, Tensor]:
        """The encoder's annotations and ends."""
        x = self.dropout(self.E_x(source.ids))  # (B, T_x, m), 0 at padding
        annotations, ends = self.encoder(x, source)
        annotations = self.annotation_dropout(annotations)
        if self.config.attention and self.config.annotation_words:
            annotations = torch.cat([annotations, x], dim=-1)  # (B, T_x, 2n + m)
        return annotations, ends

    def start(self, source: Padded) -> State:
        return self.memory(*self.annotate(source), source.mask)

    def step(self, y: Tensor, state: State) -> Step:
        embedded = self.dropout(self.E_y(y))  # (B, m)
        now = self.advance(*self.inputs(embedded), state["s"], state)
        s = state["s"] if self.config.readout_state == "prev" else now.s
        logits = self.readout(embedded, s, now.c)[-1]
        attention = (now.alpha,) if self.config.attention else ()
        return Step(logits.log_softmax(-1), {**state, "s": now.s}, attention)

    @property
    def frames(self) -> tuple[MapFrame, ...]:
        if not self.config.attention:
            return ()
        title = "source pieces that each target piece attends to"
        return (MapFrame("alignment", "target", "source", title, "Eq. (6)"),)

    def internals(self, output: RNNSearchOutput, item: int, rows: int, columns: int) -> tuple[Internal, ...]:
        units = {"states": output.states, "z": output.z, "r": output.r}
        found = [(name, values, "unit", "Sec. A.1.1") for name, values in units.items()]
        found.append(("t", output.t, "unit", "Sec. A.2.2"))
        if self.config.attention:
            found.append(("e", output.e[:, :, :columns], "source", "Sec. A.1.2"))
        return tuple(
            Internal(name, values[item, :rows].float().cpu().numpy(), ("target", axis), equation)
            for name, values, axis, equation in found
        )
