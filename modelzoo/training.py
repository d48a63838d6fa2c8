"""The one training loop: batches by size, dev metric, early stopping, best weights, resume after kill -9.

Everything random depends on the seed and the step alone, so a resumed run makes the same updates.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, cast

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tqdm import tqdm

from modelzoo.evaluation import evaluate
from modelzoo.models.base import AttentionModel, EncodedInputs
from modelzoo.probes import is_due
from modelzoo.recorder import Recorder
from modelzoo.tasks import Example, Inputs

RESUME_SECONDS = 60
POOL = 50
"""Batches that are drawn together and sorted by size."""


@dataclass(frozen=True)
class TrainConfig:
    """How a checkpoint is trained. `average_decay` > 0 evaluates and keeps an exponential mean of the
    weights; `plateau` divides the rate by ten whenever the dev metric does not rise."""

    epochs: int
    batch_size: int
    learning_rate: float
    optimizer: Literal["adam", "adagrad", "adadelta", "nesterov"] = "adam"
    schedule: Literal["constant", "cosine", "plateau"] = "constant"
    warmup_steps: int = 0
    clip_norm: float = 1.0
    weight_decay: float = 0.0
    average_decay: float = 0.0
    evaluations_per_epoch: int = 1
    patience: int = 5
    metric: str = "accuracy"
    precision: Literal["float32", "bfloat16"] = "float32"
    seed: int = 1


@dataclass
class Progress:
    """Where a run stands; goes into the resume file and, as the record of the run, beside the weights."""

    step: int = 0
    seconds: float = 0.0
    rate_scale: float = 1.0
    best: float = -math.inf
    best_step: int = 0
    misses: int = 0
    finished: bool = False
    history: list[dict[str, float]] = field(default_factory=list)


class Trainer:
    """One run: `keep(model, progress)` is called whenever the dev metric reaches a new best; what the model
    says of the probes while it learns is recorded beside the weights."""

    def __init__(
        self,
        model: AttentionModel,
        config: TrainConfig,
        folder: Path,
        keep: Callable[[AttentionModel, Progress], None],
        probes: Sequence[Inputs] = (),
    ) -> None:
        self.model, self.config, self.keep = model, config, keep
        self.resume_file = folder / "resume" / "state.safetensors"
        self.record_file = folder / "training.json"
        self.optimizer = _optimizer(model, config)
        self.average: AveragedModel | None = None
        if config.average_decay:
            self.average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(config.average_decay))
        self.progress = Progress()
        self.recorder = Recorder(probes, folder)
        self.origin = ""
        self.started = time.monotonic()
        is_asked = config.precision == "bfloat16"
        self.low = is_asked and multiplies_bfloat16(model.device)
        if is_asked and not self.low:
            sys.stderr.write("this processor has no bfloat16 of its own, so training runs in float32\n")

    def fit(self, train: Sequence[Example], dev: Sequence[Example], minutes: float = math.inf) -> Progress:
        """Train until the last epoch, until the dev metric has not risen for `patience` evaluations, or
        until `minutes` are over; the run can then be resumed."""
        examples = self._encode(train)
        sizes = np.array([example.size for example in examples])
        self.origin = fingerprint(self.model, train)
        self._resume()
        self.recorder.resume(self.progress.step)
        self._record()
        per_epoch = math.ceil(len(examples) / self.config.batch_size)
        total = per_epoch * self.config.epochs
        every = max(1, per_epoch // self.config.evaluations_per_epoch)
        bar = tqdm(total=total, initial=self.progress.step, unit="step", mininterval=5, dynamic_ncols=True)
        self.started = saved = time.monotonic()
        losses: list[float] = []
        batches: list[np.ndarray] = []
        ends = time.monotonic() + 60 * minutes
        while self.progress.step < total and not self.progress.finished and time.monotonic() < ends:
            epoch, position = divmod(self.progress.step, per_epoch)
            if position == 0 or not batches:
                batches = epoch_batches(sizes, self.config.batch_size, (self.config.seed, epoch))
            losses.append(self._update([examples[i] for i in batches[position]], total))
            self.progress.step += 1
            bar.update()
            due = self.progress.step % every == 0 or self.progress.step == total
            if due:
                self._count_time()
                bar.set_postfix(self._evaluate(dev, float(np.mean(losses))))
                losses = []
            self._record()
            if due or time.monotonic() - saved > RESUME_SECONDS:
                self._count_time()
                self._save()
                saved = time.monotonic()
        self.progress.finished |= self.progress.step >= total
        self._record()
        self._save()
        bar.close()
        return self.progress

    def _encode(self, train: Sequence[Example]) -> list[EncodedInputs]:
        """The examples that the model reads; those over its limits are left out and counted on stderr."""
        encoded = []
        for example in train:
            with contextlib.suppress(ValueError):
                encoded.append(self.model.encode_example(example))
        if len(encoded) < len(train):
            left_out = len(train) - len(encoded)
            sys.stderr.write(f"{left_out} training examples are over the limits and left out\n")
        if not encoded:
            raise ValueError("there is no training example that the model can read")
        return encoded

    def _update(self, examples: Sequence[EncodedInputs], total: int) -> float:
        config, step = self.config, self.progress.step
        torch.manual_seed(config.seed * 1_000_003 + step)
        self.model.train()
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * self.progress.rate_scale * rate_factor(config, step, total)
        batch = self.model.collate(examples)
        with torch.autocast(self.model.device.type, torch.bfloat16, enabled=self.low):
            loss = self.model.loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), config.clip_norm)
        self.optimizer.step()
        if self.average is not None:
            self.average.update_parameters(self.model)
        return float(loss.detach())

    def _count_time(self) -> None:
        now = time.monotonic()
        self.progress.seconds += now - self.started
        self.started = now

    @property
    def _kept(self) -> AttentionModel:
        """The model whose weights are evaluated and kept: the one in training, or the mean of its weights."""
        return self.model if self.average is None else cast(AttentionModel, self.average.module)

    def _record(self) -> None:
        """Ask the probes when it is their turn, and at the end."""
        progress = self.progress
        if is_due(progress.step) or progress.finished:
            dev = progress.history[-1][f"dev_{self.config.metric}"] if progress.history else None
            self.recorder.record(self._kept, progress.step, dev)

    def _evaluate(self, dev: Sequence[Example], loss: float) -> dict[str, float]:
        model, progress, config = self._kept, self.progress, self.config
        value = evaluate(model, dev).metrics[config.metric]
        progress.history.append(
            {"step": progress.step, "loss": round(loss, 5), f"dev_{config.metric}": round(value, 5),
             "minutes": round(progress.seconds / 60, 2)}
        )  # fmt: skip
        if value > progress.best:
            progress.best, progress.best_step, progress.misses = value, progress.step, 0
            self.keep(model, progress)
        else:
            progress.misses += 1
            if config.schedule == "plateau":
                progress.rate_scale /= 10
        progress.finished = progress.misses >= config.patience
        record = {"config": asdict(config), "history": progress.history, "best_step": progress.best_step}
        self.record_file.parent.mkdir(parents=True, exist_ok=True)
        self.record_file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return {"loss": loss, config.metric: value, "best": progress.best}

    def _save(self) -> None:
        """Weights, optimiser and progress in one file, aside first and then renamed."""
        tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        if self.average is not None:
            tensors |= {f"average.{k}": v for k, v in self.average.state_dict().items()}
        state = self.optimizer.state_dict()["state"]
        tensors |= {f"optimizer.{i}.{k}": torch.as_tensor(v) for i, s in state.items() for k, v in s.items()}
        self.resume_file.parent.mkdir(parents=True, exist_ok=True)
        aside = self.resume_file.with_suffix(".part")
        about = {"progress": json.dumps(asdict(self.progress)), "config": json.dumps(asdict(self.config))}
        about["origin"] = self.origin
        save_file({k: v.detach().contiguous().clone() for k, v in tensors.items()}, aside, about)
        aside.replace(self.resume_file)

    def _resume(self) -> None:
        """Go on from the resume file, if there is one of the same configuration."""
        if not self.resume_file.exists():
            return
        with safe_open(self.resume_file, "pt") as file:
            about = file.metadata()
            config = TrainConfig(**json.loads(about["config"]))  # options it does not name did not exist yet
            if config != self.config or about.get("origin", self.origin) != self.origin:
                raise ValueError(
                    f"{self.resume_file} is of a run with another configuration or other data; "
                    "delete its folder to start anew, or restore them"
                )
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.progress = Progress(**json.loads(about["progress"]))
        self.model.load_state_dict(_under(tensors, "model."))
        if self.average is not None:
            self.average.load_state_dict(_under(tensors, "average."))
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(tensors, "optimizer.").items():
            index, key = name.split(".", 1)
            state.setdefault(int(index), {})[key] = value
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})


def multiplies_bfloat16(device: torch.device) -> bool:
    """Whether the device multiplies bfloat16 itself; a CPU that imitates it is slower than in float32."""
    able = torch.cpu.get_capabilities() if device.type == "cpu" else {"bf16": True}
    return any(able.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def fingerprint(model: AttentionModel, train: Sequence[Example]) -> str:
    """A hash of what a run is about: the model, its configuration and the training examples."""
    hashed = hashlib.sha1(f"{model.name} {model.config}".encode())
    for example in train:
        hashed.update(repr(example).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def epoch_batches(sizes: np.ndarray, batch_size: int, seed: tuple[int, int]) -> list[np.ndarray]:
    """Indices of one epoch: shuffled, sorted by size within pools of batches, the batches shuffled."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(sizes))
    batches = []
    for start in range(0, len(order), POOL * batch_size):
        pool = order[start : start + POOL * batch_size]
        pool = pool[np.argsort(sizes[pool], kind="stable")]
        batches += [pool[i : i + batch_size] for i in range(0, len(pool), batch_size)]
    return [batches[i] for i in generator.permutation(len(batches))]


def rate_factor(config: TrainConfig, step: int, total: int) -> float:
    """What the learning rate is multiplied by: linear warm-up, then constant, or a half cosine to 0.02."""
    warm = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    if config.schedule != "cosine":
        return warm
    return warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / total)))


def _optimizer(model: AttentionModel, config: TrainConfig) -> torch.optim.Optimizer:
    """The optimiser with its paper's constants (Adadelta: Bahdanau; Adagrad: Parikh; Nesterov: Gehring)."""
    weights = [p for p in model.parameters() if p.requires_grad]
    rate, decay = config.learning_rate, config.weight_decay
    if config.optimizer == "adam":
        return torch.optim.AdamW(weights, rate, weight_decay=decay, fused=True)
    if config.optimizer == "adagrad":
        return torch.optim.Adagrad(weights, rate, weight_decay=decay, initial_accumulator_value=0.1)
    if config.optimizer == "adadelta":
        return torch.optim.Adadelta(weights, rate, rho=0.95, eps=1e-6, weight_decay=decay)
    return torch.optim.SGD(weights, rate, momentum=0.99, nesterov=True, weight_decay=decay)
