"""Numbers as people read them, with the minus sign that charts draw; files for programs keep the hyphen."""

from __future__ import annotations

MINUS = "\u2212"


def formatted(value: float, form: str) -> str:
    """The number by a format of Python, a negative one with a minus sign; what rounds to 0 has none."""
    return format(value, form.replace(".", "z.", 1)).replace("-", MINUS)
