"""Lin et al. (2017): hops over the words of one sentence."""

import streamlit as st

from app import editing, inputs, panels

VIEW = "self_attentive"
ABOUT = (
    "One sentence goes in, a label comes out. The model reads the sentence in several *hops*; each hop "
    "spreads a weight of 1 over the words. A row of the map is a hop, its bright words are read."
)

panels.header("Self-attentive sentence", ABOUT)
asked, result = panels.last_answer(VIEW, inputs.ask(VIEW, ("self-attentive",), "self-attentive-sst"))
panels.prediction(result)
panels.about(asked)
editing.edit(VIEW, asked, result)
if panels.has_maps(result):
    st.subheader("What it reads", anchor=False)
    panels.highlighted(VIEW, result.map("overall"), result)
    panels.maps(VIEW, [result.map("hops")], result)
    panels.hops(VIEW, result)
    st.subheader("What each hop adds to the answer", anchor=False)
    panels.contributions(VIEW, result)
    st.subheader("Are the hops sharp, and apart?", anchor=False)
    panels.overlap(VIEW, result)
else:
    panels.tokens(result)
