"""What to take away: the table of the filter in four forms, and a report; made only when it is asked for."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from app.downloads import file_name
from app.errors import table
from app.errors.asking import notes, rows_of
from app.errors.filters import described
from app.errors.place import VIEW, chosen
from app.message import small
from modelzoo.analysis import Filter, OpenRun
from modelzoo.analysis.report import MOST_EXAMPLES, Report, to_report
from modelzoo.analysis.tables import FORMS, Form, Said, Taken, write_table
from modelzoo.runs import Run

MIMES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
FIRST_EXAMPLES = 20


def part(run: Run, made: Filter, count: int) -> None:
    """The table, then the report."""
    st.subheader("The table", anchor=False)
    small(f"{count:,} rows in the order of Examples, with labels, notes, stars and every measure.")
    is_safe = st.toggle(
        "Safe for spreadsheets",
        key=f"{VIEW}_safe",
        value=True,
        help="A text that a spreadsheet would run as a formula gets a ' in front; else it stays as it is.",
    )
    name, taken = file_name(run.data_name, run.slug), Taken(made, table.order(), is_safe=is_safe)
    with st.container(horizontal=True):
        for form in FORMS:
            make = partial(to_file, rows_of(run), run.id, form, taken)
            _file(f"{name}.{form}", form.upper(), MIMES[form], make)
    st.subheader("A report", anchor=False)
    report = _report(run, made, _examples(run, made))
    small("Scores, confusions, slices, and the examples with their maps, as one file that works offline.")
    _file(f"{name}.html", "HTML report", "text/html", partial(to_html, rows_of(run), run.id, report))


def _file(name: str, label: str, mime: str, make: Callable[[], bytes | str]) -> None:
    """A file that `make` makes when it is asked for: outside of a script, where no session can be read."""
    ending = name.rpartition(".")[2]
    st.download_button(
        label, make, name, mime, key=f"{VIEW}_away_{ending}", on_click="ignore", icon=":material/download:"
    )


def said(run_id: str) -> Said:
    """What people said of the run's rows."""
    store = notes()
    return Said(store.labels(run_id), store.notes(run_id), frozenset(store.stars(run_id)))


def to_file(rows: OpenRun, run_id: str, form: Form, taken: Taken) -> bytes:
    """The rows as a file, with what people have said of them by now."""
    file = io.BytesIO()
    write_table(rows, file, form, replace(taken, said=said(run_id)))
    return file.getvalue()


def to_html(rows: OpenRun, run_id: str, report: Report) -> str:
    """The report, with what people have said by now."""
    return to_report(rows, replace(report, said=said(run_id)))


def _examples(run: Run, made: Filter) -> Sequence[int]:
    """The rows that the report shows whole."""
    found, words = table.ids(run, made), said(run.id)
    sets = {
        f"The first {FIRST_EXAMPLES} rows": found[:FIRST_EXAMPLES],
        "Rows with a star": found[np.isin(found, list(words.stars))],
        "Rows with a label or a note": found[np.isin(found, [*words.labels, *words.notes])],
        "None": found[:0],
    }
    picked = st.radio(
        "Examples of the report", list(sets), format_func=lambda one: f"{one} ({len(sets[one]):,})",
        key=f"{VIEW}_report_examples",
    )  # fmt: skip
    if len(sets[picked]) > MOST_EXAMPLES:
        small(f"Of these the first {MOST_EXAMPLES} are in the report.")
    return tuple(int(row) for row in sets[picked][:MOST_EXAMPLES])


def _report(run: Run, made: Filter, examples: Sequence[int]) -> Report:
    parts = [told for _, _, told in described(chosen())]
    facts = {
        "data": run.data_name,
        "checkpoint": run.slug,
        "rows": ", ".join(parts) or "all",
        "run": f"{run.id}, {run.created} (UTC)",
    }
    return Report(f"{run.slug} over {run.data_name}", facts, made, examples)
