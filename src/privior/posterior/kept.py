"""What a posterior has computed, written as plain values and flat arrays, and read back.

A class says that its values can be written so by `@kept`: a frozen dataclass whose fields are numbers, text,
arrays, tuples and kept values again. Only these classes are ever made when something is read: no code is
loaded and none is run, whatever stands there. What contains anything else is not written at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

KeptKind = TypeVar("KeptKind", bound=type)
Arrays = Mapping[str, NDArray[Any]]

_KEPT: dict[str, type] = {}
#: the arrays that are written: all of one type behind each other
TYPES: Mapping[str, type] = {"floats": np.float64, "integers": np.int64, "truths": np.bool_}


class NotKeptError(Exception):
    """A value holds what cannot be written."""


def kept(kind: KeptKind) -> KeptKind:
    """Let values of a frozen dataclass be written and read back."""
    _KEPT[kind.__name__] = kind
    return kind


def written(value: object) -> tuple[object, Arrays]:
    """Return a value as plain values, and the arrays that these point into.

    Raises NotKeptError if it holds anything that is not kept.
    """
    writer = _Writer()
    plain = writer.plain(value)
    return plain, {
        name: np.concatenate([np.empty(0, TYPES[name]), *parts]) for name, parts in writer.parts.items()
    }


def read(plain: Any, arrays: Arrays) -> Any:
    """Return what `written` was given.

    Raises KeyError, TypeError or ValueError for what it cannot have written.
    """
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return plain
    (name, content), *others = plain.items()
    if others:
        raise ValueError("more than one entry")
    if name == "tuple":
        return tuple(read(one, arrays) for one in content)
    if name in TYPES:
        start, shape = content
        size = int(np.prod(shape, dtype=np.int64))
        if start < 0 or size < 0 or start + size > arrays[name].size:
            raise ValueError("outside the array")
        return arrays[name][start : start + size].reshape(shape)
    kind: Any = _KEPT[name]
    return kind(**{key: read(one, arrays) for key, one in content.items()})


@dataclass(frozen=True, eq=False)
class _Writer:
    """Gathers arrays; one that is met again is written once."""

    parts: dict[str, list[NDArray[Any]]] = field(default_factory=lambda: {name: [] for name in TYPES})
    places: dict[int, tuple[str, int]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TYPES, 0))

    def plain(self, value: object) -> object:
        """Return a value as plain values."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (np.bool_, np.integer, np.floating)):
            return value.item()
        if isinstance(value, tuple):
            return {"tuple": [self.plain(one) for one in value]}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if is_dataclass(value) and _KEPT.get(type(value).__name__) is type(value):
            return {
                type(value).__name__: {
                    one.name: self.plain(getattr(value, one.name)) for one in fields(value) if one.init
                }
            }
        raise NotKeptError(type(value).__name__)

    def _array(self, array: NDArray[Any]) -> object:
        name = next((name for name, kind in TYPES.items() if array.dtype == kind), None)
        if name is None:
            raise NotKeptError(str(array.dtype))
        if id(array) not in self.places:
            self.places[id(array)] = name, self.sizes[name]
            self.parts[name].append(array.ravel())
            self.sizes[name] += array.size
        return {name: [self.places[id(array)][1], list(array.shape)]}
