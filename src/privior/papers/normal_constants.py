"""The constants of the theorems for families of several parameters of the Normal law (see `constants`)."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np

from privior.models.laws.matrices import floats
from privior.papers.constants import log_ratio, necessary, ratio_bounded, tail_rate, tight
from privior.smoothness.matrix_law import Rate
from privior.smoothness.mean_precision import MeanPrecision
from privior.smoothness.normal_vectors import UP
from privior.smoothness.precision_matrices import Precisions
from privior.smoothness.several_means import Means

# Mean and precision of one column


@tail_rate.register
def _(one: MeanPrecision) -> float:
    """The least (rate + strength (mu - m)^2 / 2) / k(mu): where tau k(mu) = L is most likely.

    A Normal tail, if it is the precision that is bounded.
    """
    if math.isfinite(one.precisions[1]):
        return math.inf
    prior = one.model.prior
    centre, near = float(prior.mean), math.sqrt(2 * float(prior.rate) / float(prior.strength))
    reach = near + float(np.abs(one.chords[:, 1]).max() / np.abs(one.chords[:, 0]).max()) + abs(centre)
    steps = np.linspace(-20 * reach, 20 * reach, 40_001)
    means = np.clip(centre + steps, *one.means)
    costs = float(prior.rate) + float(prior.strength) * (means - centre) ** 2 / 2
    with np.errstate(divide="ignore"):
        return float((costs / one.steepness(means)).min()) * (1 - 1e-3)


@log_ratio.register
def _(one: MeanPrecision, records: int) -> float | None:
    """Infinite for equal records where the precision is unbounded; else at most n times that of one.

    By Jensen's inequality the log of a mean likelihood is at least the mean of the log, which is a sum
    over records, and so is a bound of the largest likelihood: equal records are the worst.
    """
    if math.isinf(one.precisions[1]):
        return math.inf
    values, prior = one.values, one.model.prior
    nearest = values - np.clip(values, *one.means)
    with np.errstate(divide="ignore"):
        tau = np.clip(1 / nearest**2, *one.precisions)
    largest = (np.log(tau) - tau * nearest**2) / 2
    law = one.posterior(0, 0.0, 0.0)
    if prior.means is None:
        squares = (values - float(prior.mean)) ** 2 * law.mean_precision() + 1 / float(prior.strength)
    else:
        squares = np.max([(values - end) ** 2 for end in one.means], axis=0) * law.mean_precision()
    return records * float((largest - law.mean_log_precision() / 2 + squares / 2).max()) * UP


@necessary.register
def _(one: MeanPrecision, records: int) -> float | None:
    """For one record replaced and all others alike, each at an end or in the middle."""
    found = 0.0
    for other in one.values[one.marks]:
        common = (records - 1) * other, (records - 1) * other**2
        means = [
            one.posterior(records, common[0] + value, common[1] + value**2).log_mass
            for value in one.values[one.marks]
        ]
        for (i, x), (j, y) in permutations(enumerate(one.marks), 2):
            if (apart := one.distance.apart(x, y)) > 0:
                likelihoods = _largest_gain(one, one.values[x], one.values[y])
                found = max(found, 2 * min(likelihoods, means[j] - means[i]) / (apart * UP))
    return found


def _largest_gain(one: MeanPrecision, x: float, y: float) -> float:
    """Return the largest log p(x) - log p(y) = tau ((y - mu)^2 - (x - mu)^2) / 2: at a corner."""
    if one.model.prior.means is None:
        return math.inf
    gain = max(((y - end) ** 2 - (x - end) ** 2) / 2 for end in one.means)
    return gain * one.precisions[1 if gain > 0 else 0]


@tight.register
def _(one: MeanPrecision, records: int) -> bool:
    """Without a box the loss is unbounded: a line in tau, and in mu."""
    return one.model.prior.box is None


# Several means


@log_ratio.register
def _(one: Means, records: int) -> float | None:
    """Equal records at a corner: the likelihood is 1 at their mean, and Normal in it on average."""
    known, prior = floats(one.model.covariance), floats(one.model.prior.covariance)
    gain = np.eye(len(known)) + records * np.linalg.solve(known, prior)
    away = np.einsum("ci,ic->c", one.corners, np.linalg.solve(prior + known / records, one.corners.T))
    return float(np.linalg.slogdet(gain)[1] + away.max()) / 2 * UP


@necessary.register
def _(one: Means, records: int) -> float | None:
    """For a record moved from where all others are to another corner.

    The likelihood ratio is unbounded, so the ratio of the means decides: of what the others foretell.
    """
    known, prior = floats(one.model.covariance), np.linalg.inv(floats(one.model.prior.covariance))
    others = (records - 1) * np.linalg.inv(known)
    spread = np.linalg.inv(prior + others)
    corners = np.array(list(product(*one.sides)))
    start = prior @ [float(mean) for mean in one.model.prior.mean]
    foretold = (start + corners @ others) @ spread
    gaps = corners[np.newaxis] - foretold[:, np.newaxis]  # others at the first, the record at the second
    costs = np.einsum("oci,ij,ocj->oc", gaps, np.linalg.inv(known + spread), gaps) / 2
    rises = costs - np.diag(costs)[:, np.newaxis]
    return max(0.0, 2 * float(rises.max()) / (one.distance.reach * UP))


@tight.register
def _(one: Means, records: int) -> bool:
    """The loss is unbounded, and so is what the pair allows."""
    return True


# Precision matrices


@log_ratio.register
def _(one: Precisions, records: int) -> float | None:
    """At most n times how far the log likelihood of one record varies: most for the farthest.

    The largest has the eigenvalue nearest to 1 / R^2 along the deviation and b across it, the least at
    least a for the determinant and b along.
    """
    (low, high), size = one.ends, len(one.sides)
    along = min(max(1 / one.farthest, low), high)
    largest = (size - 1) * math.log(high) + math.log(along) - along * one.farthest
    least = size * math.log(low) - high * one.farthest
    return records * (largest - least) / 2 * UP


@necessary.register
def _(one: Precisions, records: int) -> float | None:
    """For two columns: one record replaced and all others alike, at places of a 3 x 3 grid."""
    if not one.two:
        return None
    low, high = one.ends
    found = 0.0
    places = [deviation for _, deviation in one.marks]
    for other in places:
        common = one.rate + Rate.of(records - 1, other)
        means = [one.log_mass(records, common + Rate.of(1, place), high) for place in places]
        if not np.isfinite(means).all():
            return None
        for (first, x), (second, y) in permutations(zip(means, places, strict=True), 2):
            least, most = np.linalg.eigvalsh(Rate.of(1, y).matrix - Rate.of(1, x).matrix)
            likelihoods = (high * most + low * least) / 2
            found = max(found, 2 * min(likelihoods, second - first))
    return found / (one.distance.reach * UP)


@ratio_bounded.register(MeanPrecision)
@ratio_bounded.register(Precisions)
def _(one: MeanPrecision | Precisions) -> bool:
    """One record after another: far above log C where records agree."""
    return True
