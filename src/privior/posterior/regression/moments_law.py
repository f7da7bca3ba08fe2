"""The law of everything that noisy moments of a regression depend on, in floating point.

Features x of a record have |x| <= 1, the target u lies in [-1/2, 1/2]. Latent, all per record:

    G = L L'   scatter of the features about their mean mu     G ~ Wishart(nu, v/nu I)
    t          L t is the scatter of features and target        t ~ Normal(L' w, s^2/n I)
    rho        what the weights leave of the target's scatter   n rho / s^2 ~ chi-square(n - 1 - d)
    a          the mean of the target                           a ~ Normal(alpha, s^2/n)

with w = E'u, u_j ~ Normal(0, tau^2 c_j (v / G_jj)^STANDARD), c_j ~ inverse Gamma(2, 2), where nothing else
is said of the weights (c_j = 1 where tails are said to be Normal). The rows of E are what believed effects
are of (`Design.effects`), G_jj is the scatter of that of u_j. This is the exact law of the moments of
u = alpha + (x - mu)' w + e, e ~ Normal(0, s^2), given the features: X'u is Normal given w, u'u depends on it
(rho is independent of t). w and alpha are integrated out, since their priors are Normal given the scales:
t ~ Normal(L' w0, s^2/n I + L' P L). The moments are linear in

    X'X/n = L L' + mu mu',  X'1/n = mu,  X'u/n = L t + mu a,  1'u/n = a,  u'u/n = |t|^2 + rho + a^2,

and each was released with noise. Without an intercept mu and a are 0, and the chi-square has n - d degrees.
What is compiled here depends on nothing that is imported: changes are noticed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers

#: the Normal priors of logarithms, mean and standard deviation: of s (a share of the target's range), of v
#: times the terms, and of the signal, tau^2 d v / s^2: what features explain by what they leave
LOG_S, LOG_V, LOG_SIGNAL = (-1.6, 0.7), (-1.2, 0.7), (-0.7, 1.0)
#: the standard deviations of the mean of the target, and of the means of features at the end 1 of their range
ALPHA_STDDEV, MEAN_STDDEV = 0.3, 0.6
#: weights of a heavy-tailed prior are of a Student law with so many degrees of freedom
TAILS = 4.0
#: a covariance is made so much of its trace wider, for floats
_LEAST = 1e-13


class MomentFacts(NamedTuple):
    """What the density depends on beside the point.

    Attributes:
        features: d
        intercept: 1 if there is one
        learned: 1 if the scale of the weights is latent
        heavy: 1 if each effect has a scale of its own
        public: 1 if n is known
        terms: the largest squared norm of a record, in units of one feature at its end
        records: n; where it is latent the largest one
        freedom: nu
        for_l: the power of the unit of L
        for_t: that of the unit of t
        typical: tau, where it is not learned
        standard: `STANDARD` of `models.weight_prior`
        cut: where each group of coordinates begins
        rows: what is observed, as linear functions of the moments in the rotated basis
        columns: the same, turned
        seen: the observations
        effects: E, in the rotated basis
        mean: of the weights, in the rotated basis
        covariance: of them, likewise, where their scale is not learned
        middle: of what is possible
        reach: how far from there points may be
    """

    features: int
    intercept: int
    learned: int
    heavy: int
    public: int
    terms: float
    records: float
    freedom: float
    for_l: float
    for_t: float
    typical: float
    standard: float
    cut: Integers
    rows: Floats
    columns: Floats
    seen: Floats
    effects: Floats
    mean: Floats
    covariance: Floats
    middle: Floats
    reach: Floats


@njit(cache=True, nogil=True)
def digamma(x: float) -> float:
    """Return the slope of the log of the Gamma function, for x > 0: shifted, then by Stirling's series."""
    found = 0.0
    while x < 10.0:
        found -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    return found + math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))


@njit(cache=True, nogil=True)
def inverted(matrix: Floats) -> tuple[float, Floats]:
    """Return the log determinant and the inverse of a positive definite matrix; not a number if it is not."""
    d = len(matrix)
    root, logs = np.zeros((d, d)), 0.0
    for i in range(d):
        for j in range(i + 1):
            left = matrix[i, j]
            for k in range(j):
                left -= root[i, k] * root[j, k]
            if i == j:
                root[i, i] = math.sqrt(left) if left > 0 else math.nan
                logs += 2 * math.log(root[i, i])
            else:
                root[i, j] = left / root[j, j]
    back = np.zeros((d, d))
    for j in range(d):
        back[j, j] = 1 / root[j, j]
        for i in range(j + 1, d):
            left = 0.0
            for k in range(j, i):
                left -= root[i, k] * back[k, j]
            back[i, j] = left / root[i, i]
    found = np.zeros((d, d))
    for i in range(d):
        for j in range(i + 1):
            left = 0.0
            for k in range(i, d):
                left += back[k, i] * back[k, j]
            found[i, j] = left
            found[j, i] = left
    return logs, found


@njit(cache=True, nogil=True)
def densities(facts: MomentFacts, points: Floats, precisions: Floats) -> tuple[Floats, Floats]:
    """Return the log density of each row up to a constant, and its slopes.

    Args:
        facts: what it depends on
        points: one a row
        precisions: one over the variance of the noise: one row for all points, or one for each
    """
    many, size = points.shape
    values, slopes = np.full(many, -np.inf), np.zeros((many, size))
    for i in range(many):
        near = True
        for j in range(size):
            near = near and abs(points[i, j] - facts.middle[j]) < facts.reach[j]
        if near:
            values[i] = _density(facts, points[i], precisions[i if len(precisions) > 1 else 0], slopes[i])
            if not math.isfinite(values[i] + slopes[i].sum()):  # beyond what floats can tell
                values[i] = -np.inf
                slopes[i] = 0.0
    return values, slopes


@njit(cache=True, nogil=True)
def _density(facts: MomentFacts, q: Floats, precisions: Floats, slopes: Floats) -> float:
    """Return the log density of one point, and write down its slopes."""
    d, cut = facts.features, facts.cut
    rho, v = math.exp(q[cut[4]]), math.exp(q[cut[7]])
    log_s = q[cut[5]] + q[cut[4]] / 2
    s2 = math.exp(2 * log_s)
    n = facts.records if facts.public else math.exp(q[cut[9]])
    degrees = n - d - facts.intercept
    if not facts.public and (degrees <= 1 or n >= 2 * facts.records):
        return -math.inf
    tau = math.exp(q[cut[6]]) if facts.learned else facts.typical
    wide = s2 / n + tau**2 * v
    unit_l, unit_t = v ** (facts.for_l / 2), wide ** (facts.for_t / 2)
    lower, mu, t, a = np.zeros((d, d)), np.zeros(d), unit_t * q[cut[2] : cut[3]], 0.0
    for r in range(d):
        for c in range(r + 1):
            one = q[r * (r + 1) // 2 + c]
            lower[r, c] = unit_l * (math.exp(one) if r == c else one)
    if facts.intercept:
        mu[:] = q[cut[1] : cut[2]]
        a = q[cut[3]]
    value, slope_s, slope_v = 0.0, 0.0, 0.0
    # what was seen
    m = d * (d + 1) // 2
    each = np.zeros(m + 2 * d + 3)
    place = 0
    for r in range(d):
        for c in range(r, d):
            found = mu[r] * mu[c]
            for k in range(r + 1):
                found += lower[r, k] * lower[c, k]
            each[place] = found
            place += 1
    squares = 0.0
    for r in range(d):
        found = mu[r] * a
        for c in range(r + 1):
            found += lower[r, c] * t[c]
        each[m + r], each[m + d + r] = mu[r], found
        squares += t[r] ** 2
    each[-3], each[-2], each[-1] = a, squares + rho + a**2, 1.0
    # all observations at once, each added up in the order that it has alone: compilers do several together
    pull, away = np.zeros(len(each)), -facts.seen
    for j in range(len(each)):
        for k in range(len(facts.seen)):
            away[k] += n * facts.columns[j, k] * each[j]
    for k in range(len(facts.seen)):
        value -= precisions[k] * away[k] ** 2 / 2
        weighed = away[k] * precisions[k]
        for j in range(len(each)):
            pull[j] -= weighed * facts.rows[k, j]
    slope_n = 0.0
    for j in range(len(each)):
        slope_n += pull[j] * each[j]
        pull[j] *= n
    matrix = np.zeros((d, d))
    place = 0
    for r in range(d):
        for c in range(r, d):
            matrix[r, c] += pull[place]
            matrix[c, r] += pull[place]
            place += 1
    by_both, by_own = pull[m + d : m + 2 * d], pull[-2]
    slope_l, slope_mu, slope_t = np.zeros((d, d)), np.zeros(d), 2 * by_own * t
    slope_a, slope_rho = pull[-3] + 2 * by_own * a, by_own * rho
    for r in range(d):
        for c in range(d):
            slope_l[r, c] = by_both[r] * t[c]
        for k in range(d):
            for c in range(k + 1):
                slope_l[r, c] += matrix[r, k] * lower[k, c]
        for c in range(d):
            slope_mu[r] += matrix[r, c] * mu[c]
            slope_t[c] += by_both[r] * lower[r, c]
        slope_mu[r] += pull[m + r] + by_both[r] * a
        slope_a += by_both[r] * mu[r]
    # the means of the features, and of the target
    if facts.intercept:
        about = MEAN_STDDEV**2 / facts.terms
        for r in range(d):
            value -= mu[r] ** 2 / (2 * about)
            slope_mu[r] -= mu[r] / about
        spread = ALPHA_STDDEV**2 + s2 / n
        value -= a**2 / (2 * spread) + math.log(spread) / 2
        slope_a -= a / spread
        by_spread = (a**2 / spread - 1) / (2 * spread) * s2 / n
        slope_s += 2 * by_spread
        slope_n -= by_spread / n
    # the weights, integrated out: t ~ Normal(L' w0, s2/n I + L' P L)
    believed = len(facts.effects)
    through, turned, own, scatter = (
        np.zeros((d, d)),
        np.zeros((believed, d)),
        np.zeros(believed),
        np.zeros(believed),
    )
    if facts.learned:
        for r in range(believed):
            for k in range(d):
                for c in range(k + 1):
                    turned[r, c] += facts.effects[r, k] * lower[k, c]
            for c in range(d):
                scatter[r] += turned[r, c] ** 2
            own[r] = tau**2 * (v / scatter[r]) ** facts.standard
            if facts.heavy:
                own[r] *= math.exp(q[cut[8] + r])
        for r in range(d):
            for k in range(believed):
                for c in range(d):
                    through[r, c] += facts.effects[k, r] * own[k] * turned[k, c]
    else:
        for r in range(d):
            for c in range(d):
                for k in range(c, d):
                    through[r, c] += facts.covariance[r, k] * lower[k, c]
    covariance, trace = np.zeros((d, d)), 0.0
    for r in range(d):
        for k in range(r, d):
            for c in range(d):
                covariance[r, c] += lower[k, r] * through[k, c]
        trace += covariance[r, r]
    for r in range(d):
        covariance[r, r] += s2 / n + _LEAST * trace
    logs, known = inverted(covariance)
    rest, solved = t.copy(), np.zeros(d)
    for c in range(d):
        for r in range(c, d):
            rest[c] -= facts.mean[r] * lower[r, c]
    by_noise = 0.0
    for r in range(d):
        for c in range(d):
            solved[r] += known[r, c] * rest[c]
        value -= rest[r] * solved[r] / 2
        slope_t[r] -= solved[r]
    value -= logs / 2
    outer = known
    for r in range(d):
        for c in range(d):
            outer[r, c] = (solved[r] * solved[c] - known[r, c]) / 2
        by_noise += outer[r, r] * s2 / n
    slope_s += 2 * by_noise
    slope_n -= by_noise / n
    by_tau, both = 0.0, np.zeros((d, d))
    for r in range(d):
        for k in range(d):
            for c in range(d):
                both[r, c] += through[r, k] * outer[k, c]
        for c in range(d):
            slope_l[r, c] += 2 * both[r, c] + facts.mean[r] * solved[c]
            by_tau += 2 * both[r, c] * lower[r, c]
    if facts.learned:
        for r in range(believed):
            found = 0.0
            for c in range(d):
                for k in range(d):
                    found += turned[r, c] * outer[c, k] * turned[r, k]
            found *= own[r]
            if facts.heavy:
                scale = q[cut[8] + r]
                value -= TAILS / 2 * (scale + math.exp(-scale))
                slopes[cut[8] + r] = found - TAILS / 2 * (1 - math.exp(-scale))
            found *= facts.standard
            slope_v += found
            for k in range(d):
                for c in range(d):
                    slope_l[k, c] -= 2 * facts.effects[r, k] * found / scatter[r] * turned[r, c]
    # what the weights leave
    left = n * rho / s2
    value += degrees / 2 * math.log(left) - left / 2
    slope_rho += degrees / 2 - left / 2
    slope_s += left - degrees
    slope_n += (degrees / 2 - left / 2) / n + math.log(left) / 2
    if not facts.public:
        value -= degrees / 2 * math.log(2.0) + math.lgamma(degrees / 2)
        slope_n -= math.log(2.0) / 2 + digamma(degrees / 2) / 2
    # units of coordinates, and the features: G ~ Wishart
    by_wide = facts.for_t * d
    for r in range(d):
        by_wide += facts.for_t * slope_t[r] * t[r]
    value += facts.for_t * d / 2 * math.log(wide)
    by_chance = s2 / n / wide
    slope_s += by_wide * by_chance
    slope_n -= by_wide * by_chance / (2 * n)
    slope_v += by_wide * (1 - by_chance) / 2
    squares, inside, powers = 0.0, 0.0, 0.0
    for r in range(d):
        power = facts.freedom - r
        powers += power
        value += power * q[r * (r + 1) // 2 + r]
        for c in range(r + 1):
            squares += lower[r, c] ** 2
            slope_l[r, c] -= facts.freedom / v * lower[r, c]
            inside += slope_l[r, c] * lower[r, c]
            slope = slope_l[r, c] * lower[r, c] + power if r == c else slope_l[r, c] * unit_l
            slopes[r * (r + 1) // 2 + c] = slope
    # density of L in its units: of its d (d + 1) / 2 coordinates the diagonal ones are logarithms
    left_over = d * (d - 1) / 4 * facts.for_l + powers / 2 * facts.for_l - facts.freedom * d / 2
    value += left_over * q[cut[7]] - facts.freedom * squares / (2 * v)
    slope_v += facts.freedom * squares / (2 * v) + left_over + facts.for_l * inside / 2
    # priors of scales
    about = LOG_V[0] - math.log(facts.terms)
    value -= ((log_s - LOG_S[0]) / LOG_S[1]) ** 2 / 2 + ((q[cut[7]] - about) / LOG_V[1]) ** 2 / 2
    slope_s -= (log_s - LOG_S[0]) / LOG_S[1] ** 2
    slope_v -= (q[cut[7]] - about) / LOG_V[1] ** 2
    if facts.learned:
        signal = 2 * (q[cut[6]] - log_s) + q[cut[7]] + math.log(d)
        far = (signal - LOG_SIGNAL[0]) / LOG_SIGNAL[1] ** 2
        value -= far * (signal - LOG_SIGNAL[0]) / 2
        slopes[cut[6]] = by_tau + by_wide * (1 - by_chance) - 2 * far
        slope_s += 2 * far
        slope_v -= far
    # coordinates
    for r in range(d):
        slopes[cut[2] + r] = unit_t * slope_t[r]
        if facts.intercept:
            slopes[cut[1] + r] = slope_mu[r]
    if facts.intercept:
        slopes[cut[3]] = slope_a
    slopes[cut[4]], slopes[cut[5]], slopes[cut[7]] = slope_rho + slope_s / 2, slope_s, slope_v
    if not facts.public:
        value += q[cut[9]]
        slopes[cut[9]] = n * slope_n + 1
    return float(value)
