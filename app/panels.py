"""Draw a result: the answer, its attention, the tokens, what to take away. A view composes these."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from app import state
from app.inputs import Asked
from app.message import notice, problem, small
from modelzoo import export, transform
from modelzoo.results import AttentionMap, AttentionResult, Grid, LabelPrediction, TextPrediction, Token
from modelzoo.tasks import SourceText
from modelzoo.viz import bars, heatmap, highlight

NO_PROOF = "A weight tells where the model looked; it does not prove why it answered as it did."


def header(title: str, about: str) -> None:
    """The page's title and what a newcomer sees on it; both are ours."""
    st.title(title, anchor=False)
    st.markdown(f"{about} {NO_PROOF}")


def answer(asked: Asked) -> AttentionResult:
    """The checkpoint's answer; without one the page says why and ends here."""
    try:
        return state.attend(asked.card.slug, asked.inputs)
    except ValueError as error:
        problem(error)
        st.stop()


def prediction(result: AttentionResult) -> None:
    """What the model says: labels with their probabilities, or a text, and what is to be known of it."""
    if isinstance(result.prediction, LabelPrediction):
        st.html(bars.bars(result.prediction))
    else:
        st.html(highlight.quote(result.prediction.text))
        each = result.prediction.log_probabilities
        small(f"Log-probability {each.sum():.3f} in {len(each)} pieces: {each.mean():.3f} a piece.")
    for note in result.notes:
        notice(f"{note[:1].upper()}{note[1:]}.")


def about(asked: Asked) -> None:
    """Which checkpoint answered, where it ran and what it learned from."""
    card, device = asked.card, state.device(asked.card.slug)
    small(f"{card.title} ({card.slug}): {card.parameters:,} weights, on {device}, trained on {card.data}.")


def hypothesis(view: str, asked: Asked, result: AttentionResult) -> AttentionResult:
    """The hypothesis of the search that is chosen: its own result, by forced decoding of its pieces."""
    candidates = result.prediction.candidates if isinstance(result.prediction, TextPrediction) else ()
    if len(candidates) < 2 or not isinstance(asked.inputs, SourceText):
        return result
    chosen = st.selectbox(
        "Hypothesis of the search, best first, after its score",
        range(len(candidates)),
        format_func=lambda k: f"{candidates[k].score:.3f}   {candidates[k].text}",
        key=f"{view}_hypothesis_{hash(asked.inputs):x}",  # a choice belongs to one search
    )
    if chosen == 0:
        return result
    inputs = replace(asked.inputs, forced=candidates[chosen].tokens, beam_size=1)
    return answer(Asked(asked.card, inputs))


def has_maps(result: AttentionResult) -> bool:
    """Whether there is attention to see; says so where there is none."""
    if not result.maps:
        notice("This checkpoint has no attention, so there is no map to see.")
    return bool(result.maps)


def choose_map(view: str, label: str, result: AttentionResult) -> AttentionMap:
    """One of the result's maps, by its title; at first the last."""
    titles = {attention.name: heatmap.title(attention) for attention in result.maps}
    name = st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        default=result.maps[-1].name,
        required=True,
        key=f"{view}_map",
        persist_state="session",
    )
    return result.map(name) if name in titles else result.maps[-1]


def grids(view: str, shown: Sequence[Grid], result: AttentionResult) -> None:
    """Several grids, side by side as far as the page is wide."""
    with st.container(horizontal=True, gap="medium"):
        for one in shown:
            grid(view, one, result)


def grid(view: str, shown: Grid, result: AttentionResult) -> None:
    """A grid as a heat map, as files and as numbers."""
    key = f"{view}_{shown.name}"
    with st.container(width=heatmap.width(shown), gap="xsmall", key=f"{key}_grid"):
        chart, alt_text = heatmap.heatmap(shown), heatmap.describe(shown)
        if isinstance(chart, alt.Chart):
            st.altair_chart(chart, key=key, alt=alt_text)
        else:
            st.plotly_chart(chart, key=key, alt=alt_text, config={"displaylogo": False})
        files(key, shown, result)
        numbers(key, shown)


def highlighted(view: str, overall: AttentionMap, result: AttentionResult) -> None:
    """A map of one row, laid over the text it is about."""
    found = result.tokens[overall.column_kind]
    st.html(highlight.highlight(found, overall.values[0]))
    strongest = f"the strongest word has {overall.values.max():.4f}, no colour is 0"
    small(f"Colour: {heatmap.title(overall)}; {strongest}. {_reading(found)}")
    files(f"{view}_{overall.name}", overall, result)


def overlap(view: str, result: AttentionResult) -> None:
    """A A^T of Lin et al., and the penalty that training puts on it."""
    P, r = float(result.internal("P").values), len(result.map("hops").rows)
    st.markdown(
        "Diagonal: the **sharpness** of a hop, 1 when it reads a single word. "
        "The rest: the **overlap** of two hops, 0 when they share no word. "
        f"The penalty P = {P:.4f} is the squared distance from sharp and apart; P / r² = {P / r**2:.4f} "
        f"compares over the number of hops, here r = {r}."
    )
    title = "A Aᵀ (diagonal: sharpness, rest: overlap)"
    grid(view, transform.as_grid(result, "AAT", title=title), result)


def files(key: str, shown: Grid, result: AttentionResult) -> None:
    """Downloads of the grid, made when asked for."""
    name = re.sub(r"[^\w.-]+", "_", f"{result.checkpoint}_{shown.name}")
    with st.container(horizontal=True):
        _file(key, f"{name}.csv", "text/csv", partial(export.to_csv, shown))
        _file(key, f"{name}.svg", "image/svg+xml", partial(export.to_svg, shown))


def _file(key: str, name: str, mime: str, make: Callable[[], str]) -> None:
    kind = name.rpartition(".")[2]
    icon = ":material/download:"
    st.download_button(
        kind.upper(), make, name, mime, key=f"{key}_{kind}", on_click="ignore", type="tertiary", icon=icon
    )


@st.fragment
def numbers(key: str, shown: Grid) -> None:
    """The grid's numbers as a table, made when it is opened."""
    box = st.expander("Numbers", key=f"{key}_numbers", on_change="rerun")
    if box.open:
        columns = {str(j): token for j, token in enumerate(shown.columns)}
        table = pd.DataFrame(shown.values, columns=list(columns))
        table.insert(0, "row", shown.rows)
        config = {name: NumberColumn(token, format="%.4f") for name, token in columns.items()}
        box.dataframe(table, hide_index=True, column_config={"row": TextColumn("", pinned=True), **config})


def tokens(result: AttentionResult) -> None:
    """Every text as the model reads it: its tokens in order, unknown ones marked."""
    for side, found in result.tokens.items():
        small(f"{side[:1].upper()}{side[1:]}, as the model reads it. {_reading(found)}")
        st.html(highlight.token_row(found))


def _reading(found: Sequence[Token]) -> str:
    """How the model's forms differ from what was typed, and how the tokens show it."""
    unknown = sum(not token.known for token in found)
    lower = any(token.known and token.typed != token.model == token.typed.lower() for token in found)
    case = "Capitals are read as small letters. " if lower else ""
    marked = f"Underlined: {unknown} of {len(found)} tokens not in the vocabulary." if unknown else ""
    return case + marked
