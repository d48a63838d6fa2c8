"""A folder of tiny checkpoints, one per model, for tests that open the app."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from modelzoo.cards import ModelCard
from tests.tiny import tiny_model

SLUGS = {
    "self-attentive": "self-attentive-tiny",
    "rnn-search": "rnn-search-tiny",
    "decomposable": "decomposable-tiny",
    "conv-s2s": "conv-s2s-tiny",
}


def write_checkpoint(folder: Path, model: str, slug: str, **overrides: Any) -> ModelCard:
    """Write the tiny model of that name (with another seed or config) as a checkpoint under `folder`."""
    from modelzoo.registry import count_parameters, save

    made = tiny_model(model, **overrides)
    card = ModelCard(
        slug=slug,
        title=f"Tiny {model}",
        model=model,
        task=made.task.name,
        config=asdict(made.config),
        data="fifteen sentences of this test",
        data_size={"train": 15},
        metrics={},
        seed=0,
        steps=0,
        minutes=0.0,
        date="2026-01-01",
        parameters=count_parameters(made),
    )
    save(made, folder / slug, card)
    return card


def write_checkpoints(folder: Path) -> None:
    """Write one tiny checkpoint per model."""
    for model, slug in SLUGS.items():
        write_checkpoint(folder, model, slug)
