"""Two results beside one another: which maps belong together, whether their axes match, how they differ.

A difference is always the second less the first: what `B` has more than `A`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from modelzoo import transform
from modelzoo.results import AttentionResult, Grid, LabelPrediction

Labels = tuple[str, ...]
Names = tuple[str, str]
"""What the two results are called in titles and reasons."""
AB: Names = ("A", "B")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two maps to set side by side.

    `edited` are the sides of the input where one stretch of words may have been put for another;
    there the places are compared, and a label of the difference reads `old → new`.
    """

    a: Grid
    b: Grid
    names: Names = AB
    edited: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What the pair is called: the maps' titles, once when they agree."""
        titles = [shown.title or shown.name for shown in (self.a, self.b)]
        return titles[0] if titles[0] == titles[1] else " and ".join(titles)


def pairs(
    a: AttentionResult, b: AttentionResult, names: Names = AB, edited: tuple[str, ...] = ()
) -> tuple[Pair, ...]:
    """The maps that both have by name; two models without a common one: all with the same kinds of axes."""
    shared = [(one, other) for one in a.maps for other in b.maps if one.name == other.name]
    alike = [(one, other) for one in a.maps for other in b.maps if _kinds(one) == _kinds(other)]
    return tuple(Pair(one, other, names, edited) for one, other in shared or alike)


def no_pair(a: AttentionResult, b: AttentionResult, names: Names = AB) -> str:
    """Why two results have no maps to compare; empty when they have some."""
    without = [name for name, result in zip(names, (a, b), strict=True) if not result.maps]
    if without:
        return f"{' and '.join(without)} {'has' if len(without) == 1 else 'have'} no attention"
    return "" if pairs(a, b) else f"{names[0]} and {names[1]} have no map over the same kinds of axes"


def mismatch(pair: Pair) -> str:
    """Why the cells of two maps do not stand for the same things; empty when they do."""
    a, b = pair.a, pair.b
    return _axis_mismatch(pair, "row", (a.row_kind, b.row_kind), (a.rows, b.rows)) or _axis_mismatch(
        pair, "column", (a.column_kind, b.column_kind), (a.columns, b.columns)
    )


def difference(pair: Pair) -> Grid:
    """Cell by cell the second map less the first. Raises ValueError with the reason when axes differ."""
    reason = mismatch(pair)
    if reason:
        raise ValueError(f"there is no difference to show: {reason}")
    rows, columns = _renamed(pair.a.rows, pair.b.rows), _renamed(pair.a.columns, pair.b.columns)
    first, second = (replace(shown, rows=rows, columns=columns) for shown in (pair.a, pair.b))
    found = transform.difference(first, second, f"{pair.names[1]} − {pair.names[0]}: {pair.title}")
    return replace(found, notes=pair.a.notes if pair.a.notes == pair.b.notes else ())


def moved(difference: Grid) -> np.ndarray:
    """Per row the share of its weight that lies elsewhere in the second map: half the absolute differences.

    Shapes:
        result  (rows,), 0 for equal rows and 1 for rows that share no column
    """
    return 0.5 * np.abs(difference.values).sum(axis=1)


def on_one_scale(pair: Pair) -> list[Grid]:
    """Both maps with the same limits, each with its name before its title."""
    return [
        replace(shown, title=f"{name}: {shown.title or shown.name}")
        for name, shown in zip(pair.names, transform.shared_limits((pair.a, pair.b)), strict=True)
    ]


def label_rows(a: LabelPrediction, b: LabelPrediction) -> list[tuple[str, float, float]]:
    """Each label of either with both probabilities; nan where a model does not have the label."""
    labels = dict.fromkeys((*a.labels, *b.labels))
    return [(label, _probability(a, label), _probability(b, label)) for label in labels]


def _probability(prediction: LabelPrediction, label: str) -> float:
    known = label in prediction.labels
    return float(prediction.probabilities[prediction.labels.index(label)]) if known else float("nan")


def _kinds(shown: Grid) -> tuple[str, str]:
    return shown.row_kind, shown.column_kind


def _axis_mismatch(pair: Pair, axis: str, kinds: tuple[str, str], labels: tuple[Labels, Labels]) -> str:
    """Why one axis of the two maps differs, as a clause; empty when it does not."""
    (first, second), (a, b) = pair.names, labels
    if kinds[0] != kinds[1]:
        return f"each {axis} of {first} is a {kinds[0]}, each {axis} of {second} a {kinds[1]}"
    if a == b or (kinds[0] in pair.edited and _one_stretch(a, b)):
        return ""
    place = _first_that_differs(pair.names, axis, labels)
    if len(a) == len(b):
        return place
    return f"{first} has {len(a)} {axis}{'s' * (len(a) > 1)} and {second} has {len(b)}; {place}"


def _first_that_differs(names: Names, axis: str, labels: tuple[Labels, Labels]) -> str:
    """Where two axes part, and with which tokens."""
    (first, second), (a, b) = names, labels
    shorter = min(len(a), len(b))
    k = next((k for k in range(shorter) if a[k] != b[k]), shorter)
    if k < shorter:
        return f"{axis} {k + 1} is the first that differs, {a[k]!r} in {first} and {b[k]!r} in {second}"
    name, label = (first, a[k]) if len(a) > len(b) else (second, b[k])
    return f"{axis} {k + 1} is the first that only {name} has, {label!r}"


def _one_stretch(a: Labels, b: Labels) -> bool:
    """Whether axes of one length differ in a single stretch and agree beside it."""
    if len(a) != len(b):
        return False
    differing = [k for k in range(len(a)) if a[k] != b[k]]
    return len(differing) < len(a) and differing[-1] - differing[0] + 1 == len(differing)


def _renamed(a: Labels, b: Labels) -> Labels:
    return tuple(old if old == new else f"{old} → {new}" for old, new in zip(a, b, strict=True))
