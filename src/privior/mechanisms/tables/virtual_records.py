"""Virtual records: counts of records drawn from one draw of the posterior. Pure, and integers only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import ClassVar, Self, final

import numpy as np

from privior.checks import fill, whole_number
from privior.errors import PlanError
from privior.exact import decimal, shortened_up
from privior.mechanisms.contract import Floats, on_request_for
from privior.mechanisms.tables.posterior_release import RATE_DIGITS, PosteriorRelease, check_least
from privior.mechanisms.tables.table_mechanism import CellGammas, PublicFacts
from privior.models import DirichletTable, ExactStatistics, Observed
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours
from privior.privacy.calibration import LEAST, largest
from privior.privacy.pairs import virtual_records_draw, virtual_records_epsilon
from privior.randomness import OPERATING_SYSTEM, virtual_counts
from privior.special import gammaln

#: more records than this take longer to draw than they are worth
MOST_DRAWN = 1_000_000
#: so many can be listed
_FEW = 5


@final
@on_request_for(DirichletTable)
@dataclass(frozen=True)
class VirtualRecords(PosteriorRelease):
    """The counts y of M = `drawn` records from Y ~ Dirichlet(prior + rate * counts), drawn by a Polya urn.

    Proof (privior.privacy.pairs.virtual_records): the loss is largest if all M records are in the cell of
    the smallest prior parameter a; it is then lnG(a+r+M) - lnG(a+r) - lnG(a+M) + lnG(a), for both neighbour
    relations, and attained under replace-one. Pure epsilon, for a batch has only so many outcomes.
    With a public minimum `least` = t of the counts a is the smallest prior parameter plus r t
    (`posterior_release`); a cell whose low count is raised may stay as it was while the
    other moves, which is dominated too: the count of the cell that moves has a monotone likelihood ratio,
    and between Beta-binomials (a + r, b) and (a, b + r) lies (a, b).
    """

    cells: int
    prior: tuple[Fraction, ...]
    drawn: int
    rate: Fraction
    neighbours: Neighbours
    records: int
    epsilon: Fraction
    least: int
    name: ClassVar[str] = "virtual-records"
    about: ClassVar[str] = "counts of records drawn from a posterior draw"
    randomness: ClassVar[str] = OPERATING_SYSTEM
    max_rows: ClassVar[int] = 1  # type: ignore[misc]
    options: ClassVar[Mapping[str, object]] = {"least": 0}

    def __init__(
        self,
        cells: int,
        prior: object,
        drawn: int,
        *,
        rate: object = 1,
        neighbours: Neighbours | str = REPLACE_ONE,
        records: int,
        epsilon: object = None,
        least: int = 0,
    ) -> None:
        self._set(cells, prior, neighbours, records, least)
        self._set_rate(rate)
        fill(self, drawn=whole_number(drawn, "drawn", 1, MOST_DRAWN, where=self.name, error=PlanError))
        needed = virtual_records_epsilon(drawn, min(self.floors(self.rate)), self.rate)
        promised = shortened_up(needed) if epsilon is None else Budget.of(epsilon).epsilon
        if needed > promised:
            raise self.refusal(
                "so many records at this rate cost more than the stated epsilon",
                asked=decimal(promised),
                allowed=f"{float(needed):.6g} or more",
            )
        fill(self, epsilon=promised)

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Take the number of records, among powers of 2, that leaves the least noise at the largest rate."""
        if facts.max_rows > 1:
            raise cls.refusal("is for one row per unit")
        check_least(facts.least, cls.name)
        prior = facts.parameters
        smallest, epsilon = min(prior), facts.budget.epsilon
        made = partial(cls, facts.cells, prior, neighbours=facts.neighbours, records=facts.records)
        built = []
        for power in range(MOST_DRAWN.bit_length()):
            drawn = 1 << power

            def holds(rate: Fraction, drawn: int = drawn) -> bool:
                return virtual_records_epsilon(drawn, smallest + rate * facts.least, rate) <= epsilon

            rate = largest(holds, LEAST, Fraction(1), digits=RATE_DIGITS)
            if rate is not None:
                built.append(made(drawn, rate=rate, epsilon=epsilon, least=facts.least))
        if not built:
            raise cls.refusal(
                "no rate is small enough for this budget",
                asked=facts.budget,
                advice="Ask for a larger epsilon, or take a larger prior.",
            )
        return min(built, key=lambda one: one.expected_squared_error)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Pure: the epsilon asked for, or else what the records cost, rounded up; and the whole curve."""
        pair = virtual_records_draw(self.floors(self.rate), self.drawn, self.rate, self.neighbours)
        reason = (
            f"{self.drawn} virtual records at rate {decimal(self.rate)}, {self.floor_in_words} "
            "(proof: privior.VirtualRecords)"
        )
        return Guarantee(pair, self.neighbours, Budget(self.epsilon), reason)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw the records, in whole numbers."""
        return Observed.of(virtual_counts(self.parameters(statistics), self.drawn))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return the log of the Dirichlet-multinomial probability; -infinity for what cannot be released."""
        if not self.admits(observed, self.records):
            return -math.inf
        u = np.array([float(one) for one in self.parameters(statistics)])
        y = observed.array()
        cells = gammaln(u + y) - gammaln(u) - gammaln(y + 1)
        whole = float(u.sum())
        ways = math.lgamma(self.drawn + 1) + math.lgamma(whole) - math.lgamma(whole + self.drawn)
        return float(cells.sum()) + ways

    def admits(self, observed: Observed, records: int) -> bool:
        """So many records, none negative."""
        counts = observed.counts
        return sum(counts) == self.drawn and min(counts) >= 0

    def outcomes(self, records: int, margin: int) -> range:
        """All there are, whatever the margin."""
        return range(self.drawn + 1)

    def small(self, cells: int, records: int, max_rows: int) -> VirtualRecords:
        """Return few virtual records of few cells, those of the smallest prior parameters, at the same rate.

        A public minimum of the counts is a larger prior: these tables are what lies above it.
        """
        few, drawn = min(cells, self.cells), min(_FEW, self.drawn)
        prior = sorted(self.floors(self.rate))[:cells]
        return VirtualRecords(few, prior, drawn, rate=self.rate, neighbours=self.neighbours, records=records)

    def spread(self, whole: float | Floats) -> Floats:
        """Return the variance of a released proportion p over p (1-p), if the parameters add up to this."""
        return np.asarray((whole + self.drawn) / (self.drawn * (whole + 1)))

    def cell_gammas(self, observed: Observed) -> CellGammas:
        """Return lnG(u + y) - lnG(u) in each cell, and lnG(A + r n) - lnG(A + r n + M)."""
        one = np.ones(self.cells)
        prior = np.array([float(parameter) for parameter in self.prior])
        return CellGammas(
            prior,
            float(self.rate),
            np.zeros(self.cells),
            ((observed.array().astype(np.float64), one), (0 * one, -one)),
            ((0.0, 1.0), (float(self.drawn), -1.0)),
        )

    def to_document(self) -> dict[str, object]:
        """Write the mechanism as plain values."""
        return {**self._document(), "drawn": self.drawn, "epsilon": decimal(self.epsilon)}
