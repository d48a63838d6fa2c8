"""Attention taking shape: what a model said of a few fixed inputs at steps 0, 1, 2, 4, 8, … of its training.

The file `probes.npz` beside the weights holds, per input and map, one array over all moments (float16), and
what is text as JSON. A translation's maps are those of a fixed translation of ours, so that they can be
compared from moment to moment; its prediction is what the model wrote by itself.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modelzoo.results import (
    AttentionMap,
    AttentionResult,
    LabelPrediction,
    Prediction,
    TextPrediction,
    Token,
)
from modelzoo.tasks import Inputs, LengthPenalty, Sentence, SentencePair, SourceText

PROBES_FILE = "probes.npz"
OTHERS = "probes-*.npz"
"""Beside it, the records of other runs over the same texts (another seed, less data), named by their recipe;
their weights are elsewhere."""


@dataclass(frozen=True, eq=False)
class Moment:
    """One step of a run: its last dev metric (None before the first), and a result for each probe."""

    step: int
    dev: float | None
    results: tuple[AttentionResult, ...]


def others(folder: Path) -> dict[str, Path]:
    """The records of other runs that lie beside a checkpoint, by their recipe's slug."""
    return {path.stem.removeprefix("probes-"): path for path in sorted(folder.glob(OTHERS))}


def is_due(step: int) -> bool:
    """Whether the step is 0 or a power of two."""
    return step & (step - 1) == 0


def write(path: Path, moments: Sequence[Moment]) -> None:
    """Write the moments of a run, one or more, aside first and then renamed."""
    arrays: dict[str, np.ndarray] = {}
    about = []
    for p, first in enumerate(moments[0].results):
        results = [moment.results[p] for moment in moments]
        for attention in first.maps:
            stacked = np.stack([result.map(attention.name).values for result in results])
            arrays[f"{p}/{attention.name}"] = stacked.astype(np.float16)  # (moments, rows, columns)
        about.append(_about(first))
        if isinstance(first.prediction, LabelPrediction):
            arrays[f"{p}/probabilities"] = np.stack([_probabilities(result) for result in results])
        else:
            about[-1]["texts"] = [_text(result) for result in results]
    text = {"steps": [m.step for m in moments], "dev": [m.dev for m in moments], "probes": about}
    arrays["about"] = np.frombuffer(json.dumps(text, ensure_ascii=False).encode(), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".part")
    with aside.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def read(path: Path) -> tuple[Moment, ...]:
    """The moments of a run in order; none where there is no file.

    Raises ValueError when the file is damaged.
    """
    if not path.is_file():
        return ()
    try:
        with np.load(path) as file:
            about = json.loads(file["about"].tobytes())
            arrays = {name: file[name].astype(np.float64) for name in file.files if name != "about"}
        return tuple(
            Moment(step, dev, tuple(_result(p, k, one, arrays) for p, one in enumerate(about["probes"])))
            for k, (step, dev) in enumerate(zip(about["steps"], about["dev"], strict=True))
        )
    except DAMAGES as error:
        raise ValueError(f"the file {path.name} of {path.parent.name} is damaged: {error}") from error


DAMAGES = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError),
)
"""What numpy and the zip format raise for bytes that are not what was written."""


def _probabilities(result: AttentionResult) -> np.ndarray:
    if not isinstance(result.prediction, LabelPrediction):
        raise TypeError("the predictions of one probe are of one kind")
    return result.prediction.probabilities


def _text(result: AttentionResult) -> str:
    if not isinstance(result.prediction, TextPrediction):
        raise TypeError("the predictions of one probe are of one kind")
    return result.prediction.text


def _about(result: AttentionResult) -> dict[str, Any]:
    """What does not change from moment to moment: inputs, tokens, labels and the axes of maps."""
    labels = result.prediction.labels if isinstance(result.prediction, LabelPrediction) else ()
    maps = [
        {
            "name": one.name,
            "rows": one.rows,
            "columns": one.columns,
            "title": one.title,
            "row_kind": one.row_kind,
            "column_kind": one.column_kind,
            "equation": one.equation,
        }
        for one in result.maps
    ]
    return {
        "kind": type(result.inputs).__name__,
        "inputs": asdict(result.inputs),
        "tokens": {side: [asdict(token) for token in found] for side, found in result.tokens.items()},
        "labels": labels,
        "maps": maps,
    }


def _result(p: int, k: int, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> AttentionResult:
    maps = []
    for one in about["maps"]:
        values = arrays[f"{p}/{one['name']}"][k]
        values = values / values.sum(axis=1, keepdims=True)  # float16 has lost some of the 1
        axes = {"rows": tuple(one["rows"]), "columns": tuple(one["columns"])}
        maps.append(AttentionMap(**{**one, **axes, "values": values}))
    tokens = {side: tuple(Token(**token) for token in found) for side, found in about["tokens"].items()}
    prediction: Prediction
    if "texts" in about:
        prediction = TextPrediction(about["texts"][k], (), np.zeros(0))
    else:
        prediction = LabelPrediction(tuple(about["labels"]), arrays[f"{p}/probabilities"][k])
    return AttentionResult(_inputs(about["kind"], about["inputs"]), tokens, prediction, tuple(maps))


def _inputs(kind: str, values: Mapping[str, Any]) -> Inputs:
    if kind == "Sentence":
        return Sentence(**values)
    if kind == "SentencePair":
        return SentencePair(**values)
    forced = values["forced"]
    forced = tuple(forced) if isinstance(forced, list) else forced
    penalty = LengthPenalty(**values["length_penalty"])
    return SourceText(**{**values, "forced": forced, "length_penalty": penalty})
