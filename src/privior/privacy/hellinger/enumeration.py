"""Costs of exponential mechanisms on Hellinger distances, by enumeration: every table, every neighbour.

Only public facts enter: the number of records, of cells, and the prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, combinations, permutations

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.errors import InferenceError, PlanError
from privior.interval_arithmetic import flint
from privior.privacy.hellinger.enclosures import phi
from privior.privacy.pairs.balls import ball

#: all pairs of at most so many tables are listed
MOST_LISTED = 1000
#: a number for each table is listed for at most so many of them
MOST_TABLES = 20_000
#: all pairs of so many tables can be summed over, a few rows at a time
MOST_SUMMED, _ROWS = 6000, 256
#: how a temperature is sought: digits, secants, and units of the last digit by which it is lowered
_DIGITS, _MOST_SECANTS, _MOST_LOWERED = 10, 40, 20
#: bits in which logarithms of the Gamma function are enclosed: of parameters up to 1e15 half of them cancel
_PRECISION = 320


def number_of_tables(records: int, cells: int) -> int:
    """Return how many tables of counts have this total: C(n+k-1, k-1)."""
    return math.comb(records + cells - 1, cells - 1)


def all_tables(records: int, cells: int) -> Integers:
    """List all tables of counts with this total, as (number, cells)."""
    if cells == 2:
        first = np.arange(records + 1)
        return np.column_stack([first, records - first])
    places = chain.from_iterable(combinations(range(records + cells - 1), cells - 1))
    bars = np.fromiter(places, dtype=np.int64).reshape(-1, cells - 1)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=(-1, records + cells - 1))
    return np.asarray(np.diff(edges, axis=1) - 1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All tables of so many records, and the distances of their posteriors.

    Attributes:
        tables: as (number, cells)
        distances: between any two; each has a relative error of at most 2^-48
    """

    tables: Integers
    distances: Floats

    @staticmethod
    def of(prior: Sequence[Fraction], records: int) -> Enumeration:
        """List them, if they are at most `MOST_LISTED`."""
        return _listed(tuple(prior), records)

    def cost(self, temperature: Fraction) -> float:
        """Return an upper bound of the epsilon of weights e^(-t H), t the temperature.

        The loss at r is t (H(x', r) - H(x, r)) + ln Z(x') - ln Z(x), by the triangle inequality largest at
        r = x. With N tables and u = 2^-53, a weight has a relative error of at most (32 t + 4) u and a sum
        of N more than N u, so the loss found is off by less than (80 t + 2 N + 40) u, which 10^-12 (1 + t)
        exceeds for N up to 1000.
        """
        t = float(temperature)
        sums = np.log(np.exp(-t * self.distances).sum(axis=1))
        worst = max(
            float((t * self.distances[here, there] + sums[there] - sums[here]).max())
            for here, there in self._neighbours
        )
        return worst + 1e-12 * (1 + t)

    def temperature(self, epsilon: Fraction) -> Fraction:
        """Return the largest temperature of cost at most epsilon, to ten digits and checked as rounded.

        The cost grows almost in proportion to the temperature, so secants find it from the temperature of
        the proof, epsilon / (2 GS). Whatever they find is checked, and lowered until it holds.
        """
        known = {0.0: 0.0}
        guess = float(epsilon) / (2 * max(float(self.distances[pair].max()) for pair in self._neighbours))
        for _ in range(_MOST_SECANTS):
            known[guess] = self.cost(Fraction(guess))
            (one, low), (other, high) = sorted(known.items(), key=lambda at: abs(at[1] - float(epsilon)))[:2]
            nearer = one + (float(epsilon) - low) * (other - one) / (high - low) if high != low else one
            if not 0 < nearer < 10 * guess or nearer in known or abs(nearer - one) < 1e-13 * one:
                break
            guess = nearer
        best = min(known.items(), key=lambda at: abs(at[1] - float(epsilon)))[0]
        unit = Fraction(10) ** (math.floor(math.log10(best)) - _DIGITS + 1) if best > 0 else Fraction(0)
        for units in range(1, 1 + _MOST_LOWERED):
            found = unit * (math.floor(Fraction(best) / unit) + 2 - units) if unit else unit
            if found > 0 and Fraction(self.cost(found)) <= epsilon:
                return found
        raise PlanError("no temperature can be certified for this epsilon", where="ehd", asked=str(epsilon))

    @cached_property
    def _neighbours(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Places of tables and of the neighbours that replace a record of cell i by one of cell j."""
        return list(_neighbours(self.tables))


def _neighbours(tables: Integers) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    places = {tuple(table): place for place, table in enumerate(tables.tolist())}
    for i, j in permutations(range(tables.shape[1]), 2):
        here = np.flatnonzero(tables[:, i] > 0)
        moved = tables[here].copy()
        moved[:, i] -= 1
        moved[:, j] += 1
        yield here, np.array([places[tuple(table)] for table in moved.tolist()])


def log_sums(prior: Sequence[Fraction], records: int, temperatures: Floats) -> Floats:
    """Return ln Z(x) = ln of the sum of e^(-t(x) H(x, r)) over all tables r, for every table x and its t."""
    if (number := number_of_tables(records, len(prior))) > MOST_SUMMED:
        raise InferenceError("too many tables to sum over all pairs", asked=number, allowed=MOST_SUMMED)
    tables = all_tables(records, len(prior))
    cells = [_Cell(parameter, records) for parameter in prior]
    found = np.empty(number)
    for start in range(0, number, _ROWS):
        some = slice(start, start + _ROWS)
        apart = _distances(tables[some], tables, cells)
        found[some] = np.log(np.exp(-temperatures[some, None] * apart).sum(axis=1))
    return found


def _distances(rows: Integers, tables: Integers, cells: Sequence[_Cell]) -> Floats:
    overlap = np.zeros((len(rows), len(tables)))
    for cell, known in enumerate(cells):
        here, row = np.unique(rows[:, cell], return_inverse=True)
        there, column = np.unique(tables[:, cell], return_inverse=True)
        overlap += known.log_affinities(here, there)[np.ix_(row, column)]  # many tables have the same count
    return np.asarray(np.sqrt(-np.expm1(overlap)))


def largest_local_change(prior: Sequence[Fraction], records: int) -> float:
    """Return an upper bound of |1/LS(c) - 1/LS(c')| over all neighbours, by listing all tables."""
    return _largest_change(tuple(prior), records)


@lru_cache(maxsize=8)
def _listed(prior: tuple[Fraction, ...], records: int) -> Enumeration:
    """A log affinity is a sum of terms of one sign, each right to 2^-50: so is the sum, and the distance."""
    number = number_of_tables(records, len(prior))
    if number > MOST_LISTED:
        raise PlanError("too many tables to list all pairs", asked=number, allowed=MOST_LISTED)
    tables = all_tables(records, len(prior))
    cells = [_Cell(parameter, records) for parameter in prior]
    return Enumeration(tables, _distances(tables, tables, cells))


class _Cell:
    """ln G(a + m/2) for m = 0..2n less its chord, each as a sum of two floats.

    An affinity is a second difference, which a straight line does not change. Without the chord the numbers
    are of the size of a ln a and the affinity of that of 1/a: for large a two floats would not do.
    """

    def __init__(self, parameter: Fraction, records: int) -> None:
        with flint.ctx.workprec(_PRECISION):
            balls = [ball(parameter + Fraction(double, 2)).lgamma() for double in range(2 * records + 1)]
            first, slope = balls[0], (balls[-1] - balls[0]) / max(1, 2 * records)
            balls = [value - first - slope * double for double, value in enumerate(balls)]
            self.high = np.array([float(value.mid()) for value in balls])
            rest = [float((value - ball(top)).mid()) for value, top in zip(balls, self.high, strict=True)]
            self.low = np.array(rest)

    def log_affinities(self, here: Integers, there: Integers) -> Floats:
        """Return ln G(a+(c+z)/2) - (ln G(a+c) + ln G(a+z)) / 2 for all counts c and z, right to 2^-50."""
        both, one, other = here[:, None] + there[None, :], 2 * here[:, None], 2 * there[None, :]
        first, lost = _sum(self.high[both], -self.high[one] / 2)
        second, more = _sum(first, -self.high[other] / 2)
        rest = self.low[both] - self.low[one] / 2 - self.low[other] / 2
        found = np.minimum(second + (lost + more + rest), 0.0)
        return np.asarray(np.where(one == other, 0.0, found))


def _sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and what the rounding lost (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


@lru_cache(maxsize=8)
def _largest_change(prior: tuple[Fraction, ...], records: int) -> float:
    if number_of_tables(records, len(prior)) > MOST_TABLES:
        raise PlanError("too many tables to list", allowed=MOST_TABLES)
    tables = all_tables(records, len(prior))
    with flint.ctx.workprec(_PRECISION):
        logs = np.array(
            [
                [float(phi(parameter + count).log().mid()) for count in range(records + 1)]
                for parameter in prior
            ]
        )
    cells = range(len(prior))
    here = np.stack([logs[cell][tables[:, cell]] for cell in cells], axis=1)
    lower = np.stack(
        [np.where(tables[:, c] > 0, logs[c][np.maximum(tables[:, c] - 1, 0)], np.inf) for c in cells], axis=1
    )
    least = np.min([lower[:, i] + here[:, j] for i, j in permutations(cells, 2)], axis=0)
    inverse = 1 / np.sqrt(-np.expm1(least))
    worst = max(float(np.abs(inverse[here] - inverse[there]).max()) for here, there in _neighbours(tables))
    return worst + 1e-12 * float(inverse.max())
