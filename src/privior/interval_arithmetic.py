"""Interval arithmetic by flint and its balls, `from privior.interval_arithmetic import arb, flint`.

Flint is loaded when something of it is first used: most commands use nothing. Half of what loading takes is
for polynomials and matrices: privior's own programs load the numbers alone (`stand_in.take_in_part`). They
are the same ones, and whoever imports flint gets all of it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from privior.stand_in import standing_in, taken_in_part

if TYPE_CHECKING:
    import flint
    from flint import arb
else:

    class _Flint:
        def __getattr__(self, name: str) -> Any:
            found = _found(name)
            setattr(self, name, found)  # the next time it is at hand
            return found

    flint = _Flint()

    def arb(*numbers: Any) -> Any:
        """Enclose a number, or what lies between two."""
        return flint.arb(*numbers)


#: what is loaded alone, if it can be
_NUMBERS = ("ctx", "acb", "arb", "fmpq", "fmpz")


def _found(name: str) -> Any:
    """Return something of flint; a flint that is made otherwise is loaded whole."""
    if name in _NUMBERS and taken_in_part("flint"):
        with suppress(ImportError), standing_in("flint") as alone:
            if alone:
                from flint import pyflint
                from flint.types import acb, arb, fmpq, fmpz

                found = {"ctx": pyflint, "acb": acb, "arb": arb, "fmpq": fmpq, "fmpz": fmpz}[name]
                return getattr(found, name)
    import flint

    return getattr(flint, name)
