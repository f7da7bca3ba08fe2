"""Latent counts: the posterior of the true table of counts, given its noisy releases.

p(c | n) = n! Γ(A)/Γ(n+A) ∏ Γ(cᵢ+aᵢ)/(cᵢ! Γ(aᵢ)) is the prior of a table of n records whose cell probabilities
are Dirichlet(a), A = Σaᵢ; the releases multiply it by their likelihoods, which are products over cells. That
product is summed exactly where it is affordable, which the windows of the cells tell beforehand, and
explored by Markov chains otherwise. Either is free post-processing: no data, no privacy cost.
"""

from __future__ import annotations

from collections.abc import Sequence

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.mechanisms import CellGammas
from privior.posterior.counts.contract import LatentCounts
from privior.posterior.counts.evidence import CellEvidence, Total, checked_prior
from privior.posterior.counts.exact_counts import exact_counts


def latent_counts(
    evidence: Sequence[CellEvidence],
    prior: Floats,
    total: Total,
    *,
    gammas: Sequence[CellGammas] = (),
    seed: int = 0,
) -> LatentCounts:
    """Return the posterior of the true counts given all releases of a table.

    Args:
        evidence: the releases; none at all leaves the prior
        prior: the Dirichlet parameter of each cell
        total: what is known of the number of records
        gammas: releases from a posterior, which say something else about the same table
        seed: of the Markov chains, where the exact sum would cost too much
    """
    prior = checked_prior(evidence, prior)
    summed = exact_counts(evidence, prior, total, gammas)
    if summed is not None:
        return summed
    if gammas:
        raise InferenceError(
            "the posterior given draws of so large a table cannot be summed",
            asked=f"{prior.size} cells, up to {total.most} records",
            advice="Use the draws themselves (release.statistics.probabilities()), or fewer columns.",
        )
    from privior.posterior.counts.chain_counts import chain_counts

    return chain_counts(evidence, prior, total, seed=seed)
