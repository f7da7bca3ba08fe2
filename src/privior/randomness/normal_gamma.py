"""A mean and a precision together, in a box, for exactly rounded draws.

tau is an ideal draw from the Gamma law cut to its interval, z one from Normal(0, 1), and mu = mean + z /
sqrt(strength tau). Both are drawn anew until mu lies in its own interval: what is kept has the law of the
whole on the box. Neither is ever computed: they are known by cells of grids that get finer, as long as the
cells do not decide whether mu is inside, or which point of the public grid is nearest. The answer is that of
the ideal draws.
How many trials a draw takes depends on the parameters; that they are few, whatever these are, is for whoever
chooses the box to see to.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privior.interval_arithmetic import flint
from privior.randomness.concave import ball
from privior.randomness.entropy import Bits
from privior.randomness.gamma import GammaLaw
from privior.randomness.normal import NormalLaw
from privior.randomness.rounding import IdealDraw
from privior.randomness.truncated import TruncatedLaw

#: binary places beyond those of the public grid, at first
_SPARE = 32


@dataclass(frozen=True)
class NormalGammaBox:
    """precision ~ Gamma(shape, rate), mean given it ~ Normal(mean, 1/(strength precision)), both in a box."""

    mean: Fraction
    strength: Fraction
    shape: Fraction
    rate: Fraction
    means: tuple[Fraction, Fraction]
    precisions: tuple[Fraction, Fraction]

    def rounded(self, places: int, bits: Bits) -> tuple[int, int]:
        """Draw mean and precision and return the whole numbers that are nearest to them times 2^places."""
        gamma = TruncatedLaw(GammaLaw(self.shape, self.rate), *self.precisions)
        while True:
            tau, z = IdealDraw(gamma, bits), IdealDraw(NormalLaw(Fraction(0), Fraction(1)), bits)
            mean = self._mean(tau, z, places)
            if mean is not None:
                return mean, tau.cell(places)

    def _mean(self, tau: IdealDraw, z: IdealDraw, places: int) -> int | None:
        """Return the rounded mean; None if the mean is outside of its interval."""
        spare = _SPARE
        low, high = self.means
        while True:
            fine = max(places, 0) + spare
            with flint.ctx.workprec(4 * fine + 64):
                spread = (ball(self.strength) * tau.enclosed(fine)).sqrt()
                mu = ball(self.mean) + z.enclosed(fine) / spread
                if mu < ball(low) or mu > ball(high):
                    return None
                if ball(low) <= mu and mu <= ball(high):
                    nearest = (mu * flint.arb(2) ** places + flint.arb(1) / 2).floor().unique_fmpz()
                    if nearest is not None:
                        return int(nearest)
            spare *= 2
