"""The app's entry: `streamlit run app/main.py`, from anywhere."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402

from app import state  # noqa: E402

STYLE = """<style>
.stMainBlockContainer {max-width: 78rem; padding-top: 4.5rem; padding-bottom: 4rem}
@media (min-width: 64rem) {.stMainBlockContainer {padding-left: 3rem; padding-right: 3rem}}
/* a map wider than the page scrolls in its frame, and the words of its rows stay in view with its title;
   where a map is higher than the page, the words of its columns stay below the page's head (3.75rem) */
[class*="_mapframe"] {overflow-x: auto; container-type: inline-size; scroll-timeline: --across x;
  view-timeline: --down y 3.75rem 0px}
[class*="_mapframe"] > * {min-width: 100%; max-width: none}
@supports (animation-timeline: --across) {
  [class*="_mapframe"] :is(g[aria-label^="Y-axis"], .role-title, .role-legend, .yaxislayer-above, .g-gtitle,
    .colorbar) {
    transform-box: view-box; animation: heads linear both; animation-timeline: --across}
  [class*="_mapframe"] :is(g[aria-label^="X-axis"], .xaxislayer-above) {
    transform-box: view-box; animation: column-heads linear both; animation-timeline: --down;
    animation-range: exit-crossing 4rem exit-crossing calc(100% - 12rem); pointer-events: none}
  [class*="_mapframe"] :is(g[aria-label^="Y-axis"], g[aria-label^="X-axis"], .yaxislayer-above,
    .xaxislayer-above) text {paint-order: stroke; stroke: Canvas; stroke-width: 5px}
}
@keyframes heads {to {translate: calc(100% - 100cqw)}}
@keyframes column-heads {to {translate: 0 calc(100% - 16rem)}}
/* contrast of at least 4.5 (AA) in both themes */
.stVegaLiteChart svg g:not(.role-mark) > text, .stPlotlyChart svg text {fill: currentColor !important}
.stVegaLiteChart svg .mark-text.role-mark {pointer-events: none} /* a click on a number is one on its cell */
button[aria-checked="true"], button[aria-pressed="true"] {color: inherit !important}
[data-testid="stCaptionContainer"] {color: inherit; opacity: .8}
</style>"""

st.set_page_config(
    page_title="Attention Atlas", page_icon=ROOT / "assets" / "pictures" / "icon.png", layout="wide"
)
st.html(STYLE)
pages = [
    st.Page("views/home.py", title="Attention Atlas", default=True),
    st.Page("views/self_attentive.py", title="Self-attentive", url_path="self-attentive"),
    st.Page("views/decomposable.py", title="Decomposable", url_path="decomposable"),
    st.Page("views/rnn_search.py", title="RNNsearch", url_path="rnn-search"),
    st.Page("views/conv_s2s.py", title="ConvS2S", url_path="conv-s2s"),
    st.Page("views/compare.py", title="Compare", url_path="compare"),
    st.Page("views/errors.py", title="Error analysis", url_path="errors"),
    st.Page("views/viewer.py", title="Your own matrix", url_path="viewer"),
]
pages.append(st.Page("views/zoo.py", title="Model cards", url_path="zoo"))
if state.other_models():
    pages.append(st.Page("views/model.py", title="Other models", url_path="model"))
page = st.navigation(pages, position="top")
page.run()
state.keep_imports(page.url_path)
