"""The minimiser of a logistic objective with a random linear term, exactly rounded to a public grid.

    theta^ = argmin sum over records of log(1 + e^(-v.theta)) + lam/2 |theta|^2 + b.theta,  b ~ N(0, s^2 I)

A solver stops somewhere near theta^, and where it stops depends on the data in a way that no theorem covers.
Here theta^ is never computed: a point theta~ is returned, rounded, only if every point of a ball that surely
holds theta^ rounds to the same grid point. So what leaves is a function of the exact theta^.

**The ball.** The objective is lam-strongly convex, so |theta^ - theta~| <= |gradient(theta~)| / lam. More
curvature makes it smaller: within r of theta~ the Hessian of the sum is at least e^(-Rr) times that at theta~
(|phi'''| <= phi'' for phi(x) = log(1 + e^-x), and |v| <= R). If m = lam + e^(-Rr) k, k a bound from below of
its least eigenvalue there, and |gradient| < m r, then |theta^ - theta~| <= |gradient| / m: else let t be the
point of the segment to theta^ at distance r; there gradient.(t - theta~) <= 0, as the objective falls towards
theta^, so m r^2 <= (gradient(t) - gradient(theta~)).(t - theta~) <= |gradient(theta~)| r.

**The gradient's error**, u = 2^-53, g_k = ku/(1 - ku); only IEEE additions, products and quotients are used:
- entries of v are quotients of whole numbers, each rounded once, and d products are summed in any order: x =
  v.theta errs by at most e_x = g_(d+2) sum |v_j theta_j| <= g_(d+2) min(|theta|_1, R |theta|_2);
- e^-|x|: |x| = k ln 2 + r, |r| <= 0.35, where r errs by at most 2u; Taylor's polynomial of degree 14 errs by
  less than u/100, Horner's rule by at most 4u (each step's error is multiplied by |r|): 16u of it in all.
  Beyond 700 it is taken at 700, and errs by less than 2^-1000;
- q = e^-|x| / (1 + e^-|x|), or 1 / (1 + e^-|x|): 19u of itself, and e_x (1 - q) of itself by x's error;
- sums of q v over 128 records: g_129 of the sum of |q v_j|; then sums of sums, rounded once (`math.fsum`).
Since |sum of q |v|| <= R Q, Q the sum of all q, the vector errs by at most R Q (g_131 + e_x + 20u) + u |sum|.
lam theta~ and b are added exactly.

If the ball meets two cells, the gradient is enclosed by balls of more bits (Arb) with the SAME b to more
bits, and theta~ is moved by a Newton step, until one cell is left. How long it takes depends on the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.interval_arithmetic import arb, flint
from privior.randomness.concave import ball
from privior.randomness.entropy import Bits
from privior.randomness.normal import NormalLaw
from privior.randomness.rounding import IdealDraw

_UNIT = 2.0**-53
#: records whose gradients are summed in one go, and those that are looked at in one go
_SUMMED, _CHUNK = 128, 1 << 15
#: bits of b beyond its standard deviation at first
_SPARE = 46
_MOST_STEPS = 200
#: ln 2 in two parts, the first with so few bits that products with numbers below 2^11 are exact
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_TAYLOR = [1.0 / math.factorial(power) for power in range(14, -1, -1)]

#: whole numbers v * reach of the signed rows from one place to another, one a row, sign included
RowBlocks = Callable[[int, int], Integers]


@dataclass(frozen=True)
class Objective:
    """A sum over records and a penalty, without the random term.

    Attributes:
        rows: gives the signed rows as whole numbers, from one place to another
        records: how many there are
        reach: by what each of the whole numbers is divided
        squared_norm: R^2, the largest squared length of a row
        ridge: lam
    """

    rows: RowBlocks
    records: int
    reach: tuple[int, ...]
    squared_norm: int
    ridge: Fraction

    @cached_property
    def floats(self) -> list[Floats]:
        """The rows, each entry rounded once, in chunks."""
        by = np.array(self.reach, np.float64)
        places = range(0, self.records, _CHUNK)
        return [self.rows(one, min(one + _CHUNK, self.records)) / by for one in places]

    @property
    def norm(self) -> float:
        """R, which no row is longer than, rounded up."""
        return math.nextafter(math.sqrt(self.squared_norm), math.inf)


def rounded_minimum(objective: Objective, variance: Fraction, places: int, bits: Bits) -> list[int]:
    """Draw b and return the whole numbers nearest to theta^ 2^places."""
    law = NormalLaw(Fraction(0), variance)
    draws = [IdealDraw(law, bits) for _ in objective.reach]
    return _rounded(objective, draws, places)


def _rounded(objective: Objective, draws: Sequence[IdealDraw], places: int) -> list[int]:
    spare = _SPARE - draws[0].law.size
    b, error = _mids(draws, spare)
    theta = _newton(objective, np.array([float(one) for one in b]))
    look = _look(objective, theta)
    found = _decided([Fraction(one) for one in theta], look.radius(b, error), places)
    precision = 96
    point = [Fraction(one) for one in theta]
    while found is None:
        spare += precision
        b, error = _mids(draws, spare)
        point = _moved(point, _enclosed(objective, point, b, error, precision), look, precision)
        gradient = _enclosed(objective, point, b, error, precision)
        found = _decided(point, _distance(gradient, objective.ridge, precision), places)
        precision *= 2
    return found


def _mids(draws: Sequence[IdealDraw], places: int) -> tuple[list[Fraction], Fraction]:
    """Return the numbers b to so many places, and how far they may be off."""
    unit = Fraction(2) ** -places
    return [one.cell(places) * unit for one in draws], unit / 2


def _decided(theta: Sequence[Fraction], radius: Fraction | None, places: int) -> list[int] | None:
    """Return the grid point to which the whole ball rounds; None if there are two."""
    if radius is None:
        return None
    scale, half = Fraction(2) ** places, Fraction(1, 2)
    low = [math.floor((one - radius) * scale + half) for one in theta]
    high = [math.floor((one + radius) * scale + half) for one in theta]
    return low if low == high else None


# In floating point


@dataclass(frozen=True, eq=False)
class _Look:
    """What was computed at a point.

    Attributes:
        objective: what is minimised
        theta: the point
        sums: the gradient of the sum over records, in floats
        off: how far that may be off, as a vector
        hessian: of the sum, in floats
        hessian_off: how far that may be off, as a matrix
    """

    objective: Objective
    theta: Floats
    sums: Floats
    off: float
    hessian: Floats
    hessian_off: float

    def radius(self, b: Sequence[Fraction], error: Fraction) -> Fraction | None:
        """Return how far the minimiser can be, see above; None if no number says."""
        ridge = self.objective.ridge
        each = [
            Fraction(one) + ridge * Fraction(at) + term
            for one, at, term in zip(self.sums, self.theta, b, strict=True)
        ]
        if not math.isfinite(self.off):
            return None
        length = _root_up(sum((one**2 for one in each), start=Fraction(0))) + Fraction(self.off)
        length += error * math.ceil(math.sqrt(len(each)) + 1)
        plain = length / ridge
        least = self._least_eigenvalue()
        if least <= 0:
            return plain
        # r = 2 |gradient| / (lam + least): then e^(-Rr) >= 1 - Rr makes m large enough if Rr is small
        guess = 2 * length / (ridge + least)
        shrunk = 1 - guess * Fraction(self.objective.norm)
        if shrunk <= 0:
            return plain
        curvature = ridge + shrunk * least
        return min(plain, length / curvature) if length < curvature * guess else plain

    def _least_eigenvalue(self) -> Fraction:
        """Bound the least eigenvalue of the Hessian of the sum from below: what Cholesky's method allows."""
        guess = 0.9 * float(np.linalg.eigvalsh(self.hessian)[0]) - 2 * self.hessian_off
        if not guess > 0 or not math.isfinite(guess):
            return Fraction(0)
        least = Fraction(guess)
        return least if _positive(self.hessian, least + Fraction(self.hessian_off)) else Fraction(0)


def _positive(matrix: Floats, shift: Fraction) -> bool:
    """Whether a symmetric matrix of floats less shift times 1 is surely positive definite (LDL' in balls)."""
    with flint.ctx.workprec(256):
        size = len(matrix)
        left = [[ball(Fraction(float(matrix[i, j]))) for j in range(i + 1)] for i in range(size)]
        for i in range(size):
            left[i][i] -= ball(shift)
        for k in range(size):
            pivot = left[k][k]
            if not pivot > 0:
                return False
            for i in range(k + 1, size):
                share = left[i][k] / pivot
                for j in range(k + 1, i + 1):
                    left[i][j] -= share * left[j][k]
    return True


def _look(objective: Objective, theta: Floats) -> _Look:
    """Compute gradient and Hessian of the sum at a point, with bounds of their errors."""
    size, norm = len(theta), objective.norm
    hessian, chunks, total, weight = np.zeros((size, size)), [], 0.0, 0.0
    for rows in objective.floats:
        x = rows @ theta
        q = _chances(x)
        chunks.append(_summed(rows, q))
        total += float(q.sum())
        away = _exponential(np.minimum(np.abs(x), 700.0))
        w = away / (1.0 + away) ** 2  # q (1 - q), without the difference that is known only absolutely
        weight += float(w.sum())
        hessian += rows.T @ (rows * w[:, None])
    each = np.concatenate(chunks) if chunks else np.zeros((0, size))
    sums = np.array([-math.fsum(each[:, place].tolist()) for place in range(size)])
    spread = min(float(np.abs(theta).sum()), norm * float(np.linalg.norm(theta)) * (1 + 1e-12))
    in_x = _gamma(size + 2) * spread * (1 + 1e-12)
    many = 1 + 2 * _gamma(objective.records + 2)
    share = _gamma(_SUMMED + 3) + in_x + 20 * _UNIT
    off = norm * total * many * share + 2 * _UNIT * float(np.linalg.norm(sums)) + 1e-290
    rough = _gamma(_CHUNK + len(objective.floats) + size + 8) + 3 * (in_x + 20 * _UNIT)
    hessian_off = objective.squared_norm * weight * many * rough * 1.01 + 1e-290
    return _Look(objective, theta, sums, off * 1.01, hessian, hessian_off)


def _gamma(count: int) -> float:
    return count * _UNIT / (1 - count * _UNIT) * (1 + 1e-12)


def _summed(rows: Floats, q: Floats) -> Floats:
    """Return the sums of q v over so many records each."""
    whole = len(rows) // _SUMMED * _SUMMED
    size = rows.shape[1]
    parts = np.matmul(q[:whole].reshape(-1, 1, _SUMMED), rows[:whole].reshape(-1, _SUMMED, size)).reshape(
        -1, size
    )
    return np.concatenate([parts, (q[whole:] @ rows[whole:])[np.newaxis]])


def _chances(x: Floats) -> Floats:
    """1 / (1 + e^x), by additions, products and quotients alone."""
    away = _exponential(np.minimum(np.abs(x), 700.0))
    return np.asarray(np.where(x > 0, away, 1.0) / (1.0 + away))


def _exponential(x: Floats) -> Floats:
    """e^-x for x from 0 to 700, see above."""
    turns = np.rint(x * 1.4426950408889634)
    rest = (turns * _LN2_LOW) - (x - turns * _LN2_HIGH)
    found = np.full_like(rest, _TAYLOR[0])
    for coefficient in _TAYLOR[1:]:
        found = found * rest + coefficient
    return np.asarray(np.ldexp(found, -turns.astype(np.int32)))


def _newton(objective: Objective, b: Floats) -> Floats:
    """Find about the minimiser. Where it stops decides nothing."""
    ridge = float(objective.ridge)
    theta = np.zeros(len(b))
    step: Floats = np.zeros(len(b))
    best, value = theta, math.inf
    for _ in range(_MOST_STEPS):
        now, gradient, hessian = _at(objective, theta, b, ridge)
        if not now < value + 1e-9 * abs(value):  # too far: go half the way back
            step = step / 2
            theta = best + step
            if np.abs(step).max() <= 1e-15 * (1 + np.abs(best).max()):
                break
            continue
        best, value = theta, now
        step = np.asarray(-np.linalg.solve(hessian + ridge * np.eye(len(b)), gradient), np.float64)
        theta = best + step
        if np.abs(step).max() <= 1e-12 * (1 + np.abs(theta).max()):
            return np.asarray(theta)
    return best


def _at(objective: Objective, theta: Floats, b: Floats, ridge: float) -> tuple[float, Floats, Floats]:
    value = ridge / 2 * float(theta @ theta) + float(b @ theta)
    gradient, hessian = ridge * theta + b, np.zeros((len(b), len(b)))
    for rows in objective.floats:
        x = rows @ theta
        q = _chances(x)
        value += float((np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)).sum())
        gradient = gradient - q @ rows
        hessian += rows.T @ (rows * (q * (1 - q))[:, None])
    return value, gradient, hessian


# With more bits


def _enclosed(
    objective: Objective, theta: Sequence[Fraction], b: Sequence[Fraction], error: Fraction, precision: int
) -> list[arb]:
    """Enclose the gradient at a point, b included."""
    with flint.ctx.workprec(precision):
        by = [ball(one / reach) for one, reach in zip(theta, objective.reach, strict=True)]
        totals = [flint.arb(0)] * len(by)
        for row, times in _different(objective):
            x = flint.arb(0)
            for number, factor in zip(row, by, strict=True):
                if number:
                    x += number * factor
            q = times / (1 + x.exp())
            totals = [
                total + number * q if number else total for total, number in zip(totals, row, strict=True)
            ]
        ridge, wide = ball(objective.ridge), flint.arb(0, ball(error).upper())
        return [
            ridge * ball(at) + ball(term) + wide - total / reach
            for at, term, total, reach in zip(theta, b, totals, objective.reach, strict=True)
        ]


def _different(objective: Objective) -> Iterator[tuple[list[int], int]]:
    """Yield the rows of each chunk, equal ones once with their number."""
    for start in range(0, objective.records, _CHUNK):
        rows = objective.rows(start, min(start + _CHUNK, objective.records))
        found, times = np.unique(rows, axis=0, return_counts=True)
        yield from zip(found.tolist(), times.tolist(), strict=True)


def _moved(theta: Sequence[Fraction], gradient: Sequence[arb], look: _Look, precision: int) -> list[Fraction]:
    """Take a Newton step of many bits; any point will do."""
    largest = max((float(abs(one).upper()) for one in gradient), default=0.0)
    if not 0 < largest < math.inf:
        return list(theta)
    shift = math.frexp(largest)[1]
    scaled = np.array([float(one * flint.arb(2) ** -shift) for one in gradient])
    ridge = float(look.objective.ridge)
    step = np.linalg.solve(look.hessian + ridge * np.eye(len(scaled)), scaled)
    unit = Fraction(2) ** shift
    return [at - Fraction(float(one)) * unit for at, one in zip(theta, step, strict=True)]


def _distance(gradient: Sequence[arb], ridge: Fraction, precision: int) -> Fraction | None:
    with flint.ctx.workprec(precision):
        length = sum((one * one for one in gradient), start=flint.arb(0)).sqrt() / ball(ridge)
        found = float(length.upper())
    return Fraction(math.nextafter(found, math.inf)) if math.isfinite(found) else None


def _root_up(number: Fraction) -> Fraction:
    """Return a bound of a square root from above, to the digits of a float."""
    if not number:
        return Fraction(0)
    shift = 2 * ((number.numerator.bit_length() - number.denominator.bit_length()) // 2)
    scaled = float(number / Fraction(2) ** shift) * (1 + 1e-15)
    return Fraction(math.nextafter(math.sqrt(scaled), math.inf)) * Fraction(2) ** (shift // 2)
