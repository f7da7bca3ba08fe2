"""The most probable combination of levels of some columns."""

from __future__ import annotations

from dataclasses import dataclass

from privior.posterior.quantity import Quantity


@dataclass(frozen=True)
class MostProbable:
    """Which levels some columns most probably have, by the posterior mean, and how sure that is.

    Attributes:
        levels: of each column
        probability: of these levels together
        sure: how probable it is that no other combination is more probable
    """

    levels: dict[str, str]
    probability: Quantity
    sure: float
