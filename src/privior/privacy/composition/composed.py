"""The composition of ordered pairs by the sum of their losses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from privior.exact import round_down, round_up
from privior.privacy.composition.convolution import MOST_POINTS, LossSum
from privior.privacy.composition.loss_distribution import LossLaw, optimistic, pessimistic, reach
from privior.privacy.pairs import DominatingPair

Part = tuple[DominatingPair, int]

#: losses so rare that all of them together weigh less than this count as infinite
_TAIL = 1e-20
#: by what part the discretisation may raise the variance of the total loss, unless more is allowed
_WIDENING = 2e-5
#: dots on each side of zero, at most; few dots for a first look
_MOST_DOTS, _FEW_DOTS = 2000, 48
#: standard deviations that a transform must hold
_HELD = 24


@dataclass(frozen=True)
class Composed(DominatingPair):
    """Independent releases dominated by these ordered pairs, each so many times; all in the order given.

    The curve is that of the sum of the losses, each on a grid of its own, none of them rounded in the unsafe
    direction (`loss_distribution`), summed with all errors added (`convolution`). The grid is public: it
    depends on the pairs and repetitions alone.

    Attributes:
        parts: the pairs, each with its repetitions
        widening: by what part the grid may raise the variance of the total loss: a coarse one is found soon
    """

    parts: tuple[Part, ...] = field()  # the contract's name: without `field()` its default would be ours
    widening: float = _WIDENING

    @property
    def pure(self) -> Fraction | None:
        """The sum; None if one has no bound."""
        return _total((pair.pure, times) for pair, times in self.parts)

    @cached_property
    def rho(self) -> Fraction | None:
        """The sum; None if one has none."""
        return _total((pair.rho, times) for pair, times in self.parts)

    @cached_property
    def mu_squared(self) -> Fraction | None:
        """The sum; None if one has none."""
        return _total((pair.mu_squared, times) for pair, times in self.parts)

    @cached_property
    def mirror(self) -> Composed:
        """The composition of the mirrors, in the other order of neighbours."""
        mirrors = tuple((pair.mirror, times) for pair, times in self.parts)
        return self if counted(mirrors) == counted(self.parts) else Composed(mirrors, self.widening)

    def delta(self, epsilon: float) -> float:
        """Return an upper bound; `slack` says how far above the truth it may be."""
        pure = self.pure
        if pure is not None and Fraction(epsilon) >= pure:
            return 0.0
        return self._sum.bounds(epsilon)[1]

    def least(self, epsilon: float) -> float:
        """Bound the composition of the curves that the parts state from below, by laws nowhere above them."""
        return self._lowest.bounds(epsilon)[0]

    def slack(self, epsilon: float) -> float:
        """Bound how far delta is above the composition of the curves that the parts state."""
        return max(0.0, self.delta(epsilon) - self.least(epsilon))

    def renyi(self, order: float) -> float:
        """The sum of the divergences of the parts."""
        total = Fraction(0)
        for pair, times in self.parts:
            one = pair.renyi(order)
            if math.isinf(one):
                return one
            total += times * Fraction(one)
        return round_up(total)

    @cached_property
    def _gaps(self) -> tuple[float, tuple[tuple[float, float, float], ...]]:
        """Choose the grid: its gap and, for each part, its own gap and how far it reaches up and down.

        Dividing a loss between two dots a gap apart adds at most gap^2 / 4 to its variance. Each part may
        add the same share of what all may add, and has no more than so many dots.
        """
        reaches, variance = [], 0.0
        for pair, times in self.parts:
            up, down = reach(pair, _TAIL / times), reach(pair.mirror, _TAIL / times)
            reaches.append((up, down))
            rough = _short(max(up, down) / _FEW_DOTS)
            one, other = (pessimistic(p, rough, u, d) for p, u, d in _orders(pair, up, down))
            variance += times * max(one.variance(), other.variance())
        share = 4 * self.widening * variance / len(self.parts)
        gaps = []
        for (_, times), far in zip(self.parts, reaches, strict=True):
            gaps.append(max(math.sqrt(share / times), max(far) / _MOST_DOTS))
        gap = max(min(gaps), _HELD * math.sqrt(variance) / MOST_POINTS)
        if len(self.parts) == 1:  # the largest loss on a dot
            gap = reaches[0][0] / math.ceil(reaches[0][0] / gap)
        gap = _short(gap)
        own = (gap * _leading(max(1, math.floor(wide / gap))) for wide in gaps)
        return gap, tuple((g, up, down) for g, (up, down) in zip(own, reaches, strict=True))

    @cached_property
    def _laws(self) -> tuple[tuple[LossLaw, int], ...]:
        return tuple(
            (pessimistic(pair, *grid), times)
            for (pair, times), grid in zip(self.parts, self._gaps[1], strict=True)
        )

    @cached_property
    def _sum(self) -> LossSum:
        return LossSum(self._laws, self._gaps[0])

    @cached_property
    def _lowest(self) -> LossSum:
        laws = [
            (optimistic(law, (round_down(pair.certain), round_down(pair.mirror.certain))), times)
            for (pair, times), (law, _) in zip(self.parts, self._laws, strict=True)
        ]
        return LossSum(laws, self._gaps[0])


def _total(costs: Iterable[tuple[Fraction | None, int]]) -> Fraction | None:
    """The sum, each so many times; None if one of them is not known."""
    total = Fraction(0)
    for cost, times in costs:
        if cost is None:
            return None
        total += times * cost
    return total


def _orders(pair: DominatingPair, up: float, down: float) -> list[tuple[DominatingPair, float, float]]:
    return [(pair, up, down), (pair.mirror, down, up)]


def _leading(multiple: int) -> int:
    """Keep the first 12 bits of a multiple of the gap, so that multiples of it are exact too."""
    spare = max(0, multiple.bit_length() - 12)
    return multiple >> spare << spare


def _short(gap: float) -> float:
    """Round up to 24 bits, so that multiples are exact."""
    mantissa, exponent = math.frexp(gap)
    return math.ldexp(math.ceil(mantissa * 2**24), exponent - 24)


def counted(parts: Sequence[Part]) -> dict[DominatingPair, int]:
    """Count equal pairs, those inside compositions too."""
    counts: dict[DominatingPair, int] = {}
    for pair, times in parts:
        for one, many in pair.parts:
            counts[one] = counts.get(one, 0) + times * many
    return counts
