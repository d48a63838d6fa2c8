"""What the README, the requirements and the changelog promise is there."""

from __future__ import annotations

import json
import re

import modelzoo
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


def test_every_shipped_checkpoint_has_the_terms_of_its_data() -> None:
    paths = (ROOT / "assets" / "checkpoints").glob("*/card.json")
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    shipped = [card["slug"] for card in found if not card.get("made_by")]  # no one's own
    terms = (ROOT / "assets" / "checkpoints" / "LICENSE.md").read_text(encoding="utf-8")
    assert [slug for slug in shipped if f"`{slug}`" not in terms] == []
