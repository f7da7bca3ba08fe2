"""A conjugate law cut to an interval: what makes a draw from the posterior pure."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privior.checks import fill
from privior.errors import NumberError, shown
from privior.exact import decimal, rational
from privior.models.laws.conjugate import Beta, Conjugate, Ends, Floats, Gamma, NamedLaw, Normal


@dataclass(frozen=True)
class Truncated(NamedLaw):
    """A conjugate law given that the parameter lies between `lower` and `upper`.

    Attributes:
        law: what is cut
        lower: the least possible parameter; None for no bound but the law's own
        upper: the largest
    """

    law: Conjugate
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "truncated"

    def __init__(self, law: Conjugate, lower: object = None, upper: object = None) -> None:
        if not isinstance(law, Beta | Gamma | Normal):
            raise self.refusal(
                "not a law that can be cut",
                asked=shown(law),
                allowed="pv.Beta(...), pv.Gamma(...), pv.Normal(...)",
            )
        try:
            low = None if lower is None else rational(lower, "lower")
            high = None if upper is None else rational(upper, "upper")
        except NumberError as error:
            raise self.refusal(error.what, asked=error.asked) from None
        first, last = law.support
        if low is None and high is None:
            raise self.refusal("an interval has an end", allowed="lower, upper or both")
        least, most = _higher(low, first), _lower(high, last)
        if least is not None and most is not None and least >= most:
            raise self.refusal("nothing is left of the law", asked=_written(low, high))
        fill(self, law=law, lower=least, upper=most)

    @property
    def support(self) -> Ends:
        """Where the parameter can lie."""
        return self.lower, self.upper

    def log_density(self, points: Floats) -> Floats:
        """Return the log density at points inside the support, up to a constant."""
        return self.law.log_density(points)

    def to_document(self) -> dict[str, object]:
        """Write the law as plain values."""
        ends = {"lower": self.lower, "upper": self.upper}
        own = dict(zip(ends, self.law.support, strict=True))
        return {
            **self.law.to_document(),
            **{name: decimal(end) for name, end in ends.items() if end is not None and end != own[name]},
        }

    def __str__(self) -> str:
        return f"{self.law} on {_written(self.lower, self.upper)}"


def _higher(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return one if other is None else other if one is None else max(one, other)


def _lower(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return one if other is None else other if one is None else min(one, other)


def _written(lower: Fraction | None, upper: Fraction | None) -> str:
    low = "-infinity" if lower is None else decimal(lower)
    high = "infinity" if upper is None else decimal(upper)
    return f"[{low}, {high}]"
