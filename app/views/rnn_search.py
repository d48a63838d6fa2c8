"""Bahdanau et al. (2015): a translation that looks at the source at every step."""

import streamlit as st

from app import editing, inputs, panels

VIEW = "rnn_search"
ABOUT = (
    "The model writes a translation piece by piece and, before each, spreads a weight of 1 over the source. "
    "Source on top, output down the side: a row shows where the model looked when it wrote that piece."
)

panels.header("RNNsearch", ABOUT)
asked, result = panels.last_answer(VIEW, inputs.ask(VIEW, ("rnn-search",), "rnn-search-en-fr-more"))
result = panels.hypothesis(VIEW, asked, result)
panels.prediction(result)
panels.about(asked)
editing.edit(VIEW, asked, result)
if panels.has_maps(result):
    st.subheader("Where it looked", anchor=False)
    panels.maps(VIEW, [result.map("alignment")], result)
panels.tokens(result)
