"""Classes are abstract or final: what can be made is never derived from.

Who derives from a class that can be made changes what its methods mean for those who only know the first one.
All files of the package are imported and all of its classes are looked at; errors, which are caught by the
classes above them, enumerations and protocols are left out.
"""

from __future__ import annotations

import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable
from enum import Enum
from importlib import import_module

import privior


def classes() -> set[type]:
    """Return all classes of the package."""
    names = [one.name for one in pkgutil.walk_packages(privior.__path__, "privior.")]
    modules = [import_module(name) for name in names if not name.endswith("__main__")]
    return {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    }


def derived_from(found: Iterable[type]) -> dict[type, set[str]]:
    """Return the classes that can be made and are derived from, with who derives from them."""
    derived: dict[type, set[str]] = {}
    for one in found:
        for above in one.__bases__:
            if not _left_out(above) and not inspect.isabstract(above):
                derived.setdefault(above, set()).add(one.__qualname__)
    return derived


def _left_out(above: type) -> bool:
    ours = above.__module__.split(".")[0] in ("privior", __name__.split(".")[0])
    return not ours or issubclass(above, (BaseException, Enum)) or getattr(above, "_is_protocol", False)


def test_no_class_that_can_be_made_is_derived_from() -> None:
    found = classes()
    assert len(found) > 500  # of all parts
    assert derived_from(found) == {}


def test_a_planted_class_is_seen() -> None:
    class Shape(ABC):
        @abstractmethod
        def area(self) -> float: ...

    class Rectangle(Shape):
        def area(self) -> float:
            return 2.0

    class Square(Rectangle):
        def area(self) -> float:
            return 1.0

    class Oddity(ABC):  # noqa: B024 - that is the fault
        """Says that it is abstract, and can be made all the same."""

    class Odd(Oddity):
        """Derives from it."""

    assert derived_from([Shape, Rectangle]) == {}
    assert set(derived_from([Shape, Rectangle, Square, Oddity, Odd])) == {Rectangle, Oddity}
