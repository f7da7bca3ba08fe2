"""How many records there are, where that is private: known from all tables of a network together."""

from __future__ import annotations

import math

from privior.posterior.counts.law import IntegerLaw
from privior.posterior.quantity import DRAWS, Quantity
from privior.posterior.seeds import drawing

#: what it is called
RECORDS = "records"


def number_of_records(law: IntegerLaw, seed: int) -> Quantity:
    """Return the number of records as a quantity.

    Args:
        law: of it
        seed: of draws from its law
    """

    def interval(level: float) -> tuple[float, float]:
        low, high = law.quantiles(level)
        return float(low), float(high)

    upwards = law.mass.cumsum()
    places = upwards.searchsorted(drawing(0, seed).random(DRAWS) * upwards[-1], side="right")
    return Quantity(RECORDS, law.mean, 1.0 * (law.low + places), interval, math.sqrt(max(law.variance, 0.0)))
