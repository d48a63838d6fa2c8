"""The question's answer: the page's head, the prediction, which checkpoint gave it, and the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

import streamlit as st

from app import links, share, state
from app.inputs import Asked
from app.message import notice, problem, small
from modelzoo.cards import named, shown
from modelzoo.number import formatted
from modelzoo.results import AttentionResult, LabelPrediction, TextPrediction, Token
from modelzoo.tasks import TASKS, SourceText
from modelzoo.viz import bars, highlight

NO_PROOF = "A weight tells where the model looked; it does not prove why it answered as it did."


def header(title: str, about: str) -> None:
    """The page's title and what a newcomer sees on it; both are ours."""
    share.head(title)
    st.markdown(f"{about} {NO_PROOF}")


def answer(asked: Asked) -> AttentionResult:
    """The checkpoint's answer; without one the page says why and ends here."""
    try:
        return state.attend(asked.card.slug, asked.inputs)
    except ValueError as error:
        problem(error)
        st.stop()


def last_answer(view: str, asked: Asked) -> tuple[Asked, AttentionResult]:
    """What is answered, and the answer; in place of what is refused, what this checkpoint answered last.

    Without either the page says why and ends here.
    """
    key = f"{view}_answered"
    try:
        result = state.attend(asked.card.slug, asked.inputs)
    except ValueError as error:
        problem(error)
        last: Asked | None = st.session_state.get(key)
        if last is None or last.card.slug != asked.card.slug:
            st.stop()
        texts = astuple(last.inputs)[: len(TASKS[last.card.task].sides)]
        notice(f"Below stays the answer to what was asked before: {' | '.join(map(links.told, texts))}.")
        return last, answer(last)
    st.session_state[key] = asked
    return asked, result


def prediction(result: AttentionResult) -> None:
    """What the model says: labels with their probabilities, or a text, and what is to be known of it."""
    if isinstance(result.prediction, LabelPrediction):
        st.html(bars.bars(result.prediction))
    else:
        st.html(highlight.quote(result.prediction.text))
        each = result.prediction.log_probabilities
        whole, mean = formatted(each.sum(), ".3f"), formatted(each.mean(), ".3f")
        small(f"Log-probability {whole} in {len(each)} pieces: {mean} a piece.")
    for note in result.notes:
        notice(f"{note[:1].upper()}{note[1:]}.")


def about(asked: Asked) -> None:
    """Which checkpoint answered, where it ran and what it learned from."""
    card, device = asked.card, state.device(asked.card.slug)
    small(f"{card.title} ({card.slug}): {card.parameters:,} weights, on {device}, trained on {card.data}.")
    tests = {
        score.split.partition(", ")[2]: score for score in card.lengths if score.split.startswith("test")
    }
    if tests:
        told = ", ".join(f"{n} {shown(s.metrics[card.metric], card.metric)}" for n, s in tests.items())
        small(f"{named(card.metric)} by length of the source, of test sentences joined: {told}.")


def hypothesis(view: str, asked: Asked, result: AttentionResult) -> AttentionResult:
    """The hypothesis of the search that is chosen: its own result, by forced decoding of its pieces."""
    candidates = result.prediction.candidates if isinstance(result.prediction, TextPrediction) else ()
    if len(candidates) < 2 or not isinstance(asked.inputs, SourceText):
        return result
    search = f"{view}_hypothesis_{state.times_opened(view)}_{hash(asked.inputs):x}"  # its own choice
    key = state.choice(view, "hypothesis", range(len(candidates)), 0, search)
    chosen = st.selectbox(
        "Hypothesis of the search, best first, after its score",
        range(len(candidates)),
        format_func=lambda k: f"{formatted(candidates[k].score, '.3f')}   {candidates[k].text}",
        key=key,
        persist_state="session",
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


def tokens(result: AttentionResult) -> None:
    """Every text as the model reads it: its tokens in order, unknown ones marked."""
    for side, found in result.tokens.items():
        small(f"{side[:1].upper()}{side[1:]}, as the model reads it. {reading(found)}")
        st.html(highlight.token_row(found))


def reading(found: Sequence[Token]) -> str:
    """How the model's forms differ from what was typed, and how the tokens show it."""
    unknown = sum(not token.known for token in found)
    lower = any(token.known and token.typed != token.model == token.typed.lower() for token in found)
    case = "Capitals are read as small letters. " if lower else ""
    marked = f"Underlined: {unknown} of {len(found)} tokens not in the vocabulary." if unknown else ""
    return case + marked
