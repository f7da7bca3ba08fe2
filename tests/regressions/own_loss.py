"""A loss of somebody else, and one whose constants are wrong: for tests of what is declared."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from privior.extend import LOSSES, Loss


@final
@LOSSES.register
@dataclass(frozen=True)
class LogCosh(Loss):
    """log cosh(u - y): slope 1, smoothness 1, concordance 2."""

    claimed: str = "1"
    name: ClassVar[str] = "log-cosh"
    smoothness = Fraction(1)
    concordance = Fraction(2)

    @property
    def slope(self) -> Fraction:
        """As claimed."""
        return Fraction(self.claimed)

    def value(self, u: Any, y: Any) -> Any:
        """The loss."""
        return np.logaddexp(u - y, y - u) - np.log(2)

    def derivative(self, u: Any, y: Any) -> Any:
        """Its derivative."""
        return np.tanh(u - y)

    def bend(self, u: Any, y: Any) -> Any:
        """Its second derivative."""
        return 1 - np.tanh(u - y) ** 2

    def mean(self, u: Any) -> Any:
        """The predictor."""
        return u
