"""The models there are, and loading and saving their checkpoints (safetensors and JSON, no pickle)."""

from __future__ import annotations

import copy
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_model, save_model

from modelzoo.cards import WEIGHTS_FILE, CheckpointError, ModelCard, checkpoint_folder, damaged, read_card
from modelzoo.models.base import AttentionModel
from modelzoo.models.conv_s2s import ConvS2S
from modelzoo.models.decomposable import Decomposable
from modelzoo.models.rnn_search import RNNSearch
from modelzoo.models.self_attentive import SelfAttentive
from modelzoo.text import load_text

MODELS: dict[str, type[AttentionModel]] = {
    "self-attentive": SelfAttentive,
    "rnn-search": RNNSearch,
    "decomposable": Decomposable,
    "conv-s2s": ConvS2S,
}


def choose_device(device: str = "auto") -> torch.device:
    """`auto` is CUDA, else MPS, else the CPU; ValueError for a device this machine lacks."""
    if device != "auto":
        try:
            return torch.empty(0, device=device).device
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"the device is {device!r}; this machine has {_devices()}") from error
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _devices() -> str:
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return ", ".join(["cpu", *(["cuda"] if torch.cuda.is_available() else []), *mps])


def use_threads(count: int) -> None:
    """How many threads one model call may use on the CPU, for the whole process."""
    torch.set_num_threads(count)


def load(slug: str, device: str = "auto", *, folder: Path | None = None) -> AttentionModel:
    """A checkpoint's model, in eval mode on the device; looked up by slug unless its folder is given.

    Raises CheckpointError when a file is missing or damaged.
    """
    folder = folder or checkpoint_folder(slug)
    card = read_card(slug, folder)
    if card.model not in MODELS:
        raise CheckpointError(
            f"the card of {slug} names the model {card.model!r}; there are {', '.join(MODELS)}"
        )
    path = folder / "text.json"
    try:
        text = load_text(folder)
        path = folder / "card.json"
        model = MODELS[card.model](config_of(MODELS[card.model], card.config), text)
        path = folder / WEIGHTS_FILE
        load_model(model, path)
    except CheckpointError:
        raise
    except (OSError, SafetensorError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise damaged(path, slug, card.made_by) from error
    except Exception as error:  # tokenizers raises a bare Exception for a damaged file
        raise damaged(folder / "tokenizer.json", slug, card.made_by) from error
    model.checkpoint, model.usual_lengths = slug, card.usual_lengths
    return model.to(choose_device(device)).eval()


def save(
    model: AttentionModel, folder: Path, card: ModelCard, *, precision: torch.dtype = torch.float32
) -> None:
    """Write a checkpoint: weights aside first and then renamed, text files, the card last."""
    folder.mkdir(parents=True, exist_ok=True)
    model.text.save(folder)
    aside = folder / f"{WEIGHTS_FILE}.part"
    save_model(copy.deepcopy(model).to("cpu", precision), str(aside))  # tied weights are stored once
    aside.chmod(0o644)
    aside.replace(folder / WEIGHTS_FILE)
    card.save(folder)


def config_of(model: type[AttentionModel], values: dict[str, Any]) -> Any:
    """A model's config from a card's JSON: lists become tuples; ValueError for an unknown field."""
    known = {f.name for f in fields(model.Config)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise ValueError(f"unknown config fields {unknown} of {model.name}; accepted are {sorted(known)}")
    return model.Config(**{name: _tuples(value) for name, value in values.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def count_parameters(model: AttentionModel) -> int:
    """The number of learned weights."""
    return sum(parameter.numel() for parameter in model.parameters())
