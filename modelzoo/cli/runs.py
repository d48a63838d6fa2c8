"""`python -m modelzoo run` and `runs`: a checkpoint over a file, kept on disk; the runs there are."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from typing import Any

from tqdm import tqdm

from modelzoo.cards import ModelCard, read_card
from modelzoo.cli.files import SHOWN, add_files, add_form, proposed, tell, tell_unread, told
from modelzoo.runs.folder import RUNS_VARIABLE


def add_run(commands: Any) -> None:
    """The command and its options."""
    run = commands.add_parser(
        "run", help="a model over a file, kept with its attention; a stopped run goes on"
    )
    run.add_argument("slug")
    add_files(run)
    add_form(run)
    run.add_argument("--beam", type=int, help="beam size (default: the card's)")
    run.add_argument("--cut", action="store_true", help="of a text that is too long read the first words")
    run.add_argument("--limit", type=int, help="only the first so many rows")
    _add_common(run)
    run.add_argument("--device", default="auto")
    run.add_argument("--engine", choices=("local", "ray"), default="local", help="here, or on a Ray cluster")
    run.add_argument("--address", help="of the Ray cluster (default: RAY_ADDRESS, or one on this machine)")
    run.add_argument(
        "--replicas", type=int, help="of the model on the cluster (default: one a GPU, or a CPU)"
    )
    run.set_defaults(run=_run)


def add_runs(commands: Any) -> None:
    """The command and its options."""
    runs = commands.add_parser("runs", help="list the runs, or delete one")
    runs.add_argument("action", nargs="?", choices=("list", "delete"), default="list")
    runs.add_argument("id", nargs="?", help="the run to delete")
    runs.add_argument("--with-notes", action="store_true", help="delete people's labels and notes of it too")
    _add_common(runs)
    runs.set_defaults(run=_runs)


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--runs", help=f"the folder of runs (default: {RUNS_VARIABLE} or your data folder)")
    command.add_argument("--json", action="store_true")


def _run(arguments: argparse.Namespace) -> None:
    _use_folder(arguments)
    from modelzoo.runs import execute, prepare, unread_rows

    cluster = _cluster(arguments)
    run = prepare(_request(arguments))
    tell(f"{run.data_name}: {run.rows:,} rows; {run.layout.description}")
    _tell_labels(run)
    was_done = run.state == "done"
    with tqdm(total=run.rows, unit=" rows", disable=None, file=sys.stderr) as bar:
        run = execute(
            run,
            device=arguments.device,
            on=cluster,
            on_progress=lambda progress: _move(bar, progress.done),
        )
    tell_unread(unread_rows(run).slice(0, SHOWN).to_pylist(), run.unread, f", in {run.folder}")
    if arguments.json:
        print(json.dumps(_shown(run), ensure_ascii=False))
        return
    state = "already done" if was_done else run.state
    print(f"{run.id}  {state}: {run.done - run.unread:,} rows, {run.unread:,} unread\n{run.folder}")
    _print_scores(run)


def _cluster(arguments: argparse.Namespace) -> Any:
    """The cluster that the options name; None for this process."""
    from modelzoo.runs import Cluster

    if arguments.engine == "ray":
        return Cluster(arguments.address, arguments.replicas)
    if arguments.address is not None or arguments.replicas is not None:
        raise ValueError("--address and --replicas are of a cluster; give --engine ray with them")
    return None


def _print_scores(run: Any) -> None:
    """The scores of the rows that have gold; nothing where none has."""
    from modelzoo.analysis import OpenRun
    from modelzoo.analysis.scores import metrics
    from modelzoo.runs import part_files

    found = metrics(OpenRun(part_files(run), labels=run.labels))
    for name, metric in found.values.items():
        low, high = metric.interval
        print(f"{name:10} {metric.value:g}  ({low:g} to {high:g}), {found.judged:,} rows")


def _move(bar: Any, done: int) -> None:
    bar.update(done - bar.n)


def _request(arguments: argparse.Namespace) -> Any:
    """The request that the options describe; columns and labels that are not named are proposed."""
    from modelzoo.data.tables import find_layout
    from modelzoo.runs import Request, Settings

    card = read_card(arguments.slug)
    layout = find_layout(*_files(card, arguments), told=told(arguments))
    found = proposed(card, layout, arguments)
    beam = arguments.beam if arguments.beam is not None else card.beam_size
    settings = Settings(beam, arguments.limit, arguments.cut)
    return Request(arguments.slug, layout, found.columns, found.label_map, settings)


def _files(card: ModelCard, arguments: argparse.Namespace) -> list[Any]:
    from modelzoo.tasks import TASKS

    if (arguments.data is None) == (arguments.source is None):
        raise ValueError("name the data with --data, or parallel text with --source and --target")
    if arguments.source is None:
        return [arguments.data]
    if arguments.target is None:
        raise ValueError("parallel text needs both --source and --target")
    if TASKS[card.task].output != "text":
        raise ValueError(
            f"--source and --target are for models that write text; {card.slug} does {card.task}"
        )
    return [arguments.source, arguments.target]


def _tell_labels(run: Any) -> None:
    from modelzoo.cards import read_card
    from modelzoo.data.tables import label_uses
    from modelzoo.runs.request import reader_of

    if not run.labels:
        return
    uses = label_uses(run.label_counts, reader_of(read_card(run.slug)), run.label_map)
    for use in uses[:SHOWN]:
        meaning = {None: "unknown, out of the score (--label-map names it)", "": "none, out of the score"}
        tell(f"  {use.count:8,}  {use.typed!r}: {meaning.get(use.meaning, use.meaning)}")
    if len(uses) > SHOWN:
        tell(f"            and {len(uses) - SHOWN:,} other labels")


def _shown(run: Any) -> dict[str, Any]:
    keys = ("id", "slug", "data_name", "state", "rows", "done", "unread", "label_map", "labels", "created")
    shown = {key: getattr(run, key) for key in keys}
    return shown | {"columns": asdict(run.columns), "folder": str(run.folder)}


def _runs(arguments: argparse.Namespace) -> None:
    _use_folder(arguments)
    from modelzoo.runs import damaged_runs, delete_run, list_runs, root_folder

    if arguments.action == "delete":
        if arguments.id is None:
            raise ValueError("name the run to delete; `python -m modelzoo runs` lists them")
        delete_run(arguments.id, with_notes=arguments.with_notes)
        return
    runs = list_runs()
    if arguments.json:
        print(json.dumps([_shown(run) for run in runs], ensure_ascii=False))
        return
    for run in runs:
        unread = f"  {run.unread:,} unread" if run.unread else ""
        counts = f"{run.done:>9,} of {run.rows:>9,}"
        print(f"{run.id}  {run.state:9}  {counts}  {run.slug}  {run.data_name}{unread}")
    for run_id in damaged_runs():
        print(f"{run_id}  damaged: it can only be deleted")
    if not runs:
        tell(f"there are no runs in {root_folder()}")


def _use_folder(arguments: argparse.Namespace) -> None:
    if arguments.runs is not None:
        os.environ[RUNS_VARIABLE] = arguments.runs
