"""What comes out of a model: maps over tokens, predictions, and the result that holds them.

Arrays are numpy, float32 and read-only. Nothing here knows torch or how a thing is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modelzoo.tasks import Inputs

ROW_SUM_TOLERANCE = 1e-4


def read_only(values: Any) -> np.ndarray:
    """A float32 copy that nobody can write to."""
    array = np.array(values, dtype=np.float32)
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class Token:
    """One token: as typed, as the model reads it, and whether its vocabulary knew it.

    `special` marks what the model adds by itself (NULL, the end of the sentence).
    """

    typed: str
    model: str
    known: bool = True
    special: bool = False


@dataclass(frozen=True, eq=False)
class Grid:
    """Anything drawn over tokens: a matrix, its row and column labels, and the limits of its colours.

    `row_kind` and `column_kind` name the axes (`hop`, `premise`, `target` …), `quantity` what a cell
    holds, `notes` say what was done to the values a model gave. Labels may repeat; position counts, not
    the label. Raises ValueError when shapes disagree.
    """

    name: str
    values: np.ndarray  # (rows, columns)
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    limits: tuple[float, float] = (0.0, 1.0)
    diverging: bool = False
    title: str = ""
    row_kind: str = ""
    column_kind: str = ""
    quantity: str = field(default="", kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        values = read_only(self.values)
        if values.shape != (len(self.rows), len(self.columns)):
            raise ValueError(
                f"grid {self.name!r} has values of shape {values.shape} for "
                f"{len(self.rows)} rows and {len(self.columns)} columns"
            )
        if not (np.isfinite(values).all() and np.isfinite(self.limits).all()):
            raise ValueError(f"grid {self.name!r} holds a value or a limit that is not a finite number")
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, eq=False)
class AttentionMap(Grid):
    """A Grid whose rows attend and whose columns are attended to; every row sums to 1.

    `equation` is the paper's tag. Padding is already gone. Raises ValueError when a row is no
    distribution.
    """

    equation: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.values < 0).any():
            raise ValueError(f"attention map {self.name!r} holds a negative weight")
        sums = self.values.sum(axis=1, dtype=np.float64)
        worst = int(np.abs(sums - 1).argmax()) if len(sums) else 0
        if len(sums) and abs(sums[worst] - 1) > ROW_SUM_TOLERANCE:
            raise ValueError(f"row {worst} of map {self.name!r} sums to {sums[worst]:.6f}, not to 1")


@dataclass(frozen=True, eq=False)
class Internal:
    """Any other quantity worth seeing. `axes` names each dimension: a side of the input, `target`,
    `hop`, or a word of the model's own for dimensions without tokens (`unit`, `class`)."""

    name: str
    values: np.ndarray
    axes: tuple[str, ...]
    equation: str = ""

    def __post_init__(self) -> None:
        values = read_only(self.values)
        if values.ndim != len(self.axes):
            raise ValueError(f"internal {self.name!r} has {values.ndim} dimensions and {len(self.axes)} axes")
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, eq=False)
class LabelPrediction:
    """The probability of each label, in the model's order."""

    labels: tuple[str, ...]
    probabilities: np.ndarray  # (labels,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", read_only(self.probabilities))

    @property
    def label(self) -> str:
        return self.labels[int(self.probabilities.argmax())]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One hypothesis of the search: its pieces (end token included when it was reached), the text
    they spell, its summed log-probability, its score after length normalisation, and whether it ended."""

    tokens: tuple[str, ...]
    text: str
    log_probability: float
    score: float
    finished: bool


@dataclass(frozen=True, eq=False)
class TextPrediction:
    """The shown output: its pieces, their log-probabilities, and the hypotheses of the search, best first.

    `finished` is False when the output was cut at the limit. Forced decoding has no candidates.
    """

    text: str
    tokens: tuple[str, ...]
    log_probabilities: np.ndarray  # (tokens,)
    candidates: tuple[Candidate, ...] = ()
    finished: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "log_probabilities", read_only(self.log_probabilities))


Prediction = LabelPrediction | TextPrediction


@dataclass(frozen=True, eq=False)
class AttentionResult:
    """One input's answer: prediction, every map the model has, and what else is worth seeing.

    `tokens` gives per text (`sentence`, `premise`, `hypothesis`, `source`, `target`) its tokens.
    `notes` are sentences for the reader (an output that was cut). A model without attention has no maps.
    """

    inputs: Inputs
    tokens: Mapping[str, tuple[Token, ...]]
    prediction: Prediction
    maps: tuple[AttentionMap, ...]
    internals: tuple[Internal, ...] = ()
    checkpoint: str = ""
    notes: tuple[str, ...] = field(default=())

    def map(self, name: str) -> AttentionMap:
        """The map of that name; KeyError names the maps there are."""
        for candidate in self.maps:
            if candidate.name == name:
                return candidate
        raise KeyError(f"no map named {name!r}; there are {', '.join(m.name for m in self.maps) or 'none'}")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows: the main map as a table that needs no script, and one line of text."""
        from modelzoo.viz import table  # the one upward import

        grid = table.main_map(self)
        said = f"AttentionResult of {self.checkpoint or 'a model'} with {len(self.maps)} maps"
        return {"text/plain": said, **({"text/html": table.table(grid)} if grid is not None else {})}

    def internal(self, name: str) -> Internal:
        """The internal quantity of that name; KeyError names those there are."""
        for candidate in self.internals:
            if candidate.name == name:
                return candidate
        names = ", ".join(i.name for i in self.internals) or "none"
        raise KeyError(f"no internal named {name!r}; there are {names}")
