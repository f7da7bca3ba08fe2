"""A pair of laws on finitely many outcomes, given by exact probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.errors import NumberError, shown
from privior.exact import rational
from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.losses import LossPair


@dataclass(frozen=True)
class FinitePair(LossPair):
    """P gives outcome i with probability `first`[i], Q with `second`[i]; exact rationals that sum to one."""

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        laws = (self.first, self.second)
        if len(self.first) != len(self.second) or any(sum(law) != 1 or min(law) < 0 for law in laws):
            raise NumberError("not two laws on the same outcomes", asked=shown(laws))

    @staticmethod
    def of(first: Sequence[object], second: Sequence[object]) -> FinitePair:
        """Read the probabilities exactly; each law must sum to one exactly."""
        one, other = (tuple(rational(p, "probability") for p in law) for law in (first, second))
        return FinitePair(one, other)

    @property
    def certain(self) -> Fraction:
        """What P gives and Q never does."""
        impossible = (p for p, q in zip(self.first, self.second, strict=True) if q == 0)
        return sum(impossible, start=Fraction(0))

    @cached_property
    def pure(self) -> Fraction | None:
        """The logarithm of the largest ratio, rounded up; None if Q excludes what P allows."""
        if self.certain > 0:
            return None
        ratio = max(p / q for p, q in zip(self.first, self.second, strict=True) if q > 0)
        return Fraction(0) if ratio == 1 else Fraction(upper(lambda: ball(ratio).log()))

    @property
    def mirror(self) -> FinitePair:
        """The two laws swapped."""
        return FinitePair(self.second, self.first)

    def losses(self) -> Iterable[tuple[arb, arb]]:
        """log p/q for each outcome that both can give."""
        for p, q in zip(self.first, self.second, strict=True):
            if p > 0 and q > 0:
                yield ball(p), ball(p / q).log()
