"""Named rows, columns and values, as JSON and NPZ hold them → grids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from modelzoo.data import archive
from modelzoo.data.matrix.grid import make_grid
from modelzoo.results import Grid
from modelzoo.tasks import MAX_MATRICES, MAX_TOKEN_CHARACTERS

JSON_EXAMPLE = '{"rows": ["le"], "columns": ["the", "cat"], "values": [[0.9, 0.1]]}'


def of_json(text: str, arrays: Mapping[str, np.ndarray] | None = None) -> list[Grid]:
    """The matrices of a JSON text, whose values may lie in `arrays`. ValueError says what is wrong."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "lineno", 1)
        raise ValueError(f"line {at} is no JSON, or nested too deeply; accepted is {JSON_EXAMPLE}") from error
    many = value.get("maps", [value]) if isinstance(value, dict) else value
    if not isinstance(many, list) or not all(isinstance(one, dict) for one in many):
        raise ValueError(f"it holds no named rows and columns; accepted is {JSON_EXAMPLE}, or a list of such")
    return [_of_object(one, f"matrix {k}", arrays or {}) for k, one in enumerate(many[: MAX_MATRICES + 1], 1)]


def _of_object(given: Mapping[str, Any], name: str, arrays: Mapping[str, np.ndarray]) -> Grid:
    name = str(given.get("name") or name)[:MAX_TOKEN_CHARACTERS]
    values = given.get("values", given.get("weights"))
    rows, columns = given.get("rows", given.get("tokens")), given.get("columns", given.get("tokens"))
    if values is None or rows is None or columns is None:
        lacking = [k for k, v in (("rows", rows), ("columns", columns), ("values", values)) if v is None]
        raise ValueError(f"{name} has no {' and no '.join(lacking)}; accepted is {JSON_EXAMPLE}")
    if isinstance(values, dict):
        values = arrays.get(str(values.get("array")))
    return make_grid(name, rows, columns, values)


def of_npz(arrays: Mapping[str, np.ndarray]) -> list[Grid]:
    """The maps of a result, else every matrix with its own or the shared tokens; a stack is many."""
    if "document" in arrays:
        return of_json(str(arrays["document"]), arrays)
    grids = []
    for name, array in arrays.items():
        if array.ndim not in (2, 3) or array.dtype.kind not in "fiu":
            continue
        sides = [arrays.get(f"{name}_{side}", arrays.get(side)) for side in ("rows", "columns")]
        if sides[0] is None or sides[1] is None:
            raise ValueError(
                f"array {name!r} has no tokens; accepted are arrays of texts named {name}_rows and "
                f"{name}_columns, or rows and columns for all"
            )
        rows, columns = (archive.texts(side, name) for side in sides if side is not None)
        many = array[: MAX_MATRICES + 1] if array.ndim == 3 else [array]
        names = [f"{name} {k}" for k in range(1, len(many) + 1)] if array.ndim == 3 else [name]
        grids += [make_grid(n, rows, columns, one) for n, one in zip(names, many, strict=True)]
    return grids
