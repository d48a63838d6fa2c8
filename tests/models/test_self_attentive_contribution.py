"""What each hop adds to a logit, against taking the hop out."""

from __future__ import annotations

import numpy as np
import torch

from modelzoo.tasks import Sentence
from tests.tiny import tiny_model


def test_contribution_of_a_hop_is_what_the_logits_lose_without_its_row_of_M() -> None:
    model = tiny_model("self-attentive")
    result = model.attend([Sentence("The film was not good.")])[0]
    M = torch.tensor(result.internal("M").values)
    with torch.inference_mode():
        whole = model.classifier(M.flatten())
        for k in range(len(M)):
            cut = M.clone()
            cut[k] = 0.0
            lost = (whole - model.classifier(cut.flatten())).numpy()
            np.testing.assert_allclose(result.internal("contribution").values[k], lost, atol=1e-5)
