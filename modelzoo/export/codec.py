"""Frozen dataclasses ↔ JSON values, by their declared types: what a file says is checked, never trusted.

A field of another type, a name that the class lacks and a value it refuses are ValueErrors that name the
place. Classes come from the annotations alone, so a file can choose among them and name no other.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

Write = Callable[[np.ndarray, str], Any]
"""How an array is written, given a name that tells what it is."""
Read = Callable[[Any], np.ndarray]
"""The array again; ValueError where there is none."""
KIND = "class"
"""The key that tells which class of a union an object is; no field can have that name."""


def encode(value: Any, write: Write, name: str = "") -> Any:
    """A dataclass, or what its fields hold, as JSON values; arrays as `write` writes them."""
    if is_dataclass(value) and not isinstance(value, type):
        own = f"{name}_{value.name}".strip("_") if hasattr(value, "name") else name
        inner = {f.name: encode(getattr(value, f.name), write, _inner(own, f.name)) for f in fields(value)}
        return {KIND: type(value).__name__, **inner} if type(value) in _chosen() else inner
    if isinstance(value, np.ndarray):
        return write(value, name)
    if isinstance(value, Mapping):
        return {str(key): encode(item, write, name) for key, item in value.items()}
    return [encode(item, write, name) for item in value] if isinstance(value, tuple) else value


def _inner(own: str, field: str) -> str:
    return {"values": own, "maps": "", "internals": "internal"}.get(field, field)


@cache
def _chosen() -> frozenset[type]:
    """The classes of which a field takes one or another."""
    from modelzoo.results import Prediction
    from modelzoo.tasks import Inputs

    return frozenset((*get_args(Inputs), *get_args(Prediction)))


def decode(value: Any, kind: Any, read: Read, place: str = "the file") -> Any:
    """The value as an instance of the type `kind`. ValueError names the place and what is accepted."""
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(value, kind, read, place)
    if kind is np.ndarray:
        return _at(place, read, value)
    origin, of = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(value, of, read, place)
    if origin is Literal:
        return _accepted(value in of, value, place, ", ".join(map(repr, of)))
    if origin is tuple:
        return _tuple(value, of, read, place)
    if origin in (dict, Mapping):
        _accepted(isinstance(value, dict), value, place, "an object")
        return {key: decode(item, of[1], read, f"{place}, {key}") for key, item in value.items()}
    return _scalar(value, kind, place)


def _dataclass(value: Any, kind: type, read: Read, place: str) -> Any:
    known = {f.name: f for f in fields(kind)}
    _accepted(isinstance(value, dict), value, place, f"an object with {', '.join(known)}")
    given = {name: item for name, item in value.items() if name != KIND}
    for name in given.keys() - known.keys():
        raise ValueError(f"{place} has {name!r}; accepted are {', '.join(known)}")
    for name, f in known.items():
        if name not in given and f.default is MISSING and f.default_factory is MISSING:
            raise ValueError(f"{place} has no {name!r}; it needs {', '.join(known)}")
    hints = get_type_hints(kind)
    made = {name: decode(item, hints[name], read, f"{place}, {name}") for name, item in given.items()}
    return _at(place, lambda fields_: kind(**fields_), made)


def _one_of(value: Any, of: tuple[Any, ...], read: Read, place: str) -> Any:
    """The value as the class its kind names; else as the first type it fits."""
    classes = {one.__name__: one for one in of if isinstance(one, type) and is_dataclass(one)}
    if classes and isinstance(value, dict):
        kind = str(value.get(KIND))
        _accepted(kind in classes, kind, f"{place}, {KIND}", ", ".join(classes))
        return decode(value, classes[kind], read, place)
    for one in of:
        try:
            return decode(value, one, read, place)
        except ValueError as error:
            last = error
    raise last


def _tuple(value: Any, of: tuple[Any, ...], read: Read, place: str) -> tuple[Any, ...]:
    _accepted(isinstance(value, list), value, place, "a list")
    kinds = of[:1] * len(value) if of[-1] is Ellipsis else of
    _accepted(len(value) == len(kinds), value, place, f"a list of {len(kinds)}")
    pairs = enumerate(zip(value, kinds, strict=True), start=1)
    return tuple(decode(item, kind, read, f"{place}, number {k}") for k, (item, kind) in pairs)


def _scalar(value: Any, kind: Any, place: str) -> Any:
    if kind is types.NoneType:
        return _accepted(value is None, value, place, "null")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return _at(place, float, value)
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    return _accepted(fits, value, place, {str: "a text", bool: "true or false"}.get(kind, "a number"))


def _accepted(fits: bool, value: Any, place: str, accepted: str) -> Any:
    if not fits:
        raise ValueError(f"{place} is {repr(value)[:60]}; accepted is {accepted}")
    return value


def _at(place: str, make: Callable[[Any], Any], value: Any) -> Any:
    """What `make` makes of the value; what it refuses is told with the place."""
    try:
        return make(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{place}: {error}") from error
