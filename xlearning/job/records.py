"""Records as JSON-ready dictionaries and back.

A class with a form of its own has the methods ``packed``, for `to_dict`, and ``unpacked``, for `from_dict`.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_origin

T = TypeVar("T")


def to_dict(record: Any) -> Any:
    """A JSON-ready copy of a record: dictionaries, lists, numbers, strings and None."""
    if hasattr(type(record), "packed"):
        return record.packed()
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_dict(getattr(record, f.name)) for f in dataclasses.fields(record)}
    if isinstance(record, enum.Enum):
        return record.value
    if isinstance(record, Mapping):
        return {str(key): to_dict(value) for key, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [to_dict(item) for item in record]
    if isinstance(record, (set, frozenset)):
        return sorted(to_dict(item) for item in record)
    return record


def from_dict(kind: type[T], data: Any) -> T:
    """The record of type ``kind`` that `to_dict` turned into ``data``.

    Unknown keys are ignored, so that an older reader accepts what a newer writer added.

    Raises
    ------
    KeyError
        A field without a default is missing.
    ValueError
        An enumeration does not know the value.
    TypeError, AttributeError, OverflowError
        Something is of another type, or too large for it.
    """
    return typing.cast(T, build(kind, data))


_SCALARS: Mapping[Any, Any] = {str: str, int: int, bool: bool, float: (int, float)}


def a_list(data: Any) -> Any:
    """``data``, which must be a list; `TypeError` otherwise."""
    if not isinstance(data, (list, tuple)):
        raise TypeError(f"{shortened(data)} is no list")
    return data


def shortened(data: Any) -> str:
    """``data`` for a message."""
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:40]}..."


def build(kind: Any, data: Any) -> Any:
    """As `from_dict`, for any type that a field can have."""
    origin = get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        inner = [arg for arg in get_args(kind) if arg is not type(None)]
        return None if data is None else build(inner[0], data)
    if origin is tuple:
        item = get_args(kind)[0]
        return tuple(build(item, value) for value in a_list(data))
    if origin is frozenset:
        return frozenset(build(get_args(kind)[0], value) for value in a_list(data))
    if origin is not None and issubclass(origin, Mapping):
        value_kind = get_args(kind)[1]
        return {key: build(value_kind, value) for key, value in data.items()}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    if hasattr(kind, "unpacked"):
        return kind.unpacked(data)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        values = {}
        for f in dataclasses.fields(kind):
            if f.name in data:
                values[f.name] = build(hints[f.name], data[f.name])
            elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
                raise KeyError(f"{getattr(kind, '__name__', kind)}.{f.name} is missing")
        return kind(**values)
    if kind in _SCALARS and not isinstance(data, _SCALARS[kind]):
        raise TypeError(f"{shortened(data)} is no {kind.__name__}")
    return float(data) if kind is float else data
