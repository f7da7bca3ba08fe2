"""Wants: an accuracy that a release should reach, and the smallest epsilon that reaches it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privior.errors import PlanError, shown
from privior.exact import decimal, positive
from privior.forecasting import Expect, Forecast
from privior.mechanisms import Mechanism
from privior.models import Model
from privior.planning.comparison import plan
from privior.plans import Plan
from privior.privacy import REPLACE_ONE, Neighbours
from privior.schema import Schema

#: the measures of a forecast by the names that people type
MEASURES = {
    "width": "90% width",
    "error": "error",
    "l2": "l2",
    "total-variation": "total variation",
    "hellinger": "Hellinger",
    "kl": "KL",
    "log-loss": "log loss",
}
#: epsilon is sought between these, with three digits
_LEAST, _MOST = Fraction(1, 10**6), Fraction(1000)


@dataclass(frozen=True)
class Want:
    """A forecast no larger than this: `Want.of("width 0.02")`.

    Attributes:
        measure: "width" (of 90% intervals, on average over the cells), "l2", "total-variation",
            "hellinger", "kl", "log-loss" (of the target of a classifier, above that of the truth)
        most: the largest value that will do
    """

    measure: str
    most: Fraction

    @staticmethod
    def of(text: object) -> Want:
        """Read a want: the name of a measure and a number.

        >>> Want.of("total variation 0.05")
        Want(measure='total-variation', most=Fraction(1, 20))
        """
        words = (
            re.fullmatch(r"\s*([a-z0-9 -]+?)\s*(?:<=|=|:)?\s+(\S+)\s*", text)
            if isinstance(text, str)
            else None
        )
        measure = re.sub(r"[ -]+", "-", words[1]) if words else ""
        if words is None or measure not in MEASURES:
            raise PlanError(
                "not something to want",
                where="want",
                asked=shown(text),
                allowed=f'{", ".join(MEASURES)} and a number, as in "width 0.02"',
            )
        return Want(measure, positive(words[2], measure, least=Fraction(1, 10**9), most=Fraction(10**9)))

    def of_forecast(self, ahead: Forecast) -> float:
        """Return what a forecast says of this measure."""
        name = MEASURES[self.measure]
        if name not in ahead.measures:
            known = {measure for measure, shown_as in MEASURES.items() if shown_as in ahead.measures}
            raise PlanError(
                "this model has no such measure",
                where="want",
                asked=self.measure,
                allowed=", ".join(measure for measure in MEASURES if measure in known),
            )
        return ahead.measures[name]

    def reached(self, ahead: Forecast) -> bool:
        """Say whether a forecast is good enough."""
        return self.of_forecast(ahead) <= self.most

    def __str__(self) -> str:
        return f"{self.measure} {decimal(self.most)}"


def plan_for(
    want: Want,
    model: Model,
    schema: Schema,
    *,
    records: int,
    delta: object = 0,
    neighbours: Neighbours | str = REPLACE_ONE,
    mechanism: type[Mechanism] | None = None,
    expect: Expect | str = Expect.TYPICAL,
    **options: Any,
) -> Plan:
    """Plan with the smallest epsilon, to three digits, whose forecast is what is wanted."""
    if want.most > model.largest_error:
        most = f"{model.largest_error:g}"
        raise PlanError(
            f"shares are never farther apart than {most}", where="want", asked=str(want), allowed=most
        )

    facts = {"records": records, "delta": delta, "neighbours": neighbours, "expect": expect, **options}

    def planned(epsilon: Fraction) -> Plan:
        return plan(model, schema, epsilon=epsilon, mechanism=mechanism, **facts)

    best = planned(_MOST)
    if not want.reached(best.forecast):
        raise PlanError(
            "no epsilon can reach this: the number of records alone leaves more open",
            where="want",
            asked=str(want),
            allowed=f"{want.measure} {want.of_forecast(best.without_noise):.3g} or more, "
            f"from {records} records",
            advice=model.less,
        )

    def enough(epsilon: Fraction) -> bool:
        try:
            return want.reached(planned(epsilon).forecast)
        except PlanError:  # so little is refused
            return False

    low, high = _LEAST, _MOST
    while not _adjacent(low, high):
        middle = _rounded(math.sqrt(float(low) * float(high)))
        low, high = (low, middle) if enough(middle) else (middle, high)
    return planned(high)


def _adjacent(low: Fraction, high: Fraction) -> bool:
    return _rounded(math.sqrt(float(low) * float(high))) in (low, high)


def _rounded(number: float) -> Fraction:
    """Round to three digits."""
    return Fraction(f"{number:.2e}")
