"""`python -m modelzoo train`: by a recipe, or on a file of one's own."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from modelzoo.cards import CHECKPOINTS_DIR, checkpoint_folders
from modelzoo.cli.files import add_files


def add_train(commands: Any) -> None:
    """The command and its options."""
    train = commands.add_parser(
        "train",
        help="make a checkpoint, by a recipe (data from the folder ATLAS_DATA names) or of your own file",
    )
    train.add_argument("recipe", nargs="?", help="the slug of a recipe; without it they are listed")
    train.add_argument("--model", help="train this model on a file of your own")
    train.add_argument("--slug", help="the name of your own checkpoint")
    add_files(train)
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
            print(f"{recipe.slug:32} {recipe.title}: {recipe.data}")
        return
    else:
        card = train(arguments.recipe, folder=arguments.folder or CHECKPOINTS_DIR, **how)
    print(json.dumps(card.metrics))


def _own_file(arguments: argparse.Namespace) -> Any:
    """The request that the options of `train` describe; ValueError when they are not whole."""
    from modelzoo.data.tables import Columns
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
