"""The example's model and mechanism, imported as somebody outside privior would, and forgotten afterwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import privior as pv
from privior.mechanisms import MECHANISMS
from privior.models import MODELS
from privior.registry import import_extension

FILE = Path(__file__).parents[2] / "examples" / "own_model.py"
SCHEMA = pv.Schema({"wait": pv.Integer(0, 30)}, population="callers", unit="person")


@contextmanager
def imported() -> Iterator[Any]:
    """Import the example; other tests find nothing of it."""
    for registry in (MODELS, MECHANISMS):
        list(registry)  # loads privior's own, which are not loaded again
    before = [(registry, dict(registry._kinds)) for registry in (MODELS, MECHANISMS)]
    import_extension(str(FILE))
    try:
        yield sys.modules["own_model"]
    finally:
        del sys.modules["own_model"]
        for registry, kinds in before:
            registry._kinds = kinds  # type: ignore[assignment]


def own() -> Any:
    """Return the module of the example, which a test has imported."""
    return sys.modules["own_model"]
