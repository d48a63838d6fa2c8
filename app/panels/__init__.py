"""What pages are composed of: the answer, its maps, an overview of many maps, what to take away."""

from app.panels.answer import about, answer, has_maps, header, hypothesis, last_answer, prediction, tokens
from app.panels.hops import contributions, highlighted, overlap
from app.panels.maps import choose_map, grid, maps
from app.panels.overview import distance_bias, hops, layers
from app.panels.table import numbers

__all__ = [
    "about",
    "answer",
    "choose_map",
    "contributions",
    "distance_bias",
    "grid",
    "has_maps",
    "header",
    "highlighted",
    "hops",
    "hypothesis",
    "last_answer",
    "layers",
    "maps",
    "numbers",
    "overlap",
    "prediction",
    "tokens",
]
