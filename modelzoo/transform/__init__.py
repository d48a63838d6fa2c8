"""Grid → Grid, and how a map is read: each step of a `Reading` in its own small function. Pure.

`internals` sees other quantities of a result as grids; `sheet` holds a grid with its tokens; `values`
changes weights, `selection` hides and looks for tokens, `words` merges pieces, `combine` takes several
grids, `summary` tells of a map in numbers and sentences, `reading` puts the steps in order.
"""

from modelzoo.transform.combine import difference, mean, rows_apart, shared_limits, summed
from modelzoo.transform.internals import as_grid, axis_labels, raw_scores
from modelzoo.transform.reading import READING_NAMES, Option, Reading, apply, options
from modelzoo.transform.selection import window
from modelzoo.transform.sheet import Sheet, sheet_of, sheet_over, transposed
from modelzoo.transform.summary import Summary, sentence, summaries, summary

__all__ = [
    "READING_NAMES",
    "Option",
    "Reading",
    "Sheet",
    "Summary",
    "apply",
    "as_grid",
    "axis_labels",
    "difference",
    "mean",
    "options",
    "raw_scores",
    "rows_apart",
    "sentence",
    "shared_limits",
    "sheet_of",
    "sheet_over",
    "summaries",
    "summary",
    "summed",
    "transposed",
    "window",
]
