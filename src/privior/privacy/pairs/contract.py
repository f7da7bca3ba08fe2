"""The contract of a dominating pair, and what follows from it for any pair.

A dominating pair is an ordered pair of laws (P, Q) such that no two neighbours' releases can be told apart
better: for every epsilon the hockey-stick divergence sup_S P(S) - e^epsilon Q(S) is at least theirs.
Whatever a pair states is an upper bound, tight up to rounding: never below the truth.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol


class DominatingPair(Protocol):
    """What a guarantee needs of an ordered pair of laws (P, Q)."""

    @property
    def pure(self) -> Fraction | None:
        """The largest privacy loss log P/Q, exact or rounded up; None if there is no bound."""

    @property
    def mirror(self) -> DominatingPair:
        """The pair in the other order, (Q, P); the pair itself if both orders have the same curves."""

    def delta(self, epsilon: float) -> float:
        """Return the hockey-stick divergence of P from Q at any epsilon, also a negative one."""

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of P from Q, order above 0 (1: Kullback-Leibler); may be infinite."""
