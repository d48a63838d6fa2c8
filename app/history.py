"""What a page was asked in this session, so that one can go back to it."""

from __future__ import annotations

import streamlit as st

from app.state import Question

LIMIT = 20
"""Questions that are kept for each page."""
SHOWN = 70
"""Characters of a question that the list shows."""


def remember(view: str, question: Question) -> None:
    """Put a new question in front of those before; going back to one leaves the order as it is."""
    now = _now(view)
    if question != now:
        older = [earlier for earlier in _past(view) if earlier not in (question, now)]
        st.session_state[f"{view}_past"] = [question, *([now] if now else []), *older][:LIMIT]
        st.session_state[f"{view}_now"] = question


def before(view: str) -> Question | None:
    """The question before the one that the page answers now."""
    past, now = _past(view), _now(view)
    place = past.index(now) + 1 if now in past else 0
    return past[place] if place < len(past) else None


def offer(view: str) -> None:
    """A button to the question before this one, and the list of all that came before."""
    earlier = [question for question in _past(view) if question != _now(view)]
    if not earlier:
        return
    key, last = f"{view}_earlier", before(view)
    names = [f"{k}. {_told(question)}" for k, question in enumerate(earlier, start=1)]

    def choose() -> None:
        chosen = st.session_state[key]
        st.session_state[key] = None
        _return(view, None if chosen is None else earlier[chosen])

    list_column, back_column = st.columns([2, 1], vertical_alignment="bottom")
    list_column.selectbox(
        "Earlier on this page",
        range(len(earlier)),
        index=None,
        format_func=names.__getitem__,
        key=key,
        placeholder=f"{len(earlier)} earlier",
        on_change=choose,
    )
    back_column.button(
        "Back",
        key=f"{view}_back",
        width="stretch",
        disabled=last is None,
        on_click=_return,
        args=(view, last),
    )


def _past(view: str) -> list[Question]:
    return list(st.session_state.get(f"{view}_past", []))


def _now(view: str) -> Question | None:
    now: Question | None = st.session_state.get(f"{view}_now")
    return now


def _told(question: Question) -> str:
    """A question in one line: its texts, then its checkpoint."""
    texts = " | ".join(value for name, value in question.items() if name not in ("model", "beam") and value)
    return f"{texts[:SHOWN]}{'…' * (len(texts) > SHOWN)} ({question['model']})"


def _return(view: str, question: Question | None) -> None:
    """Put an earlier question into the page's fields."""
    if question is not None:
        st.session_state[f"{view}_now"] = question
        for name, value in question.items():
            st.session_state[f"{view}_{name}"] = int(value) if name == "beam" else value
