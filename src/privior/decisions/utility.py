"""What every named utility is: a frozen value that scores a response to a quantity between 0 and 1.

Scaling uses public facts alone: declared costs and the reach of the quantity. A file or a message can name
these utilities and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from privior.arrays import Floats
from privior.checks import fill, plain_fields, told_by
from privior.decisions.reach import Reach
from privior.errors import DecisionError, shown
from privior.exact import decimal, rational

#: a number, both ends of an interval, or the name of an action
Response = float | tuple[float, float] | str

#: more of anything that is listed is a mistake
MOST = 10_000
#: so is a larger number
LARGEST = Fraction(10**15)


class Utility(ABC):
    """How good a response is, from 0 to 1, if the quantity has some value."""

    name: ClassVar[str]
    #: in a few words, for lists
    about: ClassVar[str]
    #: whether a response is a pair of ends, instead of a number or a name
    pairs: ClassVar[bool] = False
    lower: Fraction | None
    upper: Fraction | None

    def _set_ends(self, lower: object, upper: object) -> None:
        """Keep the declared ends of the quantity; None leaves them to the question."""
        for name, end in (("lower", lower), ("upper", upper)):
            fill(self, **{name: None if end is None else self._number(end, name)})
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise DecisionError("lower is not below upper", where=self.name, asked=shown((lower, upper)))

    def _number(self, value: object, name: str, low: Fraction | None = None) -> Fraction:
        """Read a number, at least `low`."""
        number = read_number(value, name, self.name)
        if low is not None and number < low:
            raise self._refusal(f"{name} is out of range", value, f"{decimal(low)} or more")
        return number

    def _share(self, value: object, name: str) -> Fraction:
        """Read a number between 0 and 1."""
        number = self._number(value, name)
        if not 0 < number < 1:
            raise self._refusal(f"{name} is out of range", value, "above 0 and below 1")
        return number

    def _refusal(self, what: str, asked: object, allowed: object = None) -> DecisionError:
        return DecisionError(what, where=self.name, asked=shown(asked), allowed=allowed)

    @property
    def actions(self) -> tuple[str, ...] | None:
        """The responses, if they are a few named ones."""
        return None

    @abstractmethod
    def response(self, given: object, reach: Reach) -> Response:
        """Read a response, or refuse what is none."""

    @abstractmethod
    def scores(self, values: Floats, response: Response, reach: Reach) -> Floats:
        """Return the utility of a response at each value within the reach."""

    @abstractmethod
    def best(self, values: Floats, among: Reach, reach: Reach) -> Response:
        """Return the response of the largest average score, among all within an interval, in closed form."""

    @abstractmethod
    def variation(self, reach: Reach) -> float:
        """Return how much the score of a response varies at most, up and down together, over the reach."""

    @abstractmethod
    def plain(self, expected: float, reach: Reach) -> str:
        """Say in the quantity's own units what an expected utility means."""

    def to_document(self) -> dict[str, object]:
        """Write the utility as plain values."""
        return {"name": self.name, **plain_fields(self)}

    def __str__(self) -> str:
        facts = {name: fact for name, fact in self.to_document().items() if name != "name"}
        said = ", ".join(f"{name} {_said(fact)}" for name, fact in facts.items())
        return f"{self.name} ({said})" if said else self.name


def read_number(value: object, name: str, where: str) -> Fraction:
    """Read a number of a size that floats hold with room to spare."""
    with told_by(DecisionError, where):
        number = rational(value, name)
    if abs(number) > LARGEST:
        raise DecisionError(f"{name} is too large", where=where, asked=shown(value), allowed=decimal(LARGEST))
    return number


def listed(given: object, name: str, where: str, least: int = 1) -> list[object]:
    """Read a list of so many entries at least."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not least <= len(given) <= MOST:
        allowed = f"a list of {least} to {MOST}"
        raise DecisionError(f"{name} is not a list", where=where, asked=shown(given), allowed=allowed)
    return list(given)


def number_within(given: object, reach: Reach, where: str) -> float:
    """Read a response that is a number within the reach of the quantity."""
    number = float(read_number(given, "the response", where))
    if not reach.lower <= number <= reach.upper:
        raise DecisionError("the response is out of range", where=where, asked=shown(given), allowed=reach)
    return number


def _said(fact: object) -> str:
    return "; ".join(map(_said, fact)) if isinstance(fact, list) else str(fact)
