"""Files of a package without the package: something stands for it while they are loaded.

Python runs a package before any file of it, and some take longer than all that is wanted of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from types import ModuleType

#: packages of which this program takes what it needs
_in_part: set[str] = set()


def take_in_part(package: str) -> None:
    """Let files of a package be loaded without it where they are enough; for a program that is privior's own.

    How a library loads is for the program to say in which it is used.
    """
    _in_part.add(package)


def taken_in_part(package: str) -> bool:
    """Say whether this program wants it so."""
    return package in _in_part


@contextmanager
def standing_in(package: str) -> Iterator[bool]:
    """Let files of a package be imported without it, and say whether that can be: not once it is loaded.

    Whoever imports the package afterwards gets all of it. If a file cannot be loaded, none of them is kept.
    """
    spec = None if package in sys.modules else PathFinder.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        yield False
        return
    instead = ModuleType(package)
    instead.__path__ = spec.submodule_search_locations
    sys.modules[package] = instead
    try:
        yield True
    except BaseException:
        for name in [one for one in sys.modules if one.startswith(f"{package}.")]:
            del sys.modules[name]
        raise
    finally:
        del sys.modules[package]
