"""The command line: train, attend, evaluate, measure, run, runs, fetch, list.

What cannot be done ends with exit status 2 and one sentence on stderr.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from typing import NoReturn

from modelzoo.cards import list_cards
from modelzoo.cli.attend import add_attend
from modelzoo.cli.evaluate import add_evaluate, add_measure
from modelzoo.cli.fetch import add_fetch
from modelzoo.cli.runs import add_run, add_runs
from modelzoo.cli.train import add_train


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
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    add_train(commands)
    add_attend(commands)
    add_evaluate(commands)
    add_measure(commands)
    add_run(commands)
    add_runs(commands)
    add_fetch(commands)
    listing = commands.add_parser("list", help="the checkpoints there are and the ones that can be made")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    names = ", ".join(commands.choices)
    parser.set_defaults(
        run=lambda _: parser.error(f"a command is required: {names}; --help says what each does")
    )
    return parser


def _list(arguments: argparse.Namespace) -> None:
    cards = list_cards()
    if arguments.json:
        keys = ("slug", "title", "model", "task", "data", "metrics", "parameters", "date")
        print(json.dumps([{key: getattr(card, key) for key in keys} for card in cards], ensure_ascii=False))
        return
    for card in cards:
        metrics = "  ".join(f"{name} {value:g}" for name, value in card.metrics.items())
        print(f"{card.slug:24} {card.model:16} {card.data}\n{'':24} {metrics}")
