"""One form per task: fields on the page → a checkpoint and an inputs dataclass.

A field counts once Enter is pressed or it is left, so that what stands in it is what the page answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from textwrap import shorten
from typing import NamedTuple

import streamlit as st

from app import history, links, state
from app.message import literal, notice, problem, small
from app.state import Question
from modelzoo.cards import CARD_FILE, CHECKPOINTS_DIR, ROOT, ModelCard, damaged, folder_problems
from modelzoo.tasks import MAX_BEAM, Inputs, Sentence, SentencePair, SourceText

EXAMPLES_DIR = ROOT / "assets" / "examples"
BEAM_SIZES = range(1, MAX_BEAM + 1)
MOST_SHOWN = 110
"""Characters of an example that the menu shows."""
Example = dict[str, str]
"""A text of ours for each field that it fills."""


class Asked(NamedTuple):
    """Who is asked, and what."""

    card: ModelCard
    inputs: Inputs


def ask(view: str, models: Sequence[str], default: str) -> Asked:
    """The page's form: checkpoint, examples and the fields of the task.

    It opens with what a link or the session asks, else with the first example. Where no checkpoint
    can answer, the page says why and ends here.
    """
    state.open_page(view)
    checkpoint_column, example_column, history_column = st.columns([3, 4, 3], vertical_alignment="bottom")
    with checkpoint_column:
        card = choose_checkpoint(view, models, default)
    fields = FIELDS[card.task]
    with example_column:
        offer_examples(view, card, fields)
    inputs = FORMS[card.task](view, card)
    question = {"model": card.slug, **{name: str(st.session_state[f"{view}_{name}"]) for name in fields}}
    if isinstance(inputs, SourceText):
        question["beam"] = str(inputs.beam_size)
    if not state.keep(view, question):
        small(links.TOO_LONG)
    history.remember(view, question)
    with history_column:
        history.offer(view)
    return Asked(card, inputs)


def choose_checkpoint(view: str, models: Sequence[str], default: str) -> ModelCard:
    """The checkpoint that answers on a page, `default` at first.

    The slug of a link is looked up among the models' checkpoints and used for nothing else.
    """
    cards, problems = state.checkpoints()
    for sentence in folder_problems():
        notice(f"{sentence[:1].upper()}{sentence[1:]}.")
    slugs = [slug for slug, card in cards.items() if card.model in models]
    wanted = state.asked(view).get("model", default)
    for slug in {wanted, default} & problems.keys():
        problem(problems[slug])
    if not slugs:
        if not default:
            notice("There is no checkpoint of another model.")
        elif default not in problems:
            problem(damaged(CHECKPOINTS_DIR / default / CARD_FILE, default))
        st.stop()
    first = default if default in slugs else slugs[0]
    if wanted not in (*slugs, default, *problems):
        notice(f"There is no checkpoint {links.told(wanted)} for this page; {first} answers instead.")
    key = state.field(view, "model", wanted if wanted in slugs else first)
    return cards[st.selectbox("Checkpoint", slugs, key=key, persist_state="session")]


def offer_examples(view: str, card: ModelCard, fields: Sequence[str]) -> None:
    """A menu of examples that fill the fields; without a question the first one fills them.

    A menu and no list with a state of its own: that would follow the fields, and come late when
    somebody types fast, and then undo what they typed.
    """
    texts = [{name: row.get(name, "") for name in fields} for row in examples(card)]
    asked = state.asked(view)
    first = asked if any(name in asked for name in fields) else texts[0]
    for name in fields:
        state.field(view, name, first.get(name, ""))
    key = f"{view}_example"
    st.menu_button(
        "Examples",
        range(len(texts)),
        format_func=lambda k: _in_a_line(texts[k]),
        key=key,
        on_click=lambda: state.fill(view, texts[st.session_state[key]]),
    )


def _in_a_line(example: Example) -> str:
    """An example as the menu has it."""
    return literal(shorten(" | ".join(filter(None, example.values())), MOST_SHOWN, placeholder=" …"))


def examples(card: ModelCard) -> list[Example]:
    """Our sentences for the checkpoint's task, in the language it reads and of the labels it knows."""
    lines = (EXAMPLES_DIR / f"{card.task}.jsonl").read_text(encoding="utf-8").splitlines()
    rows: list[Example] = [json.loads(line) for line in lines]
    known = [row for row in rows if row.get("label") in (None, *card.config.get("labels", ()))]
    return [row for row in known if row.get("language", "en") == card.languages[0]] or rows[:1]


def sentence_form(view: str, card: ModelCard) -> Sentence:
    """One sentence or review."""
    return Sentence(_last_text(view, "text", "Sentence or longer text"))


def pair_form(view: str, card: ModelCard) -> SentencePair:
    """A premise and a hypothesis."""
    premise = st.text_input("Premise", key=f"{view}_text", persist_state="session")
    return SentencePair(premise, _last_text(view, "text-pair", "Hypothesis"))


def source_form(view: str, card: ModelCard) -> SourceText:
    """A text to translate, how to search, and a translation of the person's own."""
    text_column, search_column = st.columns([4, 1])
    text = text_column.text_input("Text to translate", key=f"{view}_text", persist_state="session")
    with search_column:
        size = search_size(view, card)
    target = _last_text(view, "target", "Your own translation, to see its map (optional)")
    return SourceText(text, forced=target if target.strip() else None, beam_size=size)


def search_size(view: str, card: ModelCard) -> int:
    """How many hypotheses the search keeps: the card's number until the person, or a link, says another."""
    beam = state.asked(view).get("beam", "")
    start = int(beam) if beam in map(str, BEAM_SIZES) else card.beam_size
    if beam and beam != str(start):
        asked = f"The link's beam is {links.told(beam)}"
        notice(f"{asked}; accepted are 1 to {MAX_BEAM}; {start} is searched instead.")
    return st.selectbox(
        "Search",
        BEAM_SIZES,
        format_func=lambda size: "greedy" if size == 1 else f"beam of {size}",
        key=state.field(view, "beam", start),
        persist_state="session",
    )


def inputs_of(card: ModelCard, question: Question) -> Inputs:
    """The inputs that a question of the card's task stands for."""
    text = question.get("text", "")
    if card.task == "classification":
        return Sentence(text)
    if card.task == "entailment":
        return SentencePair(text, question.get("text-pair", ""))
    target = question.get("target", "")
    size = int(question.get("beam", card.beam_size))
    return SourceText(text, forced=target if target.strip() else None, beam_size=size)


def _last_text(view: str, name: str, label: str) -> str:
    """The last text of a form, with the button beside it."""
    text_column, button_column = st.columns([8, 1], vertical_alignment="bottom")
    text = text_column.text_input(label, key=f"{view}_{name}", persist_state="session")
    button_column.button("Run", key=f"{view}_run", type="primary", width="stretch")
    return text


FIELDS = {"classification": ("text",), "entailment": ("text", "text-pair"), "translation": ("text", "target")}
FORMS: dict[str, Callable[[str, ModelCard], Inputs]] = {
    "classification": sentence_form,
    "entailment": pair_form,
    "translation": source_form,
}
