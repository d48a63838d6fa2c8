"""Where each equation of Bahdanau et al. (2015) lives."""

from __future__ import annotations

from modelzoo.papers import Equation, Paper

PAPER = Paper(
    key="bahdanau2015",
    authors="Dzmitry Bahdanau, Kyunghyun Cho, Yoshua Bengio",
    title="Neural Machine Translation by Jointly Learning to Align and Translate",
    year=2015,
    venue="ICLR 2015, arXiv 1409.0473 v7",
    url="https://arxiv.org/abs/1409.0473v7",
    equations=(
        Equation("Sec. 2.1", r"c = h_{T_x}", "context without attention", "RNNSearch.memory"),
        Equation("Eq. (4)", r"p(y_i) = g(y_{i-1}, s_i, c_i)", "the next piece", "RNNSearch.readout"),
        Equation("Eq. (5)", r"c_i = \sum_j \alpha_{ij} h_j", "context", "RNNSearch.align"),
        Equation(
            "Eq. (6)",
            r"\alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k=1}^{T_x} \exp(e_{ik})}",
            "attention of target step i to source piece j",
            "RNNSearch.align",
        ),
        Equation(
            "Eq. (7)",
            r"h_j = [\overrightarrow{h}_j; \overleftarrow{h}_j]",
            "annotation: the states of both directions",
            "Encoder.forward",
        ),
        Equation(
            "Sec. A.1.1",
            r"s_i = (1 - z_i) \circ s_{i-1} + z_i \circ \tanh(W E y_{i-1} + U (r_i \circ s_{i-1}) + C c_i)",
            "gated hidden unit",
            "PaperCell.forward",
        ),
        Equation(
            "Sec. A.1.2",
            r"e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j)",
            "alignment model: scores before softmax",
            "RNNSearch.align",
        ),
        Equation(
            "Sec. A.2.2",
            r"t_{ik} = \max(\tilde{t}_{i,2k-1}, \tilde{t}_{i,2k}),\; "
            r"\tilde{t}_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i",
            "maxout readout",
            "RNNSearch.readout",
        ),
        Equation("Sec. B.1", r"U^\top U = I,\; v_a = 0", "initial values", "RNNSearch.initialise"),
    ),
)
