"""Parts of a run, and which of them hold more errors than the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from modelzoo.analysis.chance import fisher, holm
from modelzoo.analysis.filters import ALL, RIGHT, Between, Filter, OneOf, name_of
from modelzoo.analysis.run import OpenRun
from modelzoo.columns import MEASURES

MOST_VALUES = 20
"""Different values that a column may have for each to be a slice."""
PRESENT = ("m_negation", "m_unknown")
"""Measures of which any at all makes a slice."""
QUARTERS = ("lowest", "second", "third", "highest")
LIMITS = [0, 0.25, 0.5, 0.75, 1]
"""The shares of the rows below the ends of the quarters."""


@dataclass(frozen=True)
class Slice:
    """A part of a run against the rest of the filter: rows with gold, errors, and what chance says.

    `ratio` is the share of errors in it over that outside (None where outside has none); `p` is Fisher's
    exact test, corrected by Holm for all slices looked at.
    """

    name: str
    chosen: Filter
    rows: int
    errors: int
    rate: float
    rate_outside: float
    ratio: float | None
    p: float


def candidates(run: OpenRun, chosen: Filter = ALL) -> dict[str, Filter]:
    """Slices worth a look by name: each label, each value of a column with few, quarters of each number."""
    found = {}
    texts = [name for name, kind in run.columns.items() if kind == "text" and name.startswith("x_")]
    columns = ([] if run.writes else ["gold", "prediction"]) + texts
    values = {column: _values(run, column, chosen) for column in columns}
    has_gold = bool(values.get("gold"))
    for column, own in values.items():
        same = _as_gold(run, column, own, chosen) if has_gold and column in texts else set()
        for value in own:
            if value in same:
                continue
            shown = f"{column.removeprefix('x_')} = {'(empty)' if value is None else value}"
            found[shown] = Filter(one_of=(OneOf(column, (value,)),))
    for column in (one for one in run.measures if one in PRESENT):
        title = MEASURES[column.removeprefix("m_")].title
        found[f"has {title}"] = Filter(between=(Between(column, low=1e-6),))
    return found | _quarters(run, [one for one in run.measures if one not in PRESENT], chosen)


def _values(run: OpenRun, column: str, chosen: Filter) -> list[str | None]:
    """A column's values, none where they are too many."""
    name = name_of(column, run.columns)
    sql = f"SELECT DISTINCT {name} FROM {run.of(chosen)} ORDER BY 1 LIMIT ?"
    found = run.ask(sql, [MOST_VALUES + 1])
    return [] if len(found) > MOST_VALUES else [value for (value,) in found]


def _as_gold(run: OpenRun, column: str, own: Sequence[str | None], chosen: Filter) -> set[str | None]:
    """Those of a column's own values that stand in the very rows of one gold label, already a slice."""
    name = name_of(column, run.columns)
    pairs = run.ask(f"SELECT DISTINCT {name}, gold FROM {run.of(chosen)}") if own else []
    golds = {value: [gold for given, gold in pairs if given == value] for value in own}
    return {
        value
        for value, found in golds.items()
        if len(found) == 1 and sum(gold == found[0] for _, gold in pairs) == 1
    }


def _quarters(run: OpenRun, columns: Sequence[str], chosen: Filter) -> dict[str, Filter]:
    """The four quarters of each number; those between equal limits are left out."""
    if not columns:
        return {}
    asked = ", ".join(f"quantile_disc({name_of(column, run.columns)}, {LIMITS})" for column in columns)
    (edges,) = run.ask(f"SELECT {asked} FROM {run.of(chosen)}")
    found = {}
    for column, ends in zip(columns, edges, strict=True):
        title = MEASURES[column.removeprefix("m_")].title if column.startswith("m_") else column
        for quarter, (low, high) in zip(QUARTERS, pairwise(ends or ()), strict=False):
            if low < high:
                shown = f"{title}: {quarter} quarter, {low:.3g} to {high:.3g}"
                found[shown] = Filter(between=(Between(column, low, high),))
    return found


def slices(
    run: OpenRun, chosen: Filter = ALL, *, parts: Mapping[str, Filter] | None = None, least: int = 10
) -> tuple[Slice, ...]:
    """The parts against the rest of the filter, most over-represented among errors first.

    Without `parts` the `candidates`. A part of fewer than `least` rows with gold, or of all, is left out.
    """
    parts = candidates(run, chosen) if parts is None else parts
    held = run.parts_of(chosen, parts.values())
    held = held.filter(held[RIGHT].is_valid())
    wrong, rows = ~held[RIGHT].to_numpy(), held.num_rows
    found = []
    for k, (name, part) in enumerate(parts.items()):
        inside = held[f"part_{k}"].fill_null(False).to_numpy()
        size, errors = int(inside.sum()), int((inside & wrong).sum())
        if least <= size < rows:
            found.append(_slice(name, part, (size, errors), (rows - size, int(wrong.sum()) - errors)))
    corrected = holm([one.p for one in found])
    found = [replace(one, p=p) for one, p in zip(found, corrected, strict=True)]
    return tuple(sorted(found, key=lambda one: (one.p, -one.rate)))


def _slice(name: str, part: Filter, inside: tuple[int, int], outside: tuple[int, int]) -> Slice:
    (rows, wrong), (others, others_wrong) = inside, outside
    rate, rate_outside = wrong / rows, others_wrong / others
    p = fisher((wrong, rows - wrong), (others_wrong, others - others_wrong))
    ratio = rate / rate_outside if others_wrong else None
    return Slice(name, part, rows, wrong, rate, rate_outside, ratio, p)
