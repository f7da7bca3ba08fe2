"""Exact draws from e^-F by rejection in shells (`shells`), rounded to a public grid.

Every real number of a trial is known by bits that are drawn when they are needed, never by a float alone: z_j
has a random sign and |z_j| = sqrt(2) erfc^-1(U_j), and a trial is kept if V < exp(x), U_j and V uniform. In
floats, with bounds of all errors, it is nearly always decided whether w lies in its shell, whether V < exp(x)
and what theta is on the grid. Where it is not, the same numbers get more bits and everything is computed in
interval arithmetic, until it is: so what leaves is the rounding of an exact draw, whatever floats do. There
is no cap on the number of trials: a draw ends when it ends.

The errors of floats: z is wrong by at most e_z; w = L z by |L| (1.01 (d+1) u |z| + e_z) =: e_w; theta = c +
T'w by |T| (1.01 (d+1) u |w| + e_w) + 2u |c| =: e, |.| Frobenius' norm; F moves by the bound of its gradient
times e, and has its own error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privior.interval_arithmetic import flint
from privior.randomness.entropy import Bits
from privior.randomness.shells import Envelope, Potential

_U = 2.0**-53
#: bits of each uniform number at first, and of the interval arithmetic beyond those
_FIRST, _GUARD = 80, 64


@dataclass
class TrialTally:
    """What a draw took: never published, for tests and evidence about data that are nobody's.

    Attributes:
        trials: how many there were
        looked: in how many F was computed
        undecided: how often floats were not enough
    """

    trials: int = 0
    looked: int = 0
    undecided: int = 0


@dataclass(eq=False)
class _Uniform:
    """A uniform number by its first bits."""

    bits: Bits
    known: int = field(default_factory=lambda: _FIRST)
    whole: int = field(init=False)

    def __post_init__(self) -> None:
        self.whole = self.bits.bits(self.known)

    def more(self) -> None:
        self.whole = (self.whole << self.known) | self.bits.bits(self.known)
        self.known *= 2

    def enclosed(self) -> Any:
        """A ball that holds the number, at the working precision."""
        unit = flint.arb(2) ** -self.known
        return (self.whole * unit).union((self.whole + 1) * unit)


class _Normal:
    """A standard Normal number, by its sign and the chance of a larger one."""

    def __init__(self, bits: Bits) -> None:
        self.sign = 1 if bits.bits(1) else -1
        self.larger = _Uniform(bits)

    def more(self) -> None:
        self.larger.more()

    def value(self) -> Any:
        return flint.arb(2).sqrt() * self.larger.enclosed().erfcinv() * self.sign

    def near(self) -> tuple[float, float]:
        """Return a float and how far it is off at most."""
        with flint.ctx.workprec(self.larger.known + _GUARD):
            ball = self.value()
            if not ball.is_finite():
                return 0.0, math.inf
            middle = float(ball.mid())
            return middle, float(ball.rad()) * (1 + 1e-9) + abs(middle) * 2 * _U + 1e-300


def draw_from(
    potential: Potential, given: Envelope, places: int, bits: Bits, tally: TrialTally | None = None
) -> list[int]:
    """Draw theta from e^-F and return the whole numbers that are nearest to theta * 2^places."""
    counted = TrialTally() if tally is None else tally
    start = potential.at(given.centre)
    while True:
        counted.trials += 1
        trial = _ShellTrial(potential, given, start, bits, counted)
        if trial.kept():
            return trial.rounded(places)


class _ShellTrial:
    """One trial: its shell and its numbers, of which as many bits are drawn as are needed."""

    def __init__(
        self, potential: Potential, given: Envelope, start: tuple[float, float], bits: Bits, tally: TrialTally
    ) -> None:
        self.potential, self.given, self.start, self.tally = potential, given, start, tally
        place = bits.below(given.scale)
        self.shell = 0
        while place >= given.chances[self.shell]:
            place -= given.chances[self.shell]
            self.shell += 1
        self.normals = [_Normal(bits) for _ in range(potential.size)]
        self.coin = _Uniform(bits)

    # In floats

    def kept(self) -> bool:
        """Decide, by floats where they can."""
        found = self._by_floats()
        while found is None:
            self.tally.undecided += 1
            found = self._by_balls()
            if found is None:
                self._more()
        return found

    def _by_floats(self) -> bool | None:
        known = [one.near() for one in self.normals]
        z, error = np.array([one for one, _ in known]), math.sqrt(math.fsum(one**2 for _, one in known))
        if not math.isfinite(error):
            return None
        d, factor = self.potential.size, self.given.factors[self.shell]
        length = float(np.linalg.norm(z))
        w = factor @ z
        e_w = float(np.linalg.norm(factor)) * (1.02 * (d + 2) * _U * length + error)
        away, low, high = float(np.linalg.norm(w)), *self._ends()
        e_w += 4 * (d + 2) * _U * away
        if away + e_w < low or away - e_w >= high:
            return False
        if away - e_w < low or away + e_w >= high:
            return None
        whiten = self.given.whiten
        self.theta = self.given.centre + whiten.T @ w
        longest = float(np.linalg.norm(self.given.centre))
        self.error = (
            float(np.linalg.norm(whiten)) * (1.02 * (d + 2) * _U * away + e_w) + 4 * _U * (longest + away)
        ) * (1 + 1e-9)
        reach = float(np.linalg.norm(self.theta))
        if self.potential.radius is not None:
            if reach > self.potential.radius + self.error + 8 * d * _U * reach:
                return False
            if reach > self.potential.radius - self.error - 8 * d * _U * reach:
                return None
        self.tally.looked += 1
        value, off = self.potential.at(self.theta)
        off += self.start[1] + self.potential.steepness(reach + self.error) * self.error
        off += length * error + error**2 + (d + 4) * 2 * _U * length**2
        square = length**2 / 2
        constant = self.given.log_constant(self.shell)
        log = -(value - self.start[0]) + square + constant
        off += 64 * (d + 8) * _U * (abs(value) + abs(self.start[0]) + square + abs(constant) + 1)
        return self._compared(log, off)

    def _ends(self) -> tuple[float, float]:
        ends = self.given.ends
        return ends[self.shell], ends[self.shell + 1] if self.shell + 1 < len(ends) else math.inf

    def _compared(self, log: float, off: float) -> bool | None:
        """Say whether the coin is below e^log, log known up to `off`."""
        _check_below_one(log, off)
        with flint.ctx.workprec(self.coin.known + _GUARD):
            return _below(self.coin.enclosed(), (flint.arb(log) + flint.arb(0, off)).exp())

    # In interval arithmetic

    def _more(self) -> None:
        for one in self.normals:
            one.more()
        self.coin.more()

    def _balls(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Enclose z, w and theta."""
        z = [one.value() for one in self.normals]
        factor, whiten = self.given.factors[self.shell], self.given.whiten
        w = [_dot(row, z) for row in factor.tolist()]
        moved = (_dot(row, w) for row in whiten.T.tolist())
        return z, w, [flint.arb(c) + v for c, v in zip(self.given.centre.tolist(), moved, strict=True)]

    def _by_balls(self) -> bool | None:
        with flint.ctx.workprec(self.coin.known + _GUARD):
            z, w, theta = self._balls()
            away, (low, high) = _square(w), self._ends()
            if away < flint.arb(low) ** 2 or (math.isfinite(high) and away >= flint.arb(high) ** 2):
                return False
            if not away >= flint.arb(low) ** 2 or not (math.isinf(high) or away < flint.arb(high) ** 2):
                return None
            self.theta = np.array([float(one.mid()) for one in theta])
            self.error = math.inf  # the grid is found by balls, too
            if self.potential.radius is not None:
                square, most = _square(theta), flint.arb(self.potential.radius) ** 2
                if square > most:
                    return False
                if not square < most:
                    return None
            value = self._enclosed(theta)
            if value is None:  # a loss of somebody else, without enclosures: floats are declared to be good
                found, start = self.potential.at(self.theta)[0], self.start[0]
                difference = flint.arb(found) - flint.arb(start)
            else:
                difference = value - self._enclosed([flint.arb(c) for c in self.given.centre.tolist()])
            diagonal = np.diagonal(self.given.factors[self.shell]).tolist()
            determinant = _sum([flint.arb(one).log() for one in diagonal])
            chance = flint.arb(self.given.chances[self.shell]) / self.given.scale
            log = _square(z) / 2 - difference + determinant - chance.log() - flint.arb(self.given.log_most)
            if log > 0:
                _check_below_one(float(log.mid()), 0.0)
            return _below(self.coin.enclosed(), log.exp())

    def _enclosed(self, theta: list[Any]) -> Any:
        """Enclose F; None if the loss has no enclosures."""
        potential, total = self.potential, flint.arb(0)
        for row, y in zip(potential.rows.tolist(), potential.targets.tolist(), strict=True):
            loss = potential.loss.enclosed(_dot(row, theta), y)
            if loss is None:
                return None
            total += loss
        return flint.arb(potential.temperature) * total + flint.arb(potential.precision) * _square(theta) / 2

    # On the grid

    def rounded(self, places: int) -> list[int]:
        """Return the nearest points of the grid, once all that is known agrees on them."""
        unit = math.ldexp(1.0, places)
        near = [math.floor(t * unit + 0.5) for t in self.theta.tolist()]
        if math.isfinite(self.error):
            gaps = [abs((t * unit + 0.5) - math.floor(t * unit + 0.5)) for t in self.theta.tolist()]
            most = self.error * unit + 8 * _U * (1 + float(np.abs(self.theta).max()) * unit)
            if all(most < gap < 1 - most for gap in gaps):
                return near
        while True:
            with flint.ctx.workprec(self.coin.known + _GUARD + places):
                theta = self._balls()[2]
                found = [(one * flint.arb(2) ** places + flint.arb(0.5)).floor() for one in theta]
                if all(one.is_exact() for one in found):
                    return [int(one.unique_fmpz()) for one in found]
            self._more()


def _check_below_one(log: float, off: float) -> None:
    if log > off:
        raise ArithmeticError("a trial is more likely than its envelope says: the envelope is wrong")


def _below(coin: Any, chance: Any) -> bool | None:
    if coin < chance:
        return True
    return False if coin >= chance else None


def _dot(row: list[float], values: list[Any]) -> Any:
    return _sum([flint.arb(one) * value for one, value in zip(row, values, strict=True) if one])


def _square(values: list[Any]) -> Any:
    return _sum([one**2 for one in values])


def _sum(values: list[Any]) -> Any:
    total = flint.arb(0)
    for one in values:
        total += one
    return total
