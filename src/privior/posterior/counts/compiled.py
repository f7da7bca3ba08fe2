"""Functions that run as they are written, or compiled: small work is done before a compiler is loaded."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Compiled(Generic[P, R]):
    """A function that can be called, and whose `fast` twin is compiled when it is first wanted.

    Compiled functions call each other's compiled twins.

    Attributes:
        loaded: whether the compiler was wanted before, by any function
    """

    loaded: ClassVar[bool] = False

    def __init__(self, plain: Callable[P, R], loops: Callable[P, R] | None = None) -> None:
        """Take a function, and another way to write it where whole arrays are slower than loops."""
        self._plain, self._loops = plain, loops or plain
        self.__doc__ = plain.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run it as it is written."""
        return self._plain(*args, **kwargs)

    @cached_property
    def fast(self) -> Callable[P, R]:
        """The same, compiled; what was compiled is kept for the next time."""
        from numba import njit

        Compiled.loaded = True
        made: Callable[P, R] = njit(cache=True, nogil=True, no_cfunc_wrapper=True)(self._loops)
        return made

    @property
    def _numba_type_(self) -> Any:
        """What the compiler takes this for, where another function calls it."""
        from numba import typeof

        return typeof(self.fast)
