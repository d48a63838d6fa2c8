"""Attention over the rows of a filter: which words get it, what looks at a word, where in a text it lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app.errors.asking import of_run
from app.errors.filters import free
from app.errors.names import title
from app.errors.place import VIEW, next_turn, turn
from app.errors.table import opener
from app.message import notice, problem, small
from modelzoo import analysis
from modelzoo.analysis import Filter
from modelzoo.analysis.attention import TopWords, WordMass, lexicon, profile, rows_of_word, top_words
from modelzoo.analysis.marks import links_agreement, marks_agreement
from modelzoo.analysis.weights import MOST_ROWS, MapAbout, maps_of
from modelzoo.runs import Run
from modelzoo.viz import heatmap

WORD = f"{VIEW}_word_kept"
"""The word that is looked for; it outlives a visit to another page."""


def part(run: Run, made: Filter, count: int) -> None:
    """A map of the run's, over all rows of the filter."""
    maps = {one.name: one for one in of_run(run, maps_of)}
    if not maps:
        notice("This checkpoint has no attention, so there is nothing to sum over the rows.")
        return
    key = f"{VIEW}_map_of_all"
    if st.session_state.get(key) not in maps:
        of_hops = (one.name for one in maps.values() if one.has_hops)
        st.session_state[key] = next(of_hops, list(maps)[-1])
    name = st.segmented_control("Map", list(maps), key=key, required=True, persist_state="session")
    if count > MOST_ROWS:
        small(f"Of the {count:,} rows, {MOST_ROWS:,} are read, evenly over all of them.")
    about = maps[name or list(maps)[-1]]
    by_piece = _pieces(run)
    words(run, about, made, by_piece)
    word(run, about, made, by_piece)
    positions(run, about, made)
    people(run, about, made)


def _pieces(run: Run) -> bool:
    """Whether the pieces of a subword model are wanted instead of the words they spell."""
    if run.labels:
        return False
    by_piece = st.toggle("By pieces", key=f"{VIEW}_by_piece", persist_state="session")
    if not by_piece:
        small("By word: what the pieces of a word receive is added, what they give is averaged.")
    return by_piece


def words(run: Run, about: MapAbout, made: Filter, by_piece: bool) -> None:
    """The words with most weight, for each hop; a selected one is looked for."""
    st.subheader("Words with most weight", anchor=False)
    found: TopWords = of_run(run, top_words, about.name, made, by_piece)
    columns = {f"g{k}": [_told(one) for one in group] for k, group in enumerate(found.groups.values())}
    longest = max(map(len, columns.values()), default=0)
    frame = pd.DataFrame({key: column + [""] * (longest - len(column)) for key, column in columns.items()})
    names = list(found.groups) if len(columns) > 1 else [_heading(about)]
    config = {f"g{k}": st.column_config.TextColumn(name) for k, name in enumerate(names)}
    key = f"{VIEW}_words_table_{about.name}_{by_piece:d}_{turn()}"
    st.dataframe(
        frame,
        hide_index=True,
        key=key,
        column_config=config,
        on_select=lambda: _pick(key, list(found.groups.values())),
        selection_mode="single-cell",
        width="stretch" if len(columns) > 1 else 360,
        alt="Words with most weight, with their share of all weight",
    )
    small(f"Share of all weight over {found.rows:,} rows. Click a word to look for it.")


def _heading(about: MapAbout) -> str:
    """What the one column of a map without hops is called."""
    return f"word of the {about.column_kind}"


def _told(one: WordMass) -> str:
    return f"{one.word}   {one.share:.1%}"


def _pick(key: str, groups: Sequence[Sequence[WordMass]]) -> None:
    cells = st.session_state[key]["selection"]["cells"]
    if not cells:
        return
    place, column = cells[0]
    group = groups[int(str(column).removeprefix("g"))]
    if place < len(group):
        st.session_state[WORD] = group[place].word
        next_turn()


def word(run: Run, about: MapAbout, made: Filter, by_piece: bool) -> None:
    """One word: what it looks at, what looks at it, and the rows in which it matters most."""
    st.subheader("A word", anchor=False)
    key = f"{VIEW}_word"
    st.session_state[key] = st.session_state.get(WORD, "")
    st.text_input(
        "Word",
        key=key,
        placeholder="a whole word, capitals or not",
        max_chars=200,
        on_change=lambda: st.session_state.update({WORD: st.session_state[key].strip()}),
        width=360,
    )
    asked = st.session_state.get(WORD, "")
    if not asked:
        small("Type a word, or click one above.")
        return
    try:
        _partners(run, about, (asked, made, by_piece))
        _rows(run, about, (asked, made, by_piece))
    except ValueError as error:
        problem(error)


def _partners(run: Run, about: MapAbout, asked: tuple[str, Filter, bool]) -> None:
    if about.has_hops:
        return
    found = of_run(run, lexicon, about.name, *asked)
    left, right = st.columns(2)
    groups = {
        f"As a word of the {about.row_kind} it looks at": found.attends_to,
        f"As a word of the {about.column_kind} it is looked at by": found.attended_by,
    }
    for place, (told, group) in zip((left, right), groups.items(), strict=True):
        with place:
            small(told)
            _lexicon(group)


def _lexicon(group: Sequence[WordMass]) -> None:
    if not group:
        small("Nothing: the word does not stand there.")
        return
    lines = [{"word": one.word, "share": one.share, "mean": one.mean, "times": one.times} for one in group]
    config: dict[str, Any] = {
        "share": st.column_config.ProgressColumn(
            "share of its weight", format="percent", min_value=0.0, max_value=max(group[0].share, 1e-9)
        ),
        "mean": st.column_config.NumberColumn("mean weight", format="%.3f"),
        "times": st.column_config.NumberColumn(format="localized"),
    }
    st.dataframe(pd.DataFrame(lines), hide_index=True, column_config=config, alt="Words and their weights")


def _rows(run: Run, about: MapAbout, asked: tuple[str, Filter, bool]) -> None:
    found = of_run(run, rows_of_word, about.name, *asked)
    if not found:
        small(f"No row of these has {asked[0]!r} where this map looks.")
        return
    numbers = [one.row for one in found]
    shown = ("text", "text_pair", "gold", "prediction")
    frame = of_run(run, analysis.OpenRun.table, numbers, *shown).to_pandas()
    frame.insert(0, "weight", [one.weight for one in found])
    frame["row"] = frame["row"].astype(str)
    st.dataframe(
        frame[["row", *frame.columns.drop("row")]].dropna(axis="columns", how="all"),
        hide_index=True,
        column_config={
            "row": opener(numbers),
            "weight": st.column_config.NumberColumn(format="%.3f"),
            "text": st.column_config.TextColumn(width="large"),
            "text_pair": st.column_config.TextColumn(title("text_pair"), width="large"),
        },
        alt="Rows in which the word gets most weight",
    )
    small("Rows in which it gets most weight, the mean over the map's rows. Click a row's number to open it.")


def positions(run: Run, about: MapAbout, made: Filter) -> None:
    """The average map by position, computed when it is opened."""
    box = st.expander("Where in a text it looks", key=f"{VIEW}_positions", on_change="rerun")
    if not box.open:
        return
    with box:
        grid = of_run(run, profile, about.name, made)
        with st.container(width=heatmap.width(grid)):
            st.vega_lite_chart(heatmap.cells(grid), key=f"{VIEW}_profile", alt=heatmap.describe(grid))
        small("Texts are cut into ten equal parts, so that short and long ones count alike.")


def people(run: Run, about: MapAbout, made: Filter) -> None:
    """Whether the map agrees with marks or links of people, where a column of the file holds some."""
    columns = of_run(run, free)
    if not columns:
        return
    box = st.expander("Does it agree with people?", key=f"{VIEW}_people", on_change="rerun")
    if not box.open:
        return
    with box:
        small(
            "A column of the file may hold marks (2,5: the places of words, from 0) or, for a map from words "
            "to words, links (0-0 2-1)."
        )
        column = st.selectbox("Column", columns, format_func=title, key=f"{VIEW}_marks")
        try:
            _agreement(run, about, made, column)
        except ValueError as error:
            problem(error)


def _agreement(run: Run, about: MapAbout, made: Filter, column: str) -> None:
    """The links where there are any, else the marks."""
    if not about.has_hops:
        try:
            links = of_run(run, links_agreement, about.name, column, made)
        except ValueError:
            pass
        else:
            small(
                f"Links: alignment error {links.aer:.3f}, precision {links.precision:.3f}, "
                f"recall {links.recall:.3f}."
            )
            return
    marks = of_run(run, marks_agreement, about.name, column, made)
    small(
        f"Marks in {marks.rows:,} rows. A marked word gets more weight than another of its row with a chance "
        f"of {marks.auc:.3f} (0.5: none the better). F1 of as many words as people marked: "
        f"{marks.token_f1:.3f}; "
        f"marking every word would give {marks.every_word:.3f}."
    )
