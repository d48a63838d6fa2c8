"""The training loop: lower loss, best weights, early stopping, and resuming after kill -9."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from modelzoo.models.base import AttentionModel
from modelzoo.training import Progress, TrainConfig, Trainer, epoch_batches, rate_factor
from tests.tiny import tiny_examples, tiny_model

CONFIG = TrainConfig(epochs=4, batch_size=4, learning_rate=1e-2, patience=99)


def trained(
    folder: Path, config: TrainConfig = CONFIG, stop_at: int | None = None
) -> tuple[AttentionModel, Progress]:
    """A tiny model after training in a folder; `stop_at` breaks off after so many updates."""
    model = tiny_model("self-attentive", penalty=0.1)
    trainer = Trainer(model, config, folder, lambda best, progress: None)
    if stop_at is not None:
        update = trainer._update

        def stopping(examples: object, total: int) -> float:
            if trainer.progress.step == stop_at:
                raise KeyboardInterrupt
            return update(examples, total)  # type: ignore[arg-type]

        trainer._update = stopping  # type: ignore[method-assign]
    examples = tiny_examples(model)
    return model, trainer.fit(examples, examples[:4])


def test_training_lowers_the_loss(tmp_path: Path) -> None:
    _, progress = trained(tmp_path)
    losses = [entry["loss"] for entry in progress.history]
    assert losses[-1] < losses[0]
    assert json.loads((tmp_path / "training.json").read_text())["history"] == progress.history


@pytest.mark.parametrize("average_decay", [0.0, 0.9])
@pytest.mark.parametrize("optimizer", ["adam", "adagrad", "adadelta", "nesterov"])
def test_a_resumed_run_equals_an_uninterrupted_one(
    tmp_path: Path, optimizer: str, average_decay: float
) -> None:
    config = TrainConfig(
        epochs=3,
        batch_size=4,
        learning_rate=1e-2,
        optimizer=optimizer,
        average_decay=average_decay,
        patience=99,
    )
    whole, _ = trained(tmp_path / "whole", config)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "cut", config, stop_at=7)  # in the middle of the second epoch
    resumed, progress = trained(tmp_path / "cut", config)
    assert progress.step == 12
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_a_finished_run_is_not_trained_again(tmp_path: Path) -> None:
    first, _ = trained(tmp_path)
    again, _ = trained(tmp_path)
    for name, value in first.state_dict().items():
        assert torch.equal(value, again.state_dict()[name]), name


def test_a_run_stopped_by_the_clock_goes_on_later(tmp_path: Path) -> None:
    whole, _ = trained(tmp_path / "whole")
    model = tiny_model("self-attentive", penalty=0.1)
    examples = tiny_examples(model)
    stopped = Trainer(model, CONFIG, tmp_path / "cut", lambda best, progress: None).fit(
        examples, examples[:4], minutes=0
    )
    assert (stopped.step, stopped.finished) == (0, False)
    resumed, progress = trained(tmp_path / "cut")
    assert progress.finished
    assert all(torch.equal(value, resumed.state_dict()[name]) for name, value in whole.state_dict().items())


def test_another_configuration_does_not_resume(tmp_path: Path) -> None:
    trained(tmp_path)
    with pytest.raises(ValueError, match="another configuration"):
        trained(tmp_path, TrainConfig(epochs=4, batch_size=5, learning_rate=1e-2))


def test_early_stopping_keeps_the_best_step(tmp_path: Path) -> None:
    config = TrainConfig(epochs=50, batch_size=4, learning_rate=0.0, patience=3)  # nothing is learned
    _, progress = trained(tmp_path, config)
    assert progress.step == 4 * (1 + 3)
    assert progress.best_step == 4


def test_every_example_is_seen_once_an_epoch_and_orders_differ() -> None:
    sizes = np.arange(103)
    first, second = epoch_batches(sizes, 8, (1, 0)), epoch_batches(sizes, 8, (1, 1))
    assert sorted(np.concatenate(first)) == list(range(103))
    assert len(first) == -(-103 // 8)
    assert [b.tolist() for b in first] == [b.tolist() for b in epoch_batches(sizes, 8, (1, 0))]
    assert [b.tolist() for b in first] != [b.tolist() for b in second]


def test_the_rate_warms_up_and_falls() -> None:
    config = TrainConfig(epochs=1, batch_size=1, learning_rate=1.0, schedule="cosine", warmup_steps=10)
    factors = [rate_factor(config, step, 100) for step in range(100)]
    assert factors[0] == pytest.approx(0.1, rel=0.01)
    assert max(factors) == max(factors[8:14])
    assert 0.02 <= factors[-1] < 0.03


KILLED = """
import sys
from pathlib import Path
import modelzoo.training as training
from tests.test_training import CONFIG, tiny_examples, tiny_model
training.RESUME_SECONDS = 0
model = tiny_model("self-attentive", penalty=0.1)
trainer = training.Trainer(model, CONFIG, Path(sys.argv[1]), lambda best, progress: None)
save = trainer._save
def saving():
    save()
    print(trainer.progress.step, flush=True)
trainer._save = saving
examples = tiny_examples(model)
trainer.fit(examples, examples[:4])
"""


def test_a_run_killed_with_nine_resumes_to_the_same_weights(tmp_path: Path) -> None:
    whole, _ = trained(tmp_path / "whole")
    command = [sys.executable, "-c", KILLED, str(tmp_path / "cut")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 6:
                process.send_signal(signal.SIGKILL)
                break
    resumed, progress = trained(tmp_path / "cut")
    assert progress.step == 16
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name
