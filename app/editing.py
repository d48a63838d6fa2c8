"""Change a word of the text, or swap two texts, and see at once what that does to the answer and the map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from app import compare, history, inputs, state
from app.inputs import Asked
from app.message import literal, problem, small
from modelzoo.results import AttentionResult, TextPrediction
from modelzoo.tasks import TASKS, SourceText
from modelzoo.text import words
from modelzoo.text.edits import drop_word, insert_word, places, replace_word
from modelzoo.transform import Reading

NAMES = ("before", "after")
NEAR = 8
"""Near words that are offered."""


def edit(view: str, asked: Asked, result: AttentionResult) -> None:
    """The panel, made when it is opened: choose a word, change it, read the change.

    Not beside an answer that stays from before: it is of another text than stands in the fields.
    """
    if inputs.inputs_of(asked.card, state.asked(view)) != asked.inputs:
        return
    key = state.choice(view, "edit", (False, True), False)
    label = "Edit a word and see what changes"
    box = st.expander(label, key=key, icon=":material/edit:", on_change="rerun")
    if not box.open:
        return
    with box:
        name = _choose_text(view, asked)
        place = _choose_place(view, name)
        if place is not None:
            _change_place(view, asked, name, place)
        refused = st.session_state.pop(f"{view}_refused", None)
        if refused is not None:
            problem(refused)
        effect(view, asked, result)


def effect(view: str, asked: Asked, result: AttentionResult) -> None:
    """What the last change of the text did: the prediction and the maps, before and after."""
    question = history.before(view)
    if question is None or question["model"] != asked.card.slug:
        small("Once the text changes, the answer before and after it stand here side by side.")
        return
    try:
        earlier = Asked(asked.card, inputs.inputs_of(asked.card, question))
        first = state.attend(earlier.card.slug, earlier.inputs)
        second = _on_earlier_output(view, asked, first, result)
    except ValueError as error:
        problem(error)
        return
    compare.predictions((first, result), NAMES)
    pair = compare.choose_pair(f"{view}_edit", (first, second), NAMES, TASKS[asked.card.task].sides)
    if pair is not None:
        read, _ = Reading.from_link(state.reading(view))
        compare.maps(f"{view}_edit", pair, (first, second), read)


def _on_earlier_output(
    view: str, asked: Asked, first: AttentionResult, result: AttentionResult
) -> AttentionResult:
    """The result whose map is compared: of a translation, by choice, that of the output before."""
    if not isinstance(first.prediction, TextPrediction) or not isinstance(asked.inputs, SourceText):
        return result
    label = "Keep the output of the text before, so that the rows of both maps are the same"
    if not st.checkbox(label, value=True, key=f"{view}_edit_keep"):
        return result
    return state.attend(asked.card.slug, replace(asked.inputs, forced=compare.output(first)))


def _texts(asked: Asked) -> dict[str, str]:
    """By side of the task, the field that holds its text."""
    return dict(zip(TASKS[asked.card.task].sides, inputs.FIELDS[asked.card.task], strict=False))


def _choose_text(view: str, asked: Asked) -> str:
    """The field that is edited; with two texts there is a choice, and they can be swapped."""
    fields = _texts(asked)
    if len(fields) == 1:
        return next(iter(fields.values()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        side = st.segmented_control(
            "Text", list(fields), default=next(iter(fields)), required=True, key=f"{view}_edit_side"
        )
        st.button(
            f"Swap {' and '.join(fields)}",
            key=f"{view}_swap",
            icon=":material/swap_vert:",
            on_click=_swap,
            args=(view, tuple(fields.values())),
        )
    return fields[side or next(iter(fields))]


def _choose_place(view: str, name: str) -> int | None:
    """One word of the text, by its place: equal words have numbers of their own."""
    found = places(st.session_state[f"{view}_{name}"])
    key = f"{view}_place"
    if (st.session_state.get(key) or 0) >= len(found):
        st.session_state[key] = None
    return st.pills(
        "Choose a word",
        range(len(found)),
        format_func=lambda k: f"{k + 1}\u2002{literal(found[k])}",
        key=key,
    )


def _change_place(view: str, asked: Asked, name: str, place: int) -> None:
    """What can be done with the chosen word."""
    typed = places(st.session_state[f"{view}_{name}"])[place]
    near = near_words(asked, typed)
    if near:
        _pills_of(view, near, _action(view, name, place, replace_word, "near"))
    own, after, drop = st.columns([3, 3, 2], vertical_alignment="bottom")
    own.text_input(
        "Replace it by a word of yours",
        key=f"{view}_own",
        on_change=_action(view, name, place, replace_word, "own"),
    )
    after.text_input(
        "Insert a word after it",
        key=f"{view}_after",
        on_change=_action(view, name, place, insert_word, "after"),
    )
    drop.button(
        "Drop it", key=f"{view}_drop", icon=":material/backspace:", on_click=_drop, args=(view, name, place)
    )


def _pills_of(view: str, near: dict[str, float], choose: Callable[[], None]) -> None:
    st.pills(
        "Replace it by a near word (cosine of the word vectors)",
        list(near),
        format_func=lambda word: f"{literal(word)}\u2002{near[word]:.2f}",
        key=f"{view}_near",
        on_change=choose,
    )


def near_words(asked: Asked, typed: str) -> dict[str, float]:
    """The words nearest to an English word, spelt with a capital where it is, and their cosines."""
    vectors = state.vectors(asked.card) if asked.card.languages[0] == "en" else None
    form = words(typed)[0][1]
    found = vectors.neighbours(form, NEAR) if vectors else ()
    return {word.capitalize() if typed[:1].isupper() else word: cosine for word, cosine in found}


def _action(
    view: str, name: str, place: int, change: Callable[[str, int, str], str], source: str
) -> Callable[[], None]:
    """What a field does once it is filled: change the text by its word, and be empty again."""

    def act() -> None:
        word = st.session_state[f"{view}_{source}"]
        st.session_state[f"{view}_{source}"] = None if source == "near" else ""
        if word:
            _set(view, name, lambda text: change(text, place, word))

    return act


def _drop(view: str, name: str, place: int) -> None:
    _set(view, name, lambda text: drop_word(text, place))


def _set(view: str, name: str, change: Callable[[str], str]) -> None:
    """Change the text in its field; what is refused is said on the page."""
    try:
        state.fill(view, {name: change(st.session_state[f"{view}_{name}"])})
    except ValueError as error:
        st.session_state[f"{view}_refused"] = error


def _swap(view: str, names: tuple[str, str]) -> None:
    first, second = (st.session_state[f"{view}_{name}"] for name in names)
    state.fill(view, {names[0]: second, names[1]: first})
