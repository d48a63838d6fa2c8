"""Every registered model keeps the contract of models/base.py, whatever its configuration."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

from modelzoo import registry
from modelzoo.cards import ModelCard
from modelzoo.models.base import AttentionModel
from modelzoo.results import TextPrediction
from modelzoo.tasks import (
    MAX_CHARACTERS,
    MAX_PAIR_TOKENS,
    MAX_SENTENCE_TOKENS,
    MAX_SOURCE_TOKENS,
    Sentence,
    SentencePair,
    SourceText,
)
from modelzoo.text import WORD_START
from tests.tiny import NASTY, tiny_examples
from tests.variants import VARIANTS, answers, arrays, asked, assert_same, batch_inputs, build, variant

LIMITS = {Sentence: MAX_SENTENCE_TOKENS, SentencePair: MAX_PAIR_TOKENS, SourceText: MAX_SOURCE_TOKENS}


@pytest.fixture(params=VARIANTS)
def model(request: pytest.FixtureRequest) -> AttentionModel:
    return variant(request.param)


@pytest.fixture(params=VARIANTS)
def fresh_model(request: pytest.FixtureRequest) -> AttentionModel:
    """One that the test may change."""
    return build(request.param)


@pytest.fixture(params=registry.MODELS)
def default_model(request: pytest.FixtureRequest) -> AttentionModel:
    return variant(request.param)


# --- results -----------------------------------------------------------------------------------


def test_every_model_is_registered_under_its_own_name() -> None:
    assert {name: model.name for name, model in registry.MODELS.items()} == {n: n for n in registry.MODELS}


def test_rows_sum_to_one_and_labels_are_the_typed_tokens(model: AttentionModel) -> None:
    for result in answers(model):
        typed = {side: tuple(token.typed for token in tokens) for side, tokens in result.tokens.items()}
        for shown in result.maps:
            np.testing.assert_allclose(shown.values.sum(axis=1), 1, atol=1e-5)
            assert shown.columns == typed[shown.column_kind]
            hops = tuple(f"hop {i + 1}" for i in range(len(shown.rows)))
            expected = {"hops": hops, "overall": ("overall",)}.get(shown.name, typed.get(shown.row_kind))
            assert shown.rows == expected


def test_arrays_are_finite_read_only_and_float32(model: AttentionModel) -> None:
    for result in answers(model):
        for name, values in arrays(result).items():
            assert values.dtype == np.float32, name
            assert np.isfinite(values).all(), name
            assert not values.flags.writeable, name


def test_a_result_names_its_inputs_and_equations_of_the_paper(model: AttentionModel) -> None:
    inputs = batch_inputs(model)
    listed = {equation.tag for equation in model.paper.equations} | {""}
    for given, result in zip(inputs, answers(model), strict=True):
        assert result.inputs == given
        assert hash(given) == hash(copy.deepcopy(given))
        assert {shown.equation for shown in result.maps} <= listed - {""}
        assert {internal.equation for internal in result.internals} <= listed


def test_a_result_without_attention_has_no_maps() -> None:
    for name in ("self-attentive, max", "rnn-search, no attention"):
        assert variant(name).attend([asked(variant(name), "The dog")])[0].maps == ()


def test_attending_to_nothing_gives_nothing(default_model: AttentionModel) -> None:
    assert default_model.attend([]) == []


def test_an_output_is_cut_with_a_note_and_its_rows_are_its_tokens() -> None:
    for name in ("rnn-search", "conv-s2s"):
        result = variant(name).attend([SourceText("a a a a a a a a a a")])[0]
        prediction = result.prediction
        assert isinstance(prediction, TextPrediction)
        assert len(result.tokens["target"]) == len(prediction.tokens) == len(result.maps[0].rows)
        assert prediction.finished == (result.notes == ())


# --- the same numbers, whatever the company ----------------------------------------------------


def test_batch_company_and_padding_change_nothing(model: AttentionModel) -> None:
    inputs = batch_inputs(model)
    for given, together in zip(inputs, answers(model), strict=True):
        assert_same(together, model.attend([given])[0], 1e-5)


def test_the_same_call_gives_the_same_bits(model: AttentionModel) -> None:
    for first, second in zip(answers(model), model.attend(batch_inputs(model)), strict=True):
        assert_same(first, second, 0)


def test_prediction_without_maps_is_the_same(model: AttentionModel) -> None:
    encoded = [model.encode(given) for given in batch_inputs(model)]
    with torch.inference_mode():
        fast = model.predict(encoded)
    for quick, result in zip(fast, answers(model), strict=True):
        if isinstance(quick, TextPrediction):
            assert quick.tokens == result.prediction.tokens
            assert quick.text == result.prediction.text
        else:
            np.testing.assert_allclose(quick.probabilities, result.prediction.probabilities, atol=1e-6)


def test_attending_in_train_mode_has_no_dropout_and_keeps_the_mode(fresh_model: AttentionModel) -> None:
    inputs = batch_inputs(fresh_model)
    evaluated = fresh_model.attend(inputs)
    for one, other in zip(evaluated, fresh_model.train().attend(inputs), strict=True):
        assert_same(one, other, 0)
    assert fresh_model.training


def test_nothing_is_kept_on_the_model_between_calls(model: AttentionModel) -> None:
    def kept() -> dict[str, set[str]]:
        return {name: set(vars(module)) | set(module._buffers) for name, module in model.named_modules()}

    before = kept()
    model.attend(batch_inputs(model))
    assert kept() == before


def test_swapping_two_words_moves_the_attention(model: AttentionModel) -> None:
    forced = {"forced": "Un chat"} if model.task.inputs is SourceText else {}
    texts = ("The black cat saw a dog .", "The black dog saw a cat .")
    inputs = [SourceText(text, **forced) if forced else asked(model, text) for text in texts]
    for one, other in zip(*(result.maps for result in model.attend(inputs)), strict=True):
        assert one.values.shape == other.values.shape
        if "hypothesis_intra" not in one.name:
            assert np.abs(one.values - other.values).max() > 1e-4, one.name


# --- input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", NASTY)
def test_odd_texts_are_answered_and_kept_as_typed(default_model: AttentionModel, text: str) -> None:
    result = default_model.attend([asked(default_model, text, text)])[0]
    for side in default_model.task.sides:
        typed = "".join(token.typed for token in result.tokens[side] if not token.special)
        assert "".join(typed.split()).replace(WORD_START, "") == "".join(text.split())


def refused(model: AttentionModel, side: str, text: str) -> str:
    """The message that refuses a text on one side; the other side is good."""
    sides = dict.fromkeys(model.task.sides, "A dog runs.") | {side: text}
    with pytest.raises(ValueError, match=side) as raised:
        model.attend([asked(model, "Good company."), model.task.inputs(*sides.values())])
    return str(raised.value)


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "\n\t\ufeff"])
def test_blank_input_is_refused(default_model: AttentionModel, text: str) -> None:
    for side in default_model.task.sides:
        assert "empty" in refused(default_model, side, text)


def test_long_input_is_refused_with_the_limit(default_model: AttentionModel) -> None:
    limit = LIMITS[default_model.task.inputs]
    for side in default_model.task.sides:
        assert f"at most {limit}" in refused(default_model, side, "a " * (limit + 1))
        assert f"at most {MAX_CHARACTERS:,}" in refused(default_model, side, "a" * (MAX_CHARACTERS + 1))


def test_the_longest_accepted_input_is_answered(default_model: AttentionModel) -> None:
    ends = default_model.task.output == "text"  # a subword text has an end token
    text = "a " * (LIMITS[default_model.task.inputs] - ends)
    result = default_model.attend([asked(default_model, text, text)])[0]
    assert all(len(tokens) <= LIMITS[default_model.task.inputs] + 1 for tokens in result.tokens.values())


def test_inputs_of_another_task_are_refused_by_name(default_model: AttentionModel) -> None:
    for wrong in (Sentence("a"), SentencePair("a", "b"), SourceText("a")):
        if not isinstance(wrong, default_model.task.inputs):
            with pytest.raises(ValueError, match=type(wrong).__name__):
                default_model.attend([wrong])


# --- training, devices, files ------------------------------------------------------------------


def test_training_steps_lower_the_loss_of_one_batch(fresh_model: AttentionModel) -> None:
    model = fresh_model
    batch = model.collate([model.encode_example(example) for example in tiny_examples(model)])
    before = float(model.loss(batch).detach())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    torch.manual_seed(0)
    for _ in range(10):
        model.train()
        optimizer.zero_grad()
        model.loss(batch).backward()
        optimizer.step()
    assert float(model.eval().loss(batch).detach()) < before


class RefuseDevicelessTensors(TorchFunctionMode):
    """Refuses calls that make a tensor on the default device instead of the model's."""

    MAKERS = frozenset(
        getattr(torch, name)
        for name in (
            *("tensor", "as_tensor", "scalar_tensor", "zeros", "ones", "empty", "full", "arange", "range"),
            *(
                "linspace",
                "logspace",
                "eye",
                "rand",
                "randn",
                "randint",
                "randperm",
                "normal",
                "empty_strided",
            ),
            *("tril_indices", "triu_indices", "hann_window", "from_numpy", "asarray"),
        )
    )

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in self.MAKERS and kwargs.get("device") is None:
            takes_a_tensor = args and isinstance(args[0], torch.Tensor)
            assert takes_a_tensor, f"torch.{func.__name__} was called without a device"
        return func(*args, **kwargs)


def test_no_tensor_is_made_without_its_device(fresh_model: AttentionModel) -> None:
    model = fresh_model
    examples = [model.encode_example(example) for example in tiny_examples(model)]
    with RefuseDevicelessTensors():
        model.attend(batch_inputs(model))
        model.predict([model.encode(given) for given in batch_inputs(model)])
        model.loss(model.collate(examples)).backward()


@pytest.mark.gpu
@pytest.mark.parametrize("name", VARIANTS)
def test_an_accelerator_gives_the_numbers_of_the_cpu(name: str) -> None:
    model, elsewhere = variant(name), build(name).to(registry.choose_device())
    for here, there in zip(answers(model), elsewhere.attend(batch_inputs(model)), strict=True):
        assert_same(here, there, 1e-4)


def test_a_saved_and_loaded_model_gives_the_same_result(model: AttentionModel, tmp_path: Path) -> None:
    card = ModelCard(
        slug="tiny",
        title="tiny",
        model=model.name,
        task=model.task.name,
        config=vars(model.config),
        data="ours",
        data_size={},
        metrics={},
        seed=0,
        steps=0,
        minutes=0.0,
        date="2017-01-01",
        parameters=registry.count_parameters(model),
    )
    registry.save(model, tmp_path, card)
    again = registry.load("tiny", "cpu", folder=tmp_path)
    for one, other in zip(answers(model), again.attend(batch_inputs(model)), strict=True):
        assert_same(one, other, 0)
        assert other.checkpoint == "tiny"
