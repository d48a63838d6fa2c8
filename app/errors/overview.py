"""How good a run is on the rows of a filter: scores, confusions, calibration, and where errors gather."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from app.errors.asking import of_run
from app.errors.filters import numbers
from app.errors.names import chance, meaning, title
from app.errors.place import VIEW, choose, chosen, next_turn, turn
from app.message import notice, small
from modelzoo.analysis import Filter
from modelzoo.analysis.scores import calibration, confusion, histogram, metrics
from modelzoo.analysis.slices import Slice, slices
from modelzoo.runs import Run
from modelzoo.viz import counts, histograms

MOST_LABELS = 20
"""Labels up to which confusions are drawn; with more of them they are listed."""
MOST_SLICES = 15


def part(run: Run, made: Filter) -> None:
    """The overview, from the score down to the slices."""
    scores(run, made)
    left, right = st.columns([3, 2], gap="large") if run.labels else (st.container(), None)
    with left:
        confusions(run, made) if run.labels else spread(run, made)
    if right is not None:
        with right:
            calibrated(run, made)
        spread(run, made)
    gathered(run, made)


def scores(run: Run, made: Filter) -> None:
    """Each metric with its 95 % interval."""
    found = of_run(run, metrics, made)
    if not found.values:
        notice("No row of these has a gold label that the model knows, so there is no score.")
        return
    with st.container(horizontal=True):
        for name, metric in found.values.items():
            factor, form = (1.0, "{:.1f}") if not run.labels else (100.0, "{:.1f} %")
            low, high = (form.format(factor * end) for end in metric.interval)
            shown = NAMES.get(name, name)
            st.metric(
                shown,
                form.format(factor * metric.value),
                f"{low} to {high}",
                delta_color="off",
                delta_arrow="off",
                width="content",
                help=f"{ABOUT.get(name, '')} Below it the 95 % interval.",
            )
    left = found.rows - found.judged
    without = f"; {left:,} have none that the model knows and are out of the score" if left else ""
    small(f"Of {found.judged:,} rows with a gold answer{without}.")


NAMES = {
    "accuracy": "Accuracy",
    "f1": "Mean F1",
    "bleu": "BLEU",
    "chrf": "chrF",
    "row_bleu": "BLEU of a row",
    "row_chrf": "chrF of a row",
}
ABOUT = {
    "accuracy": "The share of rows that are right.",
    "f1": "The mean over the labels of each one's F1.",
    "bleu": "BLEU of all texts together (sacrebleu).",
    "chrf": "chrF2 of all texts together (sacrebleu).",
    "row_bleu": "The mean over the rows of each one's BLEU.",
    "row_chrf": "The mean over the rows of each one's chrF.",
}


def confusions(run: Run, made: Filter) -> None:
    """Gold against answers; a click on a cell shows its rows."""
    st.subheader("Gold and answer", anchor=False)
    found = of_run(run, confusion, made)
    if not found.counts.sum():
        small("No row has a gold label.")
        return
    if len(found.labels) > MOST_LABELS:
        _pairs(found.labels, found.counts)
        return
    key = f"{VIEW}_confusion_{turn()}"
    with st.container(width=counts.confusion_width(found.labels)):
        st.vega_lite_chart(
            counts.confusion(found.labels, found.counts),
            key=key,
            on_select=lambda: _cell(key, found.labels),
            selection_mode=counts.CELL,
            alt=_told(found.labels, found.counts),
        )
    small("Click a cell to see its rows.")


def _cell(key: str, labels: Sequence[str]) -> None:
    picked = st.session_state[key]["selection"].get(counts.CELL, [])
    if picked and {"i", "j"} <= picked[0].keys():
        gold, said = labels[int(picked[0]["i"])], labels[int(picked[0]["j"])]
        now = chosen()
        next_turn()
        choose(
            replace(now, filter=replace(now.filter, gold=(gold,), prediction=(said,))),
            part="examples",
            row="",
        )


def _told(labels: Sequence[str], found: np.ndarray) -> str:
    """The confusions in a sentence, the most frequent first."""
    return f"Rows by gold label and answer. {_worst(labels, found, 3) or 'No confusion'}."


def _worst(labels: Sequence[str], found: np.ndarray, most: int) -> str:
    wrong = found * (1 - np.eye(len(labels), dtype=np.int64))
    places = [divmod(int(k), len(labels)) for k in np.argsort(-wrong, axis=None)[:most]]
    return "; ".join(
        f"{labels[i]} answered as {labels[j]} {wrong[i, j]:,} times" for i, j in places if wrong[i, j]
    )


def _pairs(labels: Sequence[str], found: np.ndarray) -> None:
    small(f"There are {len(labels)} labels; the most frequent confusions: {_worst(labels, found, 20)}.")


def calibrated(run: Run, made: Filter) -> None:
    """Whether the model is right as often as it is sure."""
    st.subheader("As sure as right?", anchor=False)
    found = of_run(run, calibration, made)
    if not found.counts.sum():
        small("No row has a gold label.")
        return
    alt = f"Share of right answers by confidence; mean distance {found.error:.3f}"
    st.html(histograms.calibration(found.edges, found.counts, found.confidence, found.accuracy, alt=alt))
    small(
        "Where a column stays below its dashed line the model is surer than it should be. "
        f"Mean distance (ECE): {found.error:.3f}."
    )


def spread(run: Run, made: Filter) -> None:
    """A measure's histogram, right and wrong rows apart."""
    st.subheader("How measures are spread", anchor=False)
    names, key = of_run(run, numbers), f"{VIEW}_measure"
    if not names:
        small("These rows have no measure.")
        return
    shown = st.session_state.setdefault(
        f"{VIEW}_measures_shown", [n for n in FIRST if n in names] or [names[0]]
    )
    st.session_state[key] = [name for name in shown if name in names]
    picked = st.multiselect(
        "Measures", names, format_func=title, key=key, label_visibility="collapsed",
        on_change=lambda: st.session_state.update({f"{VIEW}_measures_shown": list(st.session_state[key])}),
    )  # fmt: skip
    with st.container(horizontal=True, gap="medium"):
        for name in picked:
            _histogram(run, name, made)
    if not run.labels:
        small("Wrong: the quarter of the rows with the lowest chrF.")


FIRST = ("confidence", "m_entropy", "m_length")


def _histogram(run: Run, name: str, made: Filter) -> None:
    found = of_run(run, histogram, name, made)
    groups = {"right": found.right, "wrong": found.wrong, "not judged": found.unjudged}
    alt = f"Rows by {title(name)}, right and wrong ones apart"
    with st.container(width=histograms.WIDTH):
        st.html(histograms.histogram(found.edges, groups, title=title(name), alt=alt))
        missing = f" {found.missing:,} rows have none." if found.missing else ""
        small(f"{meaning(name)}{missing}".strip() or "How probable the model takes its answer to be.")


def gathered(run: Run, made: Filter) -> None:
    """The slices that hold more errors than the rest; each can become part of the filter."""
    st.subheader("Where errors gather", anchor=False)
    more = (one for one in of_run(run, slices, made) if one.rate > one.rate_outside and one.p < 1)
    found = list(islice(more, MOST_SLICES))
    if not found:
        small("No part of these rows has more errors than chance would bring.")
        return
    key = f"{VIEW}_gathered_{hash(tuple(found)):x}"
    add = st.column_config.ButtonColumn("", key=key, on_click=lambda: _slice(key, found), width=60)
    st.dataframe(
        pd.DataFrame([_line(one) for one in found]),
        hide_index=True,
        column_config={"add": add, **LINE},
        placeholder="",
        alt="Parts of the rows with more errors than the rest",
    )
    small(
        "Share of wrong rows within a part and outside it; p: Fisher's exact test, corrected for the "
        "number of parts (Holm). Add makes a part one of the filter's."
    )


LINE: dict[str, Any] = {
    "rows": st.column_config.NumberColumn(format="localized"),
    "wrong": st.column_config.NumberColumn(format="localized"),
    "within": st.column_config.NumberColumn("wrong within", format="percent"),
    "outside": st.column_config.NumberColumn("wrong outside", format="percent"),
    "times": st.column_config.NumberColumn("times as often", format="%.2f"),
}


def _line(one: Slice) -> dict[str, object]:
    return {
        "add": "Add",
        "part": one.name,
        "rows": one.rows,
        "wrong": one.errors,
        "within": one.rate,
        "outside": one.rate_outside,
        "times": one.ratio,
        "p": chance(one.p),
    }


def _slice(key: str, found: Sequence[Slice]) -> None:
    part, now = found[st.session_state[key]["row"]].chosen, chosen()
    added = replace(
        now.filter, between=(*now.filter.between, *part.between), one_of=(*now.filter.one_of, *part.one_of)
    )
    choose(replace(now, filter=added), row="")
