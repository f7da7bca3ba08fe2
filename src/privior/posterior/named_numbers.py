"""Numbers of the cells of a table that say their names: an array of numpy with labels along its first axis.

Whatever is computed from it is a plain array, since nobody knows whether the labels still hold: arithmetic,
slices, functions of numpy. Labels are looked up when they are first asked for; a table may have a million.

>>> means = named(np.array([0.25, 0.75]), lambda: ["school", "degree"])
>>> means
school: 0.25
degree: 0.75
>>> float(means["degree"]), float(means[1]), type(2 * means).__name__
(0.75, 0.75, 'ndarray')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.errors import InferenceError, shown
from privior.pictures.label import clean

#: more rows than this are cut, and so many are shown then of either end
_MOST, _FIRST, _LAST = 40, 20, 5
#: so many labels are listed in a message
_LISTED = 12


@final
class NamedNumbers(np.ndarray[Any, np.dtype[Any]]):
    """Numbers with labels along their first axis: `numbers["degree"]`, `numbers["yes", "degree"]`."""

    _names: Callable[[], Sequence[str]] | None
    _places: dict[str, int] | None

    def __array_finalize__(self, made_from: object) -> None:
        """A copy, a slice or another shape has no labels."""
        self._names = self._places = None

    @property
    def labels(self) -> list[str]:
        """The name of each number, or of each row; those of what was computed are not known."""
        if self._names is None:
            raise InferenceError("what was computed from named numbers has no labels of its own")
        return list(self._names())

    def __getitem__(self, key: Any) -> Any:
        """Return what stands at a label, or at a place as in any array."""
        first = key[0] if isinstance(key, tuple) and key else key
        if not isinstance(first, str):
            return np.asarray(self)[key]
        parts = key if isinstance(key, tuple) else (key,)
        words = [part for part in parts if isinstance(part, str)]
        return np.asarray(self)[(self._place(", ".join(words)), *parts[len(words) :])]

    def _place(self, label: str) -> int:
        if self._places is None:
            self._places = {name: place for place, name in enumerate(self.labels)}
        if label not in self._places:
            some = self.labels[:_LISTED]
            more = f", ... ({len(self)} in all)" if len(self) > _LISTED else ""
            raise InferenceError("no cell has this label", asked=shown(label), allowed="; ".join(some) + more)
        return self._places[label]

    def __iter__(self) -> Any:
        """Go through the numbers as in any array."""
        return iter(np.asarray(self))

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        """Compute with plain arrays."""
        return getattr(ufunc, method)(*_plain(inputs), **_plain(kwargs))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Compute with plain arrays."""
        return function(*_plain(args), **_plain(kwargs))

    def __copy__(self) -> Any:
        return self if self._names is None else named(np.array(self), self._names)

    def __deepcopy__(self, memo: object) -> Any:
        return np.array(self) if self._names is None else named(np.array(self), self._names)

    def __reduce__(self) -> Any:
        """Write numbers and labels, whatever the labels come from."""
        if self._names is None:
            return np.asarray(self).__reduce__()
        return with_labels, (np.array(self), tuple(self.labels))

    def __repr__(self) -> str:
        if self._names is None:
            return repr(np.asarray(self))
        rows, labels = np.asarray(self).reshape(len(self), -1), self._names()
        cut = len(rows) > _MOST
        shown_rows = [*range(_FIRST), *range(len(rows) - _LAST, len(rows))] if cut else range(len(rows))
        lines = [f"{clean(labels[row])}: {' to '.join(map(_written, rows[row]))}" for row in shown_rows]
        if cut:
            lines.insert(_FIRST, f"... ({len(rows)} in all: .labels, summary(), to_pandas())")
        return "\n".join(lines)

    __str__ = __repr__


def named(numbers: Floats, names: Callable[[], Sequence[str]]) -> NamedNumbers:
    """Return numbers with the labels of their first axis."""
    found = np.asarray(numbers).view(NamedNumbers)
    found._names = names
    return found


def with_labels(numbers: NDArray[Any], labels: Sequence[str]) -> NamedNumbers:
    """Return numbers with labels that are at hand."""
    return named(numbers, lambda: labels)


def _plain(value: Any) -> Any:
    """Return arguments with plain arrays in place of named ones."""
    if isinstance(value, NamedNumbers):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return type(value)(map(_plain, value))
    return {name: _plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def _written(number: float) -> str:
    return f"{number:.4g}" if abs(number) < 1000 else f"{number:.0f}"
