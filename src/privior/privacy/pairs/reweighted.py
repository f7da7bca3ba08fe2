"""Draws from posteriors on a bounded interval whose prior is re-weighted: pure privacy.

The prior is multiplied by exp(-c |phi(theta) - phi(pivot)|), phi a coordinate in which each side of the pivot
keeps a law of the same kind: the prior is two such laws, glued at the pivot. The bound of `truncated` holds
for any prior. It uses that the loss r h (S - S') - Lam(S) + Lam(S') is monotone in h, and that Lam, the log
of the integral of the prior times e^(r (h S - n A)), is convex in S: by Hoelder's inequality it is, whatever
the prior. So only Lam changes; re-weighting never changes the log likelihood ratio of two records, whose
oscillation stays the limit. Lam of the glued prior is the log of the sum of both integrals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball
from privior.privacy.pairs.truncated import TruncatedDraw


@dataclass(frozen=True)
class Side:
    """One side of the pivot: e^(slope phi(pivot)) times the integral of a cut conjugate law.

    Attributes:
        law: on this side, its parameters shifted
        slope: c above the pivot, -c below
        coordinate: which phi: "logit", "log" or "value"
        pivot: where it is glued
    """

    law: TruncatedDraw
    slope: Fraction
    coordinate: str
    pivot: Fraction

    def log_mass(self, total: Any) -> arb:
        """Return the log of its integral, in balls."""
        return self.law.log_mass(total) + ball(self.slope) * self._at_pivot()

    def _at_pivot(self) -> arb:
        match self.coordinate:
            case "logit":
                return ball(self.pivot / (1 - self.pivot)).log()
            case "log":
                return ball(self.pivot).log()
            case _:
                return ball(self.pivot)


@dataclass(frozen=True)
class ReweightedDraw(TruncatedDraw):
    """One draw from a posterior whose prior is glued.

    Attributes:
        plain: the same interval, records and statistics without the weights
        sides: one or two
    """

    plain: TruncatedDraw
    sides: tuple[Side, ...]

    def log_mass(self, total: Any) -> arb:
        """The log of the sum of both integrals."""
        logs = [side.log_mass(total) for side in self.sides]
        unit = max((log.mid() for log in logs), key=float)
        return unit + sum(((log - unit).exp() for log in logs), start=ball(0)).log()

    def corners(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Return S of the worst tables, as without weights."""
        return self.plain.corners()

    def steps(self) -> tuple[arb, arb]:
        """Return what the ends add, as without weights."""
        return self.plain.steps()

    def width(self) -> arb:
        """Return eta, as without weights."""
        return self.plain.width()
