"""run.json: what a run is made of, and how far it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from modelzoo.data.tables import Columns, Layout, TextForm
from modelzoo.runs.folder import RUN_FILE, run_folder, whole

State = Literal["new", "running", "stopped", "cancelled", "done", "failed"]


@dataclass(frozen=True)
class Settings:
    """How a run asks its model: the beam of one that writes, at most how many rows (None: all), and whether
    of one text that is too long the first words are read."""

    beam_size: int = 1
    limit: int | None = None
    is_cut: bool = False

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"the limit is {self.limit}; accepted is a whole number of rows from 1")


@dataclass(frozen=True)
class Run:
    """A run. `rows` are the records of its file, `done` those that are computed or known to be unreadable,
    `unread` the latter; `label_counts` are the labels as typed. `rate` is rows a second.

    `state` is `stopped` where a run was killed. `data_name` is display only.
    """

    id: str
    slug: str
    task: str
    weights: str
    data_name: str
    data: str
    layout: Layout
    columns: Columns
    labels: tuple[str, ...]
    languages: tuple[str, ...]
    label_map: Mapping[str, str]
    settings: Settings
    part_rows: int
    rows: int
    label_counts: Mapping[str, int] = field(default_factory=dict)
    state: State = "new"
    done: int = 0
    unread: int = 0
    rate: float = 0.0
    created: str = ""
    updated: str = ""
    error: str = ""

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return run_folder(self.id)

    @property
    def parts(self) -> int:
        """The number of parts it has when it is done."""
        return -(-self.rows // self.part_rows)

    def save(self, **changes: Any) -> Run:
        """The run with these changes, written to its folder."""
        changed = replace(self, **changes, updated=now())
        with whole(self.folder / RUN_FILE) as aside:
            values = asdict(changed)
            values["layout"]["files"] = [str(file) for file in changed.layout.files]
            aside.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return changed


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_run(run_id: str) -> Run:
    """The run of that id. ValueError when there is none, or its record is damaged."""
    path = run_folder(run_id) / RUN_FILE
    if not path.is_file():
        raise ValueError(f"there is no run {run_id!r}; `python -m modelzoo runs` lists them")
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"the record of the run {run_id} is damaged; `python -m modelzoo runs delete {run_id}` removes it"
        ) from error


def _parsed(values: dict[str, Any]) -> Run:
    known = {f.name for f in fields(Run)}
    values = {name: value for name, value in values.items() if name in known}
    layout = values["layout"]
    values["layout"] = Layout(
        **{
            **layout,
            "files": tuple(map(Path, layout["files"])),
            "columns": tuple(layout["columns"]),
            "forms": tuple(TextForm(**form) for form in layout["forms"]),
        }
    )
    values["columns"], values["settings"] = Columns(**values["columns"]), Settings(**values["settings"])
    values["labels"], values["languages"] = tuple(values["labels"]), tuple(values["languages"])
    return Run(**values)
