"""Translation by convolutions alone, with attention to the source in every decoder layer.

Gehring, Auli, Grangier, Yarats, Dauphin (2017), Convolutional sequence to sequence learning; sections
and equation numbers of arXiv 1705.03122v3.

Letters:
    m, n   source, target length        e, g   word + position vectors, source (B, m, f), target (B, n, f)
    f      size of embeddings           h      states of a layer (B, n, d); d also is Eq. (1)'s query
    d, k   size and width of a layer    z      outputs of the last encoder block, the keys (B, m, f)
    f_out  size before the softmax      a, c   attention (B, n, m), conditional input (B, n, f)
    L, V   decoder layers, vocabulary   p      probability that dropout keeps a unit

Differs from the paper, each time as the authors' own programs do:
    - sqrt(0.5) scales the query (Eq. (1)), the values z + e (Eq. (2)) and the sum after attention.
    - c goes through a linear map W_c of its own before it is added to h.
    - k - 1 zeros stand left of the decoder input ("pad both sides, remove k" is off by one).
    - Weight normalisation (Salimans & Kingma 2016) on every linear map and kernel, by an option.
    - Small sizes by default; label smoothing, tied output vectors and no positions are options.
A kernel is the paper's matrix W (2d, k d_in), k input vectors side by side, the earliest first. The full
pass and a decoding step are the same code: n inputs or one, after the last k - 1 inputs of each layer.

Read layers.py, encoder.py, decoder.py, then the model below; paper.py lists the equations.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from modelzoo.batching import Padded
from modelzoo.decoding import State, Step
from modelzoo.models.base import MapFrame
from modelzoo.models.conv_s2s.decoder import ConvDecoder, ConvS2SOutput, DecoderBlock, LayerOutput
from modelzoo.models.conv_s2s.encoder import ConvEncoder, EncoderBlock
from modelzoo.models.conv_s2s.layers import ConvS2SConfig, Elements, GatedConvolution, linear_map
from modelzoo.models.conv_s2s.paper import PAPER
from modelzoo.models.translation import TranslationBatch, TranslationModel
from modelzoo.results import Internal
from modelzoo.tasks import MAX_SOURCE_TOKENS
from modelzoo.text import SubwordText

__all__ = [
    "PAPER",
    "ConvDecoder",
    "ConvEncoder",
    "ConvS2S",
    "ConvS2SConfig",
    "ConvS2SOutput",
    "DecoderBlock",
    "Elements",
    "EncoderBlock",
    "GatedConvolution",
    "LayerOutput",
    "linear_map",
]


class ConvS2S(TranslationModel):
    """Translates with a convolutional encoder and decoder; each decoder layer attends to the source."""

    name = "conv-s2s"
    paper = PAPER
    Config = ConvS2SConfig
    config: ConvS2SConfig

    def __init__(self, config: ConvS2SConfig, text: SubwordText) -> None:
        super().__init__(config, text)
        if config.positions and config.max_positions < MAX_SOURCE_TOKENS:
            raise ValueError(
                f"max_positions is {config.max_positions}; a text may have {MAX_SOURCE_TOKENS} pieces"
            )
        self.encoder = ConvEncoder(text.size, config)
        self.decoder = ConvDecoder(text.size, config)

    def forward(self, batch: TranslationBatch) -> ConvS2SOutput:
        output, _ = self.decoder(batch.target_in.ids, self.start(batch.source))
        return output

    def start(self, source: Padded) -> State:
        z, values = self.encoder(source)  # (B, m, f) each
        return self.decoder.start(z, values, source.mask)

    def step(self, y: Tensor, state: State) -> Step:
        output, state = self.decoder(y.unsqueeze(1), state)
        attention = tuple(weights[:, 0] for weights in output.attention)  # (B, m) each
        return Step(output.logits[:, 0].log_softmax(-1), state, attention)

    @property
    def frames(self) -> tuple[MapFrame, ...]:
        axes, total = ("target", "source"), len(self.config.decoder)
        layers = (
            MapFrame(f"layer_{i}", *axes, f"layer {i} of {total}", "Sec. 3.3", is_measured=False)
            for i in range(1, total + 1)
        )
        return *layers, MapFrame("mean", *axes, f"mean of {total} layers", "Sec. 3.3")

    def internals(self, output: ConvS2SOutput, item: int, rows: int, columns: int) -> tuple[Internal, ...]:
        gates = [shown(layer.gate, item, rows) for layer in output.layers]
        scores = [shown(layer.scores, item, rows, columns) for layer in output.layers]
        opened = np.stack([gate.mean(axis=-1) for gate in gates])
        norms = np.stack(
            [np.linalg.norm(shown(layer.conditional, item, rows), axis=-1) for layer in output.layers]
        )
        return (
            Internal("gate_open", opened, ("layer", "target"), "Sec. 3.2"),
            Internal("conditional_norm", norms, ("layer", "target"), "Eq. (2)"),
            *(Internal(f"gate_{i}", x, ("target", "unit"), "Sec. 3.2") for i, x in enumerate(gates, start=1)),
            *(
                Internal(f"scores_{i}", x, ("target", "source"), "Sec. 3.3")
                for i, x in enumerate(scores, start=1)
            ),
        )


def shown(values: Tensor, item: int, rows: int, columns: int | None = None) -> np.ndarray:
    """One item's target steps (and source pieces) of a batch, padding cut."""
    return values[item, :rows, :columns].float().cpu().numpy()
