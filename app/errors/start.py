"""A new run: a checkpoint, a file, what its columns are for, what its labels mean, and the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app import state
from app.errors import jobs, upload
from app.errors.asking import of_file
from app.errors.place import go
from app.errors.upload import VIEW, Upload, draft, pick
from app.inputs import BEAM_SIZES
from app.message import notice, problem, small
from modelzoo.cards import ModelCard
from modelzoo.data.tables import (
    Columns,
    Layout,
    Proposal,
    Reader,
    Survey,
    as_rows,
    label_uses,
    propose,
    survey,
)
from modelzoo.runs import Request, Settings, prepare
from modelzoo.runs.request import reader_of
from modelzoo.tasks import TASKS, Sentence, SentencePair

NONE = "no label"
NOWHERE = "none"
MOST_LABELS = 200
"""Labels of a file that are listed."""


def new_run() -> None:
    """The form, one step below the other; the button at its end starts the run."""
    upload.about()
    cards = state.checkpoints()[0]
    if not cards:
        notice("There is no checkpoint yet.")
        return
    by_task = sorted(cards, key=lambda slug: list(TASKS).index(cards[slug].task))
    slug = pick("Checkpoint", "model", by_task, by_task[0], lambda slug: f"{slug}: {cards[slug].title}")
    card = cards[slug]
    files = _files(card)
    found = upload.layout(files) if files else None
    if found is None:
        return
    proposal = _proposal(found, card)
    columns = _columns(found, card, proposal)
    counted: Survey = of_file(survey, found, columns)
    upload.show(found, counted)
    _missing_gold(columns)
    label_map = _label_map(counted, card, proposal) if columns.label and _labels(card) else {}
    settings = _settings(card)
    if st.button("Run", key=f"{VIEW}_draft_start", type="primary", icon=":material/play_arrow:"):
        _start(Request(slug, found, columns, label_map, settings, " and ".join(f.name for f in files)), files)


def _files(card: ModelCard) -> list[Upload]:
    """The file, and for models that write the file of the outputs that people wrote, line by line."""
    first = upload.file("file", "A file of examples")
    if first is None:
        return []
    if TASKS[card.task].output != "text" or upload.first_kind(first) != "lines":
        return [first]
    second = upload.file("second", "The file of their translations, line by line (optional)")
    return [first, second] if second else [first]


def _labels(card: ModelCard) -> tuple[str, ...]:
    return reader_of(card).labels


def _proposal(found: Layout, card: ModelCard) -> Proposal:
    """What the columns are probably for; nothing in particular where no name or content says it."""
    reader = reader_of(card)
    try:
        return of_file(_propose, found, reader)
    except ValueError:
        is_pair = reader.task.inputs is SentencePair
        return Proposal("", Columns(found.columns[0], None, found.columns[-1] if is_pair else None))


def _propose(found: Layout, reader: Reader) -> Proposal:
    return propose(found, as_rows(upload.first_rows(found)), reader)


def _columns(found: Layout, card: ModelCard, proposal: Proposal) -> Columns:
    """What each column is for; the page ends here where one is used twice."""
    task, guess = TASKS[card.task], proposal.columns
    gold = "Label" if task.output == "label" else "Output that a person wrote"
    if proposal.data_set:
        small(f"This looks like {proposal.data_set}.")
    with st.container(horizontal=True):
        text = pick(task.sides[0].capitalize(), "text", found.columns, guess.text)
        pair = None
        if task.inputs is SentencePair:
            pair = pick(task.sides[1].capitalize(), "pair", found.columns, guess.pair or found.columns[-1])
        label = pick(gold, "label", (None, *found.columns), guess.label, lambda one: one or NOWHERE)
    columns = Columns(text, label, pair)
    if len(set(columns.names)) < len(columns.names):
        problem(ValueError(f"the columns are {', '.join(columns.names)}; each can be used once"))
        st.stop()
    return columns


def _missing_gold(columns: Columns) -> None:
    if columns.label is None:
        small("Without a label the rows are answered and measured, but there is no score.")


def _label_map(counted: Survey, card: ModelCard, proposal: Proposal) -> dict[str, str]:
    """What each label of the file means to the model: shown, and changed in the table."""
    labels = _labels(card)
    said: dict[str, str] = draft().get("map", dict(proposal.label_map))
    uses = label_uses(counted.labels, reader_of(card), said)[:MOST_LABELS]
    key = f"{VIEW}_draft_labels_{hash((tuple(counted.labels), labels)):x}"
    base = f"{key}_base"
    if key not in st.session_state or base not in st.session_state:
        rows = [
            {"typed": u.typed, "rows": u.count, "meaning": NONE if u.meaning == "" else u.meaning}
            for u in uses
        ]
        st.session_state[base] = pd.DataFrame(rows, columns=["typed", "rows", "meaning"])
    edited = _edited(key, st.session_state[base], labels)
    draft()["map"] = made = _said(edited, labels)
    unknown = edited[edited["meaning"].isna()]
    if len(unknown):
        notice(
            f"Rows whose label the model does not know: {unknown['rows'].sum():,}. They are answered, but "
            "out of the score until the table says what they mean."
        )
    return made


def _edited(key: str, base: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    config: dict[str, Any] = {
        "typed": st.column_config.TextColumn("label in the file", disabled=True),
        "rows": st.column_config.NumberColumn("rows", disabled=True, format="localized"),
        "meaning": st.column_config.SelectboxColumn("means", options=[*labels, NONE]),
    }
    small("What the labels mean; capitals and spaces around them do not count. Click a cell to change it.")
    return st.data_editor(
        base, hide_index=True, column_config=config, key=key, width="content", placeholder="unknown"
    )


def _said(edited: pd.DataFrame, labels: Sequence[str]) -> dict[str, str]:
    """The map of the labels that do not stand for themselves."""
    said = {}
    for typed, meaning in zip(edited["typed"], edited["meaning"], strict=True):
        if isinstance(meaning, str) and meaning != typed:
            said[typed] = "" if meaning == NONE else meaning
    return said


def _settings(card: ModelCard) -> Settings:
    """The beam of a model that writes, and a limit of rows."""
    with st.container(horizontal=True):
        limit = st.number_input(
            "Only the first rows (empty: all)",
            min_value=1,
            value=draft().get("limit"),
            key=f"{VIEW}_draft_limit",
        )
        draft()["limit"] = limit
        beam = 1
        if TASKS[card.task].output == "text":
            beam = pick("Search", "beam", BEAM_SIZES, card.beam_size, _search)
    is_cut = False
    if TASKS[card.task].inputs is Sentence:
        key = upload.field("cut", (True, False), False)
        is_cut = st.toggle("Of a text that is too long read the first words", key=key)
        draft()["cut"] = is_cut
    return Settings(beam, limit, is_cut)


def _search(size: int) -> str:
    return "greedy" if size == 1 else f"beam of {size}"


def _start(request: Request, files: Sequence[Upload]) -> None:
    """Check and count, start, and go to the run."""
    try:
        run = prepare(request)
    except ValueError as error:
        problem(ValueError(upload.named(str(error), files)))
        return
    if run.state != "done":
        jobs.start(run.id)
    upload.forget()
    go(run=run.id, part="data" if run.state != "done" else "overview")
    st.rerun()
