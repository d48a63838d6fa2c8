"""One batch of a data set to the columns of a run: answers, tokens, measures, attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from modelzoo.columns import ANSWER, MAP, PREFIX, WEIGHT
from modelzoo.models.base import AttentionModel, BatchAnswer, EncodedInputs
from modelzoo.rows.measures import MapBatch, attention_measures, map_batch, mean
from modelzoo.rows.sides import Side, side_of
from modelzoo.rows.texts import negation, overlap
from modelzoo.tasks import SentencePair, SourceText
from modelzoo.text import SubwordText

ENGLISH = "en"


def batch_columns(model: AttentionModel, encoded: Sequence[EncodedInputs], *, beam_size: int = 1) -> pa.Table:
    """The columns `ANSWER` of a batch, in its order, in eval mode; `gold` is not looked at.

    `beam_size` is for models that write. Inputs with a forced output get the attention of that output.
    """
    if not encoded:
        return ANSWER.empty_table()
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            return _columns(model, model.answer([_asked(item, beam_size) for item in encoded]))
    finally:
        model.train(training)


def _asked(item: EncodedInputs, beam_size: int) -> EncodedInputs:
    inputs = item.inputs
    if isinstance(inputs, SourceText) and inputs.beam_size != beam_size:
        return replace(item, inputs=replace(inputs, beam_size=beam_size))
    return item


def _columns(model: AttentionModel, answer: BatchAnswer) -> pa.Table:
    sides = {side: side_of(answer.encoded, side, model.device) for side in answer.encoded[0].sides}
    maps = [map_batch(*one, sides) for one in zip(model.frames, answer.attention, strict=True)]
    first, *second = sides.values()
    measures = attention_measures(maps) | _side_measures(model, sides) | _text_measures(model, answer)
    if model.task.output == "text":
        measures |= _output_measures(first, second[0])
    known: dict[str, pa.Array] = {PREFIX + name: _numbers(values) for name, values in measures.items()}
    known |= _answer(answer, sides) | {"tokens": first.typed}
    known |= {"tokens_pair": second[0].typed} if second else {}
    known["attention"] = attention_column(maps, len(answer.answers))
    missing = pa.nulls(len(answer.answers))
    arrays = [known.get(field.name, missing).cast(field.type) for field in ANSWER]
    return pa.Table.from_arrays(arrays, schema=ANSWER)


def _answer(answer: BatchAnswer, sides: dict[str, Side]) -> dict[str, pa.Array]:
    """What the model says, and how sure it is: the probability of its label, or the geometric mean of its
    pieces'."""
    found = {"prediction": pa.array(answer.answers, pa.string())}
    if answer.probabilities is not None:
        B, labels = answer.probabilities.shape
        flat = pa.array(_array(answer.probabilities).ravel())
        offsets = np.arange(0, B * labels + 1, labels, dtype=np.int32)
        found["probabilities"] = pa.ListArray.from_arrays(offsets, flat)
        found["confidence"] = _numbers(answer.probabilities.amax(dim=1))
    if answer.log_probabilities is not None:
        pieces = sides["target"].lengths
        found["log_probability"] = _numbers(answer.log_probabilities)
        found["confidence"] = _numbers((answer.log_probabilities / pieces).exp())
    return found


def _side_measures(model: AttentionModel, sides: dict[str, Side]) -> dict[str, Tensor]:
    """Lengths, and unknown words of the input."""
    read = [sides[side] for side in model.task.sides]
    lengths = [side.words() for side in sides.values()]
    unknown, words = (
        torch.cat([getattr(side, mask) for side in read], dim=1) for mask in ("unknown", "real")
    )
    named = zip(("length", "length_pair"), lengths, strict=False)
    return {"unknown": mean(unknown.float(), words), **dict(named)}


def _text_measures(model: AttentionModel, answer: BatchAnswer) -> dict[str, Tensor]:
    """Negation in an English input; the overlap of a pair, or of a source and its output."""
    pairs = [_texts(item, said) for item, said in zip(answer.encoded, answer.answers, strict=True)]
    found = {}
    is_pair, writes = model.task.inputs is SentencePair, model.task.output == "text"
    if is_pair or writes:
        found["overlap"] = torch.tensor(
            [overlap(first, second) for first, second in pairs], device=model.device
        )
    if not isinstance(model.text, SubwordText) or model.text.source_language == ENGLISH:
        asked = (f"{first}\n{second}" if is_pair else first for first, second in pairs)
        found["negation"] = torch.tensor([float(negation(text)) for text in asked], device=model.device)
    return found


def _texts(item: EncodedInputs, said: str) -> tuple[str, str]:
    inputs = item.inputs
    return (inputs.premise, inputs.hypothesis) if isinstance(inputs, SentencePair) else (inputs.text, said)


def _output_measures(source: Side, target: Side) -> dict[str, Tensor]:
    ended = target.added.any(dim=1)
    return {"length_ratio": target.words() / source.words(), "cut": (~ended).float()}


def attention_column(maps: Sequence[MapBatch], examples: int) -> pa.Array:
    """Every map of every example, in two bytes a weight; padding cut."""
    offsets = np.arange(0, len(maps) * examples + 1, max(len(maps), 1), dtype=np.int32)
    if not maps:
        return pa.ListArray.from_arrays(np.zeros(examples + 1, dtype=np.int32), pa.array([], MAP))
    by_example = np.arange(len(maps) * examples).reshape(len(maps), examples).T.ravel()
    fields = [
        pa.array([getattr(one.frame, name) for one in maps for _ in range(examples)], pa.string())
        for name in ("name", "row_kind", "column_kind")
    ]
    fields += [
        pa.array(np.concatenate([_array(getattr(one, axis).sum(dim=1)) for one in maps]), pa.int32())
        for axis in ("rows", "columns")
    ]
    fields.append(pa.concat_arrays([_packed(one) for one in maps]))
    structs = pa.StructArray.from_arrays([field.take(by_example) for field in fields], fields=list(MAP))
    return pa.ListArray.from_arrays(offsets, structs)


def _packed(one: MapBatch) -> pa.Array:
    """Each item's weights as bytes, cut by the masks."""
    kept = one.rows.unsqueeze(2) & one.columns.unsqueeze(1)  # (B, R, C)
    weights = _array(one.weights.half()[kept]).astype(WEIGHT, copy=False)
    sizes = _array(kept.sum(dim=(1, 2))) * WEIGHT.itemsize
    offsets = np.concatenate([[0], sizes.cumsum()]).astype(np.int32)
    return pa.Array.from_buffers(
        pa.binary(), len(sizes), [None, pa.py_buffer(offsets), pa.py_buffer(weights)]
    )


def _numbers(values: Tensor) -> pa.Array:
    """(B,) as float32; NaN is missing."""
    return pa.array(_array(values.float()), pa.float32(), from_pandas=True)


def _array(tensor: Tensor) -> np.ndarray:
    array: np.ndarray = tensor.cpu().numpy()
    return array
