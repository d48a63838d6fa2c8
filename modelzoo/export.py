"""A result or one of its grids as a file: JSON, CSV, SVG. Made when asked for."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from modelzoo.results import (
    AttentionMap,
    AttentionResult,
    Grid,
    LabelPrediction,
    Prediction,
    TextPrediction,
    Token,
)
from modelzoo.viz import heatmap

CSV_HEADER = ("map", "row_index", "row_token", "column_index", "column_token", "weight")


def to_json(result: AttentionResult) -> dict[str, Any]:
    """The result as JSON values: the form that `python -m modelzoo attend --json` prints."""
    return {
        "checkpoint": result.checkpoint,
        "tokens": {side: [_token(token) for token in tokens] for side, tokens in result.tokens.items()},
        "prediction": _prediction(result.prediction),
        "maps": [_map(attention) for attention in result.maps],
        "notes": list(result.notes),
    }


def to_csv(*grids: Grid) -> str:
    """The grids in long form, one cell a line, with the fewest digits that give the same float32 again."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for grid in grids:
        writer.writerows(_cells(grid))
    return file.getvalue()


def to_svg(grid: Grid) -> str:
    """The grid's heat map as SVG with whole cells on a white page; works offline."""
    import vl_convert

    chart = heatmap.cells(grid, inline=True).properties(background="white", padding=12)
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


def _cells(grid: Grid) -> Iterator[tuple[str, int, str, int, str, str]]:
    for i, row in enumerate(grid.rows):
        for j, column in enumerate(grid.columns):
            yield grid.name, i, row, j, column, str(grid.values[i, j])


def _token(token: Token) -> dict[str, Any]:
    return {"typed": token.typed, "model": token.model, "known": token.known}


def _map(attention: AttentionMap) -> dict[str, Any]:
    return {
        "name": attention.name,
        "rows": list(attention.rows),
        "columns": list(attention.columns),
        "weights": attention.values.tolist(),
        "equation": attention.equation,
    }


def _prediction(prediction: Prediction) -> dict[str, Any]:
    if isinstance(prediction, LabelPrediction):
        probabilities = zip(prediction.labels, prediction.probabilities.tolist(), strict=True)
        return {"label": prediction.label, "probabilities": dict(probabilities)}
    return _text_prediction(prediction)


def _text_prediction(prediction: TextPrediction) -> dict[str, Any]:
    return {
        "text": prediction.text,
        "tokens": list(prediction.tokens),
        "log_probabilities": prediction.log_probabilities.tolist(),
        "finished": prediction.finished,
        "candidates": [
            {
                "text": candidate.text,
                "tokens": list(candidate.tokens),
                "score": candidate.score,
                "log_probability": candidate.log_probability,
                "finished": candidate.finished,
            }
            for candidate in prediction.candidates
        ],
    }
