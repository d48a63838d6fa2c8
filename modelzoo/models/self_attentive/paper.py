"""Where each equation of Lin et al. (2017) lives."""

from __future__ import annotations

from modelzoo.papers import Equation, Paper

PAPER = Paper(
    key="lin2017",
    authors="Lin, Z., Feng, M., dos Santos, C. N., Yu, M., Xiang, B., Zhou, B. and Bengio, Y.",
    title="A Structured Self-attentive Sentence Embedding",
    year=2017,
    venue="ICLR 2017, arXiv 1703.03130v1",
    url="https://arxiv.org/abs/1703.03130v1",
    equations=(
        Equation("Eq. (1)", r"S = (w_1, w_2, \dots, w_n)", "the word vectors", "SelfAttentive.forward"),
        Equation(
            "Eq. (2)", r"\vec{h}_t = \mathrm{LSTM}(w_t, \vec{h}_{t-1})", "reading forward", "BiLSTM.forward"
        ),
        Equation(
            "Eq. (3)",
            r"\overleftarrow{h}_t = \mathrm{LSTM}(w_t, \overleftarrow{h}_{t+1})",
            "reading backward",
            "BiLSTM.forward",
        ),
        Equation("Eq. (4)", r"H = (h_1, h_2, \dots, h_n)", "both states of each word", "BiLSTM.forward"),
        Equation(
            "Eq. (6)",
            r"A = \mathrm{softmax}\left(W_{s2} \tanh\left(W_{s1} H^T\right)\right)",
            "one distribution over the words per hop",
            "SelfAttention.forward",
        ),
        Equation("Eq. (7)", r"M = A H", "the sentence embedding, one row a hop", "SelfAttentive.forward"),
        Equation("Eq. (8)", r"P = \|A A^T - I\|_F^2", "the penalty on flat or equal hops", "penalty"),
        Equation(
            "Sec. 2.3", r"\frac{1}{r} \sum_i A_{ij}", "the overall weight of word j", "SelfAttentive.forward"
        ),
    ),
)
