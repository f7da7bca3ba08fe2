"""The special functions of scipy by their names, `from privior.special import gammaln`.

Scipy is loaded when one of them is first called: most commands call none.
"""

from __future__ import annotations

from functools import cache
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)

    def function(*arguments: Any) -> Any:
        return _loaded(name)(*arguments)

    return function


@cache
def _loaded(name: str) -> Any:
    from scipy import special

    return getattr(special, name)
