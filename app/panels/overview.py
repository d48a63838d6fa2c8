"""All maps of one kind at a glance: a card each on one scale, with numbers to sort by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app import pins, state
from app.inputs import Asked
from app.message import small
from modelzoo.results import AttentionResult, Grid
from modelzoo.transform import Summary, rows_apart, summaries
from modelzoo.viz import heatmap, lines, multiples, theme

SORTS: dict[str, Callable[[Summary], float]] = {
    "as in the model": lambda numbers: 0.0,
    "sharpest first (entropy)": lambda numbers: numbers.entropy,
    "largest weight first (maximum)": lambda numbers: -numbers.maximum,
    "straightest first (diagonal share)": lambda numbers: -(numbers.diagonal or 0.0),
    "most different first (overlap)": lambda numbers: numbers.overlap or 0.0,
}
ABOUT = (
    "Means over rows. Entropy: bits, 0 when a row reads one token. Maximum: the largest weight. "
    "Diagonal: the share within one token of the straight line. Overlap: the weight that two maps have "
    "in the same cells, mean over the others."
)


def layers(view: str, result: AttentionResult) -> None:
    """Every map of the result; the one that is chosen is drawn large."""

    def choose(name: str) -> None:
        st.session_state[f"{view}_map"] = name

    overview(view, result.maps, choose)


def hops(view: str, result: AttentionResult) -> None:
    """Every hop; the one that is chosen is pinned on the map of hops."""
    grids = rows_apart(result.map("hops"))
    rows = {grid.name: row for row, grid in enumerate(grids)}
    overview(view, grids, lambda name: pins.pin(f"{view}_hops", rows[name]))


def overview(view: str, shown: Sequence[Grid], choose: Callable[[str], None]) -> None:
    """A card for every grid, made when it is opened; `choose` takes the name of the one to enlarge."""
    key = state.choice(view, "overview", (False, True), False)
    box = st.expander(f"Overview of {len(shown)} maps", key=key, on_change="rerun")
    if not box.open:
        return
    numbers = summaries(shown)
    with box:
        key = state.choice(view, "sort", tuple(SORTS), next(iter(SORTS)))
        by = st.selectbox("Sort", list(SORTS), key=key, persist_state="session")
        with st.container(horizontal=True, gap="medium"):
            for k in sorted(range(len(shown)), key=lambda k: SORTS[by](numbers[k])):
                _card(view, shown[k], numbers[k], partial(choose, shown[k].name))
        small(f"Colour: {theme.scale_title(shown[0])}, the same in all. {ABOUT}")


def _card(view: str, grid: Grid, numbers: Summary, chosen: Callable[[], None]) -> None:
    told = {name: f"{value:.2f}" for name, value in numbers._asdict().items() if value is not None}
    with st.container(width=multiples.WIDTH, gap="xsmall"):
        st.html(multiples.card(grid, told))
        label = f"Enlarge {heatmap.title(grid)}"
        st.button(label, key=f"{view}_enlarge_{grid.name}", on_click=chosen, type="tertiary")


def distance_bias(view: str, asked: Asked, result: AttentionResult) -> None:
    """What intra-sentence attention adds to a score for each distance, where the model has that."""
    for internal in result.internals:
        if internal.name == "distance_bias":
            values = internal.values
            first = -(len(values) // 2) if asked.card.config.get("distance") == "signed" else 0
            chart = lines.line(values, first, ("distance in words", "added to the score"))
            told = lines.describe(values, first, "Distance bias")
            st.altair_chart(chart, key=f"{view}_distance_bias", alt=told)
            last = first + len(values) - 1
            small(f"Distance bias of intra-sentence attention; {last} stands for this and farther.")
