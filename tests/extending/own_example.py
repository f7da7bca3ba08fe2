"""The example's model and mechanism, imported as somebody outside privior would."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import privior as pv
from privior.registry import import_extension

FILE = Path(__file__).parents[2] / "examples" / "own_model.py"
SCHEMA = pv.Schema({"wait": pv.Integer(0, 30)}, population="callers", unit="person")


def own() -> Any:
    """Return the module of the example."""
    import_extension(str(FILE))
    return sys.modules["own_model"]
