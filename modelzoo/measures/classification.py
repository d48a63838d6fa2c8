"""How far the hops of self-attention look at the same words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelzoo.cards import Measure
from modelzoo.data import sst
from modelzoo.data.folder import data_folder
from modelzoo.measures.base import attended
from modelzoo.models.base import AttentionModel
from modelzoo.tasks import Example, Inputs


def measures(model: AttentionModel, dev: Sequence[Example] = ()) -> list[Measure]:
    """Means over the model's own dev set of what A A^T says, beside hops that all look at every word alike.

    A model that brings none is measured on SST dev. What is too long for the model is left out.
    """
    examples = [one for one in dev or sst.read(data_folder()).dev if _can_read(model, one.inputs)]
    hops, uniform = [], []
    for result in attended(model, [example.inputs for example in examples]):
        A = result.map("hops").values.astype(np.float64)
        hops.append(hop_statistics(A))
        uniform.append(hop_statistics(np.full_like(A, 1 / A.shape[1])))
    data = f"{'its own dev set' if dev else 'SST dev'}, {len(examples):,} texts"
    return [Measure(data, "hops", _means(hops)), Measure(data, "uniform", _means(uniform))]


def _can_read(model: AttentionModel, inputs: Inputs) -> bool:
    try:
        model.encode(inputs)
    except ValueError:
        return False
    return True


def hop_statistics(A: np.ndarray) -> dict[str, float]:
    """`overlap`, the mean off-diagonal entry of A A^T (0 for one hop); `sharpness`, the mean diagonal
    one; `penalty`, P, the squared distance of A A^T from the identity.

    Shapes:
        A  (hops, words)
    """
    AAT = A @ A.T
    r, own = len(AAT), float(np.trace(AAT))
    return {
        "overlap": (float(AAT.sum()) - own) / max(r * (r - 1), 1),
        "sharpness": own / r,
        "penalty": float(np.square(AAT - np.eye(r)).sum()),
    }


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
