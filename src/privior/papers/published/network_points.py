"""What the paper on networks says of draws from a cut posterior, of private MAP, and of its utility.

"On the Differential Privacy of Bayesian Inference", Appendix C.2, Algorithm 3, Corollary 4 and Lemma 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privior.arrays import Floats
from privior.checks import above_zero, strictly_within, whole_number
from privior.papers.published.networks import PAPER, theorem_4_stochastic
from privior.papers.published.statement import Published, Verdict
from privior.privacy.pairs import BoundedRangePair

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)
_GRID = 200_001


def log_mass(first: float, second: float, low: float, high: float) -> float:
    """Return the log of the integral of x^(a-1) (1-x)^(b-1) over an interval, by quadrature."""
    x = (low + high) / 2 + (high - low) / 2 * _NODES
    logs = (first - 1) * np.log(x) + (second - 1) * np.log1p(-x)
    most = float(logs.max())
    return most + math.log(float((np.exp(logs - most) * _WEIGHTS).sum()) * (high - low) / 2)


def naive_bayes_sampler(epsilon: object, features: int, records: int) -> Published:
    """Appendix C.2: a draw with all chances at least omega = exp(-epsilon/2) is said to be epsilon-private.

    That is the Lipschitz constant of one chance, taken for a record that differs in all of them. Records of
    one class with all features alike, flat priors, one record replaced by its opposite in every feature: each
    feature's posterior Beta(1, n+1) becomes Beta(2, n), both cut to [omega, 1 - omega], and the largest loss
    of each is at the end where both are rarest. Never more than 2 (d+1) ln((1-omega)/omega).
    """
    nominal = above_zero(epsilon, "epsilon")
    many, n = whole_number(features, "features"), whole_number(records, "records")
    omega = math.exp(-float(nominal) / 2)
    formula, place = "epsilon, omega = exp(-epsilon/2)", "Appendix C.2"
    if omega >= 0.5:
        judged = Verdict.VACUOUS, "no chance and its complement are both at least omega"
        return PAPER.states(place, formula, "epsilon", float(nominal), judged)
    end = math.log((1 - omega) / omega)
    each = end - log_mass(2, n, omega, 1 - omega) + log_mass(1, n + 1, omega, 1 - omega)
    true = many * each
    judged = (
        (Verdict.FALSE, "one record changes every feature; this is the loss of one such pair")
        if true > nominal
        else (Verdict.LOOSE, "so few features lose less")
    )
    return PAPER.states(place, formula, "epsilon", float(nominal), judged, None, true)


def corollary_4_finite(epsilon: object, eta: object) -> Published:
    """Corollary 4 on a finite set: drawing by exp(epsilon xi(theta | D) / (2 Delta)) is epsilon-private.

    Right for Delta = sqrt(L r), which bounds the total variation of neighbours' posteriors, hence the change
    of every probability. tanh(eta/4) is what it cannot exceed if log likelihood ratios vary by eta = 2 L r; a
    smaller Delta at the same epsilon draws better. The numbers are both Deltas.
    """
    range_ = above_zero(eta, "eta")
    printed, exact = math.sqrt(float(range_) / 2), math.tanh(float(range_) / 4)
    judged = Verdict.LOOSE, "tanh(eta/4) is enough, and less"
    pair = BoundedRangePair(above_zero(epsilon, "epsilon"))
    return PAPER.states("Corollary 4", "Delta = sqrt(L r)", "distance", printed, judged, pair, exact)


def corollary_4_density(epsilon: object, smallest: object, records: int) -> Published:
    """Corollary 4 on a density: a chance in [w, 1-w] with a flat prior, records all alike, one replaced.

    The score is a density, and a total variation bounds no difference of densities: they grow with n.
    """
    nominal, w = float(above_zero(epsilon, "epsilon")), float(strictly_within(smallest, "smallest"))
    steps = np.concatenate([[0.0], np.geomspace(1e-12, 1, _GRID)])  # the score is steep at the end
    theta, widths = w + (1 - 2 * w) * steps, (1 - 2 * w) * np.diff(steps)

    def integral(values: Floats) -> float:
        return float((widths * (values[1:] + values[:-1]) / 2).sum())

    delta = math.sqrt(math.log((1 - w) / w))

    def log_drawn(ones: int) -> Floats:
        logs = ones * np.log(theta) + (records - ones) * np.log1p(-theta)
        density = np.exp(logs - logs.max())
        score = nominal / (2 * delta) * density / integral(density)
        most = score.max()
        return np.asarray(score - most - math.log(integral(np.exp(score - most))))

    true = float(np.abs(log_drawn(0) - log_drawn(1)).max())
    judged = (
        (Verdict.FALSE, "a total variation bounds probabilities, not densities")
        if true > nominal
        else (Verdict.LOOSE, "so few records make no steep density")
    )
    formula = "epsilon, Delta = sqrt(L r), score a density"
    return PAPER.states("Corollary 4", formula, "epsilon", nominal, judged, None, true)


def lemma_4(
    epsilon: object, moved: object, posterior: Sequence[float], prior: Sequence[float], t: object
) -> Published:
    """Lemma 4: points more than 2t below the best are drawn with chance exp(-epsilon t) / xi(S_t) at most.

    The mechanism divides the score by 2 Delta, the lemma does not: the exponent is -epsilon t / (2 Delta).

    Args:
        epsilon: of the mechanism
        moved: Delta
        posterior: the score of each point
        prior: the base measure of each
        t: how far below
    """
    nominal, delta = float(above_zero(epsilon, "epsilon")), float(above_zero(moved, "moved"))
    far = float(above_zero(t, "t"))
    u, base = np.array(posterior), np.array(prior) / float(np.sum(prior))
    weights = base * np.exp(nominal * u / (2 * delta))
    best = float(u.max())
    true = float(weights[u <= best - 2 * far].sum() / weights.sum())
    near = float(base[u > best - far].sum())
    printed = math.exp(-nominal * far) / near
    sound = math.exp(-nominal * far / (2 * delta)) / near
    judged = (
        (Verdict.FALSE, f"the exponent lacks 1 / (2 Delta): {sound:.4g} is sound")
        if true > printed
        else (Verdict.LOOSE, f"it holds here; {sound:.4g} holds always")
    )
    return PAPER.states("Lemma 4", "exp(-epsilon t) / xi(S_t)", "chance", printed, judged, None, true)


def ratios_of_network(rows: Sequence[int], records: int) -> tuple[float, float]:
    """Return C of Theorem 4(2) for binary nodes with flat priors: as printed, and of all records.

    C_i is the largest likelihood over its mean, for one record 1 / (1/2); the product over the nodes is 2^K.
    Records that are all alike fill one row of each node, with the ratio 1 / (1 / (n+1)): the whole data set
    has (n + 1)^K at least.

    Args:
        rows: how many rows each node has
        records: n
    """
    return 2.0 ** len(rows), float(records + 1) ** len(rows)


def theorem_4_network(
    nodes: int, records: int, concentration: object = 20, smooth: object = "0.01"
) -> Published:
    """Theorem 4(2) with the C of a network of binary nodes, flat priors, as printed for one record."""
    printed, _ = ratios_of_network([1] * whole_number(nodes, "nodes"), records)
    return theorem_4_stochastic(concentration, smooth, printed, "1/2")


def lemma_2_at_records(slopes: Sequence[object]) -> tuple[float, float]:
    """Return what Theorem 4(1) charges for rho = 1, and what a record costs that differs in every node."""
    found = [float(above_zero(one, "slope")) for one in slopes]
    return 2 * max(found), 2 * sum(found)
