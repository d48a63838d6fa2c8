"""What columns of a run are called on the page."""

from __future__ import annotations

from modelzoo.columns import MEASURES, PREFIX
from modelzoo.runs.parts import FREE

TITLES = {
    "text": "text",
    "text_pair": "second text",
    "gold": "gold",
    "prediction": "prediction",
    "confidence": "confidence",
    "log_probability": "log-probability",
    "row": "order of the file",
    "line": "line",
    "correct": "right",
}


def title(column: str) -> str:
    """A column's name for people."""
    if column.startswith(PREFIX) and column.removeprefix(PREFIX) in MEASURES:
        return MEASURES[column.removeprefix(PREFIX)].title
    return TITLES.get(column, column.removeprefix(FREE))


def chance(p: float) -> str:
    """A p-value as a table has it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def meaning(column: str) -> str:
    """What a measure is; empty for another column."""
    measure = MEASURES.get(column.removeprefix(PREFIX)) if column.startswith(PREFIX) else None
    return f"{measure.meaning[:1].upper()}{measure.meaning[1:]}." if measure else ""
