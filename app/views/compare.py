"""Two inputs on one model, or one input on two checkpoints: what differs, and by how much."""

import streamlit as st

from app import compare, compare_form, panels

VIEW = "compare"
ABOUT = (
    "Two questions of one task side by side: two texts for one checkpoint, or one text for two. "
    "Where the axes of their maps agree, a third map shows what B has more than A (and less, in the other "
    "colour)."
)

panels.header("Compare", ABOUT)
asked, results = compare.answers(VIEW, compare_form.ask(VIEW))
compare.predictions(results)
st.subheader("Where they looked", anchor=False)
results = compare.on_one_output(asked, results)
pair = compare.choose_pair(VIEW, results)
if pair is None:
    compare.alone(VIEW, results)
else:
    compare.read(VIEW, pair, results)
