"""A public minimum of the counts: every cell is known to have at least t records.

With c = t + b, b >= 0, the weight of a table is that of b under a prior larger by t, times factors of b:

    Γ(c+a)/c! = Γ(b + (a+t))/b! · Γ(b+1)/Γ(b+t+1),

and likewise N! / Γ(A+N), N = kt + M the number of records, is M! / Γ((A+kt)+M) · Γ(N+1)/Γ(M+1). Those factors
have the form of a release from a posterior (`CellGammas`), noisy counts of c are noisy counts of b less t,
and likelihoods of c are those of b with the parameters raised. So b is summed as any table is, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from privior.arrays import Floats, Integers
from privior.mechanisms import CellGammas
from privior.posterior.counts.contract import CellProbabilities, LatentCounts
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.latent import latent_counts
from privior.posterior.diagnostics import Diagnostics


@dataclass(frozen=True, eq=False)
class LeastCounts(LatentCounts):
    """The posterior of counts that are at least `least`, from that of what is above it."""

    above: LatentCounts
    least: int
    mean: Floats
    stddev: Floats
    diagnostics: Diagnostics

    @staticmethod
    def of(above: LatentCounts, least: int) -> LeastCounts:
        """Raise counts by `least`; all else stays."""
        return LeastCounts(above, least, above.mean + least, above.stddev, above.diagnostics)

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each count."""
        return self.above.interval(level) + self.least

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return tables from the posterior."""
        return self.above.draws(size, rng) + self.least

    def beta_mixture(self) -> CellProbabilities | None:
        """Return the marginals of the probabilities: Dirichlet(a + c) is Dirichlet((a + t) + b)."""
        return self.above.beta_mixture()


def least_counts(
    evidence: Sequence[CellEvidence], prior: Floats, total: Total, gammas: Sequence[CellGammas], least: int
) -> LatentCounts:
    """Return the posterior of the true counts, each known to be at least `least`."""
    if least == 0:
        return latent_counts(evidence, prior, total, gammas=gammas)
    raised = [replace(one, prior=one.prior + one.rate * least) for one in gammas]
    noisy = [replace(one, observed=one.observed - least) for one in evidence]
    left = Total(most=total.most - prior.size * least, known=total.known)
    above = latent_counts(noisy, prior + least, left, gammas=[*raised, _factors(prior.size, least)])
    return LeastCounts.of(above, least)


def _factors(cells: int, least: int) -> CellGammas:
    """Γ(b+1)/Γ(b+t+1) in each cell, and Γ(M+kt+1)/Γ(M+1)."""
    one = np.ones(cells)
    return CellGammas(
        one,
        1.0,
        np.zeros(cells),
        ((0 * one, one), (least * one, -one)),
        ((1.0 - cells + cells * least, 1.0), (1.0 - cells, -1.0)),
    )
