"""The project's own source files, parsed once: what the architecture test reads."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("modelzoo", "app")
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file: its path from the root, and its text."""

    path: str
    text: str

    @property
    def module(self) -> str:
        """The dotted name, `modelzoo.viz` for its `__init__.py`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def unit(self) -> str:
        """What has a level: a module of modelzoo, one of its folders, or the app."""
        return ".".join(self.module.split(".")[:2]) if self.path.startswith("modelzoo") else "app"

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def functions(self) -> Iterator[FunctionNode]:
        """Every function and method, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, FunctionNode))

    def imports(self) -> Iterator[str]:
        """The dotted name of every module that is imported, inside functions too."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.path}:{node.lineno} has a relative import"
                assert node.module is not None
                whole = node.module in PRODUCT  # from modelzoo import text
                yield from (f"{node.module}.{a.name}" for a in node.names) if whole else [node.module]


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """The Python files under these folders of the root, by path."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(Source(str(p.relative_to(ROOT)), p.read_text(encoding="utf-8")) for p in paths)


@cache
def project_files() -> tuple[Path, ...]:
    """Files under version control and new ones that git does not ignore; without git, those not hidden."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return tuple(ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file())
    visible = (p for p in ROOT.rglob("*") if not any(x[0] in "._" for x in p.relative_to(ROOT).parts))
    return tuple(path for path in visible if path.is_file())
