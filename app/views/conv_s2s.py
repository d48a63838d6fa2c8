"""Gehring et al. (2017): a convolutional translation with attention in every decoder layer."""

import streamlit as st

from app import editing, inputs, panels

VIEW = "conv_s2s"
ABOUT = (
    "The model writes a translation piece by piece, and each of its decoder layers looks at the source anew. "
    "Source on top, output down the side: a row shows where one layer looked. "
    "No layer is *the* attention, and their mean is only a summary."
)

panels.header("ConvS2S", ABOUT)
asked, result = panels.last_answer(VIEW, inputs.ask(VIEW, ("conv-s2s",), "conv-s2s-en-fr"))
result = panels.hypothesis(VIEW, asked, result)
panels.prediction(result)
panels.about(asked)
editing.edit(VIEW, asked, result)
st.subheader("Where each layer looked", anchor=False)
panels.maps(VIEW, [panels.choose_map(VIEW, "Decoder layer", result)], result)
panels.layers(VIEW, result)
panels.tokens(result)
