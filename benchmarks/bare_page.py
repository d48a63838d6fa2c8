"""The least that a page can do: one field, one attend call, one chart. `enter_to_map.py` compares with it."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import streamlit as st
import torch

from modelzoo import registry
from modelzoo.models.base import AttentionModel
from modelzoo.tasks import Sentence, SentencePair, SourceText
from modelzoo.viz import heatmap

SLUG, MAP = os.environ["BARE_SLUG"], os.environ["BARE_MAP"]


@st.cache_resource
def load(slug: str) -> AttentionModel:
    torch.set_num_threads(1)
    return registry.load(slug)


text = st.text_input("Text", key="bare_text")
if text:
    model = load(SLUG)
    inputs = {
        "classification": lambda: Sentence(text),
        "entailment": lambda: SentencePair(text, "A man is outside."),
        "translation": lambda: SourceText(text, beam_size=1),
    }[model.task.name]()
    st.altair_chart(heatmap.heatmap(model.attend([inputs])[0].map(MAP)), key="bare_map")
