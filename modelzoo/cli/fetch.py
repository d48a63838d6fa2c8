"""`python -m modelzoo fetch`: official data by its URL."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from modelzoo.data.fetch import DATA_SETS, DataSet, fetch
from modelzoo.runs.folder import root_folder


def add_fetch(commands: Any) -> None:
    """The command and its options."""
    command = commands.add_parser("fetch", help="download official data: " + ", ".join(DATA_SETS))
    command.add_argument("name", nargs="?", help="the data set; without it they are listed")
    command.add_argument("--folder", type=Path, help="where it goes (default: `data` beside the runs)")
    command.add_argument("--mirror", help="the address of a folder that has the same files")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_fetch)


def _fetch(arguments: argparse.Namespace) -> None:
    if arguments.name is None:
        for name, data in DATA_SETS.items():
            print(f"{name:10} {data.title}; {data.terms}")
        return
    if arguments.name not in DATA_SETS:
        raise ValueError(f"there is no data set {arguments.name!r}; there are: {', '.join(DATA_SETS)}")
    data = _mirrored(DATA_SETS[arguments.name], arguments.mirror)
    sys.stderr.write(f"{data.title}; terms: {data.terms}\n")
    folder = (arguments.folder or root_folder() / "data") / arguments.name
    with _Bar() as bar:
        found = fetch(data, folder, bar.tell)
    for each in found:
        place = each.unpacked or each.path
        if arguments.json:
            line = {"path": str(place), "sha256": each.sha256, "is_verified": each.is_verified}
            print(json.dumps(line, ensure_ascii=False))
        else:
            said = "verified" if each.is_verified else "unverified, recorded at the first download"
            print(f"{place}\n  sha256 {each.sha256} ({said})")


def _mirrored(data: DataSet, mirror: str | None) -> DataSet:
    if mirror is None:
        return data
    files = (replace(remote, url=f"{mirror.rstrip('/')}/{remote.name}") for remote in data.files)
    return replace(data, files=tuple(files))


class _Bar:
    """A progress bar for one file after the other, on a terminal."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def tell(self, name: str, done: int, size: int | None) -> None:
        """Show how much of a file is there."""
        if self._bar is None or self._bar.desc != f"{name}: ":
            self.__exit__()
            self._bar = tqdm(total=size, desc=name, unit="B", unit_scale=True, disable=None, file=sys.stderr)
        self._bar.update(done - self._bar.n)
