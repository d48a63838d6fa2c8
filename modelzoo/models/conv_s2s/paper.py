"""Where each equation of Gehring et al. (2017) lives."""

from __future__ import annotations

from modelzoo.papers import Equation, Paper

PAPER = Paper(
    key="gehring2017",
    authors="Gehring, J., Auli, M., Grangier, D., Yarats, D. and Dauphin, Y. N.",
    title="Convolutional Sequence to Sequence Learning",
    year=2017,
    venue="ICML 2017, arXiv 1705.03122v3",
    url="https://arxiv.org/abs/1705.03122v3",
    equations=(
        Equation("Sec. 3.1", r"e = (w_1 + p_1, \dots, w_m + p_m)", "word and position", "Elements.forward"),
        Equation("Sec. 3.2", r"v([A\; B]) = A \otimes \sigma(B)", "the gate", "GatedConvolution.forward"),
        Equation(
            "Sec. 3.2",
            r"h_i^l = v(W^l [h_{i-k/2}^{l-1}, \dots, h_{i+k/2}^{l-1}] + b_w^l) + h_i^{l-1}",
            "a block: gated convolution and residual",
            "EncoderBlock.forward",
        ),
        Equation(
            "Sec. 3.2",
            r"h_i^l = v(W^l [h_{i-k+1}^{l-1}, \dots, h_i^{l-1}] + b_w^l)",
            "the same in the decoder, where no step sees a later one",
            "DecoderBlock.forward",
        ),
        Equation(
            "Sec. 3.4",
            r"\left(v(\cdot) + h_i^{l-1}\right) \sqrt{0.5}",
            "a sum keeps the variance of its terms",
            "EncoderBlock.forward",
        ),
        Equation(
            "Sec. 3.2",
            r"p(y_{i+1} \mid y_1, \dots, y_i, \mathbf{x}) = \mathrm{softmax}(W_o h_i^L + b_o)",
            "the next piece",
            "ConvDecoder.forward",
        ),
        Equation(
            "Eq. (1)", r"d_i^l = W_d^l h_i^l + b_d^l + g_i", "the query of a layer", "DecoderBlock.forward"
        ),
        Equation(
            "Sec. 3.3",
            r"a_{ij}^l = \frac{\exp(d_i^l \cdot z_j^u)}{\sum_{t=1}^m \exp(d_i^l \cdot z_t^u)}",
            "the attention of a layer",
            "DecoderBlock.forward",
        ),
        Equation(
            "Eq. (2)",
            r"c_i^l = \sum_{j=1}^m a_{ij}^l (z_j^u + e_j)",
            "the conditional input of a layer",
            "DecoderBlock.forward",
        ),
        Equation(
            "Sec. 3.4",
            r"m \sqrt{1/m} \; c_i^l",
            "counters the averaging of m values; m is the sentence's own length",
            "DecoderBlock.forward",
        ),
        Equation(
            "Sec. 3.4",
            r"\frac{\partial E}{\partial z_j} \cdot \frac{1}{2L}",
            "gradients into the encoder, by the number of attention layers",
            "ConvEncoder.forward",
        ),
        Equation(
            "Sec. 3.5",
            r"\mathcal{N}\left(0, \sqrt{4p/n_l}\right),\; \mathcal{N}\left(0, \sqrt{p/n_l}\right)",
            "initial weights before a gate, and elsewhere, of n_l inputs each",
            "linear_map",
        ),
    ),
)
