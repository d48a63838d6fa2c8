"""The least that a page can do: one field, one control, one attend call, one chart."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import streamlit as st
import torch

from modelzoo import registry
from modelzoo.models.base import AttentionModel
from modelzoo.results import Grid
from modelzoo.tasks import Sentence, SentencePair, SourceText
from modelzoo.viz import heatmap

SLUG, MAP = os.environ["BARE_SLUG"], os.environ["BARE_MAP"]


@st.cache_resource
def load(slug: str) -> AttentionModel:
    torch.set_num_threads(1)
    return registry.load(slug)


@st.cache_data(max_entries=32)
def attend(text: str) -> Grid:
    """The map of a text; a control that changes the view asks no model."""
    model = load(SLUG)
    inputs = {
        "classification": lambda: Sentence(text),
        "entailment": lambda: SentencePair(text, "A man is outside."),
        "translation": lambda: SourceText(text, beam_size=1),
    }[model.task.name]()
    return model.attend([inputs])[0].map(MAP)


text = st.text_input("Text", key="bare_text")
shown = st.segmented_control("View", ["Matrix", "Nothing"], default="Matrix", required=True, key="bare_view")
if text and shown == "Matrix":
    chart = heatmap.heatmap(attend(text))
    if isinstance(chart, dict):
        st.vega_lite_chart(chart, key="bare_map")
    else:
        st.plotly_chart(chart, key="bare_map")
