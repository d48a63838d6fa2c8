"""The command line: train, attend, evaluate, measure, list.

What cannot be done ends with exit status 2 and one sentence on stderr.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from modelzoo.cards import CHECKPOINTS_DIR, ModelCard, checkpoint_folders, list_cards, read_card
from modelzoo.tasks import TASKS, Inputs, Sentence, SentencePair, SourceText


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: {message}\n")
        sys.exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parsed = _parser().parse_args(arguments)
    parsed.typed = f"python -m modelzoo {shlex.join(arguments)}"
    try:
        parsed.run(parsed)
    except BrokenPipeError:  # whoever read our output has closed it
        return 0
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{' '.join(str(error).split())}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m modelzoo", description="Train, question and evaluate the attention models."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_train(commands)
    _add_attend(commands)
    _add_evaluate(commands)
    _add_measure(commands)
    listing = commands.add_parser("list", help="the checkpoints there are and the ones that can be made")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    return parser


def _add_train(commands: Any) -> None:
    train = commands.add_parser(
        "train",
        help="make a checkpoint, by a recipe (data from the folder ATLAS_DATA names) or of your own file",
    )
    train.add_argument("recipe", nargs="?", help="the slug of a recipe; without it they are listed")
    train.add_argument("--model", help="train this model on a file of your own")
    train.add_argument("--slug", help="the name of your own checkpoint")
    _add_files(train)
    train.add_argument(
        "--dev", type=Path, nargs="+", help="a file like the one to learn from (default: a tenth)"
    )
    train.add_argument("--languages", help="of source and target, as en,fr")
    train.add_argument("--epochs", type=int, default=10, help="with a file of your own (default: 10)")
    train.add_argument(
        "--folder", type=Path, help="where checkpoints go (default: ATLAS_CHECKPOINTS, else assets)"
    )
    train.add_argument("--device", default="auto")
    train.add_argument(
        "--minutes", type=float, default=math.inf, help="stop after so many and measure the best; resumable"
    )
    train.set_defaults(run=_train)


def _add_files(command: argparse.ArgumentParser) -> None:
    """The options that name a labelled table, or parallel text."""
    command.add_argument("--data", type=Path, help="a TSV, CSV or JSONL file, also .gz")
    command.add_argument("--text-column")
    command.add_argument("--pair-column")
    command.add_argument("--label-column")
    command.add_argument("--source", type=Path, help="a file of source lines")
    command.add_argument("--target", type=Path, help="the file of their translations")


def _add_attend(commands: Any) -> None:
    attend = commands.add_parser("attend", help="a model's prediction and attention for one input")
    attend.add_argument("slug")
    attend.add_argument("--text", required=True, help="the sentence, the premise, or the text to translate")
    attend.add_argument("--text-pair", help="the hypothesis")
    attend.add_argument("--target", help="force this output instead of searching one")
    attend.add_argument("--beam", type=int, help="beam size, 1 is greedy (default: the card's)")
    attend.add_argument("--device", default="auto")
    attend.add_argument("--json", action="store_true", help="everything, as JSON")
    attend.set_defaults(run=_attend)


def _add_evaluate(commands: Any) -> None:
    evaluate = commands.add_parser("evaluate", help="metrics of a model on a labelled file")
    evaluate.add_argument("slug")
    _add_files(evaluate)
    evaluate.add_argument("--label-map", help="0=negative,1=positive")
    evaluate.add_argument("--beam", type=int, help="beam size (default: the card's)")
    evaluate.add_argument("--device", default="auto")
    evaluate.add_argument("--json", action="store_true")
    evaluate.set_defaults(run=_evaluate)


def _add_measure(commands: Any) -> None:
    measuring = commands.add_parser("measure", help="how well a model attends, beside simple baselines")
    measuring.add_argument("slug")
    measuring.add_argument("--device", default="auto")
    measuring.add_argument("--json", action="store_true")
    measuring.set_defaults(run=_measure)


def _train(arguments: argparse.Namespace) -> None:
    from modelzoo.recipes import RECIPES, own, train

    how = {"device": arguments.device, "minutes": arguments.minutes}
    if arguments.model is not None or arguments.slug is not None:
        folder = arguments.folder or Path(os.environ.get("ATLAS_CHECKPOINTS") or CHECKPOINTS_DIR)
        card = own.train(_own_file(arguments), folder=folder, **how)
        if card.slug not in checkpoint_folders():
            sys.stderr.write(f"the app and `list` see it when ATLAS_CHECKPOINTS is {folder}\n")
    elif arguments.recipe is None:
        for recipe in RECIPES.values():
            print(f"{recipe.slug:28} {recipe.title}: {recipe.data}")
        return
    else:
        card = train(arguments.recipe, folder=arguments.folder or CHECKPOINTS_DIR, **how)
    print(json.dumps(card.metrics))


def _own_file(arguments: argparse.Namespace) -> Any:
    """The request that the options of `train` describe; ValueError when they are not whole."""
    from modelzoo.data.files import Columns
    from modelzoo.recipes.own import OwnFile

    if arguments.recipe is not None or arguments.model is None or arguments.slug is None:
        raise ValueError("train takes the slug of a recipe, or --model and --slug with a file of your own")
    if (arguments.data is None) == (arguments.source is None and arguments.target is None):
        raise ValueError("name a table with --data, or parallel text with --source and --target")
    columns = None
    if arguments.data is not None:
        if arguments.text_column is None or arguments.label_column is None:
            raise ValueError("a table needs --text-column and --label-column")
        columns = Columns(arguments.text_column, arguments.label_column, arguments.pair_column)
    elif arguments.source is None or arguments.target is None:
        raise ValueError("parallel text needs both --source and --target")
    return OwnFile(
        arguments.slug,
        arguments.model,
        (arguments.data,) if columns else (arguments.source, arguments.target),
        columns,
        tuple(arguments.dev or ()),
        arguments.epochs,
        tuple(part.strip() for part in (arguments.languages or "").split(",") if part.strip()),
        arguments.typed,
    )


def _list(arguments: argparse.Namespace) -> None:
    cards = list_cards()
    if arguments.json:
        keys = ("slug", "title", "model", "task", "data", "metrics", "parameters", "date")
        print(json.dumps([{key: getattr(card, key) for key in keys} for card in cards], ensure_ascii=False))
        return
    for card in cards:
        metrics = "  ".join(f"{name} {value:g}" for name, value in card.metrics.items())
        print(f"{card.slug:24} {card.model:16} {card.data}\n{'':24} {metrics}")


def inputs_of(card: ModelCard, arguments: argparse.Namespace) -> Inputs:
    """The inputs that the options of `attend` describe; ValueError when they are not this task's."""
    task = TASKS[card.task]
    pair, target, beam = arguments.text_pair, arguments.target, arguments.beam
    if task.inputs is not SentencePair and pair is not None:
        raise ValueError(f"--text-pair is for models that read pairs; {card.slug} does {card.task}")
    if task.inputs is not SourceText and (target is not None or beam is not None):
        raise ValueError(f"--target and --beam are for models that write text; {card.slug} does {card.task}")
    if task.inputs is SentencePair:
        if pair is None:
            raise ValueError(f"{card.slug} reads pairs; give the hypothesis with --text-pair")
        return SentencePair(arguments.text, pair)
    if task.inputs is Sentence:
        return Sentence(arguments.text)
    return SourceText(arguments.text, forced=target, beam_size=beam if beam is not None else card.beam_size)


def _attend(arguments: argparse.Namespace) -> None:
    card = read_card(arguments.slug)
    inputs = inputs_of(card, arguments)
    from modelzoo.export import summary
    from modelzoo.registry import load

    result = summary(load(arguments.slug, arguments.device).attend([inputs])[0])
    if arguments.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    print(json.dumps(result["prediction"], ensure_ascii=False, indent=1))
    for table in result["maps"]:
        print(f"\n{table['name']} ({table['equation']})")
        for row, weights in zip(table["rows"], table["weights"], strict=True):
            pairs = zip(table["columns"], weights, strict=True)
            print(f"  {row:16} " + "  ".join(f"{column} {weight:.2f}" for column, weight in pairs))


def _evaluate(arguments: argparse.Namespace) -> None:
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
    if labelled.unknown_labels:
        listed = ", ".join(
            f"{label!r} ({count})" for label, count in list(labelled.unknown_labels.items())[:20]
        )
        sys.stderr.write(f"left out, their label is unknown (--label-map names it): {listed}\n")
    from modelzoo.evaluation import evaluate
    from modelzoo.registry import load

    beam = arguments.beam if arguments.beam is not None else card.beam_size
    found = evaluate(load(arguments.slug, arguments.device), labelled.examples, beam_size=beam)
    rows = len(labelled.examples) - len(found.unread)
    metrics = {**found.metrics, "rows": rows, "skipped": labelled.skipped + len(found.unread)}
    if arguments.json:
        print(json.dumps(metrics))
    else:
        print("\n".join(f"{name:10} {value:g}" for name, value in metrics.items()))


def _labelled_table(card: ModelCard, arguments: argparse.Namespace) -> Any:
    from modelzoo.data.files import Columns, parse_label_map, read_labelled, read_written

    if arguments.data is None or arguments.text_column is None or arguments.label_column is None:
        raise ValueError(
            "name the data with --data, --text-column and --label-column, or with --source and --target"
        )
    columns = Columns(arguments.text_column, arguments.label_column, arguments.pair_column)
    if TASKS[card.task].output == "text":
        return read_written(arguments.data, columns)
    label_map = parse_label_map(arguments.label_map)
    return read_labelled(arguments.data, columns, TASKS[card.task], card.config["labels"], label_map)


def _measure(arguments: argparse.Namespace) -> None:
    read_card(arguments.slug)
    from modelzoo.measures import measure
    from modelzoo.registry import load

    rows = measure(load(arguments.slug, arguments.device))
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False))
        return
    for i, row in enumerate(rows):
        if i == 0 or row.data != rows[i - 1].data:
            print(f"{row.data}:")
        values = "  ".join(f"{name} {value:.3f}" for name, value in row.values.items())
        print(f"  {row.method:32} {values}")
