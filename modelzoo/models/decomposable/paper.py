"""Where each equation of Parikh et al. (2016) lives."""

from __future__ import annotations

from modelzoo.papers import Equation, Paper

PAPER = Paper(
    key="parikh2016",
    authors="Parikh, A. P., Täckström, O., Das, D. and Uszkoreit, J.",
    title="A Decomposable Attention Model for Natural Language Inference",
    year=2016,
    venue="EMNLP 2016, arXiv 1606.01933v2",
    url="https://arxiv.org/abs/1606.01933v2",
    equations=(
        Equation(
            "Sec. 3.1",
            r"e_{ij} = F(\bar{a}_i)^T F(\bar{b}_j),\; \beta_i = \sum_j \mathrm{softmax}_j(e_{ij}) \bar{b}_j,"
            r"\; \alpha_j = \sum_i \mathrm{softmax}_i(e_{ij}) \bar{a}_i",
            "attend: one matrix of scores, normalised over b for beta and over a for alpha",
            "Decomposable.forward",
        ),
        Equation(
            "Sec. 3.2",
            r"v_{1,i} = G([\bar{a}_i, \beta_i]),\quad v_{2,j} = G([\bar{b}_j, \alpha_j])",
            "compare: each word with what it is aligned to",
            "Decomposable.forward",
        ),
        Equation(
            "Sec. 3.3",
            r"v_1 = \sum_i v_{1,i},\quad v_2 = \sum_j v_{2,j},\quad \hat{y} = H([v_1, v_2])",
            "aggregate: sums over the words, then the classes",
            "Decomposable.forward",
        ),
        Equation(
            "Sec. 3.4",
            r"f_{ij} = F_{\mathrm{intra}}(a_i)^T F_{\mathrm{intra}}(a_j),\;"
            r"a'_i = \sum_j \mathrm{softmax}_j(f_{ij} + d_{i-j}) a_j,\; \bar{a}_i = [a_i, a'_i]",
            "each word beside the phrase it attends to in its own sentence",
            "IntraAttention.forward",
        ),
    ),
)
