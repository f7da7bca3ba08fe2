"""SciPy's special functions without the rest of SciPy, for a program that is privior's own.

`import scipy.special` takes as long as reading a small table: it copies numpy's whole namespace, test tools
and Fortran compiler included, and wraps every function for other array libraries. The functions themselves
are one compiled module, which takes a fifth of that. After `load_lightly` the package has what is in that
module, and whoever asks it for anything else gets the whole of it. The functions are the same. SciPy itself,
which looks for compilers and reads version numbers, is run when somebody wants something of it. Only the
command line does this: how a library loads is for the program to say in which it is used.
"""

from __future__ import annotations

import importlib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader  # takes as long to load as what is saved

_PACKAGE, _NAME = "scipy", "scipy.special"


def load_lightly() -> None:
    """Let SciPy's special functions be loaded lightly from now on, unless they are loaded already."""
    if _NAME not in sys.modules and not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Finds the package where it is, and lets it be loaded in two steps."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Leave everything else to the others."""
        steps = _STEPS.get(fullname)
        spec = None if steps is None else PathFinder.find_spec(fullname, path, target)
        if steps is not None and spec is not None and spec.loader is not None:
            spec.loader = steps(spec.loader)  # type: ignore[assignment]  # has what is asked of one
        return spec


class _TwoSteps(ABC):
    """Loads something of a package, and what it is besides when somebody wants it."""

    def __init__(self, whole: Loader) -> None:
        self._whole = whole

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Let the package be an ordinary one."""
        return self._whole.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Take the first step, and wait; a SciPy that is made otherwise is loaded whole."""
        try:
            first = self.first()
        except ImportError:
            self._whole.exec_module(module)
            return
        module.__dict__.update(first)

        def rest(name: str) -> object:
            if name == self.part:
                return importlib.import_module(_NAME)
            hidden = name.startswith("__") and name != "__version__"
            if hidden or "__getattr__" not in vars(module):
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            del module.__dict__["__getattr__"]
            self._whole.exec_module(module)
            return getattr(module, name)

        module.__dict__["__getattr__"] = rest

    #: a name that is found without the whole
    part = ""

    @abstractmethod
    def first(self) -> dict[str, object]:
        """Return what is there before anybody asks for more."""


class _Package(_TwoSteps):
    """SciPy itself: nothing at first."""

    part = "special"

    def first(self) -> dict[str, object]:
        """Return nothing: SciPy itself is run when somebody wants something of it."""
        return {}


class _Functions(_TwoSteps):
    """The package of special functions: those that are compiled."""

    def first(self) -> dict[str, object]:
        """Return the compiled functions by their names, without running the rest of the package."""
        from scipy.special import _ufuncs

        return {name: getattr(_ufuncs, name) for name in _ufuncs.__all__}


#: on Windows SciPy has to say first where its libraries are
_STEPS = {_NAME: _Functions} if os.name == "nt" else {_PACKAGE: _Package, _NAME: _Functions}
