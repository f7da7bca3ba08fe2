"""Draws of parameters taken as they are: released ones, or a single point such as a mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privior.errors import InferenceError
from privior.posterior.contract import Belief, posterior_of
from privior.posterior.numbers import Floats
from privior.posterior.quantity import Quantity, check_number
from privior.release import Release


@dataclass(frozen=True, eq=False)
class GivenDraws(Belief):
    """The law that gives each of some draws of the parameters the same chance.

    Attributes:
        releases: what the draws follow from
        theta: the draws, one a row
    """

    releases: tuple[Release, ...]
    theta: Floats

    @property
    def model(self) -> Any:
        """The model of the releases."""
        return self.releases[0].plan.model

    def knowing(self, question: str) -> Callable[..., Any] | None:
        """Return what the posterior understands and draws alone can answer."""
        return getattr(self, posterior_of(self.model).understands.get(question, ""), None)

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n of the draws: all in turn, from the first one again after the last."""
        return self.theta[np.arange(check_number(n, "n", self.numbers.width)) % len(self.theta)]

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the number of each draw."""
        values = function(self.theta)
        if not np.isfinite(values).all():
            raise InferenceError("what is conditioned on has no chance at all in a draw")
        return Quantity.of(name, values)
