"""Model cards: what each checkpoint is, how it was made, how well it does, and where it lies.

Checkpoints are the folders with a card.json under `assets/checkpoints`, and under the folder that
ATLAS_CHECKPOINTS names. A slug is looked up in that list and never joined to a path.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

ROOT = Path(__file__).resolve().parent.parent
CHECKPOINTS_VARIABLE = "ATLAS_CHECKPOINTS"
CHECKPOINTS_DIR = ROOT / "assets" / "checkpoints"
VECTORS_DIR = ROOT / "assets" / "vectors"
CARD_FILE, WEIGHTS_FILE, TRAINING_FILE = "card.json", "model.safetensors", "training.json"
TEXT_FILE = "text.json"


class CheckpointError(ValueError):
    """A checkpoint that is missing or damaged; the message names the file and the command that makes it."""


@dataclass(frozen=True)
class Score:
    """How well a checkpoint does on some rows: metrics by name with their 95 % intervals; `beside` are
    baselines by name, on the same rows."""

    split: str
    rows: int
    metrics: dict[str, float]
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    beside: dict[str, float] = field(default_factory=dict)

    def number(self, metric: str) -> str:
        """A metric with its interval, as `0.863 (0.847 to 0.878)`."""
        ends = (shown(end, metric) for end in self.intervals.get(metric, ()))
        between = " to ".join(ends)
        return shown(self.metrics[metric], metric) + (f" ({between})" if between else "")

    def baselines(self, metric: str) -> str:
        """What stands beside it, as `most frequent label 0.499, naive Bayes 0.831`."""
        return ", ".join(f"{name} {shown(value, metric)}" for name, value in self.beside.items())


@dataclass(frozen=True)
class Measure:
    """How well something attends: on which data, which map or baseline, and its numbers by name."""

    data: str
    method: str
    values: dict[str, float]


@dataclass(frozen=True)
class ModelCard:
    """One checkpoint's card. `metrics` are by name, as `dev_accuracy`, with 95 % `intervals`, and `beside`
    are the baselines of a split; `limits` say where it fails, `known_failures` and `lengths` (of the source)
    by how much. `attention` is how well it attends, beside baselines. 99 % of the training examples have at
    most `usual_lengths` tokens a side. `made_by` is the command, when that is not its slug's."""

    slug: str
    title: str
    model: str
    task: str
    config: dict[str, Any]
    data: str
    data_size: dict[str, int]
    metrics: dict[str, float]
    seed: int
    steps: int
    minutes: float
    date: str
    parameters: int
    beam_size: int = 1
    languages: tuple[str, ...] = ("en",)
    sources: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    training: dict[str, Any] = field(default_factory=dict)
    intervals: dict[str, list[float]] = field(default_factory=dict)
    beside: dict[str, dict[str, float]] = field(default_factory=dict)
    known_failures: tuple[Score, ...] = ()
    lengths: tuple[Score, ...] = ()
    attention: tuple[Measure, ...] = ()
    usual_lengths: dict[str, int] = field(default_factory=dict)
    made_by: str = ""

    @property
    def command(self) -> str:
        """The command that makes this checkpoint."""
        return self.made_by or train_command(self.slug)

    @property
    def metric(self) -> str:
        """The metric it was chosen by; empty where nothing was measured."""
        measured = [name.partition("_")[2] for name in self.metrics]
        chosen = self.training.get("metric", "")
        return chosen if chosen in measured else (measured or [""])[0]

    def score(self, split: str) -> Score | None:
        """dev or test by the card's metric; None where it was not measured."""
        name = f"{split}_{self.metric}"
        if name not in self.metrics:
            return None
        ends = self.intervals.get(name)
        intervals = {self.metric: (ends[0], ends[1])} if ends else {}
        value = {self.metric: self.metrics[name]}
        return Score(split, self.data_size.get(split, 0), value, intervals, self.beside.get(split, {}))

    def save(self, folder: Path) -> None:
        """Write card.json, aside first and then renamed."""
        folder.mkdir(parents=True, exist_ok=True)
        aside = folder / f"{CARD_FILE}.part"
        aside.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        aside.replace(folder / CARD_FILE)


def named(metric: str) -> str:
    """A metric as people write it."""
    return {"bleu": "BLEU", "chrf": "chrF", "rouge1": "ROUGE-1"}.get(metric, metric)


def shown(value: float, metric: str) -> str:
    """A number with the digits that its metric deserves."""
    return f"{value:.3f}" if metric == "accuracy" else f"{value:.1f}"


def train_command(slug: str) -> str:
    """The command that makes a checkpoint."""
    return f"python -m modelzoo train {slug}"


def checkpoint_folders() -> dict[str, Path]:
    """Slug → folder of every checkpoint there is, shipped ones first, in alphabetical order."""
    found: dict[str, Path] = {}
    extra = os.environ.get(CHECKPOINTS_VARIABLE)
    for parent in (CHECKPOINTS_DIR, *([Path(extra)] if extra else [])):
        try:
            inside = sorted(parent.iterdir()) if parent.is_dir() else []
        except OSError:  # `folder_problems` says why
            inside = []
        found |= {folder.name: folder for folder in inside if (folder / CARD_FILE).is_file()}
    return found


def folder_problems() -> tuple[str, ...]:
    """What is wrong with the folder that ATLAS_CHECKPOINTS names; a damaged card says so by itself."""
    extra = os.environ.get(CHECKPOINTS_VARIABLE)
    if not extra:
        return ()
    folder = Path(extra)
    if not folder.is_dir():
        state = "is a file" if folder.exists() else "does not exist"
        return (f"ATLAS_CHECKPOINTS names {extra}, which {state}; accepted is a folder of checkpoints",)
    try:
        inside = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] != "."]
    except OSError as error:
        return (f"the folder {extra} of ATLAS_CHECKPOINTS cannot be read: {error.strerror}",)
    without = [path.name for path in inside if not (path / CARD_FILE).is_file()]
    if len(without) == len(inside):
        return (f"the folder {extra} of ATLAS_CHECKPOINTS holds no checkpoint, a folder with a {CARD_FILE}",)
    twice = [path.name for path in inside if (CHECKPOINTS_DIR / path.name / CARD_FILE).is_file()]
    same = folder.resolve() == CHECKPOINTS_DIR.resolve()
    return tuple(
        f"{', '.join(names[:5])} of ATLAS_CHECKPOINTS {said}"
        for names, said in (
            (without, f"has no {CARD_FILE}, so it is left out"),
            ([] if same else twice, "stands in for the shipped checkpoint of that name"),
        )
        if names
    )


def checkpoint_folder(slug: str) -> Path:
    """The folder of a slug; CheckpointError when there is no such checkpoint."""
    folders = checkpoint_folders()
    if slug not in folders:
        known = ", ".join(folders) or "none"
        raise CheckpointError(
            f"there is no checkpoint named {slug!r} (no {CARD_FILE}); there are: {known}. "
            f"`python -m modelzoo train` lists the ones that can be made."
        )
    return folders[slug]


def read_card(slug: str, folder: Path | None = None) -> ModelCard:
    """The card of a checkpoint (in its folder, or looked up); CheckpointError when it cannot be read."""
    path = (folder or checkpoint_folder(slug)) / CARD_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        known = {f.name for f in fields(ModelCard)}
        values["slug"] = slug  # that of its folder, also where the folder was copied
        for name in {"languages", "sources", "limits"} & values.keys():
            values[name] = tuple(values[name])
        for name in ("known_failures", "lengths"):
            values[name] = tuple(_score(one) for one in values.get(name, ()))
        values["attention"] = tuple(Measure(**one) for one in values.get("attention", ()))
        values["usual_lengths"] = {side: int(n) for side, n in values.get("usual_lengths", {}).items()}
        card = ModelCard(**{name: value for name, value in values.items() if name in known})
        hints = get_type_hints(ModelCard)
        if not card.languages or not all(_fits(getattr(card, name), hints[name]) for name in known):
            raise TypeError(f"a field of {path} is of another type")
        return card
    except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise damaged(path, slug) from error


def _fits(value: Any, kind: Any) -> bool:
    """Whether what a card says of a field is of the field's type, and what it holds as well."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin is None:
        return isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
    held = value.values() if isinstance(value, dict) else value
    return isinstance(value, origin) and all(_fits(one, inner[-1 if origin is dict else 0]) for one in held)


def _score(values: dict[str, Any]) -> Score:
    ends = {name: (float(low), float(high)) for name, (low, high) in values.get("intervals", {}).items()}
    return Score(**{**values, "intervals": ends})


def file_problems(card: ModelCard) -> tuple[CheckpointError, ...]:
    """What is wrong with the files beside a good card, as far as it shows without reading them whole."""
    folder = checkpoint_folder(card.slug)
    wrong = [path for path in (folder / WEIGHTS_FILE, *_text_files(folder)) if not _is_whole(path)]
    return tuple(damaged(path, card.slug, card.made_by) for path in wrong)


def _text_files(folder: Path) -> list[Path]:
    """The files of a checkpoint's text side; text.json tells which there are beside it."""
    path = folder / TEXT_FILE
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["kind"] == "subwords":
            return [path, folder / "tokenizer.json"]
        name = Path(str(about["vectors"])).name
        place = VECTORS_DIR if about["shared"] else folder
        return [path, place / f"{name}.safetensors", place / f"{name}.txt"]
    except (OSError, ValueError, TypeError, KeyError):
        return [path]


def _is_whole(path: Path) -> bool:
    """Whether a file is there and, where that shows quickly, neither cut nor of another kind."""
    from safetensors import SafetensorError, safe_open

    try:
        if path.suffix == ".safetensors":
            with safe_open(path, framework="numpy"):
                return True
        return path.is_file() and (
            path.suffix != ".json" or isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
        )
    except (OSError, ValueError, SafetensorError):
        return False


def read_history(slug: str) -> list[dict[str, float]]:
    """The evaluations of a checkpoint's run, in order; none where it has no record that can be read."""
    try:
        record = json.loads((checkpoint_folder(slug) / TRAINING_FILE).read_text(encoding="utf-8"))
        return [{str(k): float(v) for k, v in entry.items()} for entry in record["history"]]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []


def list_cards() -> list[ModelCard]:
    """The cards that can be read. What is wrong with the others is said by `read_card` of their slug."""
    cards = []
    for slug in checkpoint_folders():
        try:
            cards.append(read_card(slug))
        except CheckpointError:
            continue
    return cards


def damaged(path: Path, slug: str, made_by: str = "") -> CheckpointError:
    """The error that names a missing or damaged file of a checkpoint and the command that makes it."""
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    state = "is damaged" if path.exists() else "is missing"
    return CheckpointError(
        f"the checkpoint file {shown} {state}; `{made_by or train_command(slug)}` makes it anew"
    )
