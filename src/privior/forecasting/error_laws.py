"""The law of a release of a table as forecasts see it: one function for each kind of mechanism.

A function is looked for where a decorator names the mechanism's class, so that a plan loads the laws of those
mechanisms that it compares and no others.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from privior.contents import load_decorated
from privior.errors import PlanError
from privior.forecasting.table_errors import ErrorLaw


@singledispatch
def error_law(mechanism: object) -> ErrorLaw:
    """Return the law of a release as forecasts see it."""
    kind = type(mechanism)
    _load(kind)
    found = error_law.dispatch(kind)
    if found is error_law.dispatch(object):
        raise PlanError("no forecast is known for this mechanism", where=getattr(mechanism, "name", None))
    law: ErrorLaw = found(mechanism)
    return law


@singledispatch
def squared_error(mechanism: Any) -> float:
    """Return the expected squared Euclidean length of the noise, before any use of public facts."""
    kind = type(mechanism)
    _load(kind)
    found = squared_error.dispatch(kind)
    if found is not squared_error.dispatch(object):
        return float(found(mechanism))
    return float(mechanism.expected_squared_error)


def _load(kind: type) -> None:
    """Load the files in which something is registered for a class, or for one above it."""
    for one in kind.__mro__:
        load_decorated("privior.forecasting", one)
