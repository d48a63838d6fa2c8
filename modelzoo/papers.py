"""Papers and their equations, so that a map on the screen can be traced to a line of code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Equation:
    """One formula of a paper and where it is implemented.

    `tag` is what stands in the code, `Eq. (6)` or, for an unnumbered formula, `Sec. 3.2`;
    `function` is the dotted name of the function that carries the tag, inside the model's module.
    """

    tag: str
    latex: str
    meaning: str
    function: str


@dataclass(frozen=True)
class Paper:
    """A citation (with the version whose equation numbers are used) and its implemented equations."""

    key: str
    authors: str
    title: str
    year: int
    venue: str
    url: str
    equations: tuple[Equation, ...]

    @property
    def citation(self) -> str:
        return f"{self.authors} ({self.year}). {self.title}. {self.venue}."
