"""What the README, the requirements and the changelog promise is there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import modelzoo
from modelzoo.recipes import RECIPES
from tests.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_both_commands_and_a_picture_stand_in_the_first_25_lines() -> None:
    top = "\n".join(README.splitlines()[:25])
    assert "\nmake app" in top
    assert "\nmake test" in top
    assert "](docs/screenshot.png)" in top


def test_every_make_target_that_the_readme_names_exists() -> None:
    targets = set(re.findall(r"\bmake (app|test|check|format|\w+)`", README)) | {"app", "test"}
    assert {"check", "format"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_every_link_to_a_file_leads_somewhere() -> None:
    files = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert files
    assert [name for name in files if not (ROOT / name).exists()] == []


def tree_names() -> set[str]:
    """The modules and folders that the README's tree lists under modelzoo."""
    block = README.split("\nmodelzoo/\n")[1].split("\nassets/")[0]
    names = (name for line in block.splitlines() for name in re.findall(r"\w+(?:\.py|/)", line[:24]))
    return {name.rstrip("/") for name in names}


def test_the_tree_lists_every_module() -> None:
    there = {path.name for path in (ROOT / "modelzoo").iterdir() if not path.name.startswith("__")}
    assert tree_names() == there


def test_requirements_are_pinned_exactly_and_torch_is_first() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        pins = [line for line in lines if line and not line.startswith(("#", "-r"))]
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
        if name == "requirements.txt":
            assert pins[0].startswith("torch==")


def test_the_changelog_and_the_citation_have_this_version() -> None:
    assert f"\n## {modelzoo.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {modelzoo.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


TERMS = (ROOT / "assets" / "checkpoints" / "LICENSE.md").read_text(encoding="utf-8")
EVERY = "GloVe 6B"
"""The one source that has a row of its own for all checkpoints."""


def named_slugs(cell: str) -> set[str]:
    """The slugs of a cell: `a` and its variants `-x`, `-y` are a, a-x and a-y."""
    slugs: list[str] = []
    base = ""
    for name in re.findall(r"`([\w-]+)`", cell):
        base = base if name.startswith("-") else name
        slugs.append(base + name if name.startswith("-") else name)
    return set(slugs)


def terms_by_slug() -> dict[str, list[tuple[str, str]]]:
    """Slug → the sources and terms of its rows; a row without a slug goes with the one above it."""
    found: dict[str, list[tuple[str, str]]] = {}
    slugs: set[str] = set()
    for line in TERMS.splitlines():
        if line.startswith("| ") and line.count("|") == 4:
            who, source, terms = (cell.strip() for cell in line.strip("|").split("|"))
            slugs = named_slugs(who) or slugs
            for slug in slugs:
                found.setdefault(slug, []).append((source, terms))
    return found


def name_of(source: str) -> str:
    """What a source is called: its words before the year, the comma or the way it came by."""
    return re.split(r" \(|,| by way of ", source)[0]


def test_a_cell_of_variants_names_each_of_them() -> None:
    assert named_slugs("`a-b` and its variants `-x`, `-y`; `c`") == {"a-b", "a-b-x", "a-b-y", "c"}


def test_every_shipped_checkpoint_has_the_terms_of_its_sources() -> None:
    paths = (ROOT / "assets" / "checkpoints").glob("*/card.json")
    cards = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    assert (
        missing_terms({c["slug"]: c["sources"] for c in cards if not c.get("made_by")}) == []
    )  # no one's own


def test_every_recipe_has_the_terms_of_its_sources() -> None:
    assert missing_terms({recipe.slug: recipe.sources for recipe in RECIPES.values()}) == []


def missing_terms(sources: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The slugs and sources that no row of LICENSE.md names with terms."""
    rows, vectors = terms_by_slug(), [line for line in TERMS.splitlines() if EVERY in line]
    return [
        (slug, source)
        for slug, named in sources.items()
        for source in named
        if not (name_of(source) == EVERY and vectors)
        if not any(name_of(source) in learned and terms for learned, terms in rows.get(slug, []))
    ]
