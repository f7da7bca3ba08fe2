"""The posterior of the true counts of a table, given releases by whichever mechanisms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from privior.errors import InferenceError, shown
from privior.mechanisms import CellGammas
from privior.models import ExchangeablePrior, LearnedPrior
from privior.plans.plan import MOST_RECORDS
from privior.posterior.counts.certain import CertainCounts
from privior.posterior.counts.contract import LatentCounts, LearnedShape
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.halved_counts import halved_counts
from privior.posterior.counts.learned_counts import learned_counts
from privior.posterior.counts.least_counts import least_counts
from privior.posterior.counts.listed_counts import listed_counts
from privior.posterior.numbers import Floats
from privior.release import Release
from privior.schema import Column

#: so many standard deviations of its noise may a private total lie above its maximum, if a shape is learned
_ROOM = 4


def counts_given(releases: Sequence[Release], parameters: Floats) -> LatentCounts:
    """Return the posterior of the true counts.

    Args:
        releases: of one table
        parameters: the prior parameter of each cell
    """
    evidence, gammas = cell_evidence(releases), _gammas(releases)
    noisy = sum(release.plan.mechanism.cell_noise is not None for release in releases)
    listed = noisy + len(gammas) < len(releases)
    if gammas and listed:
        raise InferenceError("draws and tables by Hellinger distance are not used together")
    if listed:
        return listed_counts(releases, parameters)
    least = max(release.plan.mechanism.minimum for release in releases)
    return least_counts(evidence, parameters, total_of(releases), gammas, least)


def learned_given(releases: Sequence[Release], prior: object, *, ignore_noise: bool) -> LearnedShape:
    """Return the posterior of the true counts, and of the law that they come from."""
    if ignore_noise:
        raise InferenceError(
            "a prior is learned from noisy counts with their noise",
            asked="ignore",
            advice="Give a number, such as prior=1.",
        )
    evidence, plan = cell_evidence(releases), releases[0].plan
    if any(release.plan.mechanism.cell_noise is None for release in releases):
        raise InferenceError(
            "a prior is learned from noisy counts only",
            asked=plan.mechanism.name,
            advice="Give a number, such as prior=1.",
        )
    columns = [plan.schema.column(name) for name in plan.model.columns]
    return _learned(prior, evidence, columns, beyond_noise(total_of(releases), evidence))


@singledispatch
def _learned(
    prior: object, evidence: list[CellEvidence], columns: Sequence[Column], total: Total
) -> LearnedShape:
    """Learn it from noisy counts of the table of some columns."""
    raise InferenceError("not a prior that is learned", asked=shown(prior))


@_learned.register
def _(
    prior: LearnedPrior, evidence: list[CellEvidence], columns: Sequence[Column], total: Total
) -> LearnedShape:
    if not np.any([release.released for release in evidence], axis=0).all():
        # A cell without a noisy count of its own may have any count: parts that hold it cannot be summed.
        return _learned(ExchangeablePrior(), evidence, columns, total)
    shape, ordered = [column.size for column in columns], [column.ordered for column in columns]
    if ordered == [False]:
        # The levels of one column in no order are alike, whichever of them stand beside each other.
        return _learned(ExchangeablePrior(), evidence, columns, total)
    return halved_counts(evidence, shape, ordered, prior, total)


@_learned.register
def _(
    prior: ExchangeablePrior, evidence: list[CellEvidence], columns: Sequence[Column], total: Total
) -> LearnedShape:
    return learned_counts(evidence, math.prod(column.size for column in columns), prior, total)


def certain_counts(releases: Sequence[Release], parameters: Floats) -> CertainCounts:
    """Take the noisy counts of one release as the true ones."""
    if _gammas(releases[:1]):
        raise InferenceError(
            "a release from the posterior has no noise that could be ignored",
            asked=releases[0].plan.mechanism.name,
            advice="The draws themselves are release.statistics.",
        )
    check_single(releases)
    return CertainCounts(np.maximum(np.rint(releases[0].statistics.amounts), 0).astype(np.int64), parameters)


def check_single(releases: Sequence[Release]) -> None:
    """Refuse several releases where noise is ignored: they contradict each other."""
    if len(releases) > 1:
        raise InferenceError("noise can be ignored for one release only", asked=f"{len(releases)} releases")


def total_of(releases: Sequence[Release]) -> Total:
    """Return what is known of the number of records."""
    plan = releases[0].plan
    return Total(most=plan.records * plan.schema.unit.max_rows, known=plan.total_public)


def beyond_noise(total: Total, evidence: Sequence[CellEvidence]) -> Total:
    """Let a private total lie above the declared maximum by what the noise of all counts together hides.

    A declared maximum is often the number itself. If the total ended there, no interval of it would hold that
    number, and what is missing from the noisy sum would be taken from the largest cells.
    """
    stddev = noise_of_sum(evidence)
    if total.known or not np.isfinite(stddev):
        return total
    room = min(total.most, math.ceil(_ROOM * stddev))
    return Total(most=min(total.most + room, MOST_RECORDS), known=False)


def noise_of_sum(evidence: Sequence[CellEvidence]) -> float:
    """Return the standard deviation of the noise on the sum of all counts; infinite if one is unknown."""
    precisions = np.sum([release.precisions for release in evidence], axis=0)
    return math.sqrt(float((1 / precisions).sum())) if (precisions > 0).all() else math.inf


def cell_evidence(releases: Sequence[Release]) -> list[CellEvidence]:
    """Return what noisy counts say of each cell; other releases say nothing here."""
    return [evidence for release in releases for evidence in evidence_of(release)]


def evidence_of(release: Release) -> list[CellEvidence]:
    """Return what the noisy counts of one release say of each cell, in several terms if need be."""
    terms = release.plan.mechanism.cell_terms(release.statistics, release.plan.records) or ()
    return [CellEvidence(one.observed, one.rates, one.curvatures, one.precisions) for one in terms]


def _gammas(releases: Sequence[Release]) -> list[CellGammas]:
    """Return what releases from a posterior say of each cell."""
    found = [release.plan.mechanism.cell_gammas(release.statistics) for release in releases]
    return [gammas for gammas in found if gammas is not None]
