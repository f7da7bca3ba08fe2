"""A model and a mechanism from outside privior go the whole way, and are called declared everywhere."""

from __future__ import annotations

import importlib.util
import json
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import privior as pv
from forking import run
from privior.mechanisms import MECHANISMS
from privior.models import MODELS
from privior.testing import check_mechanism, check_model

FILE = Path(__file__).parents[2] / "examples" / "own_model.py"
SCHEMA = pv.Schema({"wait": pv.Integer(0, 30)}, population="callers", unit="person")


@pytest.fixture(scope="module")
def own() -> Any:
    return imported()


def imported() -> ModuleType:
    if FILE.stem not in sys.modules:
        spec = importlib.util.spec_from_file_location(FILE.stem, FILE)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[FILE.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[FILE.stem])
    return sys.modules[FILE.stem]
