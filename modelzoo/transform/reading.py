"""How a map is read: one frozen value, its steps, its names in a link.

A field of `Reading` is a whole control: what it is called, what it accepts, its name in a link and the
step it makes. Steps run in the order of the fields. To add a control, add a field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from modelzoo.transform import selection, values, words
from modelzoo.transform.sheet import Sheet

SEARCH_LIMIT = 200
"""Characters a search text may have."""
TOLD = 60
"""Characters of a value that a refusal repeats."""


class Choice(NamedTuple):
    """One of several values, each with the words that a person reads."""

    names: dict[str, str]

    def read(self, text: str) -> str:
        if text not in self.names:
            raise ValueError(f"{_told(text)}; accepted are {', '.join(self.names)}")
        return text

    def write(self, value: str) -> str:
        return value


class Flag(NamedTuple):
    """On or off."""

    def read(self, text: str) -> bool:
        if text not in ("1", "0"):
            raise ValueError(f"{_told(text)}; accepted are 1 and 0")
        return text == "1"

    def write(self, value: bool) -> str:
        return str(int(value))


class Number(NamedTuple):
    """A number between two limits, in steps."""

    low: float
    high: float
    step: float

    def read(self, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not self.low <= number <= self.high:
            raise ValueError(f"{_told(text)}; accepted is a number from {self.low:g} to {self.high:g}")
        return round(number, 4)

    def write(self, value: float) -> str:
        return f"{value:g}"


class Search(NamedTuple):
    """A text to look for."""

    example: str

    def read(self, text: str) -> str:
        if len(text) > SEARCH_LIMIT:
            raise ValueError(f"{len(text)} characters; accepted are at most {SEARCH_LIMIT}")
        return text

    def write(self, value: str) -> str:
        return value


def _told(text: str) -> str:
    return repr(text) if len(text) <= TOLD else f"{text[:TOLD]!r} …"


Accepts = Choice | Flag | Number | Search
Step = Callable[[Sheet, Any], Sheet]
Applies = Callable[[Sheet], bool]


class Option(NamedTuple):
    """One control: its field, its default, its name in a link, its label, what it accepts, its step."""

    name: str
    default: Any
    link: str
    label: str
    accepts: Accepts
    step: Step | None
    help: str
    applies: Applies
    of_weights: bool


class _About(NamedTuple):
    """What a field of Reading carries: an Option without the field's own name and default."""

    link: str
    label: str
    accepts: Accepts
    step: Step | None = None
    help: str = ""
    applies: Applies = lambda sheet: True
    of_weights: bool = False
    """Whether the step is about weights, so that it is left out where scores are drawn."""


def _option(default: Any, about: _About) -> Any:
    return field(default=default, metadata={"about": about})


def _scale(sheet: Sheet, kind: str) -> Sheet:
    return {"row": values.by_row, "log": values.by_log, "scores": values.by_score}[kind](sheet)


VIEWS = {"matrix": "Matrix", "curves": "Curves", "text": "Text"}
SCALES = {
    "weight": "as it is",
    "row": "per-row maximum",
    "log": "log",
    "scores": "scores before softmax",
}

COUNTS = {"all": "all", "1": "the largest", **{f"{n}": f"the {n} largest" for n in (2, 3, 5, 10)}}


@dataclass(frozen=True)
class Reading:
    """How a map is read; by default it is drawn as it is. Hashable, so it serves in cache keys.

    The steps are done in the order of the fields: rows and columns are looked for last, so that what is kept
    and scaled is a share of whole rows.
    """

    view: str = _option("matrix", _About("view", "View", Choice(VIEWS)))
    words: bool = _option(
        False,
        _About(
            "words",
            "Words, not pieces",
            Flag(),
            lambda sheet, _: words.by_word(sheet),
            "Pieces of a word merged: columns summed, rows averaged.",
            words.has_pieces,
        ),
    )
    hide_special: bool = _option(
        False,
        _About(
            "special",
            "Hide special tokens",
            Flag(),
            lambda sheet, _: selection.hide_special(sheet),
            "What the model adds by itself. Nothing is normalised again.",
            lambda sheet: any(token.special for token in (*sheet.rows, *sheet.columns)),
        ),
    )
    hide_punctuation: bool = _option(
        False,
        _About(
            "punctuation",
            "Hide punctuation",
            Flag(),
            lambda sheet, _: selection.hide_punctuation(sheet),
            "Nothing is normalised again.",
            lambda sheet: bool(sheet.rows or sheet.columns),
        ),
    )
    mass: float = _option(
        1.0,
        _About(
            "mass",
            "Share of a row kept",
            Number(0.1, 1.0, 0.05),
            values.by_mass,
            "In each row the strongest weights that together hold this share.",
            of_weights=True,
        ),
    )
    count: str = _option(
        "all",
        _About(
            "count",
            "Weights of a row kept",
            Choice(COUNTS),
            values.by_count,
            "In each row so many; of equal ones the first in the text is kept first.",
            of_weights=True,
        ),
    )
    threshold: float = _option(
        0.0,
        _About("least", "Least weight shown", Number(0.0, 0.5, 0.01), values.by_threshold, of_weights=True),
    )
    scale: str = _option("weight", _About("scale", "Scale", Choice(SCALES), _scale))
    rows: str = _option("", _About("rows", "Find rows", Search("a word, or 1:5"), selection.rows_found))
    columns: str = _option(
        "", _About("columns", "Find columns", Search("not never, or 1:40"), selection.columns_found)
    )

    def link(self) -> dict[str, str]:
        """What differs from the default, by its name in a link."""
        return {
            option.link: option.accepts.write(getattr(self, option.name))
            for option in options()
            if getattr(self, option.name) != option.default
        }

    @classmethod
    def from_link(cls, given: Mapping[str, str]) -> tuple[Reading, tuple[str, ...]]:
        """The reading that a link asks for, and a note for each value that is not accepted."""
        found: dict[str, Any] = {}
        notes = []
        for option in options():
            if option.link in given:
                try:
                    found[option.name] = option.accepts.read(given[option.link])
                except ValueError as error:
                    notes.append(f"the link's {option.link} is {error}; it is left as it was")
        return cls(**found), tuple(notes)


def options() -> tuple[Option, ...]:
    """Every control of a reading, in order."""
    return tuple(Option(one.name, one.default, *one.metadata["about"]) for one in fields(Reading))


READING_NAMES = tuple(option.link for option in options())
"""The names a reading has in a link."""


def apply(sheet: Sheet, reading: Reading) -> Sheet:
    """The sheet after every step whose option is not at its default.

    Thresholds are about weights, so scores are drawn without them.
    """
    if reading.scale == "scores" and sheet.scores is not None and not reading.words:
        reading = replace(reading, **{one.name: one.default for one in options() if one.of_weights})
    for option in options():
        value = getattr(reading, option.name)
        if option.step is not None and value != option.default:
            sheet = option.step(sheet, value)
    return sheet
