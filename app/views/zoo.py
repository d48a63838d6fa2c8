"""The model cards: what each checkpoint is, how well it does, and what may be done with it."""

import streamlit as st

from app import card, learned, message, share, state

VIEW = "zoo"
ABOUT = (
    "Every model that answers on these pages, with what it learned from, how well it does on text it had "
    "not seen, and where it fails. The owners of the data set the terms: the weights are for research and "
    "teaching."
)

state.open_page(VIEW)
share.head("Model cards")
st.markdown(ABOUT)
cards, problems = state.checkpoints()
for error in problems.values():
    message.problem(error)
if not cards:
    message.notice("There is no checkpoint yet.")
    st.stop()
card.overview(cards.values())
wanted = state.asked(VIEW).get("model", "")
slugs = list(cards)
key = state.field(VIEW, "model", wanted if wanted in cards else slugs[0])
shown = cards[st.selectbox("Checkpoint", slugs, key=key, persist_state="session")]
state.keep(VIEW, {"model": shown.slug})

st.header(message.literal(shown.title), anchor=False)
card.summary(shown)
card.metrics(shown)
card.listed("Where it fails", shown.limits)
card.known_failures(shown)
card.lengths(shown)
card.attention(shown)
card.listed("Sources and their terms", shown.sources)
st.subheader("How it was made", anchor=False)
st.code(shown.command, language="sh")
card.training(VIEW, shown)
learned.learned(VIEW, shown)
