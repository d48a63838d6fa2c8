"""A result as JSON or NPZ that load back into an equal one, and its summary for the command line."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import numpy as np

from modelzoo.data.archive import read_npz
from modelzoo.export.codec import decode, encode
from modelzoo.results import (
    AttentionMap,
    AttentionResult,
    LabelPrediction,
    Prediction,
    TextPrediction,
    Token,
)
from modelzoo.tasks import MAX_FILE_BYTES

FORMAT = "attention-atlas-result-1"
"""What a file of a result says it is."""
DOCUMENT = "document"
"""The array of an NPZ file that holds all that is no number, as JSON; it names the other arrays."""
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")


def to_json(result: AttentionResult) -> str:
    """The whole result as JSON; every float32 comes back exactly."""
    return json.dumps({"format": FORMAT, **encode(result, _as_lists)}, ensure_ascii=False)


def from_json(text: str) -> AttentionResult:
    """The result that `to_json` wrote. ValueError says where the file is no result."""
    if len(text) > MAX_FILE_BYTES:
        raise ValueError(f"the file has {len(text):,} characters; accepted are at most {MAX_FILE_BYTES:,}")
    return _result(text, _from_lists)


def to_npz(result: AttentionResult) -> bytes:
    """The whole result as NPZ: each map under its name, internals as `internal_<name>`; no pickle."""
    arrays: dict[str, np.ndarray] = {}

    def keep(array: np.ndarray, name: str) -> dict[str, str]:
        plain = unique = _NOT_IN_A_NAME.sub("_", name)
        while unique in (*arrays, DOCUMENT):
            unique = f"{plain}_{len(arrays)}"
        arrays[unique] = array
        return {"array": unique}

    document = json.dumps({"format": FORMAT, **encode(result, keep)})
    arrays[DOCUMENT] = np.array(document)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as entry:
                np.lib.format.write_array(entry, array)
    return file.getvalue()


def from_npz(raw: bytes) -> AttentionResult:
    """The result that `to_npz` wrote. ValueError says where the file is no result."""
    arrays = read_npz(raw)
    if DOCUMENT not in arrays:
        raise ValueError(f"the file has no array {DOCUMENT!r}; accepted is an NPZ file that the atlas wrote")

    def find(value: Any) -> np.ndarray:
        name = value.get("array") if isinstance(value, dict) else None
        if not isinstance(name, str) or name not in arrays:
            raise ValueError(f"the file has no array {name!r}; it has {', '.join(arrays)}")
        return arrays[name]

    return _result(str(arrays[DOCUMENT]), find)


def _result(text: str, read: Any) -> AttentionResult:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the file is no JSON: {error}") from error
    if not isinstance(document, dict) or document.pop("format", None) != FORMAT:
        raise ValueError(f'the file is no result; accepted is JSON with "format": "{FORMAT}"')
    result: AttentionResult = decode(document, AttentionResult, read)
    return result


def _as_lists(array: np.ndarray, name: str) -> Any:
    """Nested lists; what has no cells keeps its shape, and what is not finite becomes a word."""
    if not array.size:
        return {"shape": list(array.shape)}
    if np.isfinite(array).all():
        return array.tolist()
    return np.where(np.isfinite(array), array.astype(object), array.astype(str)).tolist()


def _from_lists(value: Any) -> np.ndarray:
    if not isinstance(value, dict):
        return np.array(value, dtype=np.float64)
    shape = value.get("shape")
    if not isinstance(shape, list) or 0 not in shape or not all(isinstance(n, int) for n in shape):
        raise ValueError(
            f'{repr(value)[:60]}; accepted are numbers, or a shape that holds a 0: {{"shape": [0, 3]}}'
        )
    return np.zeros(shape, dtype=np.float32)


def summary(result: AttentionResult) -> dict[str, Any]:
    """The result as JSON values: the form that `python -m modelzoo attend --json` prints."""
    return {
        "checkpoint": result.checkpoint,
        "tokens": {side: [_token(token) for token in tokens] for side, tokens in result.tokens.items()},
        "prediction": _prediction(result.prediction),
        "maps": [_map(attention) for attention in result.maps],
        "notes": list(result.notes),
    }


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
