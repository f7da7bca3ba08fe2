"""Envelopes of log-concave densities in shells around their mode: what exact rejection needs.

The density is proportional to e^-F(theta), on all of R^d or on a ball,

    F(theta) = beta sum_i loss(a_i.theta, y_i) + m |theta|^2 / 2.

Around a point c, theta = c + T'w, T a matrix of floats that makes w about standard Normal. Let b_i = T a_i,
k_i >= |b_i|, and let l_i(s) be a number with loss(u+v) - loss(u) - v loss'(u) >= l_i(s) v^2 for |v| <= s
(`least_bend`). In the shell r_(k-1) <= |w| < r_k no |b_i.w| exceeds k_i r_k, so that

    F(c + T'w) - F(c) >= g.w + w'S_k w / 2,    S_k = m TT' + 2 beta sum_i l_i(k_i r_k) b_i b_i',

g the gradient in w at c. As |g.w| <= G^2/(2s) + s |w|^2/2 for G >= |g|, and |w| >= r_(k-1), any L_k with
L_k'(S_k - (t_k + s) I) L_k >= I gives, with w = L_k z,

    F(c + T'w) - F(c) >= |z|^2 / 2 + t_k r_(k-1)^2 / 2 - G^2 / (2s).

A trial chooses shell k with chance p_k, draws z standard Normal and is kept, if w lies in its shell, with
probability exp(-(F(c + T'w) - F(c)) + |z|^2/2 + log det L_k - log p_k - log M): what is kept has the density
e^-F exactly, if M is such that no exponent is above 0. The last shell has no end; there l_i = 0. On a ball
whose boundary holds c, g = -h c + r with h >= 0: all theta of the ball have |c + (theta - c)|^2 <= W^2, that
is -h c.(theta - c) >= h |theta - c|^2/2 - h (W^2 - |c|^2)/2. So only r counts, the boundary bends like a
prior of h more (m + h in S_k), and h (W^2 - |c|^2)/2 is added to log M.

Which floats c, T, L_k, p_k and t_k are is free. What must hold is checked here with the errors of floats (u =
2^-53; a sum of k products is wrong by at most 1.01 k u of the sum of their absolute values, in any order):
S_k, G and k_i are rounded to the safe side, and L_k'(...)L_k - I is compared with 0 by Frobenius' norm. Sums
over records, in S_k and in the gradient, are taken in blocks (`block_sums`): of n of them k is about 128 and
the logarithm of n, so that the number of records is no part of what floats lose.

**No table makes it fail.** Where floats cannot show that shells hold (rows of nearly one direction, losses
that bend within less than predictors are known to) there is a plain envelope: one shell without an end, T = I
and S = m I. As the losses are convex, F(c + w) - F(c) >= g.w + m |w|^2 / 2 for every c, whatever the rows
are; it needs neither curvatures nor whitening, and its L is a number. It is exact like the others and slower:
so what the rows decide is how long a draw takes, never whether there is one. Of the two the one of less mass
is taken: `trial_bounds` bounds both for every table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from privior.arrays import Floats
from privior.randomness.block_sums import (
    BLOCK,
    chunks,
    roundings,
    totals,
    weighted_squares,
    weighted_sum,
)

_U = 2.0**-53
#: radii at which shells may end: each is so many times the one before, within 4 sqrt(d) and beyond
_NARROW, _WIDE = 1.1, 1.3
_MOST_SHELLS = 200
#: by how much L_k'(...)L_k is above the identity, at first
_MARGIN = 1e-6
#: chances of shells are multiples of 2^-_CHANCES
_CHANCES = 40
#: steps to the mode, and how often each is halved
_NEWTON, _HALVED = 200, 60
#: losses bound their bend also next to the predictor that they are given: see `models.losses`
NEXT_TO = 2.0**-32


class Bending(Protocol):
    """A convex loss, as far as draws look at it: see `models.losses`."""

    @property
    def slope(self) -> Any:
        """The largest absolute derivative."""

    @property
    def smoothness(self) -> Any:
        """The largest second derivative."""

    @property
    def concordance(self) -> Any:
        """Of the third derivative with the second; None if there is none."""

    @property
    def value_error(self) -> Any:
        """Of `value`, a part of 1 + |value| + |u| + |y|."""

    @property
    def derivative_error(self) -> Any:
        """Bound the error of `derivative` in floats."""

    def value(self, u: Floats, y: Floats) -> Floats:
        """Return the losses."""

    def derivative(self, u: Floats, y: Floats) -> Floats:
        """Return their derivatives."""

    def bend(self, u: Floats, y: Floats) -> Floats:
        """Return their second derivatives."""

    def least_bend(self, u: Floats, y: Floats, away: Floats) -> Floats:
        """Return l_i(away): how much each loss bends at least so far from u."""

    def enclosed(self, u: Any, y: float) -> Any:
        """Return a loss in interval arithmetic."""


@dataclass(frozen=True, eq=False)
class Potential:
    """F, by floats that are meant exactly.

    Attributes:
        rows: a_i, one a row
        targets: y_i
        loss: of a predictor and a target
        temperature: beta
        precision: m
        radius: W, of the ball; None if there is none
    """

    rows: Floats
    targets: Floats
    loss: Bending
    temperature: float
    precision: float
    radius: float | None = None

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return int(self.rows.shape[1])

    @cached_property
    def longest(self) -> float:
        """Not below the length of any row."""
        if not len(self.rows):
            return 0.0
        return math.sqrt(float(np.einsum("ij,ij->i", self.rows, self.rows).max())) * (1 + 2.0**-40)

    def at(self, theta: Floats) -> tuple[float, float]:
        """Return F and a bound of its error.

        Predictors are wrong by at most 1.01 d u R |theta|, losses by that times the slope and their own
        error; sums of a block by 1.01 u BLOCK times the sum of absolute values, and the exact sum of these is
        rounded once (fsum).
        """
        parts, reach, most = list[Floats](), 0.0, 0.0
        for some in chunks(len(self.rows)):
            u, y = self.rows[some] @ theta, self.targets[some]
            values = self.loss.value(u, y)
            parts.append(totals(values))
            reach = max(reach, float(np.abs(u).max(initial=0.0) + np.abs(y).max(initial=0.0)))
            most = max(most, float(np.abs(values).max(initial=0.0)))
        total, square = math.fsum(np.concatenate(parts)), float(theta @ theta)
        length = math.sqrt(square)
        predictors = 1.01 * (self.size + 1) * _U * self.longest * length
        each = float(self.loss.slope) * predictors + float(self.loss.value_error) * (1 + most + reach)
        each += 1.01 * BLOCK * _U * most
        sums = self.temperature * (len(self.rows) * each + 4 * _U * abs(total))
        return (
            self.temperature * total + self.precision * square / 2,
            2 * (sums + (self.size + 6) * _U * self.precision * square),
        )

    def steepness(self, length: float) -> float:
        """Bound |gradient of F| for |theta| <= length."""
        return (
            self.temperature * len(self.rows) * float(self.loss.slope) * self.longest
            + self.precision * length
        ) * (1 + 2.0**-30)

    def gradient(self, theta: Floats) -> tuple[Floats, float]:
        """Return the gradient and a bound of the length of its error.

        Derivatives wrong by `each` make the sum of s_i a_i wrong by a vector no longer than n R `each`. The
        sum's j-th number is wrong by K u sum_i |s_i a_ij| besides, K = 1.01 roundings(n): as a vector that is
        no longer than K u sum_i |s_i| |a_i| (Minkowski). Two more products and a sum add 8u of both parts.
        """
        slopes = np.empty(len(self.rows))

        def derivative(some: slice) -> Floats:
            slopes[some] = self.loss.derivative(self.rows[some] @ theta, self.targets[some])
            return slopes[some]

        found = self.temperature * weighted_sum(self.rows, derivative) + self.precision * theta
        most, count, length = (
            float(np.abs(slopes).max(initial=0.0)),
            len(slopes),
            float(np.linalg.norm(theta)),
        )
        predictors = 1.01 * (self.size + 1) * _U * self.longest * (1 + length)
        each = float(self.loss.derivative_error) + float(self.loss.smoothness) * predictors
        error = self.temperature * count * self.longest * (each + 1.01 * (roundings(count) + 8) * _U * most)
        return found, 1.01 * (error + 8 * _U * self.precision * length)

    def curvature(self, theta: Floats) -> Floats:
        """Return about the second derivatives."""

        def bend(some: slice) -> Floats:
            return self.temperature * self.loss.bend(self.rows[some] @ theta, self.targets[some])

        return weighted_squares(self.rows, bend) + self.precision * np.eye(self.size)


def centre(potential: Potential) -> Floats:
    """Return about the mode: Newton's steps, each cut to where F is about least; along a ball's boundary too.

    Where a step cannot be solved for, the search ends: any point is a centre, a worse one of more trials.
    """
    theta = np.zeros(potential.size)
    here = potential.at(theta)[0]
    for _ in range(_NEWTON):
        gradient, curved = potential.gradient(theta)[0], potential.curvature(theta)
        try:
            step = _step(gradient, curved, theta, potential.radius)
        except np.linalg.LinAlgError:
            break
        there = _along(potential, theta, step, float(gradient @ step), here)
        value = potential.at(there)[0]
        if not value < here:
            break
        fallen, theta, here = here - value, there, value
        if fallen <= 1e-13 * (1 + abs(here)):
            break
    return theta


def _along(potential: Potential, theta: Floats, step: Floats, falling: float, here: float) -> Floats:
    """Return a point of the step where F has about stopped to fall, by halving: losses may have sharp bends.

    Next to a bend Newton's step is meant for the straight part before it and leads far beyond, where F may
    rise gently and yet be above `here`, what it is at the start.
    """
    low, high, wide = 0.0, 1.0, 1.0
    for _ in range(_HALVED):
        there = _inside(theta + wide * step, potential.radius)
        rising = float(potential.gradient(there)[0] @ step)
        if rising <= 0:
            low = wide
        else:
            high = wide
        gently = abs(rising) <= 0.3 * abs(falling)
        if low == 1 or (gently and (rising <= 0 or potential.at(there)[0] < here)):
            return there
        wide = (low + high) / 2
    return _inside(theta + low * step, potential.radius)


def _step(gradient: Floats, curved: Floats, theta: Floats, radius: float | None) -> Floats:
    """Return Newton's step; where it leaves the ball, that with a multiplier for the radius."""
    step = -np.linalg.solve(curved, gradient)
    if radius is None or float(np.linalg.norm(theta + step)) <= radius:
        return np.asarray(step, np.float64)
    low, high = 0.0, 1.0
    identity, pulled = np.eye(len(theta)), curved @ theta - gradient

    def length(multiplier: float) -> float:
        return float(np.linalg.norm(np.linalg.solve(curved + multiplier * identity, pulled)))

    while length(high) > radius:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if length(middle) > radius else (low, middle)
    return np.asarray(np.linalg.solve(curved + high * identity, pulled) - theta)


def _inside(theta: Floats, radius: float | None) -> Floats:
    length = float(np.linalg.norm(theta))
    if radius is None or length <= radius * (1 - 2.0**-45):
        return theta
    return np.asarray(theta * (radius * (1 - 2.0**-45) / length))


@dataclass(frozen=True, eq=False)
class Envelope:
    """Where trials come from: all floats are meant exactly.

    Attributes:
        centre: c
        whiten: T
        ends: r_0 = 0, r_1, ...; the last shell has no end
        factors: L_k of each shell
        chances: p_k times 2^_CHANCES, whole numbers that sum to that
        log_most: log M, rounded up
    """

    centre: Floats
    whiten: Floats
    ends: tuple[float, ...]
    factors: tuple[Floats, ...]
    chances: tuple[int, ...]
    log_most: float

    @property
    def log_mass(self) -> float:
        """About log M, in units of theta: it is compared, nothing rests on it."""
        return self.log_most + float(np.log(np.diagonal(self.whiten)).sum())

    @property
    def scale(self) -> int:
        """What the chances of all shells sum to."""
        return 1 << _CHANCES

    def log_constant(self, shell: int) -> float:
        """Return log det L_k - log p_k - log M, in floats."""
        diagonal = np.diagonal(self.factors[shell])
        return math.fsum(np.log(diagonal)) - math.log(self.chances[shell] / self.scale) - self.log_most


class _Lower:
    """S_k for any radius, and what is known of its error."""

    def __init__(self, potential: Potential, at: Floats, whiten: Floats, pull: float) -> None:
        self.potential, self.whiten = potential, whiten
        self.u = potential.rows @ at
        self.whitened = potential.rows @ whiten.T
        rough = np.abs(potential.rows) @ np.abs(whiten).T
        self.lengths = np.sqrt(np.einsum("ij,ij->i", rough, rough))
        errors = 1.01 * (potential.size + 2) * _U * self.lengths
        exact = np.sqrt(np.einsum("ij,ij->i", self.whitened, self.whitened))
        self.longest = (exact + 2 * errors) * (1 + 2.0**-40)
        precision = potential.precision + pull
        self.prior = precision * (whiten @ whiten.T)
        self.prior_size = precision * float((np.abs(whiten) ** 2).sum())
        off = 1.01 * (potential.size + 1) * _U * potential.longest * float(np.linalg.norm(at))
        self.kept = _kept(off, potential.loss.concordance)

    def at(self, radius: float) -> tuple[Floats, float]:
        """Return a matrix and a number e with S_k >= matrix - e I; radius may be infinite.

        b_i is wrong by (d+2) u of its length as `lengths` bounds it, least b_i once more, and the sum over
        records by 1.01 roundings(n) u of the sum of least |b_i|^2, which bounds the Frobenius norm of the sum
        of absolute values. That sum is known to a part of 2^-37, far below the factor of 4.
        """
        if math.isinf(radius):
            return self.prior, 16 * (self.potential.size + 4) * _U * self.prior_size
        targets, size = self.potential.targets, [self.prior_size]

        def bend(some: slice) -> Floats:
            u, y, longest = self.u[some], targets[some], self.longest[some]
            least = self.potential.loss.least_bend(u, y, longest * radius)
            least = least * (2 * self.potential.temperature * self.kept)
            size.append(float(least @ self.lengths[some] ** 2))
            return least

        found = weighted_squares(self.whitened, bend)
        error = 4 * (roundings(len(self.u)) + 8 * self.potential.size + 40) * _U * math.fsum(size)
        return (found + found.T) / 2 + self.prior, error


def _kept(off: float, concordance: Any) -> float:
    """Return which part of l_i holds, predictors known up to `off`.

    All of it up to `NEXT_TO` in units of the loss. Beyond, |third| <= C second derivative makes the second
    one at u + off at least e^(-C off) >= 1 - C off times that at u, at every u, and so of what it integrates
    to. Of a loss without a concordance nothing is known then.
    """
    if off * max(1.0, float(concordance or 1)) <= NEXT_TO:
        return 1.0
    return 0.0 if concordance is None else max(0.0, 1 - 1.01 * off * float(concordance))


def envelope(potential: Potential) -> Envelope:
    """Return an envelope, whose conditions were checked: in shells, or the plain one.

    Numbers that are none fail the checks; numpy says no word of them, which would be one about the rows.
    """
    with np.errstate(all="ignore"):
        at = centre(potential)
        simple = plain(potential, at)
        try:
            shells = in_shells(potential, at)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            return simple
        return shells if shells.log_mass <= simple.log_mass else simple


def plain(potential: Potential, at: Floats) -> Envelope:
    """Return the envelope of one shell without an end: see above.

    L = l I with l^2 (m - s) >= 1: few operations of floats make l, each wrong by a part of u.
    """
    d, identity = potential.size, np.eye(potential.size)
    boundary = _Boundary(potential, at)
    steep, m = boundary.steepness(identity), potential.precision + boundary.pull
    spare = min(m / 2, max(m * 1e-6, steep * math.sqrt(m / d)))
    scale = (1 + 2.0**-45) / math.sqrt(m - spare)
    most = d * math.log(scale) + steep * (steep / (2 * spare)) * (1 + 1e-9) + boundary.slack
    return Envelope(
        at, identity, (0.0,), (scale * identity,), (1 << _CHANCES,), most + 1e-9 * (1 + abs(most))
    )


def in_shells(potential: Potential, at: Floats) -> Envelope:
    """Return an envelope in shells around about the mode; ArithmeticError or so if floats cannot show it."""
    d = potential.size
    boundary = _Boundary(potential, at)
    factor = np.linalg.cholesky(potential.curvature(at) + boundary.pull * np.eye(d))
    whiten = np.linalg.inv(factor)
    lower = _Lower(potential, at, whiten, boundary.pull)
    prior = np.linalg.eigvalsh(lower.prior)
    steep, least = boundary.steepness(whiten), min(1.0, float(prior[0]))
    spare = least * min(0.25, max(1e-4, steep / math.sqrt(max(least, 1e-300) * d)))
    # the last shell begins where the prior alone leaves nothing
    last = float(prior[0]) / 2 - spare
    rest = -0.5 * float(np.log(np.maximum(prior - spare - last, 1e-300)).sum()) + 14
    far = math.sqrt(max(2 * rest / last, d))
    radii = possible_ends(d, _MOST_SHELLS)
    radii = radii[: 1 + sum(one < far for one in radii[:-1])]
    bounds = [lower.at(radius) for radius in radii]
    ends = _chosen(
        radii,
        [np.asarray(np.linalg.eigvalsh(matrix) - error - spare, np.float64) for matrix, error in bounds],
    )
    factors, logs = list[Floats](), list[float]()
    for begins, place in zip([0.0, *(radii[one] for one in ends[:-1])], ends, strict=True):
        made, log = _shell(*bounds[place], begins, spare, None)
        factors.append(made)
        logs.append(log)
    made, log = _shell(*lower.at(math.inf), radii[-1], spare, last)
    factors.append(made)
    logs.append(log)
    shares = np.exp(np.array(logs) - max(logs))
    # up: a chance of half its share would double M
    chances = np.ceil(np.maximum(shares / shares.sum() * (1 << _CHANCES), 1)).astype(np.int64)
    chances[int(np.argmax(chances))] += (1 << _CHANCES) - int(chances.sum())
    held = tuple(int(one) for one in chances)
    shells = zip(logs, held, strict=True)
    most = max(log - math.log(chance / (1 << _CHANCES)) for log, chance in shells)
    log_most = most + steep**2 / (2 * spare) * (1 + 1e-9) + boundary.slack + 1e-9 * (1 + abs(most))
    if not math.isfinite(log_most):
        raise ArithmeticError("an envelope has no mass that floats know")
    return Envelope(at, whiten, (0.0, *(radii[one] for one in ends)), tuple(factors), held, log_most)


def possible_ends(size: int, count: int) -> list[float]:
    """Return the first radii at which shells may end."""
    radii = [0.5 * math.sqrt(size)]
    while len(radii) < count:
        radii.append(radii[-1] * (_NARROW if radii[-1] < 4 * math.sqrt(size) else _WIDE))
    return radii


def _chosen(radii: list[float], values: list[Floats]) -> list[int]:
    """Return at which radii shells end, the last one included: those that make the sum of masses least."""
    best, before = [-math.inf], list[int]()
    begins = np.array([0.0, *radii])
    for place, eigenvalues in enumerate(values):
        if not eigenvalues[0] > 0:
            raise ArithmeticError("the rows are too ill-conditioned for floats")
        masses = _masses(eigenvalues, begins[: place + 1])
        sums = np.logaddexp(np.array(best), masses)
        before.append(int(np.argmin(sums)))
        best.append(float(sums.min()))
    found, at = list[int](), len(radii)
    while at:
        found.append(at - 1)
        at = before[at - 1]
    return found[::-1]


def _masses(eigenvalues: Floats, begins: Floats) -> Floats:
    """Return about log det L - t r^2/2 for shells that begin at these radii, t as in `_tilts`."""
    tilts = _tilts(eigenvalues, begins)
    return np.asarray(-0.5 * np.log(eigenvalues - tilts[:, None]).sum(axis=1) - tilts * begins**2 / 2)


def _tilts(eigenvalues: Floats, begins: Floats) -> Floats:
    """Return t >= 0 with about sum_j 1/(e_j - t) = r^2, which minimises the mass; 0 if the sum is larger."""
    wanted, smallest = begins**2, float(eigenvalues[0])
    low, high = np.zeros_like(begins), np.full_like(begins, smallest)
    for _ in range(25):
        middle = (low + high) / 2
        less = (1 / (eigenvalues - middle[:, None])).sum(axis=1) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    idle = (1 / eigenvalues).sum() >= wanted
    return np.where(idle, 0.0, np.minimum(low, 0.95 * smallest))


class _Boundary:
    """What the boundary of a ball makes of the gradient: h, r and what is added to log M."""

    def __init__(self, potential: Potential, at: Floats) -> None:
        self.gradient, self.error = potential.gradient(at)
        self.pull, self.slack, length = 0.0, 0.0, float(np.linalg.norm(at))
        if potential.radius is not None and length > potential.radius * 0.999:
            self.pull = pull = max(0.0, -float(self.gradient @ at) / length**2)
            self.gradient = self.gradient + pull * at
            self.error += 8 * _U * pull * length
            beyond = max(0.0, potential.radius**2 - length**2)
            self.slack = pull * beyond * (1 + 1e-9) / 2 + pull * length**2 * 2.0**-48

    def steepness(self, whiten: Floats) -> float:
        """Return G: the length of the gradient in coordinates that `whiten` leads to, not rounded down."""
        found = float(np.linalg.norm(whiten @ self.gradient))
        return found * (1 + 1e-9) + float(np.linalg.norm(whiten)) * (self.error * 1.01 + 1e-300)


def _shell(
    matrix: Floats, error: float, begins: float, spare: float, tilt: float | None
) -> tuple[Floats, float]:
    """Return L_k, checked, and log det L_k - t_k r^2 / 2, not rounded down; t_k is chosen if it is None."""
    values, vectors = np.linalg.eigh(matrix)
    values = values - error - spare
    if not values[0] > 0:
        raise ArithmeticError("the rows are too ill-conditioned for floats")
    t = float(_tilts(np.asarray(values), np.array([begins]))[0]) if tilt is None else tilt
    margin = _MARGIN
    while True:
        scaled = (values - t) / (1 + margin)
        if not scaled[0] > 0:
            raise ArithmeticError("the rows are too ill-conditioned for floats")
        # triangular to the last bit, so that the product of its diagonal is its determinant
        made = np.triu(np.linalg.inv(np.linalg.cholesky((vectors * scaled) @ vectors.T)).T)
        left = matrix - (error + spare + t) * np.eye(len(matrix))
        off = np.linalg.norm(made.T @ left @ made - (1 + margin) * np.eye(len(matrix)))
        size = float(np.linalg.norm(made)) ** 2 * (float(np.linalg.norm(matrix)) + error + spare + t)
        positive = bool((np.diagonal(made) > 0).all())
        if positive and off + 8 * (len(matrix) + 4) ** 2 * _U * size < margin:
            break
        margin *= 4
        if margin > 1:
            raise ArithmeticError("the rows are too ill-conditioned for floats")
    return made, math.fsum(np.log(np.diagonal(made))) - t * begins**2 / 2 * (1 - 1e-12)
