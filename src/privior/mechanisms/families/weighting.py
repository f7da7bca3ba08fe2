"""The weight of a record in the posterior that draws come from: 1 is the posterior itself, less is safer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privior.errors import PlanError
from privior.exact import decimal, positive
from privior.privacy import Budget
from privior.privacy.calibration import LEAST, largest

#: digits of a weight that was solved for
_DIGITS = 6


def weight_for(
    asked: object,
    enough: Callable[[Fraction], bool],
    budget: Budget,
    mechanism: str,
    most: Fraction = Fraction(1),
) -> Fraction:
    """Return the largest weight, at most 1, that keeps the promise; or the one asked for, if it does.

    Args:
        asked: a weight; None to look for the largest
        enough: whether a weight keeps the promise, which smaller ones then do too
        budget: the promise, for messages
        mechanism: whose weight it is, likewise
        most: the largest weight that is looked for: above 1 where a point is wanted, not the posterior
    """
    if asked is None:
        found = largest(enough, LEAST, most, digits=_DIGITS)
        if found is None:
            raise PlanError(
                "no weight is small enough for this budget",
                where=mechanism,
                asked=str(budget),
                advice="Ask for a larger epsilon or delta, for fewer draws, or take another prior.",
            )
        return found
    weight = positive(asked, "weight", least=LEAST, most=most)
    if not enough(weight):
        raise PlanError(
            "this weight does not give the stated guarantee", where=mechanism, asked=decimal(weight)
        )
    return weight
