"""Blocks of totals: the posterior of a table, one well-conditioned range of the number of records at a time.

With a known total n the posterior is ∏ wᵢ(cᵢ) on Σc = n: one tilt, one tree of sums. If only n <= most is
known, it is g(N) ∏ wᵢ(cᵢ) with N = Σc and g(N) = N!/Γ(N+A), A = Σaᵢ. The totals are then divided into
blocks: around a centre N₀ the tilt λ = log((N₀+1)/(N₀+A)) makes g(N) e^(−λN) flat, up to about e^±3, so that
each block is as well conditioned as a known total, and the posterior is the mixture of the blocks. Most
posteriors need one. Where the cells' tilted laws want a total beyond the block, the tilt moves it to the
border.

Releases from a posterior multiply g by further factors of the total, which are log-convex as well.

Error, in total variation, from all cuts together: with δ = e^-cut the share that is cut at each place,
it is at most 5kδ times the largest G over the mean of G under the tilted laws (about the standard
deviation of the total). It is computed, and δ is lowered until it is below 10⁻¹². Blocks left out are each
less likely by e^-34 than the best. Rounding is allowed 10⁻¹³ + 10⁻¹⁵ k, and 10⁻¹⁵ A log(A+n) for each further
block, whose mass relative to the others' must be found; in large tables the noise of the Fourier
transforms is added, or avoided where direct convolution is affordable.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from privior.arrays import Floats
from privior.forecasting.effort import CALL, MOST_COST, MOST_VALUES, PASSES
from privior.posterior.counts.cell_weights import CellWeights
from privior.posterior.counts.gamma_terms import largest_terms
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.summation import SumTree, predicted_cost, sum_tree
from privior.posterior.counts.tilt import TiltedCells, tilt_for, tilted_cells, tilted_log_mass, tilted_moments

#: nothing is summed beyond this many blocks
MOST_BLOCKS = 64
#: the error that is aimed at, the one that is still called exact, and what is paid to get below the aim
_AIM, _LIMIT, _DIRECT_COST = 1e-12, 1e-6, 1e9
#: how far log g may bend within half a block, and how much less likely a block left out is
BEND, _NEGLIGIBLE = 3.0, 34.0


class TotalBlocks(ABC):
    """The blocks found so far, their posterior masses, what they cost, and a bound of their errors."""

    def __init__(self, weights: CellWeights, concentration: float, *, known: bool) -> None:
        self.weights = weights
        self.known = known
        self.trees: list[SumTree] = []
        self.log_masses: list[float] = []
        self.cost = 0.0
        self.error = self._rounding = 1e-13 + 1e-15 * weights.prior.size
        self._concentration = concentration
        self._rough = 25.0

    def add_all(self) -> bool:
        """Add every block that matters; return whether that was affordable."""
        if PASSES * CALL * (self.weights.prior.size - 2) > MOST_COST:
            return False  # whatever the windows of the cells are: do not even find them
        return self._add_known() if self.known else self._add_unknown()

    def _add_known(self) -> bool:
        n = self.weights.most
        if self.weights.prior.size == 1:
            certain = IntegerLaw(n, np.ones(1))
            self.trees, self.log_masses = [SumTree((certain,), (), (certain,), 0.0, 0.0)], [0.0]
            return True
        start = float(self._slope(n))
        return self._add(*tilt_for(self.weights, n, start, self._rough), n, n)

    def _add_unknown(self) -> bool:
        middle = self._middle()
        low, high = self._bend(middle, -1), self._bend(middle, 1)
        if not self._add(*self._tilt(middle, low, high), low, high):
            return False
        scale = self._concentration * math.log(self._concentration + self.weights.most + 1)
        scale += 2 * largest_terms(self.weights.gammas, self.weights.most)
        for way, edge in ((-1, low - 1), (1, high + 1)):
            while 0 <= edge <= self.weights.most:
                centre = self._bend(edge, way)
                far = self._bend(centre, way)
                least, most = min(edge, far), max(edge, far)
                tilt, deviation = self._tilt(centre, least, most)
                if self._ceiling(tilt, least, most) < max(self.log_masses) - _NEGLIGIBLE:
                    break
                if len(self.trees) == MOST_BLOCKS or not self._add(tilt, deviation, least, most):
                    return False
                self.error += 1e-15 * scale
                edge = far + way
        return True

    def _add(self, tilt: float, deviation: float, least: int, most: int) -> bool:
        """Sum over the tables with a total in least..most; cut less and less until it is exact."""
        known = least == most
        cut = math.log(5 * self.weights.prior.size / 1e-14) + math.log1p(deviation)
        for _ in range(8):
            cells = tilted_cells(self.weights, tilt, cut, least, most)
            if cells is None:
                return False
            widths = [law.mass.size for law in cells.laws]
            cost, values = predicted_cost(widths, known=known)
            self.cost += cost
            if self.cost > MOST_COST or values > MOST_VALUES:
                return False
            tree = self._sum(cells, tilt, cut, least, most, fourier=True)
            direct_cost, _ = predicted_cost(widths, known=known, fourier=False)
            if (tree is None or tree.noise > _AIM) and direct_cost <= _DIRECT_COST:
                self.cost += direct_cost
                tree = self._sum(cells, tilt, cut, least, most, fourier=False)
            if tree is not None:
                loss = math.exp(min(cells.log_loss + self._highest(tilt, least, most) - tree.log_mass, 700.0))
                if loss <= _AIM:
                    self.error = max(self.error, loss + tree.noise + self._rounding)
                    self.trees.append(tree)
                    self.log_masses.append(cells.log_mass + tree.log_mass)
                    return self.error <= _LIMIT
            cut += 40.0 if tree is None else math.log(loss / _AIM) + 3
        return False

    def _tilt(self, centre: int, least: int, most: int) -> tuple[float, float]:
        """Return the tilt of a block, and the standard deviation of the total under it."""
        tilt = float(self._slope(centre))
        mean, variance = tilted_moments(self.weights, tilt, self._rough)
        if least <= mean <= most:
            return tilt, math.sqrt(variance)
        return tilt_for(self.weights, most if mean > most else least, tilt, self._rough)

    def _middle(self) -> int:
        """Return about where the posterior of the total is highest: N such that its tilt's mean is N."""
        low, high, guess = 0, self.weights.most, self.weights.most
        for turn in range(200):
            mean, variance = tilted_moments(self.weights, float(self._slope(guess)), self._rough)
            low, high = (guess, high) if mean > guess else (low, guess)
            settled = abs(mean - guess) <= max(0.25 * math.sqrt(variance), 0.5)
            if settled or high - low <= 1 or low == self.weights.most:
                break
            nearer = round(mean)
            guess = nearer if turn % 3 < 2 and low < nearer < high else (low + high) // 2
        return guess

    def _sum(
        self, cells: TiltedCells, tilt: float, cut: float, least: int, most: int, *, fourier: bool
    ) -> SumTree | None:
        return sum_tree(
            cells.laws,
            least,
            most,
            lambda first, last: self._log_g(first, last, tilt),
            math.exp(-cut),
            fourier=fourier,
        )

    def _ceiling(self, tilt: float, least: int, most: int) -> float:
        """Return the log of a bound of a block's posterior mass."""
        return tilted_log_mass(self.weights, tilt, self._rough) + self._highest(tilt, least, most)

    def _bend(self, total: int, way: int) -> int:
        """Return how far from a total log g stays within `BEND` of its tangent there, about."""
        room = total if way < 0 else self.weights.most - total
        if not room:
            return total
        away = np.unique(np.geomspace(1, room, 200).astype(np.int64))
        values = self._height((total + way * away).astype(np.float64))
        here = self._height(np.array([float(total)]))[0]
        within = np.abs(values - here - float(self._slope(total)) * way * away) <= BEND
        return int(total + way * away[within.nonzero()[0].max()]) if within.any() else total

    def _log_g(self, first: int, last: int, tilt: float) -> Floats:
        """Return log g(N) − tilt·N for consecutive totals: a sum of small steps, as for the cells."""
        if self.known:
            return np.zeros(1)
        steps = self._slope(np.arange(first, last, dtype=np.float64)) - tilt
        start = self._height(np.array([float(first)])) - tilt * first
        return np.concatenate([start, start + np.cumsum(steps)])

    @abstractmethod
    def _slope(self, totals: Floats | int) -> Floats:
        """Return log g(N+1) − log g(N)."""

    @abstractmethod
    def _height(self, totals: Floats) -> Floats:
        """Return log g of each total."""

    @abstractmethod
    def _highest(self, tilt: float, least: int, most: int) -> float:
        """Return a bound of log g(N) − tilt·N in a block."""
