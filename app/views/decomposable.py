"""Parikh et al. (2016): two sentences, aligned word by word in both directions."""

import streamlit as st

from app import editing, inputs, panels

VIEW = "decomposable"
ABOUT = (
    "Does the hypothesis follow from the premise, contradict it, or neither? Each word of one sentence "
    "spreads a weight of 1 over the words of the other, in both directions: a row is a word that looks. "
    "NULL stands for *no counterpart*; the order of the words plays no part."
)

panels.header("Decomposable attention", ABOUT)
asked, result = panels.last_answer(VIEW, inputs.ask(VIEW, ("decomposable",), "decomposable-nli"))
panels.prediction(result)
panels.about(asked)
editing.edit(VIEW, asked, result)
st.subheader("Which words it set side by side", anchor=False)
panels.maps(VIEW, result.maps, result)
panels.distance_bias(VIEW, asked, result)
panels.tokens(result)
