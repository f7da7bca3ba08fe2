"""DuckDB's engine without what its package has around it, for the process that reads rows.

`import duckdb` takes longer than reading a small table: most of it is relations and expressions in Python,
which privior does not ask for. The engine is one compiled module; of the package it needs what reads Arrow
tables. After `load_lightly` both are there, and whoever imports `duckdb` still gets all of it. Only the
curator's own process does this: how a library loads is for the program to say in which it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_NAME = "duckdb"


def load_lightly() -> None:
    """Load the engine alone, unless the package is loaded; a DuckDB that is made otherwise stays as it is."""
    spec = None if _NAME in sys.modules else PathFinder.find_spec(_NAME)
    if spec is None or spec.submodule_search_locations is None:
        return
    package = ModuleType(_NAME)  # stands for the package while its readers are loaded
    package.__path__ = spec.submodule_search_locations
    sys.modules[_NAME] = package
    try:
        import _duckdb
        from duckdb import _sources

        _duckdb._set_arrow_sources(_sources)
    except (ImportError, AttributeError):
        for name in [one for one in sys.modules if one.startswith(f"{_NAME}.")]:
            del sys.modules[name]
    else:
        _light.append(_duckdb.connect)
    finally:
        del sys.modules[_NAME]


_light: list[Callable[..., duckdb.DuckDBPyConnection]] = []


def connection(settings: dict[str, str | bool | int | float | list[str]]) -> duckdb.DuckDBPyConnection:
    """Start a DuckDB in memory."""
    if _light:
        return _light[0](":memory:", config=settings)
    import duckdb

    return duckdb.connect(":memory:", config=settings)
