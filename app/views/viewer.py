"""Any tokens and any matrix: a person's own, drawn and read like a model's."""

import streamlit as st

from app import matrix_form, panels, share

VIEW = "viewer"
ABOUT = (
    "Paste a matrix of weights with its tokens, or open a file: it is drawn as it is and read with the same "
    "controls as the models' maps. A row attends, the columns are attended to."
)

share.head("Your own matrix")
st.markdown(ABOUT)
given = matrix_form.ask(VIEW)
panels.maps(VIEW, [given.grid], given.result)
