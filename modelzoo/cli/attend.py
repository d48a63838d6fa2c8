"""`python -m modelzoo attend`: one input's prediction and maps."""

from __future__ import annotations

import argparse
import json
from typing import Any

from modelzoo.cards import ModelCard, read_card
from modelzoo.tasks import TASKS, Inputs, Sentence, SentencePair, SourceText


def add_attend(commands: Any) -> None:
    """The command and its options."""
    attend = commands.add_parser("attend", help="a model's prediction and attention for one input")
    attend.add_argument("slug")
    attend.add_argument("--text", required=True, help="the sentence, the premise, or the text to translate")
    attend.add_argument("--text-pair", help="the hypothesis")
    attend.add_argument("--target", help="force this output instead of searching one")
    attend.add_argument("--beam", type=int, help="beam size, 1 is greedy (default: the card's)")
    attend.add_argument("--device", default="auto")
    attend.add_argument("--json", action="store_true", help="everything, as JSON")
    attend.set_defaults(run=_attend)


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
