"""Averages: which columns have a mean or a quantile, and the number that each of their levels stands for."""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.posterior.events import quoted
from privior.schema.column import Column
from privior.schema.days import Date
from privior.schema.named_levels import Boolean, Categorical
from privior.schema.numbers import Binned, Bounded, Integer


def numbers_of(name: str, column: Column, wanted: str = "mean") -> Floats:
    """Return one number per level of a column, or say why it has no mean and what to ask instead.

    Args:
        name: of the column
        column: what is known of it
        wanted: what it is asked for: a mean, a quantile
    """
    match column:
        case Integer():
            return np.arange(column.lower, column.upper + 1, dtype=np.float64)
        case Bounded():
            return np.asarray(float(column.lower) + float(column.grid) * np.arange(column.size), np.float64)
        case Boolean():
            return np.array([0.0, 1.0])
        case Categorical() if all(type(level) is int for level in column.levels):
            return np.array([float(level) for level in column.levels])
        case Binned():
            why, instead = "its bins hide the numbers in them", f">={column.labels[1][1:].split(',')[0]}"
        case Date():
            why, instead = "its values are days", f"<{column.labels[column.size // 2]}"
        case _:
            why, instead = "its levels are not numbers", f"={quoted(column.labels[0])}"
    raise InferenceError(
        f"{quoted(name)} has no {wanted}: {why}",
        allowed="whole numbers, numbers on a grid, true or false"
        + ("" if wanted == "mean" else ", days, bins"),
        advice=f"Ask for {_median(name, column)}a probability instead, such as P({quoted(name)}{instead}).",
    )


def has_places(column: Column) -> bool:
    """Whether the values of a column are in order, but are no numbers: its quantiles are days or bins."""
    return isinstance(column, (Binned, Date))


def places_of(name: str, column: Column, wanted: str = "quantile") -> Floats:
    """Return a number per level by which quantiles are found: a code where it is a day or a bin."""
    return (
        np.arange(column.size, dtype=np.float64) if has_places(column) else numbers_of(name, column, wanted)
    )


def _median(name: str, column: Column) -> str:
    return f"median({quoted(name)}) or " if has_places(column) else ""
