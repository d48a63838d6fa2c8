"""Which rows a person looks at: a filter of columns, and of what people said; as JSON in links and slices."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from modelzoo.analysis import Between, Filter, OneOf
from modelzoo.analysis.filters import ALL, MOST_ROW
from modelzoo.analysis.two import OUTCOMES
from modelzoo.runs import Notes

MOST_CHARACTERS = 8_000


@dataclass(frozen=True)
class Chosen:
    """A filter, and the error labels (one of them), star and note that a row must have.

    Beside another run, `against`, `outcome` says which of the two is right, as `analysis.two` names it.
    """

    filter: Filter = ALL
    labels: tuple[str, ...] = ()
    is_starred: bool = False
    is_noted: bool = False
    against: str = ""
    outcome: str = ""

    def to_json(self) -> str:
        """As a text; empty where nothing is asked."""
        of_rows = {"labels": self.labels, "starred": self.is_starred, "noted": self.is_noted}
        of_rows |= {"against": self.against, "outcome": self.outcome}
        values = asdict(self.filter) | of_rows
        asked = {name: value for name, value in values.items() if value not in ((), "", None, False)}
        if self.filter.right is False:
            asked["right"] = False
        return json.dumps(asked, ensure_ascii=False, separators=(",", ":")) if asked else ""

    @staticmethod
    def from_json(given: str) -> Chosen:
        """What a text of `to_json` says. ValueError for another one."""
        if not given:
            return Chosen()
        if len(given) > MOST_CHARACTERS:
            raise ValueError(f"it has {len(given):,} characters; accepted are at most {MOST_CHARACTERS:,}")
        try:
            return _parsed(json.loads(given))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError("it is no filter that this page has written") from error

    def rows(self, run_id: str, notes: Notes) -> Filter:
        """The filter with the rows that people labelled, starred or noted, as far as that is asked."""
        asked: list[Collection[int]] = [] if self.filter.rows is None else [self.filter.rows]
        if self.labels:
            wanted = set(self.labels)
            asked.append([row for row, has in notes.labels(run_id).items() if wanted & set(has)])
        if self.is_starred:
            asked.append(notes.stars(run_id))
        if self.is_noted:
            asked.append(list(notes.notes(run_id)))
        if not asked:
            return self.filter
        return replace(self.filter, rows=tuple(sorted(set(asked[0]).intersection(*asked[1:]))))

    def without(self, part: str, place: int = 0) -> Chosen:
        """The filter without one of its parts."""
        if part == "outcome":
            return replace(self, against="", outcome="")
        if part in ("labels", "is_starred", "is_noted"):
            return replace(self, **{part: getattr(Chosen(), part)})
        if part in ("between", "one_of"):
            left = tuple(one for k, one in enumerate(getattr(self.filter, part)) if k != place)
            changes: dict[str, Any] = {part: left}
            return replace(self, filter=replace(self.filter, **changes))
        return replace(self, filter=replace(self.filter, **{part: getattr(Filter(), part)}))


def _parsed(given: Mapping[str, Any]) -> Chosen:
    rows = given.get("rows")
    made = Filter(
        gold=_texts(given.get("gold", ())),
        prediction=_texts(given.get("prediction", ())),
        right=_truth(given["right"]) if "right" in given else None,
        between=tuple(
            Between(_text(b["column"]), _end(b["low"]), _end(b["high"])) for b in _list(given, "between")
        ),
        one_of=tuple(OneOf(_text(o["column"]), _texts(o["values"])) for o in _list(given, "one_of")),
        search=_text(given.get("search", "")),
        pattern=_text(given.get("pattern", "")),
        word=_text(given.get("word", "")),
        rows=None if rows is None else tuple(map(_row, rows)),
    )
    labels = tuple(text for text in _texts(given.get("labels", ())) if text is not None)
    against, outcome = _text(given.get("against", "")), _text(given.get("outcome", ""))
    if bool(against) != bool(outcome) or outcome not in ("", *OUTCOMES):
        raise ValueError(outcome)
    is_starred, is_noted = (_truth(given.get(name, False)) for name in ("starred", "noted"))
    return Chosen(made, labels, is_starred, is_noted, against, outcome)


def _list(given: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = given.get(name, [])
    if not isinstance(found, list):
        raise ValueError(name)
    return found


def _row(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST_ROW:
        raise ValueError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(value)
    return value


def _texts(values: Sequence[object]) -> tuple[str | None, ...]:
    if isinstance(values, str):
        raise ValueError(values)
    return tuple(None if value is None else _text(value) for value in values)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _end(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(value)
    return float(value)
