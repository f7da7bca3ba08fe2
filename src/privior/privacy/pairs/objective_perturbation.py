"""Objective perturbation: the exact minimiser of a convex objective with a random linear term.

    theta^ = argmin sum over records of log(1 + e^(-v.theta)) + lam/2 |theta|^2 + b.theta,  b ~ N(0, s^2 I)

with v the signed row of a record, |v| <= R. b -> theta^ is one to one, b = -(gradient of the rest), so the
law of theta^ has the density N(b; 0, s^2 I) det(H + lam I), H the Hessian of the sum at theta^. All below
depends on h^2 = R^2/s^2 and c = R^2/lam alone. One record's gradient, -q v, and curvature, q (1-q) v v',
share q = 1/(1 + e^(v.theta)) in [0, 1].

**With the record against without it.** If theta^ comes from b with the record, it comes from b - q v without.
So the loss is, with g = -v.b ~ N(0, s^2 |v|^2) under the law with the record,

    log(1 + q(1-q) v'(H + lam)^-1 v) + (2 q g + q^2 |v|^2) / (2 s^2)
        <= F(q) = log(1 + c q(1-q)) + q L - q(1-q) h^2/2,   L = (2g + R^2) / (2 s^2) ~ N(h^2/2, h^2)

for |v| = R. A shorter record, |v| = kR, gives the same at q' = kq <= 1 with q'(k - q') for q'(1 - q'), hence
no more. So delta(e) <= E[(1 - e^(e - M))_+], M the largest F(q) over q in [0, 1].
**M <= max(L, c'), c' = max(0, c - h^2/2):** log(1 + x) <= x, so F(q) <= q(1-q) c' + qL, which is at most L if
L >= c', 0 if L <= -c', and else (c' + L)^2 / (4c') <= c'. So M > e means M = L for every e >= c', and there
delta is that of the Gaussian pair of mu = h: the Jacobian is free.

**Without against with.** The loss is -log(...) + q L' - q(1-q) h^2/2 <= max(0, L'), L' ~ N(h^2/2, h^2): for
e >= 0 again the Gaussian curve; for e < 0 it is 1 - e^e + e^e delta(0).

**Replaced.** Through the data without either record: delta(e) <= more(e1) + e^e1 less(e - e1) for every e1.
At e1 = e/2 - h^2/2 >= c' that is the Gaussian curve of mu = 2h, exactly.

The Gaussian part is attained: if many records pull theta^ to where q = 1, the release is b, moved by v. Below
c' the curve is larger than any Gaussian one, so it is composed from its own values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from privior.arrays import Floats
from privior.interval_arithmetic import arb, flint
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.contract import DominatingPair, SymmetricPair
from privior.privacy.pairs.gaussian import GaussianPair
from privior.special import ndtr

#: cells on which M is bounded by its chord, and bits of their masses
_CELLS, _BITS = 96, 128
#: middle points that are compared for a replaced record, and orders of divergences
_MIDDLES, _ORDERS = 160, (1.25, 1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0)


@dataclass(frozen=True)
class ObjectivePair(DominatingPair):
    """One record added or removed: P with it, Q without (`added`), or the reverse.

    At e < 0 the curve is what the other order says at -e, where that is less: 1 - e^e + e^e mirror(-e), which
    at 0 is the same for both.

    Attributes:
        squared: h^2, the squared largest length of a record over the variance of the noise
        curvature: c, the squared largest length of a record over lam
        added: whether P is the law with the record
    """

    squared: Fraction
    curvature: Fraction
    added: bool = True

    def __post_init__(self) -> None:
        if not self.squared > 0 or self.curvature < 0:
            raise ValueError("objective perturbation has noise and a penalty")

    @property
    def mirror(self) -> ObjectivePair:
        """The pair in the other order: a record is removed where it was added."""
        return ObjectivePair(self.squared, self.curvature, not self.added)

    def delta(self, epsilon: float) -> float:
        """Return the smaller of both bounds; no curve is above its value at 0, the same for both orders."""
        found = more(self, epsilon) if self.added else less(self, epsilon)
        if epsilon >= 0:
            found = min(found, self.gaussian.delta(0.0))
        else:
            other = less(self, -epsilon) if self.added else more(self, -epsilon)
            found = min(found, _swapped(other, epsilon))
        return min(1.0, found)

    @property
    def free(self) -> Fraction:
        """c' = max(0, c - h^2/2): from there on the curve is that of a Gaussian pair."""
        return max(Fraction(0), self.curvature - self.squared / 2)

    @cached_property
    def gaussian(self) -> GaussianPair:
        """The pair of the Gaussian mechanism, mu = h."""
        return GaussianPair(self.squared)

    @property
    def most(self) -> Fraction:
        """The loss is at most max(L, this)."""
        return self.free if self.added else Fraction(0)

    def renyi(self, order: float) -> float:
        """Bound E[e^((l-1) max(L, c'))] or E[max(L, c')]; divergences below order 1 are at most that of it.

        E[e^(tL); L > x] = e^(t h^2/2 + t^2 h^2/2) P[N > x - h^2/2 - t h^2], N ~ N(0, h^2).
        """

        def formula() -> arb:
            x, zero, h2 = ball(self.most), ball(0), ball(self.squared)
            stddev = h2.sqrt()
            above = _above(h2 / 2, stddev, x, zero)
            if order <= 1:
                away = (x - h2 / 2) / stddev
                bump = (-away * away / 2).exp() / (2 * flint.arb.pi()).sqrt()
                return x * (1 - above) + h2 / 2 * above + stddev * bump
            t = ball(Fraction(order) - 1)
            return ((t * x).exp() * (1 - above) + _above(h2 / 2, stddev, x, t)).log() / t

        return upper(formula)


@dataclass(frozen=True)
class ReplacedObjectivePair(SymmetricPair):
    """One record replaced, through the data without it; both orders are bounded by the same curve.

    Renyi divergences: at any theta^ the loss is at most log(1 + c/4) + max(0, L1, L2, L3) with L1, L2 ~
    N(h^2/2, h^2) and L3 ~ N(2 h^2, 4 h^2), or less: the exponent (2 b.w + |w|^2) / (2 s^2) is convex in w =
    q2 v2 - q1 v1 and so largest at q1, q2 in {0, 1}. They grow with the order: that of a larger one will do.

    Attributes:
        squared: h^2, as of `ObjectivePair`
        curvature: c, likewise
    """

    squared: Fraction
    curvature: Fraction

    @cached_property
    def one(self) -> ObjectivePair:
        """The pair of a record that is added."""
        return ObjectivePair(self.squared, self.curvature)

    def delta(self, epsilon: float) -> float:
        """Return the least bound of those looked at; at e < 0 also by symmetry."""
        found = self._through(epsilon)
        if epsilon < 0:
            found = min(found, _swapped(self._through(-epsilon), epsilon))
        return min(1.0, found)

    def _through(self, epsilon: float) -> float:
        half = Fraction(epsilon) / 2 - self.squared / 2
        if half >= self.one.free:
            return GaussianPair(4 * self.squared).delta(epsilon)
        middle = self._middle(epsilon)
        first, second = (
            self.one.delta(middle),
            self.one.mirror.delta(math.nextafter(epsilon - middle, -math.inf)),
        )
        return upper(lambda: ball(first) + ball(middle).exp() * ball(second))

    def _middle(self, epsilon: float) -> float:
        """Choose e1; any will do, so floats decide."""
        places, curve = _table(self.one)
        rest = epsilon - places
        h = math.sqrt(float(self.squared))
        zero = _gaussian(np.zeros(1), h)[0]
        after = np.where(
            rest >= 0, _gaussian(np.maximum(rest, 0), h), 1 - np.exp(np.minimum(rest, 0)) * (1 - zero)
        )
        return float(places[int(np.argmin(curve + np.exp(places) * after))])

    def renyi(self, order: float) -> float:
        """Bound by the sum of the four exponentials, at this order or a larger one."""

        def at(one: float) -> arb:
            t, h2 = ball(Fraction(one) - 1), ball(self.squared)
            parts = 1 + 2 * (t * (1 + t) * h2 / 2).exp() + (t * (1 + t) * 2 * h2).exp()
            return (1 + ball(self.curvature) / 4).log() + parts.log() / t

        orders = [one for one in _ORDERS if one >= order] if order < _ORDERS[-1] else [order]
        return min(upper(lambda one=one: at(one)) for one in {*orders, max(order, _ORDERS[0])})  # type: ignore[misc]


def _swapped(other: float, epsilon: float) -> float:
    """What a curve of the other order implies: 1 - e^e + e^e other."""
    return upper(lambda: 1 - ball(epsilon).exp() + ball(epsilon).exp() * ball(other))


def less(pair: ObjectivePair, epsilon: float) -> float:
    """Bound the curve of the law without the record against that with it."""
    if epsilon >= 0:
        return pair.gaussian.delta(epsilon)
    return _swapped(pair.gaussian.delta(0.0), epsilon)


def more(pair: ObjectivePair, epsilon: float) -> float:
    """Bound the curve of the law with the record against that without: E[(1 - e^(epsilon - M))_+].

    M is a largest of functions that are linear in L, so convex in L: between two points it is at most its
    chord, for which the expectation is elementary. Below the first point M is at most its value there, and it
    is never below 0.
    """
    if Fraction(epsilon) >= pair.free:
        return pair.gaussian.delta(epsilon)
    return upper(lambda: _expected(_chords(pair.squared, pair.curvature), epsilon), _BITS)


@dataclass(frozen=True)
class _Chords:
    """The law of an upper bound of M on cells of L.

    Attributes:
        mean, stddev: of L, in balls
        nodes: where cells of L begin and end
        heights: bounds of M there
        first: chance of L below the first node
        masses: chances of the cells, and the expectations of e^-M in them, in balls
        last: the chance of L above the last node, and the expectation of e^-L there
    """

    mean: arb
    stddev: arb
    nodes: tuple[Fraction, ...]
    heights: tuple[arb, ...]
    first: arb
    masses: tuple[tuple[arb, arb], ...]
    last: tuple[arb, arb]


@lru_cache(maxsize=32)
def _chords(squared: Fraction, curvature: Fraction) -> _Chords:
    with flint.ctx.workprec(_BITS):
        h2 = ball(squared)
        mean, stddev = h2 / 2, h2.sqrt()
        top = max(Fraction(0), curvature - squared / 2)
        nodes = tuple(-top + 2 * top * k / _CELLS for k in range(_CELLS + 1))
        heights = tuple(_largest(squared, curvature, node) for node in nodes)
        cells = zip(nodes, nodes[1:], heights, heights[1:], strict=False)
        masses = tuple(_cell(mean, stddev, *cell) for cell in cells)
        end = ball(top)
        last = (_above(mean, stddev, end, ball(0)), _above(mean, stddev, end, ball(-1)))
        return _Chords(
            mean, stddev, nodes, heights, 1 - _above(mean, stddev, ball(-top), ball(0)), masses, last
        )


def _above(mean: arb, stddev: arb, x: arb, t: arb) -> arb:
    """Return E[e^(tL); L > x] for L ~ Normal(mean, stddev^2)."""
    away = (x - mean - t * stddev**2) / stddev
    return (t * mean + t * t * stddev**2 / 2).exp() * (away / ball(2).sqrt()).erfc() / 2


def _cell(mean: arb, stddev: arb, low: Fraction, high: Fraction, before: arb, after: arb) -> tuple[arb, arb]:
    """Return the chance of a cell, and E[e^-chord] in it."""
    start, end = ball(low), ball(high)
    slope = (after - before) / (end - start)
    base = before - slope * start
    chance = _above(mean, stddev, start, ball(0)) - _above(mean, stddev, end, ball(0))
    weighed = _above(mean, stddev, start, -slope) - _above(mean, stddev, end, -slope)
    return chance, (-base).exp() * weighed


def _expected(chords: _Chords, epsilon: float) -> arb:
    """Sum (1 - e^(epsilon - M))_+ over the cells; the one that M = epsilon parts is parted there."""
    e, none = ball(epsilon), ball(0)
    scale = e.exp()
    found = chords.first * (1 - (e - chords.heights[0]).exp()).max(none)
    found += chords.last[0] - scale * chords.last[1]
    for place, (chance, weighed) in enumerate(chords.masses):
        before, after = chords.heights[place], chords.heights[place + 1]
        if before >= e:
            found += chance - scale * weighed
        elif not after <= e:
            low, high = chords.nodes[place], chords.nodes[place + 1]
            # from just above where the chord is epsilon on; what lies between is at most what it is there
            share = min(1.0, _beyond((e - before) / (after - before)))
            start = low + (high - low) * Fraction(share)
            cut = before + (after - before) * ball(share)
            found += chance * (1 - (e - cut).exp()).max(none)
            if start < high:
                part, heavy = _cell(chords.mean, chords.stddev, start, high, cut, after)
                found += part - scale * heavy
    return found


def _beyond(number: arb) -> float:
    """A float above what is enclosed, by little; 1 if nothing is known."""
    found = float(number.upper())
    return max(0.0, found) + 1e-9 if math.isfinite(found) else 1.0


def _largest(squared: Fraction, curvature: Fraction, loss: Fraction) -> arb:
    """Bound the largest F(q) over q in [0, 1] at L = loss.

    F is concave if h^2 <= 8c/(4 + c), for the second derivative of log(1 + c q(1-q)) is at most -2c/(1 +
    c/4); then it lies below its tangent at any point. A larger c makes F larger, so where F may not be
    concave, c is raised until it is. The bounds (c' + L)^2 / (4c') and log(1 + c/4) + max(0, L) hold in any
    case.
    """
    top = max(Fraction(0), curvature - squared / 2)
    found = ball(max(loss, Fraction(0)) if abs(loss) >= top else (top + loss) ** 2 / (4 * top))
    raised = max(curvature, 4 * squared / (8 - squared)) if squared < 8 else None
    if raised is None or raised > 2 * curvature:
        return found.min((1 + ball(curvature) / 4).log() + ball(max(Fraction(0), loss)))
    place = Fraction(_peak(float(squared), float(raised), float(loss)))
    c, q, h2 = ball(raised), ball(place), ball(squared)
    inner = 1 + c * q * (1 - q)
    value = inner.log() + q * ball(loss) - q * (1 - q) * h2 / 2
    slope = c * (1 - 2 * q) / inner + ball(loss) - (1 - 2 * q) * h2 / 2
    return found.min(value + (slope * (1 - q)).max(-slope * q).max(ball(0)))


def _peak(squared: float, c: float, loss: float) -> float:
    """About where the concave F is largest, by halving; any point will do."""

    def slope(q: float) -> float:
        return c * (1 - 2 * q) / (1 + c * q * (1 - q)) + loss - (1 - 2 * q) * squared / 2

    low, high = 0.0, 1.0
    if slope(low) <= 0:
        return 0.0
    if slope(high) >= 0:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


@lru_cache(maxsize=32)
def _table(pair: ObjectivePair) -> tuple[Floats, Floats]:
    """The curve of an added record at the middles that are looked at."""
    h = math.sqrt(float(pair.squared))
    places = np.linspace(-2 * h, float(pair.free) + 6 * h, _MIDDLES)
    return places, np.array([pair.delta(float(one)) for one in places])


def _gaussian(epsilon: Floats, mu: float) -> Floats:
    """About the curve of the Gaussian pair, for choices alone."""
    return np.asarray(
        ndtr(mu / 2 - epsilon / mu) - np.exp(np.minimum(epsilon, 700)) * ndtr(-mu / 2 - epsilon / mu)
    )
