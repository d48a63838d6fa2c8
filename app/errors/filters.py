"""Which rows are looked at: a filter in parts, set behind one button, taken away by a click; saved slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from app import state
from app.errors.asking import filter_of, notes, of_run
from app.errors.chosen import Chosen
from app.errors.names import title
from app.errors.place import VIEW, choose, chosen
from app.message import literal, problem, small
from modelzoo import analysis
from modelzoo.analysis import Between, Filter, OneOf
from modelzoo.runs import Run

VERDICTS = {None: "all", True: "right", False: "wrong"}
OUTCOMES = {"both": "both right", "first": "only A right", "second": "only B right", "neither": "both wrong"}
"""Of this run, A, and another one, B, which is right."""
MOST_VALUES = 200
"""Values of a column that a list offers."""
SHOWN = 60
"""Characters of a value that a button shows."""


def bar(run: Run) -> tuple[Filter, int]:
    """The filter's button, its parts, and how many rows it leaves. The page ends where it cannot be asked."""
    now = chosen()
    with st.container(horizontal=True, vertical_alignment="center", key=f"{VIEW}_bar"):
        _menus(run, now, state.asked(VIEW))
        _parts(now)
    try:
        made = filter_of(run, now)
        count, total = of_run(run, analysis.OpenRun.count, made), of_run(run, analysis.OpenRun.count)
    except ValueError as error:
        problem(error)
        st.stop()
    small(f"{count:,} of {total:,} rows" + (" match. Remove a part of the filter." if not count else "."))
    return made, count


@st.fragment
def _menus(run: Run, now: Chosen, here: Mapping[str, str]) -> None:
    """The form and the slices, made when they are opened; what is typed there draws them anew by themselves.

    A click outside may come with what was typed and be answered by the fragment alone; then the page, which
    is no more `here`, follows.
    """
    if state.asked(VIEW) != here:
        st.rerun()
    with st.container(horizontal=True, width="content"):
        form = st.popover("Filter", icon=":material/filter_alt:", key=f"{VIEW}_filter", on_change="rerun")
        kept = st.popover("Slices", icon=":material/bookmark:", key=f"{VIEW}_slices", on_change="rerun")
    if form.open:
        with form:
            _form(run, now)
    if kept.open:
        with kept:
            _slices(run, now)


def _parts(now: Chosen) -> None:
    """A button for each part that the filter has; a click takes it away."""
    for name, place, told in described(now):
        st.button(
            literal(told),
            key=f"{VIEW}_without_{name}_{place}",
            on_click=lambda name=name, place=place: choose(now.without(name, place), row=""),
            icon=":material/close:",
            icon_position="right",
            help="Take this part away",
        )
    if now != Chosen():
        st.button("Clear", key=f"{VIEW}_clear", on_click=lambda: choose(Chosen(), row=""), type="tertiary")


def described(now: Chosen) -> list[tuple[str, int, str]]:
    """The filter's parts: the field, its place there, and what it asks in a few words."""
    of = now.filter
    found = [
        (name, 0, f"{name}: {_values(getattr(of, name))}")
        for name in ("gold", "prediction")
        if getattr(of, name)
    ]
    found += [("right", 0, VERDICTS[of.right])] if of.right is not None else []
    found += [("between", k, f"{title(one.column)} {_range(one)}") for k, one in enumerate(of.between)]
    found += [("one_of", k, f"{title(one.column)}: {_values(one.values)}") for k, one in enumerate(of.one_of)]
    named = (("search", "has “{}”"), ("pattern", "matches {}"), ("word", "has the word “{}”"))
    found += [(name, 0, said.format(_cut(getattr(of, name)))) for name, said in named if getattr(of, name)]
    found += [("rows", 0, f"{len(of.rows):,} chosen rows")] if of.rows is not None else []
    found += [("labels", 0, f"label: {_values(now.labels)}")] if now.labels else []
    found += [("is_starred", 0, "starred")] if now.is_starred else []
    found += [("is_noted", 0, "with a note")] if now.is_noted else []
    found += [("outcome", 0, f"{OUTCOMES[now.outcome]} (B: {now.against[:4]})")] if now.outcome else []
    return found


def _values(values: Sequence[str | None]) -> str:
    return _cut(" or ".join("(none)" if value is None else value or "(empty)" for value in values))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _range(one: Between) -> str:
    low, high = (None if end is None else f"{end:.4g}" for end in (one.low, one.high))
    if low is None:
        return f"≤ {high}" if high is not None else "present"
    return f"≥ {low}" if high is None else f"{low} to {high}"


def _form(run: Run, now: Chosen) -> None:
    """Every kind of question a filter can ask."""
    right = _set("right", now.filter.right)
    st.segmented_control(
        "Answer",
        list(VERDICTS),
        format_func=VERDICTS.__getitem__,
        key=right,
        on_change=lambda: _change(now, right=st.session_state[right]),
    )
    if run.labels:
        _labels(run, now)
    for name, label, help in (
        ("search", "Text contains", "As it is typed, capitals or not, in the texts and labels."),
        ("pattern", "Regular expression", "As of RE2: (?i) for capitals or not, \\b for the end of a word."),
        ("word", "Word", "A whole token, capitals or not."),
    ):
        _text(now, name, label, help)
    _number(run, now)
    _value(run, now)
    _said(run, now)


def _set(name: str, value: Any) -> str:
    """The key of a widget that shows what the filter says."""
    key = f"{VIEW}_filter_{name}"
    st.session_state[key] = value
    return key


def _change(now: Chosen, **changes: Any) -> None:
    choose(replace(now, filter=replace(now.filter, **changes)), row="")


def _labels(run: Run, now: Chosen) -> None:
    for name in ("gold", "prediction"):
        key = _set(name, [one for one in getattr(now.filter, name) if one in run.labels])
        st.multiselect(
            name.capitalize(),
            run.labels,
            key=key,
            on_change=lambda name=name, key=key: _change(now, **{name: tuple(st.session_state[key])}),
        )


def _text(now: Chosen, name: str, label: str, help: str) -> None:
    key = _set(name, getattr(now.filter, name))
    st.text_input(
        label,
        key=key,
        help=help,
        max_chars=1000,
        on_change=lambda: _change(now, **{name: st.session_state[key]}),
    )


def _number(run: Run, now: Chosen) -> None:
    """A range of a measure: confidence, length, overlap and the like."""
    names = of_run(run, numbers)
    column = st.selectbox("A measure from … to …", names, format_func=title, key=f"{VIEW}_filter_column")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        low = st.number_input("from", value=None, key=f"{VIEW}_filter_low", format="%g")
        high = st.number_input("to", value=None, key=f"{VIEW}_filter_high", format="%g")
        st.button(
            "Add",
            key=f"{VIEW}_filter_add",
            disabled=low is None and high is None,
            on_click=lambda: _change(now, between=(*now.filter.between, Between(column, low, high))),
        )


def numbers(rows: analysis.OpenRun) -> tuple[str, ...]:
    """The measures that have a value in some row."""
    return rows.measures


def _value(run: Run, now: Chosen) -> None:
    """Values of a column of the file."""
    names = of_run(run, free)
    if not names:
        return
    column = st.selectbox("A column of the file is …", names, format_func=title, key=f"{VIEW}_filter_free")
    try:
        offered = of_run(run, analysis.OpenRun.values, column, MOST_VALUES)
    except ValueError as error:
        problem(error)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        values = st.multiselect(
            "one of", offered, key=f"{VIEW}_filter_values", format_func=lambda one: one or "(empty)",
            accept_new_options=True,
        )  # fmt: skip
        st.button(
            "Add",
            key=f"{VIEW}_filter_add_value",
            disabled=not values,
            on_click=lambda: _change(now, one_of=(*now.filter.one_of, OneOf(column, tuple(values)))),
        )


def free(rows: analysis.OpenRun) -> tuple[str, ...]:
    """The columns that came with the file and have no other use."""
    return tuple(name for name in rows.columns if name.startswith("x_"))


def _said(run: Run, now: Chosen) -> None:
    """What people said of rows."""
    key = _set("said", list(now.labels))
    st.multiselect(
        "Error label",
        sorted({*notes().label_list(), *now.labels}),
        key=key,
        on_change=lambda: choose(replace(now, labels=tuple(st.session_state[key])), row=""),
    )
    for name, label in (("is_starred", "With a star"), ("is_noted", "With a note")):
        flag = _set(name, getattr(now, name))
        st.toggle(label, key=flag, on_change=_flip(now, name, flag))


def _flip(now: Chosen, name: str, key: str) -> Callable[[], None]:
    return lambda: choose(replace(now, **{name: st.session_state[key]}), row="")


def _slices(run: Run, now: Chosen) -> None:
    """The saved filters of the run: open, delete, save the one that is set."""
    kept = notes().slices(run.id)
    for k, one in enumerate(kept):
        with st.container(horizontal=True):
            st.button(
                literal(one.name),
                key=f"{VIEW}_slice_{k}",
                on_click=_open,
                args=(one.filter,),
                width="stretch",
            )
            st.button(
                "", key=f"{VIEW}_unslice_{k}", icon=":material/delete:", help="Delete this slice",
                on_click=notes().delete_slice, args=(run.id, one.name), type="tertiary",
            )  # fmt: skip
    if not kept:
        small("No slice is saved yet. A slice is a filter with a name.")
    key = f"{VIEW}_slice_name"
    st.text_input("Save this filter as", key=key, max_chars=200, disabled=now == Chosen())
    st.button(
        "Save", key=f"{VIEW}_slice_save", disabled=now == Chosen(), on_click=_save, args=(run.id, now, key)
    )


def _open(filter_json: str) -> None:
    try:
        choose(Chosen.from_json(filter_json), row="")
    except ValueError as error:
        problem(error)


def _save(run_id: str, now: Chosen, key: str) -> None:
    try:
        notes().save_slice(run_id, st.session_state[key], now.to_json())
        st.session_state[key] = ""
    except ValueError as error:
        problem(error)
