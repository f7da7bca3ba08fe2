"""Treatments: what was done to noisy numbers before they were published, which only whoever did it knows.

A number that was treated tells of an interval in which the noisy one lay: low <= count + noise <= high.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from privior.checks import above_zero, fill, plain_fields
from privior.errors import PlanError, shown
from privior.exact import decimal, rational


@final
@dataclass(frozen=True)
class Treatment:
    """What was done to each noisy number, in this order; nothing where nothing is said.

    Attributes:
        suppressed_below: numbers below were left blank
        clipped_at: numbers below were replaced by this
        rounded_to: numbers were rounded to the nearest multiple of this, halves either way
    """

    suppressed_below: Fraction | None = None
    clipped_at: Fraction | None = None
    rounded_to: Fraction | None = None

    def __init__(
        self, *, suppressed_below: object = None, clipped_at: object = None, rounded_to: object = None
    ) -> None:
        for name, value in {"suppressed_below": suppressed_below, "clipped_at": clipped_at}.items():
            fill(self, **{name: None if value is None else rational(value, name)})
        fill(self, rounded_to=None if rounded_to is None else above_zero(rounded_to, "rounded_to"))

    @property
    def none(self) -> bool:
        """Whether numbers are as they were drawn."""
        return self == AS_DRAWN

    def interval(self, number: Fraction | None, *, discrete: bool) -> tuple[float, float]:
        """Return between what a noisy number lay that was published so; None for a blank.

        Discrete noise is taken to lie beyond an end by a half, except where a number was rounded: a whole
        end is then a tie. Raises PlanError for a number that cannot have been published so.
        """
        aside = Fraction(1, 2) if discrete else Fraction(0)
        least = self.suppressed_below
        if least is not None and discrete:
            least = math.ceil(least) - aside
        if number is None:
            if least is None:
                raise PlanError(
                    "a number is missing",
                    where="numbers",
                    advice="Say from where on numbers were left blank: suppressed_below=...",
                )
            return -math.inf, float(least)
        half = (self.rounded_to or Fraction(0)) / 2
        low, high = number - half, number + half
        if self.rounded_to is not None and number % self.rounded_to:
            raise self._impossible(number, f"a multiple of {decimal(self.rounded_to)}")
        if least is not None and high < least:
            raise self._impossible(number, f"{decimal(self.suppressed_below or least)} or more")
        if self.clipped_at is not None and (least is None or least < self.clipped_at):
            if high < self.clipped_at:
                raise self._impossible(number, f"{decimal(self.clipped_at)} or more")
            if low <= self.clipped_at:
                return _end(least), float(high if half else high + aside)
        return float(low if least is None else max(low, least)), float(high)

    @staticmethod
    def _impossible(number: Fraction, allowed: str) -> PlanError:
        return PlanError(
            "a number cannot have been published so",
            where="numbers",
            asked=decimal(number),
            allowed=allowed,
            advice="Say what was done to the numbers as it was done: treatment=...",
        )

    def to_document(self) -> dict[str, object]:
        """Write what was done as plain values."""
        return plain_fields(self)

    @staticmethod
    def from_document(document: object) -> Treatment:
        """Read the treatment of imported numbers from a file, as `to_document` wrote it."""
        try:
            return Treatment(**document)  # type: ignore[arg-type]
        except TypeError:
            raise PlanError("unknown entries", where="treatment", asked=shown(document)) from None

    def __str__(self) -> str:
        done = [
            f"{name.replace('_', ' ')} {decimal(value)}"
            for name, value in vars(self).items()
            if value is not None
        ]
        return ", ".join(done) or "as drawn"


#: nothing was done to the numbers
AS_DRAWN: Final = Treatment()


def _end(least: Fraction | None) -> float:
    return -math.inf if least is None else float(least)
