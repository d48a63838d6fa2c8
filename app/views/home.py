"""The first page: which model answers which question."""

import streamlit as st

from app import message, share, state
from modelzoo.cards import ROOT, folder_problems

PICTURES = ROOT / "assets" / "pictures"
# What the ground and the words of a sketch, drawn for a dark page, become on a light one.
LIGHT = {"#1b232c": "#eef1f4", "#e8ecef": "#1f2933"}
ABOUT = (
    "Before the Transformer, attention was invented several times over. Type a sentence and see where "
    "four of these models look when they answer. They were trained for this project and run on this machine."
)
MODELS = (
    (
        "self_attentive",
        "Is this review positive or negative?",
        "Sketch: each of three hops has its own weights over the words of one sentence.",
        "Self-attentive sentence, Lin et al. 2017",
    ),
    (
        "decomposable",
        "Does the second sentence follow from the first?",
        "Sketch: the words of two sentences are linked by weights.",
        "Decomposable attention, Parikh et al. 2016",
    ),
    (
        "rnn_search",
        "How is this said in another language?",
        "Sketch: each word of a translation has its own weights over the source.",
        "RNNsearch, Bahdanau et al. 2015",
    ),
    (
        "conv_s2s",
        "And what does each layer look at meanwhile?",
        "Sketch: each of three decoder layers has its own map of the source.",
        "ConvS2S, Gehring et al. 2017",
    ),
)
MORE = (
    ("compare", "Compare", "Two texts, or two models, side by side: what changes where they look?"),
    (
        "errors",
        "Error analysis",
        "A file with labels: where is the model wrong, and what have those rows in common?",
    ),
    ("viewer", "Your own matrix", "A table of weights from elsewhere, drawn and read like these."),
    ("zoo", "Model cards", "What each model learned from, how well it does, and where it fails."),
)


def sketch(view: str) -> str:
    """The model's sketch, in the colours of the page."""
    svg = (PICTURES / f"{view}.svg").read_text(encoding="utf-8")
    if st.context.theme.type != "dark":
        for dark, light in LIGHT.items():
            svg = svg.replace(dark, light)
    return svg


state.open_page("home")
share.head("Attention Atlas", save=False)
st.markdown(ABOUT)
cells = [cell for _ in MODELS[::2] for cell in st.columns(2)]  # by rows: a phone keeps this order
for cell, (view, question, picture, paper) in zip(cells, MODELS, strict=True):
    with cell.container(border=True):
        st.markdown(f"**{question}**")
        st.image(sketch(view), width="stretch", alt=picture)
        st.page_link(f"views/{view}.py", label=paper, icon=":material/arrow_forward:")
st.subheader("And more", anchor=False)
for view, page, told in MORE:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(f"views/{view}.py", label=page, width=160)
        message.small(told)
for sentence in folder_problems():
    message.notice(f"{sentence[:1].upper()}{sentence[1:]}.")
for error in state.problems():
    message.problem(error)
