"""Draws from a Dirichlet posterior, exactly rounded: the posterior itself is what hides a record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import ClassVar, Self, final

import numpy as np

from privior.checks import fill, whole_number
from privior.errors import AuditError, PlanError
from privior.exact import decimal, round_down
from privior.mechanisms.contract import Floats, on_request_for
from privior.mechanisms.tables import sticks
from privior.mechanisms.tables.posterior_release import RATE_DIGITS, PosteriorRelease
from privior.mechanisms.tables.table_mechanism import CellGammas, PublicFacts, TableMechanism
from privior.models import DirichletTable, ExactStatistics, Layout, Observed
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.privacy.calibration import LEAST, largest, largest_within
from privior.privacy.composition import (
    MOST_LISTED,
    TwoLevelsDraws,
    compose_ordered,
    compose_symmetric,
    unit_draw,
)
from privior.privacy.pairs import both_orders
from privior.randomness import EXACTLY_ROUNDED, dirichlet_sticks
from privior.special import betaln

#: more sticks than this, in all draws together, take minutes
MOST_STICKS = 200_000
#: binary places of the grid: enough for a float, few enough for 64-bit integers
PLACES = (16, 60)


@final
@on_request_for(DirichletTable)
@dataclass(frozen=True)
class DirichletDraw(PosteriorRelease):
    """`draws` independent draws from Dirichlet(prior + rate * counts), each as k-1 sticks on a public grid.

    Proof (privior.privacy.pairs.beta and gamma_shape): one draw is dominated by the pair
    Beta(a+r, b), Beta(a, b+r) under replace-one, a and b the two smallest prior parameters, and by
    Gamma(a+r), Gamma(a) under add-or-remove-one; draws of the same table are composed as they are, both
    orders. What is published is a function of the ideal draws: their sticks, exactly rounded.
    A unit of up to `max_rows` records: the worst of the ways in which it moves the table
    (privior.privacy.composition.unit_draws). A public minimum `least` of the counts adds rate * least to
    every prior parameter (`posterior_release`); where raising a low count leaves it as it
    was while another cell moves, the marginal of the same Gammas is what the pair has to cover.
    The rate is the largest of four digits, at most 1, that keeps delta(epsilon) at or below the delta asked
    for: 1 if the prior is concentrated enough, less if not. Loading a release checks the inequality again.
    """

    cells: int
    prior: tuple[Fraction, ...]
    epsilon: Fraction
    delta: Fraction
    draws: int
    rate: Fraction
    neighbours: Neighbours
    records: int
    places: int
    max_rows: int
    least: int
    name: ClassVar[str] = "dirichlet-draw"
    about: ClassVar[str] = "draws from the posterior, exactly rounded"
    randomness: ClassVar[str] = EXACTLY_ROUNDED
    options: ClassVar[Mapping[str, object]] = {"draws": 1, "least": 0}
    draws_posterior: ClassVar[bool] = True

    def __init__(
        self,
        cells: int,
        prior: object,
        epsilon: object,
        delta: object,
        *,
        draws: int = 1,
        rate: object = None,
        neighbours: Neighbours | str = REPLACE_ONE,
        records: int,
        places: int = 53,
        max_rows: int = 1,
        least: int = 0,
    ) -> None:
        self._set(cells, prior, neighbours, records, least)
        Sensitivity.of_counts(neighbours, max_rows)  # refuses what is no number of rows
        budget = Budget.of(epsilon, delta)
        if budget.delta == 0:
            raise self.refusal(
                "a Dirichlet draw is never pure DP: give delta > 0, or release virtual records"
            )
        whole_number(draws, "draws", 1, MOST_STICKS // cells, where=self.name, error=PlanError)
        whole_number(places, "places", *PLACES, where=self.name, error=PlanError)
        fill(self, epsilon=budget.epsilon, delta=budget.delta, draws=draws, places=places, max_rows=max_rows)
        if rate is None:
            fill(self, rate=self._largest_rate())
            if (max_rows, least) == (1, 0):  # what was found was checked
                return
        else:
            self._set_rate(rate)
        if Fraction(self._delta_of(self._pair_at(self.rate, draws))) > self.delta:
            raise self.refusal("this rate does not give the stated guarantee", asked=decimal(self.rate))

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it for delta > 0, with the largest rate that the budget allows."""
        given = facts.cells, facts.parameters, facts.budget.epsilon, facts.budget.delta
        made = partial(cls, *given, neighbours=facts.neighbours, records=facts.records)
        return made(draws=facts.draws, max_rows=facts.max_rows, least=facts.least)

    def _pair_at(self, rate: Fraction, draws: int) -> DominatingPair:
        """Return the pair of so many draws; under add-or-remove-one its first law has the record."""
        replacing = self.neighbours is REPLACE_ONE
        free = max(1, self.records - self.cells * self.least) if replacing else None
        return _pair_of(self.floors(rate), rate, self.neighbours, self.max_rows, free, draws)

    def _in_one_cell(self, rate: Fraction, draws: int) -> DominatingPair:
        """Return the pair if all records of a unit share a cell, which is one of the ways they move."""
        if self.max_rows == 1:
            return self._pair_at(rate, draws)
        return _pair_of(self.floors(rate), rate * self.max_rows, self.neighbours, 1, None, draws)

    def _delta_of(self, pair: DominatingPair) -> float:
        """Return delta at the epsilon asked for, in the worse order."""
        return both_orders(pair).delta(round_down(self.epsilon))

    @cached_property
    def _pair(self) -> DominatingPair:
        return self._pair_at(self.rate, self.draws)

    def _largest_rate(self) -> Fraction:
        """Solve for one draw first, for all records of a unit in one cell and for the likely worst table.

        These are quick and upper ends; what holds for the worst is then found below them.
        """

        def alone(rate: Fraction) -> bool:
            return Fraction(self._delta_of(self._in_one_cell(rate, 1))) <= self.delta

        def likely(rate: Fraction) -> float:
            pair = self._in_one_cell(rate, self.draws)
            if isinstance(pair, TwoLevelsDraws):
                return pair.likely(round_down(self.epsilon))
            return self._delta_of(pair)

        def truly(rate: Fraction) -> float:
            return self._delta_of(self._pair_at(rate, self.draws))

        most = round_down(self.delta)
        rate = largest(alone, LEAST, Fraction(1), digits=RATE_DIGITS)
        if rate is not None and self.draws > 1:
            rate = largest_within(likely, most, rate / math.isqrt(self.draws), rate, RATE_DIGITS)
        if rate is not None and (self.draws > 1 or self.max_rows > 1):
            rate = largest_within(truly, most, rate, rate, RATE_DIGITS)
        if rate is None:
            raise self.refusal(
                "no rate is small enough for this budget",
                asked=f"epsilon {decimal(self.epsilon)}, delta {decimal(self.delta)}",
                advice="Ask for a larger epsilon or delta, for fewer draws, or take a larger prior.",
            )
        return rate

    @cached_property
    def guarantee(self) -> Guarantee:
        """The (epsilon, delta) asked for, and the whole curve."""
        pair = "exact Beta pair" if self.neighbours is REPLACE_ONE else "exact Gamma pair"
        if self.max_rows > MOST_LISTED:
            pair = f"Renyi bound, {Sensitivity.unit(self.max_rows)},"
        elif self.max_rows > 1:
            pair = f"worst pair of Gammas, {Sensitivity.unit(self.max_rows)},"
        times = "" if self.draws == 1 else f", {self.draws} draws composed"
        reason = (
            f"{pair} of a Dirichlet draw at rate {decimal(self.rate)}, {self.floor_in_words}{times} "
            "(proof: privior.DirichletDraw)"
        )
        unit = Sensitivity.unit(self.max_rows)
        return Guarantee(self._pair, self.neighbours, Budget(self.epsilon, self.delta), reason, unit)

    def spread(self, whole: float | Floats) -> Floats:
        """Return the variance of a released proportion p over p (1-p), if the parameters add up to this."""
        return np.asarray(1 / (self.draws * (whole + 1)))

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """One row of sticks for each draw."""
        return (Layout(sticks.NAME, (self.draws, self.cells - 1), self.places),)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw the sticks, exactly rounded."""
        u = self.parameters(statistics)
        drawn = [stick for _ in range(self.draws) for stick in dirichlet_sticks(u, self.places)]
        return Observed(self.layouts, (tuple(drawn),))

    def parameters_drawn(self, observed: Observed) -> Floats:
        """Return the cell probabilities of each draw."""
        return sticks.probabilities(observed)

    @property
    def slow(self) -> bool:
        """Several draws or rows take seconds."""
        return (self.draws, self.max_rows) != (1, 1)

    def outcomes(self, records: int, margin: int) -> range:
        """Refuse: draws on the grid have too many outcomes to be listed."""
        raise AuditError(
            "posterior draws have too many outcomes to be listed",
            asked=self.name,
            advice="Audit pv.VirtualRecords(...) with the same prior and rate, a function of such a draw.",
        )

    def small(self, cells: int, records: int, max_rows: int) -> TableMechanism:
        """Refuse: draws on the grid have too many outcomes to be listed."""
        raise self.refusal("posterior draws have too many outcomes to be listed")

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum the log probabilities of the sticks' cells, as width times density in the middle.

        At the ends, 0 and 1, as the integral of the leading power: right up to a share of the order of
        2^-places times the parameters. The exact law is the rounding of the ideal draw: this one is for
        inference.
        """
        if observed.layouts != self.layouts or not self.admits(observed, self.records):
            return -math.inf
        u = np.array([float(one) for one in self.parameters(statistics)])
        a, b = u[:-1], np.cumsum(u[::-1])[::-1][1:]
        drawn, unit = observed.array(), 1 << self.places
        taken, left = sticks.log_sticks(observed)
        logs = (a - 1) * taken + (b - 1) * left - math.log(unit)
        logs = np.where(drawn == 0, a * taken - np.log(a), logs)
        logs = np.where(drawn == unit, b * left - np.log(b), logs)
        return float((logs - betaln(a, b)).sum())

    def admits(self, observed: Observed, records: int) -> bool:
        """Sticks are shares: whole numbers from 0 to the grid's end."""
        return all(0 <= stick <= 1 << self.places for stick in observed.counts)

    def cell_gammas(self, observed: Observed) -> CellGammas:
        """Return r c log y - lnG(u) in each cell for each draw, and lnG(A + r n).

        The densities of the sticks multiply to that of the Dirichlet. A stick rounded to 0 has x^a / a
        instead of x^(a-1), so lnG(u+1) stands for lnG(u) there, and likewise for the last cell if the last
        stick was rounded to 1. Another stick rounded to 1 has 1 / (sum of the u after it), no product over
        cells: that factor is left out, and said.
        """
        slopes = float(self.rate) * sticks.log_probabilities(observed).sum(axis=0)
        drawn, unit = observed.array(), 1 << self.places
        zeros = np.append((drawn == 0).sum(axis=0), (drawn[:, -1] == unit).sum()).astype(np.float64)
        one = np.ones(self.cells)
        ends = int((drawn[:, :-1] == unit).sum())
        return CellGammas(
            np.array([float(parameter) for parameter in self.prior]),
            float(self.rate),
            slopes,
            ((0 * one, zeros - self.draws), (one, -zeros)),
            ((0.0, float(self.draws)),),
            f"{ends} sticks were rounded to 1, for which a factor is left out" if ends else "",
        )

    def to_document(self) -> dict[str, object]:
        """Write the mechanism as plain values, with the rate that was used."""
        return {
            **self._document(),
            "epsilon": decimal(self.epsilon),
            "delta": decimal(self.delta),
            "draws": self.draws,
            "places": self.places,
            **({"max_rows": self.max_rows} if self.max_rows > 1 else {}),
        }


@lru_cache(maxsize=2)
def _pair_of(
    floors: tuple[Fraction, ...],
    rate: Fraction,
    neighbours: Neighbours,
    max_rows: int,
    records: int | None,
    draws: int,
) -> DominatingPair:
    """Return the pair of so many draws, the same one if it is asked for again: its sums are kept with it."""
    one = unit_draw(floors, rate, neighbours, max_rows, records)
    return (compose_symmetric if neighbours is REPLACE_ONE else compose_ordered)([(one, draws)])
