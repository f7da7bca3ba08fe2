"""Tables of contents: a package says what is in it, and a file is loaded when a name of it is first used.

Most of what a user waits for is loading, and a command needs a few kinds of many. In a package

    if TYPE_CHECKING:
        from privior.part.file import Name
    else:
        __getattr__ = contents(__name__)

the imports say once what there is, to people, to mypy and to `contents`, which reads them. They name files of
the package itself, so nothing reaches another part by this door.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from functools import cache


def contents(package: str) -> Callable[[str], object]:
    """Return what finds a name of a package that is not loaded yet."""

    def found(name: str) -> object:
        if name == "__all__":
            return names(package)
        if name not in _listed(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = _listed(package)[name]
        value = getattr(importlib.import_module(module), own)
        setattr(sys.modules[package], name, value)
        return value

    return found


def names(package: str) -> list[str]:
    """Return the names in the table of a package."""
    return list(_listed(package))


def files(package: str) -> list[str]:
    """Return the modules that are in a package, in the order of its table."""
    return list(dict.fromkeys(module for module, _ in _listed(package).values()))


def load(package: str, stem: str | None = None) -> None:
    """Load all files of a package, or the one that is called this, if there is one."""
    for module in files(package):
        if stem is None or module.rpartition(".")[2] == stem:
            importlib.import_module(module)


def load_decorated(package: str, kind: type, decorator: str = "") -> None:
    """Load the files of a package in which a decorator names a class."""
    for module in decorated(package, kind.__name__, decorator):
        importlib.import_module(module)


@cache
def decorated(package: str, word: str, decorator: str = "") -> tuple[str, ...]:
    """Return the modules of a package in which a decorator, on a line of its own, has this word.

    Args:
        package: whose files are looked at
        word: a word after the name of the decorator
        decorator: how that name begins; any one if nothing is said
    """
    line = re.compile(rf"@{re.escape(decorator)}.*\b{re.escape(word)}\b")
    return tuple(module for module in files(package) if any(map(line.match, _decorators(module))))


@cache
def _decorators(module: str) -> list[str]:
    """Return the lines of a module that begin with a decorator."""
    return re.findall(r"^@.*", _source(module), re.MULTILINE)


@cache
def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    return str(spec.loader.get_source(module)) if spec is not None else ""  # type: ignore[union-attr]


@cache
def _listed(package: str) -> dict[str, tuple[str, str]]:
    """Return where each name is: the module, and what it is called there."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for block in ast.parse(_source(package)).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{package}.")
        for alias in node.names
    }
