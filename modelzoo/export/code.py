"""The Python lines that give the same numbers; a person's text is in them only as a literal."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from modelzoo.results import AttentionResult


def as_code(
    result: AttentionResult,
    map_name: str = "",
    *,
    reading: Any = None,
    window: tuple[range, range] | None = None,
) -> str:
    """Lines for a Python session at the project's root: the result, and the numbers of one of its maps.

    `reading` is how the map is read; without one the lines end at the model's own weights. `window` has the
    rows and columns of the part that is shown.
    """
    classes = sorted(_classes(result.inputs))
    lines = [
        "from modelzoo.registry import load",
        f"from modelzoo.tasks import {', '.join(classes)}",
        "",
        f"model = load({result.checkpoint!r})",
        f"[result] = model.attend([{result.inputs!r}])",
    ]
    if map_name:
        lines.append(f"grid = result.map({map_name!r})")
    is_read = reading is not None and reading != type(reading)()
    if map_name and (is_read or window):
        names = ["Reading", "apply"] * is_read + ["sheet_of"] + ["window"] * bool(window)
        lines.insert(2, f"from modelzoo.transform import {', '.join(names)}")
        sheet = f"apply(sheet_of(result, grid), {_changed(reading)})" if is_read else "sheet_of(result, grid)"
        lines.append(
            f"grid = window({sheet}, {window[0]}, {window[1]}).grid" if window else f"grid = {sheet}.grid"
        )
    return "\n".join([*lines, *(["print(grid.values)"] if map_name else [])]) + "\n"


def _classes(value: Any) -> set[str]:
    """The dataclasses that stand in the value's own code."""
    if not is_dataclass(value):
        return set().union(*map(_classes, value)) if isinstance(value, tuple) else set()
    return {type(value).__name__}.union(*(_classes(getattr(value, f.name)) for f in fields(value)))


def _changed(value: Any) -> str:
    """A dataclass as code, with only what differs from its defaults."""
    plain = type(value)()
    changed = [
        f"{f.name}={getattr(value, f.name)!r}"
        for f in fields(value)
        if getattr(value, f.name) != getattr(plain, f.name)
    ]
    return f"{type(value).__name__}({', '.join(changed)})"
