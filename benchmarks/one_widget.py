"""The least page: one widget, and what it says."""

import streamlit as st

st.text("on" if st.toggle("One", key="one") else "off")
