"""Virtual records: the counts of records drawn by a Polya urn from a Dirichlet posterior."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import balls, upper
from privior.privacy.pairs.incomplete import log_beta
from privior.privacy.pairs.losses import LossPair


def virtual_records_epsilon(drawn: int, smallest: Fraction, rate: Fraction = Fraction(1)) -> Fraction:
    """Return the pure epsilon of M = `drawn` virtual records, rounded up, for both neighbour relations.

    ln G(a+r+M) - ln G(a+r) - ln G(a+M) + ln G(a), a the smallest prior parameter, r the rate; ln(1 + M/a)
    for r = 1. Replace-one: `VirtualRecordsPair`. Add or remove: the counts of the cell of the record are
    Beta-binomial(a+r, b) or (a, b), the others given them the same; the loss is at most that at x = M, the
    formula less the same formula with a+b for a; the other order gives the formula with a+b. It decreases
    in a.
    """

    def formula() -> arb:
        a, r, m = balls(smallest, rate, drawn)
        if rate == 1:
            return (1 + m / a).log()
        return (a + r + m).lgamma() - (a + r).lgamma() - (a + m).lgamma() + a.lgamma()

    return Fraction(upper(formula))


@dataclass(frozen=True)
class VirtualRecordsPair(LossPair):
    """P = Beta-binomial(M; first + rate, second), Q = Beta-binomial(M; first, second + rate), M = `drawn`.

    Replace-one. Given Y the M records are independent with law Y. `BetaPair` has the kernel that maps the
    worst pair of draws to any other, Y to V Y + (1-V) e with V ~ Beta independent of the data; on records:
    replace each one by the cell e with probability 1-V. So the two smallest prior parameters are worst.
    Attained for two cells and one record; otherwise other cells take part of the M records, the curve is a
    bound, and the largest loss is attained all the same (all M records in one cell).
    The loss at x records in the first cell increases in x; at x = M it is `virtual_records_epsilon`.
    """

    drawn: int
    first: Fraction
    second: Fraction
    rate: Fraction = Fraction(1)

    @cached_property
    def pure(self) -> Fraction:
        """All records in the first cell."""
        return virtual_records_epsilon(self.drawn, self.first, self.rate)

    @property
    def mirror(self) -> VirtualRecordsPair:
        """Counting the records of the other cell, the other order is the same kind of pair."""
        return VirtualRecordsPair(self.drawn, self.second, self.first, self.rate)

    def losses(self) -> Iterable[tuple[arb, arb]]:
        """Walk through x = 0..M by the ratios of neighbouring probabilities."""
        a, b, r, m = balls(self.first, self.second, self.rate, self.drawn)
        p = (log_beta(a + r, m + b) - log_beta(a + r, b)).exp()
        ratio = (
            log_beta(a + r, m + b) - log_beta(a + r, b) - log_beta(a, m + b + r) + log_beta(a, b + r)
        ).exp()
        for x in range(self.drawn + 1):
            yield p, ratio.log()
            left = self.drawn - x
            p = p * (a + r + x) * left / ((x + 1) * (b + left - 1))
            ratio = ratio * ((a + r + x) * (b + r + left - 1)) / ((a + x) * (b + left - 1))
