"""Candidate responses: a list, a grid, or all numbers of an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from privior.checks import fill, plain_fields, whole_number
from privior.decisions.utility import MOST, read_number
from privior.errors import DecisionError, shown


@dataclass(frozen=True, init=False)
class ResponseInterval:
    """All numbers from `lower` to `upper`.

    Attributes:
        lower: the lower end
        upper: the upper end
        steepness: how much the utility of a callable changes at most per unit of the response, if that is
            known: then the optimiser proves how near it came; None if it is not
    """

    lower: Fraction
    upper: Fraction
    steepness: Fraction | None

    def __init__(self, lower: object, upper: object, *, steepness: object = None) -> None:
        low, high = _ends(lower, upper)
        slope = None if steepness is None else read_number(steepness, "steepness", "responses")
        if slope is not None and slope <= 0:
            raise DecisionError("steepness is out of range", asked=shown(steepness), allowed="above 0")
        fill(self, lower=low, upper=high, steepness=slope)

    def to_document(self) -> dict[str, object]:
        """Write the interval as plain values; steepness belongs to callables, which no file holds."""
        return plain_fields(self, "steepness")

    def __str__(self) -> str:
        return f"{float(self.lower):g} to {float(self.upper):g}"


@dataclass(frozen=True, init=False)
class ResponseGrid:
    """The numbers from `lower` to `upper` in so many equal steps, both ends included."""

    lower: Fraction
    upper: Fraction
    steps: int

    def __init__(self, lower: object, upper: object, steps: int) -> None:
        low, high = _ends(lower, upper)
        fill(
            self, lower=low, upper=high, steps=whole_number(steps, "steps", 1, MOST - 1, error=DecisionError)
        )

    @property
    def numbers(self) -> list[float]:
        """The numbers, rising."""
        step = (self.upper - self.lower) / self.steps
        return [float(self.lower + step * place) for place in range(self.steps + 1)]

    def to_document(self) -> dict[str, object]:
        """Write the grid as plain values."""
        return plain_fields(self)

    def __str__(self) -> str:
        return f"{float(self.lower):g} to {float(self.upper):g} in {self.steps} steps"


#: None: all that the utility allows
Responses = ResponseInterval | ResponseGrid | tuple[object, ...] | None


def responses_of(given: object) -> Responses:
    """Read candidates: None, an interval, a grid or a list."""
    if given is None or isinstance(given, ResponseInterval | ResponseGrid):
        return given
    if isinstance(given, str) or not isinstance(given, Sequence) or not 1 <= len(given) <= MOST:
        raise DecisionError(
            "not candidate responses",
            asked=shown(given),
            allowed=f"a list of 1 to {MOST}, a ResponseGrid, a ResponseInterval, None for all",
        )
    return tuple(tuple(each) if isinstance(each, list) else each for each in given)


def _ends(lower: object, upper: object) -> tuple[Fraction, Fraction]:
    low, high = (read_number(end, name, "responses") for end, name in ((lower, "lower"), (upper, "upper")))
    if low >= high:
        raise DecisionError("lower is not below upper", where="responses", asked=shown((lower, upper)))
    return low, high
