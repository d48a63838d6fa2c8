"""The command line: train, attend, evaluate, list.

What cannot be done ends with exit status 2 and one sentence on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from modelzoo.cards import ModelCard, list_cards, read_card
from modelzoo.tasks import TASKS, Inputs, Sentence, SentencePair, SourceText


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: {message}\n")
        sys.exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    parsed = _parser().parse_args(arguments)
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
    listing = commands.add_parser("list", help="the checkpoints there are and the ones that can be made")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    return parser


def _add_train(commands: Any) -> None:
    train = commands.add_parser("train", help="make a checkpoint (data from the folder ATLAS_DATA names)")
    train.add_argument("slug", nargs="?", help="which; without it the recipes are listed")
    train.add_argument("--device", default="auto")
    train.set_defaults(run=_train)


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
    evaluate.add_argument("--data", type=Path, help="a TSV, CSV or JSONL file, also .gz")
    evaluate.add_argument("--text-column")
    evaluate.add_argument("--pair-column")
    evaluate.add_argument("--label-column")
    evaluate.add_argument("--label-map", help="0=negative,1=positive")
    evaluate.add_argument("--source", type=Path, help="a file of source lines")
    evaluate.add_argument("--target", type=Path, help="the file of their translations")
    evaluate.add_argument("--beam", type=int, help="beam size (default: the card's)")
    evaluate.add_argument("--device", default="auto")
    evaluate.add_argument("--json", action="store_true")
    evaluate.set_defaults(run=_evaluate)


def _train(arguments: argparse.Namespace) -> None:
    from modelzoo.recipes import RECIPES, train

    if arguments.slug is None:
        for recipe in RECIPES.values():
            print(f"{recipe.slug:24} {recipe.title}: {recipe.data}")
        return
    card = train(arguments.slug, device=arguments.device)
    print(json.dumps(card.metrics))


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
