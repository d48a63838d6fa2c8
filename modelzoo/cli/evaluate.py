"""`python -m modelzoo evaluate` and `measure`: scores of a model, and of its attention."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from modelzoo.cards import ModelCard, read_card
from modelzoo.cli.files import add_files, add_form, proposed, tell_unread, told
from modelzoo.tasks import CLASSIFICATION, TASKS


def add_evaluate(commands: Any) -> None:
    """The command and its options."""
    evaluate = commands.add_parser(
        "evaluate", help="metrics of a model on a labelled file or its own data set"
    )
    evaluate.add_argument("slug", nargs="?")
    evaluate.add_argument(
        "--all", action="store_true", help="measure every checkpoint, rewrite cards and tables"
    )
    evaluate.add_argument("--tables", action="store_true", help="rewrite the tables from the cards")
    evaluate.add_argument(
        "--split",
        help="of its own data: dev, test, lengths (of the source) or known-failures",
    )
    add_files(evaluate)
    add_form(evaluate)
    evaluate.add_argument("--beam", type=int, help="beam size (default: the card's)")
    evaluate.add_argument("--device", default="auto")
    evaluate.add_argument("--json", action="store_true")
    evaluate.set_defaults(run=_evaluate)


def add_measure(commands: Any) -> None:
    """The command and its options."""
    measuring = commands.add_parser("measure", help="how well a model attends, beside simple baselines")
    measuring.add_argument("slug")
    measuring.add_argument("--device", default="auto")
    measuring.add_argument("--json", action="store_true")
    measuring.set_defaults(run=_measure)


def _evaluate(arguments: argparse.Namespace) -> None:
    if sum((arguments.all, arguments.tables, arguments.slug is not None)) != 1:
        raise ValueError("name one checkpoint, or all of them with --all")
    if arguments.all or arguments.tables or arguments.split is not None:
        _evaluate_own_data(arguments)
        return
    card = read_card(arguments.slug)
    from modelzoo.data.files import read_parallel

    if (arguments.source is None) != (arguments.target is None):
        raise ValueError("parallel text needs both --source and --target")
    if arguments.source is not None and TASKS[card.task].output != "text":
        raise ValueError(
            f"--source and --target are for models that write text; {card.slug} does {card.task}"
        )
    if arguments.source is not None:
        labelled = read_parallel(arguments.source, arguments.target)
    else:
        labelled = _labelled_table(card, arguments)
    tell_unread([asdict(each) for each in labelled.unread], len(labelled.unread))
    if labelled.unknown_labels:
        listed = ", ".join(
            f"{label!r} ({count})" for label, count in list(labelled.unknown_labels.items())[:20]
        )
        sys.stderr.write(f"left out, their label is unknown (--label-map names it): {listed}\n")
    from modelzoo.evaluation import evaluate
    from modelzoo.registry import load

    beam = arguments.beam if arguments.beam is not None else card.beam_size
    found = evaluate(load(arguments.slug, arguments.device), labelled.examples, beam_size=beam)
    refused = [{"line": labelled.lines[i], "reason": reason} for i, reason in found.unread.items()]
    tell_unread(refused, len(refused))
    rows = len(labelled.examples) - len(found.unread)
    metrics = {**found.metrics, "rows": rows, "skipped": labelled.skipped + len(found.unread)}
    if arguments.json:
        print(json.dumps(metrics))
    else:
        print("\n".join(f"{name:10} {value:g}" for name, value in metrics.items()))


def _evaluate_own_data(arguments: argparse.Namespace) -> None:
    from modelzoo.report import evaluate_all, measure, rewrite_tables

    if arguments.all or arguments.tables:
        evaluate_all(arguments.device) if arguments.all else rewrite_tables()
        return
    for score in measure(arguments.slug, arguments.split, arguments.device):
        if arguments.json:
            print(json.dumps({"slug": arguments.slug, **asdict(score)}))
            continue
        print(f"{arguments.slug}, {score.split}, {score.rows} rows")
        for name, value in (score.metrics | score.beside).items():
            low, high = score.intervals.get(name, (value, value))
            print(f"  {name:36} {value:g}" + (f"  ({low:g} to {high:g})" if low < high else ""))


def _labelled_table(card: ModelCard, arguments: argparse.Namespace) -> Any:
    from modelzoo.data.files import read_labelled, read_written
    from modelzoo.data.tables import find_layout

    if arguments.data is None:
        raise ValueError("name the data with --data, or parallel text with --source and --target")
    layout = find_layout(arguments.data, told=told(arguments))
    found = proposed(card, layout, arguments)
    if found.columns.label is None:
        raise ValueError(
            f"no column of {arguments.data} looks like the label; name it "
            f"with --label-column (there are: {', '.join(layout.columns)})"
        )
    if TASKS[card.task].output == "text":
        return read_written(layout, found.columns)
    return read_labelled(layout, found.columns, TASKS[card.task], card.config["labels"], found.label_map)


def _measure(arguments: argparse.Namespace) -> None:
    card = read_card(arguments.slug)
    from modelzoo.measures import measure
    from modelzoo.registry import load
    from modelzoo.report import dev_of

    dev = dev_of(card.slug) if card.task == CLASSIFICATION.name else ()
    rows = measure(load(card.slug, arguments.device), dev)
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False))
        return
    for i, row in enumerate(rows):
        if i == 0 or row.data != rows[i - 1].data:
            print(f"{row.data}:")
        values = "  ".join(f"{name} {value:.3f}" for name, value in row.values.items())
        print(f"  {row.method:32} {values}")
