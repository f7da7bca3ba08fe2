"""Kinds that register themselves: nobody lists them, and others may add theirs from outside.

A file names a kind by its name, never a module. A name is known once its code was imported: privior's own
kinds with their part, those of others by their own import, or from an installed package that declares the
entry point group `privior`.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from privior.contents import files, load, load_decorated
from privior.errors import PriviorError, shown

Kind = TypeVar("Kind", bound=type)

#: the group of entry points that installed packages declare
GROUP = "privior"
#: the folder of privior itself
_HERE = Path(__file__).resolve().parent
_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
_loaded: set[str] = set()
#: files, or names of modules, that people imported
_files: set[str] = set()


class Registry(Generic[Kind]):
    """Classes by the name that they have in files, in the order in which they were registered."""

    def __init__(
        self, noun: str, where: str, attribute: str, error: type[PriviorError], packages: tuple[str, ...]
    ) -> None:
        """Begin with none.

        Args:
            noun: what a kind is called in messages
            where: which entry of a file names one
            attribute: the class attribute that holds the name
            error: what is raised
            packages: whose tables of contents have privior's own kinds, which come first, in that order
        """
        self._noun, self._where, self._attribute, self._error = noun, where, attribute, error
        self._packages, self._complete = packages, False
        self._kinds: dict[str, Kind] = {}

    def register(self, kind: Kind) -> Kind:
        """Add a class under its own name; to be used as a decorator."""
        name = getattr(kind, self._attribute, None)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise self._error(
                f"a {self._noun} needs a name of small letters, digits and -", asked=shown(name)
            )
        if outside(kind):
            self._load()  # a name of privior's own is taken, whether or not it was used yet
        taken = self._kinds.get(name)
        if taken is not None and (taken.__module__, taken.__qualname__) != (
            kind.__module__,
            kind.__qualname__,
        ):
            raise self._error(
                f"there is another {self._noun} of this name", where=name, asked=f"{kind.__module__}"
            )
        self._kinds[name] = kind
        return kind

    def named(self, name: object) -> Kind:
        """Return the kind of that name, or say which ones there are."""
        if isinstance(name, str):
            if name not in self._kinds:
                for package in self._packages:  # most kinds are in a file of their name
                    load(package, name.replace("-", "_"))
            if name not in self._kinds:
                self._load()
                load_installed()
            if name in self._kinds:
                return self._kinds[name]
        self._load()  # to say which ones there are
        raise self._error(
            f"unknown {self._noun}",
            where=self._where,
            asked=shown(name),
            allowed=", ".join(self._kinds),
            advice="Somebody's own is known once it is imported: privior --extension FILE COMMAND ...",
        )

    def __iter__(self) -> Iterator[Kind]:
        self._load()
        return iter(self._kinds.values())

    def has(self, kind: type) -> bool:
        """Say whether this very class is registered."""
        return any(one is kind for one in self._kinds.values())

    def beside(self, kind: type, decorator: str) -> list[Kind]:
        """Return the kinds that are loaded, and those of which a decorator names a class or one above it.

        Files of others are not loaded. The order is that of all kinds.
        """
        for package in () if self._complete else self._packages:
            for one in kind.__mro__:
                load_decorated(package, one, decorator)
        self._sort()
        return list(self._kinds.values())

    def _load(self) -> None:
        """Load the files in which privior's own kinds register themselves."""
        if not self._complete:
            for package in self._packages:
                load(package)
            self._complete = True
            self._sort()

    def _sort(self) -> None:
        """Put privior's own kinds in the order of the tables, before those of others."""
        modules = [module for package in self._packages for module in files(package)]
        places = {module: place for place, module in enumerate(modules)}
        order = sorted(self._kinds.items(), key=lambda one: places.get(one[1].__module__, len(places)))
        self._kinds = dict(order)


def load_installed() -> None:
    """Import what installed packages declare, each once."""
    from importlib.metadata import entry_points  # takes long to load, and few need it

    for entry in entry_points(group=GROUP):
        if entry.value not in _loaded:
            _loaded.add(entry.value)
            entry.load()


def outside(kind: type) -> bool:
    """Say whether a class was written outside privior: by the file of its module, whatever that is called."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is None or _elsewhere(file)


@lru_cache(maxsize=1024)  # asked several times for every spend
def _elsewhere(file: str) -> bool:
    return _HERE not in Path(file).resolve().parents


Made = TypeVar("Made")


class ByClass(Generic[Made]):
    """What somebody made for a class and those below it: found by the nearest one."""

    def __init__(self, noun: str, error: type[PriviorError], package: str) -> None:
        """Begin with none; `noun` says in messages what is missing, `package` has what is privior's own."""
        self._noun, self._error, self._package = noun, error, package
        self._made: dict[type, Made] = {}

    def register(self, *kinds: type) -> Callable[[Made], Made]:
        """Return a decorator that adds what was made for some classes."""

        def add(made: Made) -> Made:
            if isinstance(made, type) and outside(made):
                load(self._package)
            for kind in kinds:
                if self._made.get(kind, made) is not made:
                    raise self._error(f"there is another {self._noun} for this", where=kind.__name__)
                self._made[kind] = made
            return made

        return add

    def of(self, kind: type) -> Made:
        """Return what was made for a class, or say that nothing was.

        Only files are loaded in which a decorator names the class, or the nearest one above it that any does.
        """
        for one in kind.__mro__:
            if one not in self._made:
                load_decorated(self._package, one)
            if one in self._made:
                return self._made[one]
        raise self._error(f"no {self._noun} is known for this", where=kind.__name__)

    def __iter__(self) -> Iterator[tuple[type, Made]]:
        load(self._package)
        return iter(self._made.items())


def import_extension(name: str) -> None:
    """Import somebody's kinds: a module by its name, or a file by its path. Only people say which.

    Raises PriviorError if there is none.
    """
    path = Path(name)
    try:
        if path.suffix != ".py":
            _files.add(name)
            importlib.import_module(name)
            return
        module = path.stem
        if module in sys.modules:
            if Path(sys.modules[module].__file__ or "").resolve() == path.resolve():
                return
            raise ImportError("a module of this name is loaded already: give the file another name")
        spec = importlib.util.spec_from_file_location(module, path)
        if spec is None or spec.loader is None:
            raise ImportError("not a Python file")
        sys.modules[module] = importlib.util.module_from_spec(spec)
        _files.add(str(path.resolve()))
        spec.loader.exec_module(sys.modules[module])
    except Exception as error:  # it is somebody's code, and may do anything
        if path.suffix == ".py" and str(path.resolve()) in _files:
            sys.modules.pop(path.stem, None)
        said = f"{type(error).__name__}: {error}"
        raise PriviorError(f"the extension cannot be imported: {said}", where=shown(name)) from None


def at_fault(error: BaseException) -> str:
    """Return the place in somebody else's code where an error was raised; nothing if it was in privior."""
    found, trace = "", error.__traceback__
    while trace is not None:
        known = trace.tb_frame.f_globals
        file = str(Path(str(known.get("__file__", ""))).resolve())
        if file in _files or known.get("__name__") in _files:
            found = f"{trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def extensions(kinds: Iterable[type]) -> list[str]:
    """Return what to import for these classes elsewhere: files, or modules of packages by their names."""
    found = set()
    for kind in kinds:
        if outside(kind):
            file = getattr(sys.modules.get(kind.__module__), "__file__", None)
            alone = file is not None and "." not in kind.__module__
            found.add(str(Path(str(file)).resolve()) if alone else kind.__module__)
    return sorted(found)
