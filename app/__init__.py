"""The Streamlit app: everything with a widget, nothing with a formula."""
