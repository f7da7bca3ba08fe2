"""The worst of several pairs at each epsilon, and the worse of both orders of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.privacy.pairs.contract import DominatingPair


@dataclass(frozen=True)
class WorstOf(DominatingPair):
    """Neighbours are dominated by one of these pairs, not known which: the pointwise largest curve.

    A maximum of curves is convex in e^epsilon and so the curve of a pair, which dominates all of them and
    may be composed with others. Several draws of the same table are dominated by as many of one of `pairs`:
    composing each by itself and taking the worst last is tighter.
    """

    pairs: tuple[DominatingPair, ...]

    @property
    def pure(self) -> Fraction | None:
        """The largest of the largest losses."""
        return _largest(pair.pure for pair in self.pairs)

    @cached_property
    def rho(self) -> Fraction | None:
        """The largest, each for both orders."""
        return _largest(pair.rho for pair in self.pairs)

    @cached_property
    def mu_squared(self) -> Fraction | None:
        """The largest, each for both orders."""
        return _largest(pair.mu_squared for pair in self.pairs)

    @property
    def members(self) -> tuple[DominatingPair, ...]:
        """Those of all pairs, each once."""
        return tuple(dict.fromkeys(one for pair in self.pairs for one in pair.members))

    @property
    def mirror(self) -> WorstOf:
        """The worst of the mirrors; itself if every mirror is a member."""
        mirrors = tuple(pair.mirror for pair in self.pairs)
        return self if set(mirrors) == set(self.pairs) else WorstOf(mirrors)

    def delta(self, epsilon: float) -> float:
        """Return the largest delta of all pairs."""
        return max(pair.delta(epsilon) for pair in self.pairs)

    def renyi(self, order: float) -> float:
        """Return the largest divergence of all pairs."""
        return max(pair.renyi(order) for pair in self.pairs)


def _largest(numbers: Iterable[Fraction | None]) -> Fraction | None:
    """The largest; None if one of them is not known."""
    found = list(numbers)
    known = [number for number in found if number is not None]
    return max(known) if len(known) == len(found) else None


def both_orders(pair: DominatingPair) -> DominatingPair:
    """Return the worse order at each epsilon, as a symmetric neighbour relation needs before composing."""
    mirror = pair.mirror
    return pair if mirror == pair else WorstOf((pair, mirror))
