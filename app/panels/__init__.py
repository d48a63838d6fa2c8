"""What pages are composed of: the answer, its maps, an overview of many maps, what to take away."""

from app.panels.answer import about, answer, has_maps, header, hypothesis, prediction, tokens
from app.panels.files import files, numbers
from app.panels.hops import highlighted, overlap
from app.panels.maps import choose_map, grid, maps

__all__ = [
    "about",
    "answer",
    "choose_map",
    "files",
    "grid",
    "has_maps",
    "header",
    "highlighted",
    "hypothesis",
    "maps",
    "numbers",
    "overlap",
    "prediction",
    "tokens",
]
