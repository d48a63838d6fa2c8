"""One form per task: fields on the page → an inputs dataclass.

A field counts once Enter is pressed or it is left, so that what stands in it is what the page answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from app import state
from app.message import notice, problem, small
from modelzoo.cards import CARD_FILE, CHECKPOINTS_DIR, ROOT, ModelCard, damaged
from modelzoo.tasks import MAX_BEAM, Inputs, Sentence, SentencePair, SourceText

EXAMPLES_DIR = ROOT / "assets" / "examples"
Example = dict[str, str]
"""One example of ours: a text for each field that it fills."""


def choose_checkpoint(view: str, model: str, default: str) -> ModelCard | None:
    """The checkpoint that answers on a page; None, and a sentence why, when there is none.

    The slug of a link is looked up among the model's checkpoints and never used otherwise.
    """
    state.open_page(view)
    cards, problems = state.checkpoints()
    slugs = [slug for slug, card in cards.items() if card.model == model]
    asked = state.asked(view).get("model", default)
    for slug in {asked, default} & problems.keys():
        problem(problems[slug])
    if not slugs:
        if default not in problems:
            problem(damaged(CHECKPOINTS_DIR / default / CARD_FILE, default))
        return None
    first = default if default in slugs else slugs[0]
    if asked not in (*slugs, default, *problems):
        notice(f"There is no checkpoint {asked!r} for this page; {first} answers instead.")
    key = state.field(view, "model", asked if asked in slugs else first)
    return cards[st.selectbox("Checkpoint", slugs, key=key)]


def form(view: str, card: ModelCard) -> Inputs:
    """The form of the checkpoint's task, at first filled with the first example."""
    return FORMS[card.task](view, card)


def sentence(view: str, card: ModelCard) -> Sentence:
    """A form for one sentence or review."""
    offered = choose_example(view, card, ("text",))
    with run_row(view):
        text = text_field(view, "text", "Sentence or review", offered)
    keep(view, card, {"text": text})
    return Sentence(text)


def sentence_pair(view: str, card: ModelCard) -> SentencePair:
    """A form for a premise and a hypothesis."""
    offered = choose_example(view, card, ("text", "text-pair"))
    premise = text_field(view, "text", "Premise", offered)
    with run_row(view):
        hypothesis = text_field(view, "text-pair", "Hypothesis", offered)
    keep(view, card, {"text": premise, "text-pair": hypothesis})
    return SentencePair(premise, hypothesis)


def source_text(view: str, card: ModelCard) -> SourceText:
    """A form for a text to translate, the search, and a translation of the person's own."""
    offered = choose_example(view, card, ("text", "target"))
    text = text_field(view, "text", "Text to translate", offered)
    with run_row(view):
        target = text_field(view, "target", "Your own translation instead of the model's (optional)", offered)
        beam = st.selectbox(
            "Search",
            range(1, MAX_BEAM + 1),
            format_func=lambda size: "greedy" if size == 1 else f"beam of {size}",
            key=state.field(view, "beam", beam_size(view, card)),
            width=150,
        )
    keep(view, card, {"text": text, "target": target, "beam": str(beam)})
    return SourceText(text, forced=target if target.strip() else None, beam_size=beam)


FORMS: dict[str, Callable[[str, ModelCard], Inputs]] = {
    "classification": sentence,
    "entailment": sentence_pair,
    "translation": source_text,
}


def examples(card: ModelCard) -> list[Example]:
    """Our sentences for the checkpoint's task, in the language it reads."""
    lines = (EXAMPLES_DIR / f"{card.task}.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[Example] = [json.loads(line) for line in lines if line.strip()]
    return [row for row in rows if row.get("language", "en") == card.languages[0]]
