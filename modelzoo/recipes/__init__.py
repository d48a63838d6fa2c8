"""How each checkpoint was made: slug → model, text side, configuration, data and training.

`train(slug)` and `own.train` (a file of anybody's) are the only ways a checkpoint comes into being.
"""

from __future__ import annotations

import math
from pathlib import Path

from modelzoo.cards import CHECKPOINTS_DIR, ModelCard
from modelzoo.data.folder import data_folder
from modelzoo.recipes import entailment, headline, news, sentiment, translation
from modelzoo.recipes.base import Recipe
from modelzoo.recipes.making import make

__all__ = ["RECIPES", "Recipe", "train"]

RECIPES: dict[str, Recipe] = {
    recipe.slug: recipe
    for module in (sentiment, entailment, translation, news, headline)
    for recipe in module.RECIPES
}


def train(
    slug: str, *, folder: Path = CHECKPOINTS_DIR, device: str = "auto", minutes: float = math.inf
) -> ModelCard:
    """Make a checkpoint by its recipe, or go on making it; with no minutes, measure it again.

    Raises ValueError for an unknown slug or when ATLAS_DATA names no data.
    """
    if slug not in RECIPES:
        raise ValueError(f"there is no recipe {slug!r}; there are: {', '.join(RECIPES)}")
    recipe = RECIPES[slug]
    return make(recipe, recipe.read(data_folder()), folder, device=device, minutes=minutes)
