"""Composition of a list of releases that is fixed before the first one: several pairs become one.

Which pairs, how often and in which order must not depend on anything released; where it does, use `filters`.

Two functions for two kinds of neighbours, for a pair is ordered and the direction matters:

- `compose_symmetric` for replace-one. The direction of one table says nothing about that of another, so
  both orders of every part are reckoned with. Composing first orders with first orders is wrong: for two
  binary roots with priors (1, 5) and (5, 1) it gives .1585 at epsilon 2; the truth is .2032.
  The repetitions of one part are draws of the same table: they all have the same order.
- `compose_ordered` for add-or-remove-one. "With the record" is the same side of every release: the given
  orders are composed, and the mirror of that is the composition of the mirrors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.errors import PlanError, shown
from privior.exact import round_down, round_up
from privior.privacy.composition.closed_forms import closed_forms
from privior.privacy.composition.convolution import MOST_POINTS, LossSum
from privior.privacy.composition.loss_distribution import LossLaw, optimistic, pessimistic, reach
from privior.privacy.pairs import (
    DominatingPair,
    LossPair,
    WorstOf,
    both_orders,
)

Part = tuple[DominatingPair, int]

#: losses so rare that all of them together weigh less than this count as infinite
_TAIL = 1e-20
#: by what part the discretisation may raise the variance of the total loss
_WIDENING = 2e-5
#: dots on each side of zero, at most; few dots for a first look
_MOST_DOTS, _FEW_DOTS = 2000, 48
#: standard deviations that a transform must hold
_HELD = 24
#: combinations of orders that are composed one by one
_MOST_COMBINATIONS = 8


def compose_symmetric(parts: Sequence[Part]) -> DominatingPair:
    """Compose (pair, repetitions) for neighbours without a direction: replace-one.

    A pair stands for one table or mechanism, its repetitions for as many releases of the same one.
    """
    return _unknown([(both_orders(pair), times) for pair, times in _checked(parts)])


def compose_ordered(parts: Sequence[Part]) -> DominatingPair:
    """Compose (pair, repetitions) for neighbours with one direction for all parts: add-or-remove-one.

    Every pair is (with the record, without it), and so is what is returned: whoever states a promise takes
    the worse of both directions, at the very end.
    """
    return _unknown(_checked(parts))


def _unknown(parts: Sequence[Part]) -> DominatingPair:
    """Compose parts of which it is not known which member holds: the worst of all combinations.

    A member holds for all repetitions of its part. If there are few combinations, the worst is taken last:
    that is the truth, for the data choose the members and then everything is independent. If there are
    many, the worst member of each part is taken first, after its repetitions, which is safe and looser.
    """
    members = [(_members(pair), times) for pair, times in parts]
    if math.prod(len(pairs) for pairs, _ in members) > _MOST_COMBINATIONS:
        each = [_worst([_alike([(one, times)]) for one in pairs]) for pairs, times in members]
        return _alike([(pair, 1) for pair in each])
    counts = [times for _, times in members]
    found: dict[frozenset[Part], Sequence[Part]] = {}
    for chosen in itertools.product(*(pairs for pairs, _ in members)):
        list_of_parts = list(zip(chosen, counts, strict=True))
        found.setdefault(frozenset(_counted(list_of_parts).items()), list_of_parts)
    return _worst([_alike(choice) for choice in found.values()])


def slack(pair: DominatingPair, epsilon: float) -> float:
    """Bound how far the delta of a composition is above that of the curves that its parts state.

    Nothing for a closed form. A part that is itself the worst of compositions counts as stated.
    """
    members = _members(pair)
    low = max(one.least(epsilon) if isinstance(one, Composed) else one.delta(epsilon) for one in members)
    return max(0.0, pair.delta(epsilon) - low)


@dataclass(frozen=True)
class Composed:
    """Independent releases dominated by these ordered pairs, each so many times; all in the order given.

    The curve is that of the sum of the losses, each on a grid of its own, none of them rounded in the unsafe
    direction (`loss_distribution`), summed with all errors added (`convolution`). The grid is public: it
    depends on the pairs and repetitions alone.
    """

    parts: tuple[Part, ...]

    @property
    def pure(self) -> Fraction | None:
        """The sum; None if one has no bound."""
        total = Fraction(0)
        for pair, times in self.parts:
            if pair.pure is None:
                return None
            total += times * pair.pure
        return total

    @cached_property
    def mirror(self) -> Composed:
        """The mirrors composed."""
        mirrors = tuple((pair.mirror, times) for pair, times in self.parts)
        return self if mirrors == self.parts else Composed(mirrors)

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
        """The sum."""
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
        share = 4 * _WIDENING * variance / len(self.parts)
        gaps = []
        for (_, times), far in zip(self.parts, reaches, strict=True):
            gaps.append(max(math.sqrt(share / times), max(far) / _MOST_DOTS))
        gap = max(min(gaps), _HELD * math.sqrt(variance) / MOST_POINTS)
        if len(self.parts) == 1:  # the largest loss on a dot
            gap = reaches[0][0] / math.ceil(reaches[0][0] / gap)
        gap = _short(gap)
        own = (gap * max(1, math.floor(wide / gap)) for wide in gaps)
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
            (optimistic(law, (_certain(pair), _certain(pair.mirror))), times)
            for (pair, times), (law, _) in zip(self.parts, self._laws, strict=True)
        ]
        return LossSum(laws, self._gaps[0])


def _certain(pair: DominatingPair) -> float:
    return round_down(pair.certain) if isinstance(pair, LossPair) else 0.0


def _orders(pair: DominatingPair, up: float, down: float) -> list[tuple[DominatingPair, float, float]]:
    return [(pair, up, down), (pair.mirror, down, up)]


def _short(gap: float) -> float:
    """Round up to 24 bits, so that multiples are exact."""
    mantissa, exponent = math.frexp(gap)
    return math.ldexp(math.ceil(mantissa * 2**24), exponent - 24)


def _checked(parts: Sequence[Part]) -> list[Part]:
    found = list(parts)
    if not found:
        raise PlanError("there is nothing to compose", where="composition")
    for _, times in found:
        if isinstance(times, bool) or not isinstance(times, int) or times < 1:
            raise PlanError(
                "not a number of repetitions",
                where="composition",
                asked=shown(times),
                allowed="a whole number from 1",
            )
    return found


def _members(pair: DominatingPair) -> tuple[DominatingPair, ...]:
    """The pairs of which one, not known which, dominates all repetitions."""
    if not isinstance(pair, WorstOf):
        return (pair,)
    return tuple(dict.fromkeys(one for member in pair.pairs for one in _members(member)))


def _worst(pairs: Sequence[DominatingPair]) -> DominatingPair:
    return pairs[0] if len(pairs) == 1 else WorstOf(tuple(pairs))


def _alike(parts: Sequence[Part]) -> DominatingPair:
    """Compose ordered pairs: equal ones are counted, closed forms taken where they are exact."""
    left = closed_forms(_counted(parts))
    if len(left) == 1 and next(iter(left.values())) == 1:
        return next(iter(left))
    return Composed(tuple(left.items()))


def _counted(parts: Sequence[Part]) -> dict[DominatingPair, int]:
    """Count equal pairs, those inside compositions too."""
    counts: dict[DominatingPair, int] = {}
    for pair, times in parts:
        for one, many in pair.parts if isinstance(pair, Composed) else ((pair, 1),):
            counts[one] = counts.get(one, 0) + times * many
    return counts
