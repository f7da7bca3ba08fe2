"""Frames of pandas, for output alone: columns in, a frame out. pandas is optional, and loaded here only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privior.errors import InferenceError


def frame(columns: Mapping[str, Sequence[object]], labels: int = 0) -> Any:
    """Return a `pandas.DataFrame`.

    Args:
        columns: the values of each column
        labels: so many of the first columns become the index
    """
    try:
        import pandas
    except ImportError:
        raise InferenceError("pandas is not installed", advice="Run pip install pandas.") from None
    made = pandas.DataFrame({name: list(values) for name, values in columns.items()})
    return made.set_index(list(columns)[:labels]) if labels else made
