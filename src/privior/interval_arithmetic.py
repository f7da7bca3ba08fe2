"""Interval arithmetic by flint and its balls, `from privior.interval_arithmetic import arb, flint`.

Flint is loaded when something of it is first used: most commands use nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import flint
    from flint import arb
else:

    class _Flint:
        def __getattr__(self, name: str) -> Any:
            import flint

            found = getattr(flint, name)
            setattr(self, name, found)  # the next time it is at hand
            return found

    flint = _Flint()

    def arb(*numbers: Any) -> Any:
        """Enclose a number, or what lies between two."""
        return flint.arb(*numbers)
