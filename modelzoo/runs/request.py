"""What is asked of a run, and its identity: a hash of weights, data, columns, labels and settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from modelzoo.cards import CARD_FILE, TRAINING_FILE, ModelCard, checkpoint_folder, read_card
from modelzoo.data.tables import (
    Columns,
    Layout,
    Reader,
    Survey,
    check_columns,
    check_label_map,
    survey,
)
from modelzoo.data.tables.lines import readable
from modelzoo.runs.folder import RUN_FILE, record_lock, run_folder, touch_uploads
from modelzoo.runs.record import Run, Settings, now, read_run
from modelzoo.tasks import TASKS, Sentence

PART_ROWS = {"label": 2_000, "text": 500}
"""By what a model gives, the records of a file that one Parquet part covers; a killed run loses at most so
many, and a text takes longer than a label."""
VERSION = 2
"""Of what a part holds; another one is another run."""
NO_WEIGHTS = (CARD_FILE, TRAINING_FILE, "probes*.npz")
"""Files of a checkpoint that decide no answer."""


@dataclass(frozen=True)
class Request:
    """A checkpoint, a file and how it is read, and the settings.

    `name` is what the data is called; `part_rows` the records of a part, None as is usual for the model.
    """

    slug: str
    layout: Layout
    columns: Columns
    label_map: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    name: str = ""
    part_rows: int | None = None


def reader_of(card: ModelCard) -> Reader:
    """What a checkpoint reads: its task, labels and languages."""
    return Reader(TASKS[card.task], tuple(card.config.get("labels", ())), card.languages)


def request_of(run: Run) -> Request:
    """The request that a run came from, so that it can go on."""
    return Request(
        run.slug, run.layout, run.columns, run.label_map, run.settings, run.data_name, run.part_rows
    )


def prepare(request: Request) -> Run:
    """The run of a request: the one there is, or a new one, checked and counted but not begun.

    Reads the file once, up to the limit. ValueError when the request does not fit the file or the model.
    """
    card = read_card(request.slug)
    reader = reader_of(card)
    part_rows = request.part_rows or PART_ROWS[reader.task.output]
    request = replace(request, part_rows=part_rows)
    check_columns(request.layout, request.columns, reader.task)
    if reader.task.output == "label":
        check_label_map(request.label_map, reader.labels)
    if request.settings.is_cut and reader.task.inputs is not Sentence:
        raise ValueError(f"texts are cut for models that read one text; {request.slug} does {card.task}")
    touch_uploads(request.layout.files)
    weights, data = weights_hash(request.slug), data_hash(request.layout)
    run_id = _identity(request, weights, data)
    if (run_folder(run_id) / RUN_FILE).is_file():
        return read_run(run_id)
    counted = _counted(request, reader)
    run = Run(
        id=run_id,
        slug=request.slug,
        task=card.task,
        weights=weights,
        data_name=request.name or " and ".join(file.name for file in request.layout.files),
        data=data,
        layout=replace(request.layout, files=tuple(file.absolute() for file in request.layout.files)),
        columns=request.columns,
        labels=reader.labels,
        languages=reader.languages,
        label_map=dict(request.label_map),
        settings=request.settings,
        part_rows=part_rows,
        rows=counted.rows,
        label_counts=counted.labels,
        created=now(),
    )
    with record_lock(run_id):  # meanwhile another session may have asked the same, and begun
        return read_run(run_id) if (run.folder / RUN_FILE).is_file() else run.save()


def _counted(request: Request, reader: Reader) -> Survey:
    """The rows up to the limit and their labels. ValueError where none can be read."""
    columns = request.columns if reader.task.output == "label" else None
    counted = survey(request.layout, columns, limit=request.settings.limit)
    if counted.unread == counted.rows:
        why = f"; line {counted.listed[0].line}: {counted.listed[0].reason}" if counted.listed else ""
        some = f" of the first {counted.rows:,}" if request.settings.limit else ""
        raise ValueError(f"no row{some} of {request.layout.files[0]} can be read{why}")
    return counted


def check_unchanged(run: Run) -> None:
    """ValueError when the data or the weights are no longer those that the run began with."""
    if data_hash(run.layout) != run.data:
        raise ValueError(
            f"{' and '.join(map(str, run.layout.files))} changed since the run began; start a new run"
        )
    if weights_hash(run.slug) != run.weights:
        raise ValueError(f"the checkpoint {run.slug} changed since the run began; start a new run")


def _identity(request: Request, weights: str, data: str) -> str:
    layout = {name: value for name, value in asdict(request.layout).items() if name != "files"}
    parts = {
        "version": VERSION,
        "slug": request.slug,
        "weights": weights,
        "data": data,
        "layout": layout,
        "columns": asdict(request.columns),
        "label_map": dict(request.label_map),
        "settings": asdict(request.settings),
        "part_rows": request.part_rows,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def weights_hash(slug: str) -> str:
    """A hash of what decides a checkpoint's answers: its config, weights and vocabularies."""
    folder = checkpoint_folder(slug)
    digest = hashlib.sha256(json.dumps(read_card(slug).config, sort_keys=True).encode())
    for path in sorted(folder.iterdir()):
        if path.is_file() and not any(path.match(name) for name in NO_WEIGHTS):
            digest.update(path.name.encode() + file_hash(path))
    return digest.hexdigest()


def data_hash(layout: Layout) -> str:
    """A hash of the bytes of the data, and of the names of files in a folder."""
    digest = hashlib.sha256()
    for given in layout.files:
        for path in sorted(given.glob("*/*.txt")) if given.is_dir() else [given]:
            inner = path.relative_to(given).as_posix() if given.is_dir() else ""
            digest.update(inner.encode() + file_hash(path))
    return digest.hexdigest()


def file_hash(path: Path) -> bytes:
    """SHA-256 of a file; ValueError when it cannot be read."""
    with readable(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
