"""Two runs of the same data: who is right where, whether the difference is chance, and on which slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from app.errors import shelf
from app.errors.asking import of_two, two
from app.errors.filters import OUTCOMES
from app.errors.names import chance
from app.errors.place import VIEW, choose, chosen, get, go
from app.message import notice, problem, small
from app.panels.table import signed
from modelzoo.analysis import Filter
from modelzoo.analysis.scores import Metric
from modelzoo.analysis.two import Difference
from modelzoo.number import formatted
from modelzoo.runs import Run

MOST_SLICES = 15


def part(run: Run, made: Filter, runs: Sequence[Run]) -> None:
    """The open run, A, beside another of the same data, B."""
    other = _other(run, runs)
    if other is None:
        return
    try:
        both = two(run, other)
    except ValueError as error:
        problem(error)
        return
    whole = of_two(run, other, both.difference, made)
    if not whole.rows:
        notice("No row of these has a gold answer in both runs.")
        return
    _told(run, other, whole)
    if not run.labels:
        _texts(of_two(run, other, both.chrf, made))
    _outcomes(other, whole)
    _slices(of_two(run, other, both.slices, made)[:MOST_SLICES])


def _other(run: Run, runs: Sequence[Run]) -> Run | None:
    """The run to compare with, of those over the same data."""
    fitting = {
        one.id: one
        for one in runs
        if one.id != run.id and one.data == run.data and one.task == run.task and shelf.is_begun(one)
    }
    if not fitting:
        notice(
            "There is no other run of this data. Start one with another checkpoint, or with other settings."
        )
        return None
    key = f"{VIEW}_other"
    st.session_state[key] = get("other") if get("other") in fitting else next(iter(fitting))
    st.selectbox(
        "B, beside the run above, A",
        list(fitting),
        format_func=lambda one: shelf.name(fitting[one]),
        key=key,
        on_change=lambda: go(other=st.session_state[key]),
    )
    return fitting[st.session_state[key]]


def _told(run: Run, other: Run, whole: Difference) -> None:
    """Both shares of right rows, the difference with its interval, and McNemar's test."""
    low, high = whole.gain.interval
    with st.container(horizontal=True):
        st.metric(f"A right ({run.slug})", f"{whole.first:.1%}", width="content")
        st.metric(f"B right ({other.slug})", f"{whole.second:.1%}", width="content")
        st.metric(
            "B more than A",
            f"{formatted(100 * whole.gain.value, '+.1f')} points",
            _interval(100 * low, 100 * high),
            delta_color="off",
            delta_arrow="off",
            width="content",
            help="Below it the 95 % interval, rows drawn in pairs.",
        )
    chance = "below 0.001" if whole.p < 0.001 else f"{whole.p:.3f}"
    small(f"Over {whole.rows:,} rows that both judge. McNemar's exact test: p {chance}.")


def _texts(gain: Metric | None) -> None:
    """Of texts, right is not to be in the worst quarter of each run; chrF itself says more."""
    if gain is not None:
        low, high = gain.interval
        small(
            f"B has {formatted(gain.value, '+.1f')} chrF more than A, mean over the rows "
            f"(95 % interval {_interval(low, high)}). "
            "Right: not in the quarter of a run's rows with the lowest chrF."
        )


def _interval(low: float, high: float) -> str:
    return f"{formatted(low, '+.1f')} to {formatted(high, '+.1f')}"


def _outcomes(other: Run, whole: Difference) -> None:
    """Four groups of rows; a click shows one."""
    with st.container(horizontal=True):
        for outcome, told in OUTCOMES.items():
            count = whole.counts[outcome]  # type: ignore[index]
            st.button(
                f"{told[:1].upper()}{told[1:]}: {count:,}",
                key=f"{VIEW}_outcome_{outcome}",
                disabled=not count,
                on_click=lambda outcome=outcome: choose(
                    replace(chosen(), against=other.id, outcome=outcome), part="examples", row=""
                ),
            )
    small("Click a group to see its rows.")


def _slices(found: Sequence[Difference]) -> None:
    """Parts of the rows, least likely by chance first."""
    st.subheader("Where they differ", anchor=False)
    if not found:
        small("No part of these rows is large enough.")
        return
    config: dict[str, Any] = {
        "rows": st.column_config.NumberColumn(format="localized"),
        "A": st.column_config.NumberColumn("A right", format="percent"),
        "B": st.column_config.NumberColumn("B right", format="percent"),
        "gain": st.column_config.NumberColumn("B more than A (points)"),
    }
    table = pd.DataFrame([_line(one) for one in found])
    st.dataframe(
        signed(table, {"gain": "+.1f"}), hide_index=True, column_config=config,
        alt="Parts of the rows, the share that each run has right, and the difference",
    )  # fmt: skip
    small("p: McNemar's exact test, corrected for the number of parts (Holm).")


def _line(one: Difference) -> dict[str, object]:
    low, high = one.gain.interval
    return {
        "part": one.name,
        "rows": one.rows,
        "A": one.first,
        "B": one.second,
        "gain": 100 * one.gain.value,
        "95 % interval": _interval(100 * low, 100 * high),
        "p": chance(one.p),
    }
