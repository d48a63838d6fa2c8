"""Two results side by side: predictions, maps on one scale, and their difference or why there is none."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from app import controls, panels, state
from app.compare_form import Compared
from app.inputs import Asked
from app.message import notice, problem, small
from app.panels.maps import part_of, reading_of
from app.panels.table import signed
from modelzoo import comparison
from modelzoo.comparison import AB, Names, Pair
from modelzoo.results import AttentionResult, LabelPrediction, TextPrediction
from modelzoo.tasks import SourceText
from modelzoo.transform import Reading, apply, sheet_of

Two = tuple[AttentionResult, AttentionResult]


def answers(view: str, compared: Compared) -> tuple[Compared, Two]:
    """What both sides answer, and the answers, each with the checkpoint that gave it.

    In place of what is refused a side's last answer stays; without one the page says why and ends here.
    """
    left, right = st.columns(2)
    with left:
        first, a = _answer(f"{view}_a", compared.a)
    with right:
        second, b = _answer(f"{view}_b", compared.b)
    return compared._replace(a=first, b=second), (a, b)


def _answer(side: str, asked: Asked) -> tuple[Asked, AttentionResult]:
    asked, result = panels.last_answer(side, asked)
    panels.prediction(result)
    panels.about(asked)
    return asked, result


def on_one_output(compared: Compared, results: Two) -> Two:
    """Both results with the output that was chosen for both, so that the rows of their maps agree."""
    a, b = results
    if compared.a == compared.b or compared.output == "each":
        return results
    try:
        if compared.output == "a":
            return a, _forced(compared.b, a)
        if compared.output == "b":
            return _forced(compared.a, b), b
        if not compared.target.strip():
            notice("To see both maps of a text of yours, type a translation; until then each shows its own.")
            return results
        return _written(compared.a, compared.target), _written(compared.b, compared.target)
    except ValueError as error:
        problem(error)
        st.stop()


def _forced(asked: Asked, like: AttentionResult) -> AttentionResult:
    """What the checkpoint makes of another's output, or of its text where it lacks one of the pieces."""
    if not isinstance(asked.inputs, SourceText) or not isinstance(like.prediction, TextPrediction):
        return state.attend(asked.card.slug, asked.inputs)
    try:
        return state.attend(asked.card.slug, replace(asked.inputs, forced=output(like)))
    except ValueError:
        return _written(asked, like.prediction.text)


def output(result: AttentionResult) -> str | tuple[str, ...]:
    """What another answer is forced to, to have the rows of this translation: the text that was given, in
    which unknown characters are as typed, else the pieces that were found."""
    match result:
        case AttentionResult(inputs=SourceText(forced=str(text))):
            return text
        case AttentionResult(prediction=TextPrediction(tokens=pieces)):
            return pieces
    raise ValueError(f"the answer of {result.checkpoint} is no translation")


def _written(asked: Asked, text: str) -> AttentionResult:
    if not isinstance(asked.inputs, SourceText):
        return state.attend(asked.card.slug, asked.inputs)
    return state.attend(asked.card.slug, replace(asked.inputs, forced=text))


def predictions(results: Two, names: Names = AB) -> None:
    """Both predictions in one table: labels with probabilities, or outputs with log-probabilities."""
    a, b = (result.prediction for result in results)
    if isinstance(a, LabelPrediction) and isinstance(b, LabelPrediction):
        _table("label", comparison.label_rows(a, b), names)
    elif isinstance(a, TextPrediction) and isinstance(b, TextPrediction):
        _outputs(a, b, names)


def _outputs(a: TextPrediction, b: TextPrediction, names: Names) -> None:
    sums = float(a.log_probabilities.sum()), float(b.log_probabilities.sum())
    if a.tokens == b.tokens:
        _table("log-probability of", [(a.text, *sums)], names)
        return
    shown = {"": list(names), "output": [a.text, b.text], "log-probability": list(sums)}
    st.dataframe(signed(pd.DataFrame(shown), {"log-probability": ".4f"}), hide_index=True)


def _table(what: str, rows: list[tuple[str, float, float]], names: Names) -> None:
    first, second = names
    table = pd.DataFrame(rows, columns=[what, first, second])
    table["difference"] = table[second] - table[first]
    forms = {first: ".4f", second: ".4f", "difference": "+.4f"}
    st.dataframe(signed(table, forms), hide_index=True, width="content")


@st.fragment
def read(view: str, pair: Pair, results: Two) -> None:
    """The maps of a pair under the page's controls; a control or a pin draws them anew, not the page."""
    sheets = [sheet_of(results[0], pair.a), sheet_of(results[1], pair.b)]
    maps(view, pair, results, controls.reading(view, sheets))


def maps(view: str, pair: Pair, results: Two, read: Reading) -> None:
    """Both maps of a pair, read in one way and on one scale, and their difference or why there is none."""
    sheets = [apply(sheet_of(*one), read) for one in zip(results, (pair.a, pair.b), strict=True)]
    drawn = replace(pair, a=sheets[0].grid, b=sheets[1].grid)
    reason = comparison.mismatch(drawn)
    if reason:
        notice(f"The axes of the maps do not match, so there is no difference map: {reason}.")
    else:
        _moved(replace(pair, a=sheets[0].weights, b=sheets[1].weights))
    sides = zip(st.columns(2), "ab", sheets, comparison.on_one_scale(drawn), results, strict=True)
    for column, side, sheet, grid, result in sides:
        own = f"{view}_{side}"
        with column:
            part = part_of(own, replace(sheet, grid=grid))
            state.tell_lost_pins(own, [part.grid])
            reading_of(own, part, read, result)
            controls.keep(own, Reading(), [grid.name])
    difference = () if reason else (comparison.difference(drawn),)
    for one in difference:
        panels.grid(view, one, *results)
    controls.keep(view, read, [one.name for one in difference])


def choose_pair(view: str, results: Two, names: Names = AB, edited: tuple[str, ...] = ()) -> Pair | None:
    """One of the pairs of maps, by their titles, at first the last; without one the page says why."""
    reason = comparison.no_pair(*results, names)
    if reason:
        notice(f"There are no two maps to compare: {reason}.")
        return None
    found = comparison.pairs(*results, names, edited)
    if len(found) == 1:
        return found[0]
    titles = [f"{k}. {pair.title}" for k, pair in enumerate(found, start=1)]
    key = state.choice(view, "pair", range(len(found)), len(found) - 1)
    chosen = st.selectbox(
        "Maps", range(len(found)), format_func=titles.__getitem__, key=key, persist_state="session"
    )
    return found[chosen]


def alone(view: str, results: Two) -> None:
    """The map of the side that has one, where there are no two to compare."""
    for side, result in zip("ab", results, strict=True):
        if result.maps:
            panels.grid(f"{view}_{side}", result.maps[-1], result)


def _moved(pair: Pair) -> None:
    """How much of the attention lies elsewhere, and in which row most."""
    difference, (first, second) = comparison.difference(pair), pair.names
    if not difference.values.any():
        small(f"{first} and {second} are the same in every cell: the difference is 0.")
        return
    share = comparison.moved(difference)
    most = int(share.argmax())
    small(
        f"On average {share.mean():.1%} of a row's weight lies elsewhere in {second} than in {first}; "
        f"most in row {most + 1}, {difference.rows[most]}: {share[most]:.1%}."
    )
