"""Any other registered model: everything its result holds, drawn without knowing it."""

import streamlit as st

from app import editing, inputs, panels, state

VIEW = "model"
ABOUT = (
    "A model without a page of its own: its answer and each of its maps. "
    "A row attends, the columns are attended to."
)

panels.header("Another model", ABOUT)
asked, result = panels.last_answer(VIEW, inputs.ask(VIEW, state.other_models(), ""))
result = panels.hypothesis(VIEW, asked, result)
panels.prediction(result)
panels.about(asked)
editing.edit(VIEW, asked, result)
if panels.has_maps(result):
    st.subheader("Attention", anchor=False)
    panels.maps(VIEW, [panels.choose_map(VIEW, "Map", result)], result)
panels.tokens(result)
