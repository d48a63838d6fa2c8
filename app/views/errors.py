"""Error analysis: a labelled file, the rows a model gets wrong, their maps, and what people say of them."""

import streamlit as st

from app import share, state
from app.errors import attention, away, examples, filters, overview, pair, place, shelf, start

VIEW = place.VIEW
ABOUT = (
    "Run a model over a labelled file and see how it fails: which rows are wrong, what they have in common, "
    "where the model looked. Open a row, say what went wrong, and take the table along."
)

state.open_page(VIEW)
share.head("Error analysis")
st.markdown(ABOUT)
runs = shelf.runs()
with st.container():
    run = shelf.choose(runs)
    part = "data"
    if run is not None:
        shelf.progress(run)
        part = place.choose_part()
slot = st.container if part == "data" else st.empty  # another part clears them at once
about, form = slot(), slot()  # so the form keeps its place, and its file, when the first run appears
if part == "data":
    if run is not None:
        with about:
            shelf.about(run)
            shelf.deletion(run)
            st.subheader("A new run", anchor=False)
    with form:
        start.new_run()
    if run is not None:
        st.subheader("All runs", anchor=False)
        shelf.all_runs(runs)
elif run is not None and shelf.has_rows(run):
    made, count = filters.bar(run)
    if part == "examples":
        examples.part(run, made)
    elif not count:
        pass
    elif part == "overview":
        overview.part(run, made)
    elif part == "attention":
        attention.part(run, made, count)
    elif part == "two":
        pair.part(run, made, runs)
    else:
        away.part(run, made, count)
place.keep()
