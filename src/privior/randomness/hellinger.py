"""Tables of counts with probability falling with a Hellinger distance of their posteriors.

Dirichlet(a + c) is the posterior of true counts c, n of them in k cells. Every table z with the same n
has probability proportional to e^(-t H), H the Hellinger distance of Dirichlet(a + z) from
Dirichlet(a + c).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privior.interval_arithmetic import flint
from privior.randomness.acceptance import Real, accepted
from privior.randomness.boxes import Box
from privior.randomness.compositions import table
from privior.randomness.entropy import Bits
from privior.randomness.inversion import draw_cumulative

#: tables of more cells are proposed by drawing from all tables alike: boxes would cost 2^k steps each
MOST_BOXED = 8

_PRECISION = 64
_FEW = 4


class HellingerTables:
    """Draws z with probability proportional to e^(-t H), exactly.

    More than eight cells: a uniform table, accepted with probability e^(-t H) >= e^-t. Otherwise from a
    tighter proposal. The marginal law of cell i is a Beta law, and no function of a draw tells two laws
    farther apart, so H >= H_i, the distance of the Beta laws, which grows with |z_i - c_i| on either side
    (the derivative of the log affinity by z_i is (psi((u+v)/2) - psi(v))/2 minus the same for the rest:
    both differences have the sign of c_i - z_i, and the opposite one). So with levels h_0 = 0 < h_1 < ... <
    h_(m-1) there are boxes B_1, B_2, ..., outside of which H >= h_j for certain, and B_m is everything.
    Draw j with weight (e^(-t h_(j-1)) - e^(-t h_j)) |B_j|, the last one without its second term, and z in
    B_j, all alike: if B_J is the first box with z in it, z has been proposed with weight e^(-t h_(J-1)) in
    all, at least e^(-t H). It is accepted with probability e^(-t (H - h_(J-1))).

    How long it takes depends on the data. That is mitigated (nothing tells the number of trials), not
    proved away.

    Args:
        counts: the true counts
        prior: the Dirichlet parameters a
        temperature: encloses t >= 0 at the working precision
    """

    def __init__(self, counts: Sequence[int], prior: Sequence[Fraction], temperature: Real) -> None:
        self._posterior = _Posterior(counts, prior)
        self._temperature = temperature
        self._layers = _Layers(self._posterior, temperature) if len(counts) <= MOST_BOXED else None

    def draw(self) -> list[int]:
        """Draw once, from fresh bits."""
        posterior, layers, bits = self._posterior, self._layers, Bits()
        while True:
            if layers is None:
                drawn, floor = table(posterior.total, len(posterior.counts), bits), 0
            else:
                drawn, floor = layers.draw(bits)
            trial = _TableTrial(posterior, self._temperature, drawn, floor)
            if accepted(trial.exponent, posterior.margin, bits, trial.below):
                return drawn


class _TableTrial:
    """A proposed table, with the exponent of its acceptance: t (H - floor)."""

    def __init__(self, posterior: _Posterior, temperature: Real, drawn: list[int], floor: Any) -> None:
        self._posterior, self._temperature, self._drawn, self._floor = posterior, temperature, drawn, floor

    def exponent(self) -> Any:
        """Enclose the exponent of the acceptance of this table."""
        return self._temperature() * (self._posterior.distance(self._drawn) - self._floor)

    @property
    def below(self) -> tuple[Real, ...]:
        """The same from a few cells: a log affinity is a sum of terms that are not positive."""
        return (self._few,) if len(self._drawn) > MOST_BOXED else ()

    def _few(self) -> Any:
        return self._temperature() * (self._posterior.distance(self._drawn[:_FEW]) - self._floor)


class _Posterior:
    """Distances from Dirichlet(a + c), as balls at the working precision."""

    def __init__(self, counts: Sequence[int], prior: Sequence[Fraction]) -> None:
        if len(counts) < 2 or len(prior) != len(counts) or min(counts) < 0 or min(prior) <= 0:
            raise ValueError("a table has two or more counts and as many positive prior parameters")
        self.counts = [int(count) for count in counts]
        self.prior = list(prior)
        self.total = sum(self.counts)
        self.weight = sum(self.prior, Fraction(0))
        # a distance is at least about (n + A)^(-1/2), the difference of numbers of about (n + A) ln(n + A)
        self.margin = 3 * int(self.total + self.weight + 2).bit_length() + 40
        self._known: dict[tuple[int, Fraction, int], Any] = {}
        self._overlaps: dict[tuple[int, int], Any] = {}

    def distance(self, other: Sequence[int]) -> Any:
        """Enclose H, from the first cells if no more are given; no number if it cannot be told from 0."""
        overlap = flint.arb(0)
        for prior, here, there in zip(self.prior, self.counts, other, strict=False):
            if here != there:
                overlap += self._log_affinity(prior, here, there)
        return (-overlap.expm1()).sqrt()

    def reaches(self, cell: int, count: int, level: Fraction) -> bool:
        """Say whether H_i >= level for certain, if this cell has so many records."""
        if count == self.counts[cell]:
            return False
        square = level * level
        with flint.ctx.workprec(_PRECISION + self.margin):
            if (cell, count) not in self._overlaps:
                self._overlaps[cell, count] = self._beta_affinity(cell, count)
            most = flint.arb(flint.fmpq(-square.numerator, square.denominator)).log1p()
            return bool(self._overlaps[cell, count] <= most)

    def _beta_affinity(self, cell: int, count: int) -> Any:
        """Enclose the log affinity of the two laws of one cell."""
        prior, here = self.prior[cell], self.counts[cell]
        rest = self._log_affinity(self.weight - prior, self.total - here, self.total - count)
        return self._log_affinity(prior, here, count) + rest

    def _log_affinity(self, prior: Fraction, here: int, there: int) -> Any:
        middle = _log_gamma(prior + Fraction(here + there, 2))
        return middle - (self._log_gamma_here(prior, here) + _log_gamma(prior + there)) / 2

    def _log_gamma_here(self, prior: Fraction, here: int) -> Any:
        """Remember what every distance needs, for each precision."""
        place = (here, prior, flint.ctx.prec)
        if place not in self._known:
            self._known[place] = _log_gamma(prior + here)
        return self._known[place]


class _Layers:
    """The levels h_j = j/m and their boxes."""

    def __init__(self, posterior: _Posterior, temperature: Real) -> None:
        self._temperature = temperature
        with flint.ctx.workprec(_PRECISION + posterior.margin):
            self._steps = int(float(temperature().upper())) + 1
        cells, total = range(len(posterior.counts)), posterior.total
        lowest, highest = list(posterior.counts), list(posterior.counts)
        self._boxes: list[Box] = []
        for step in range(1, self._steps):
            level = Fraction(step, self._steps)
            highest = [_edge(posterior, cell, highest[cell], total, level) for cell in cells]
            lowest = [_edge(posterior, cell, lowest[cell], 0, level) for cell in cells]
            self._boxes.append(Box(lowest, highest, total))
        self._boxes.append(Box([0 for _ in cells], [total for _ in cells], total))

    def draw(self, bits: Bits) -> tuple[list[int], Any]:
        """Return a proposal, and the level that it certainly exceeds."""
        drawn = self._boxes[draw_cumulative(self._steps, self._sums, bits)].draw(bits)
        first = next(place for place, box in enumerate(self._boxes) if drawn in box)
        return drawn, flint.fmpq(first, self._steps)

    def _sums(self) -> list[Any]:
        decay = (-self._temperature() / self._steps).exp()
        height, total = flint.arb(1), flint.arb(0)
        sums = []
        for box in self._boxes[:-1]:
            total = total + height * (1 - decay) * box.count
            height = height * decay
            sums.append(total)
        return [*sums, total + height * self._boxes[-1].count]


def _edge(posterior: _Posterior, cell: int, start: int, end: int, level: Fraction) -> int:
    """Return a count from start towards end beyond which H_i >= level for certain; as near as is found."""
    if start == end or not posterior.reaches(cell, end, level):
        return end
    inside, outside = start, end
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (inside, middle) if posterior.reaches(cell, middle, level) else (middle, outside)
    return inside


def _log_gamma(at: Fraction) -> Any:
    return flint.arb(flint.fmpq(at.numerator, at.denominator)).lgamma()
