"""What the two translation models share: text to pieces, search, forced decoding, and results.

Not a network: a translation model adds `start`, `step`, `forward`, `frames` and `internals`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from modelzoo.batching import Padded, pad
from modelzoo.decoding import Bounds, Hypothesis, State, Step, beam_search, greedy
from modelzoo.models.base import AttentionModel, BatchAnswer, EncodedInputs, encode_side
from modelzoo.results import (
    AttentionResult,
    Candidate,
    Internal,
    Prediction,
    TextPrediction,
)
from modelzoo.tasks import MAX_SOURCE_TOKENS, TRANSLATION, Inputs, SourceText, output_limit
from modelzoo.text import BOS, EOS, PAD, Encoded, SubwordText


class TranslationBatch(NamedTuple):
    """Source pieces and the target shifted: the decoder reads `target_in` and must write `target_out`.

    Shapes:
        source      (B, m) padded; ends with the end token
        target_in   (B, n) padded; starts with BOS
        target_out  (B, n) int64, 0 at padding
    """

    source: Padded
    target_in: Padded
    target_out: Tensor


class TranslationOutput(Protocol):
    """What `forward` returns has at least the logits of every target step and the attention of every map.

    Shapes:
        logits     (B, n, V)
        attention  per map of the model's `frames` (B, n, m), as `Step` has it of one step
    """

    @property
    def logits(self) -> Tensor: ...

    @property
    def attention(self) -> tuple[Tensor, ...]: ...


def cross_entropy(logits: Tensor, target: Tensor, smoothing: float = 0.0) -> Tensor:
    """Cross-entropy summed over real target pieces, divided by their number.

    Shapes:
        logits  (B, n, V)
        target  (B, n) int64, 0 at padding
    """
    summed = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float() if logits.dtype == torch.bfloat16 else logits.flatten(0, 1),
        target.flatten(),
        ignore_index=PAD,
        reduction="sum",
        label_smoothing=smoothing,
    )
    return summed / (target != PAD).sum()


class TranslationModel(AttentionModel):
    """A model that writes a text, one piece at a time, attending to the source."""

    task = TRANSLATION
    text: SubwordText

    @abstractmethod
    def forward(self, batch: TranslationBatch) -> TranslationOutput:
        """Teacher forcing: every step's quantities, given the target."""

    @abstractmethod
    def start(self, source: Padded) -> State:
        """The state before the first step: tensors whose first dimension is the batch."""

    @abstractmethod
    def step(self, y: Tensor, state: State) -> Step:
        """One step of decoding.

        Shapes:
            y  (B,) int64, the previous piece
        """

    @abstractmethod
    def internals(self, output: Any, item: int, rows: int, columns: int) -> tuple[Internal, ...]:
        """What else is worth seeing of one item, padding cut."""

    def loss(self, batch: TranslationBatch) -> Tensor:
        return cross_entropy(self.forward(batch).logits, batch.target_out, self.config.label_smoothing)

    def encode(self, inputs: Inputs, gold: str | None = None) -> EncodedInputs:
        self.check_inputs(inputs)
        inputs = cast(SourceText, inputs)
        sides = {"source": encode_side(self.text, "source", inputs.text, MAX_SOURCE_TOKENS)}
        target = gold if gold is not None else inputs.forced
        if isinstance(target, str):
            sides["target"] = encode_side(self.text, "target", target, MAX_SOURCE_TOKENS)
        elif target is not None:
            sides["target"] = self._forced_pieces(target)
        return EncodedInputs(inputs, sides, gold)

    def _forced_pieces(self, pieces: tuple[str, ...]) -> Encoded:
        if not 1 <= len(pieces) <= MAX_SOURCE_TOKENS:
            raise ValueError(f"the target has {len(pieces)} pieces; accepted are 1 to {MAX_SOURCE_TOKENS}")
        return self._pieces(self.text.piece_ids(pieces))

    def _pieces(self, ids: tuple[int, ...]) -> Encoded:
        return Encoded(tuple(self.text.token(piece_id) for piece_id in ids), ids)

    def collate(self, encoded: Sequence[EncodedInputs]) -> TranslationBatch:
        targets = [item.sides["target"].ids for item in encoded]
        return TranslationBatch(
            pad([item.sides["source"].ids for item in encoded], self.device),
            pad([(BOS, *target[:-1]) for target in targets], self.device),
            pad(targets, self.device).ids,
        )

    def search(self, encoded: Sequence[EncodedInputs]) -> list[list[Hypothesis]]:
        """Hypotheses of each item, best first; items of one batch share the beam size and penalty."""
        inputs = cast(SourceText, encoded[0].inputs)
        state = self.start(pad([item.sides["source"].ids for item in encoded], self.device))
        limits = tuple(output_limit(len(item.sides["source"].ids)) for item in encoded)
        bounds = Bounds(BOS, EOS, limits, forbidden=(PAD, BOS))
        if inputs.beam_size == 1:
            return [[best] for best in greedy(self.step, state, bounds)]
        return beam_search(
            self.step,
            state,
            bounds,
            beam_size=inputs.beam_size,
            length_penalty=inputs.length_penalty,
        )

    def predict(self, encoded: Sequence[EncodedInputs]) -> list[Prediction]:
        predictions: list[Prediction | None] = [None] * len(encoded)
        for indices in _by_search(encoded):
            for i, found in zip(indices, self.search([encoded[i] for i in indices]), strict=True):
                predictions[i] = self._prediction(found)
        return cast(list[Prediction], predictions)

    def answer(self, encoded: Sequence[EncodedInputs]) -> BatchAnswer:
        """The attention of the search itself, or of the forced targets where the inputs have them."""
        if all("target" in item.sides for item in encoded):
            batch = self.collate(encoded)
            output = self.forward(batch)
            log_p = -torch.nn.functional.cross_entropy(
                output.logits.float().transpose(1, 2), batch.target_out, ignore_index=PAD, reduction="none"
            )  # (B, n), 0 at padding
            answers = [self.text.decode(item.sides["target"].ids) for item in encoded]
            return BatchAnswer(encoded, answers, None, log_p.sum(dim=1), output.attention)
        found = [best for best, *_ in self.search(encoded)]
        filled = [
            replace(item, sides={**item.sides, "target": self._pieces(best.ids)})
            for item, best in zip(encoded, found, strict=True)
        ]
        totals = torch.tensor([sum(best.log_probabilities) for best in found], device=self.device)
        weights = zip(*(best.attention for best in found), strict=True)
        attention = tuple(pad_sequence(list(one), batch_first=True) for one in weights)  # (B, n, m) each
        return BatchAnswer(filled, [self.text.decode(best.ids) for best in found], None, totals, attention)

    def explain(self, encoded: Sequence[EncodedInputs]) -> list[AttentionResult]:
        """Search where no target is given, then the forced decoding of every (found or given) output."""
        searched: dict[int, TextPrediction] = {}
        free = [i for i, item in enumerate(encoded) if "target" not in item.sides]
        for i, prediction in zip(free, self.predict([encoded[i] for i in free]) if free else [], strict=True):
            searched[i] = cast(TextPrediction, prediction)
        filled = [
            EncodedInputs(
                item.inputs, {**item.sides, "target": self._forced_pieces(searched[i].tokens)}, item.gold
            )
            if i in searched
            else item
            for i, item in enumerate(encoded)
        ]
        output = self.forward(self.collate(filled))
        return [self._result(output, i, item, searched.get(i)) for i, item in enumerate(filled)]

    def _prediction(self, hypotheses: Sequence[Hypothesis]) -> TextPrediction:
        candidates = tuple(
            Candidate(
                tuple(self.text.token(i).model for i in found.ids),
                self.text.decode(found.ids),
                sum(found.log_probabilities),
                found.score,
                found.finished,
            )
            for found in hypotheses
        )
        best, first = hypotheses[0], candidates[0]
        return TextPrediction(
            first.text, first.tokens, np.array(best.log_probabilities), candidates, best.finished
        )

    def _result(
        self, output: Any, item: int, encoded: EncodedInputs, searched: TextPrediction | None
    ) -> AttentionResult:
        source, target = encoded.sides["source"], encoded.sides["target"]
        log_p = output.logits[item, : len(target.ids)].float().log_softmax(-1)  # (n, V)
        chosen = (
            log_p.gather(1, torch.tensor(target.ids, device=log_p.device).unsqueeze(1))
            .squeeze(1)
            .cpu()
            .numpy()
        )
        finished = target.ids[-1] == EOS
        pieces = tuple(self.text.token(i).model for i in target.ids)
        prediction = TextPrediction(
            self.text.decode(target.ids), pieces, chosen, searched.candidates if searched else (), finished
        )
        notes = () if finished else (f"cut at {len(target.ids)} tokens: the model had not ended the text",)
        return AttentionResult(
            encoded.inputs,
            encoded.tokens,
            prediction,
            self.maps(output.attention, item, encoded.typed),
            self.internals(output, item, len(target.ids), len(source.ids)),
            notes=notes,
        )


def _by_search(encoded: Sequence[EncodedInputs]) -> list[list[int]]:
    """Indices grouped by beam size and length penalty, so that each group is one search."""
    groups: dict[object, list[int]] = {}
    for i, item in enumerate(encoded):
        inputs = cast(SourceText, item.inputs)
        groups.setdefault((inputs.beam_size, inputs.length_penalty), []).append(i)
    return list(groups.values())
