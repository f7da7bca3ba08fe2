"""Yes or no with a Beta prior of the chance: one trial a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from privior.checks import fill
from privior.errors import ModelError
from privior.models.families.beta_chance import BetaChance
from privior.models.families.family import Floats
from privior.models.laws import Beta, Law
from privior.models.model import MODELS
from privior.models.summands import Factor, Summand
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class BetaBernoulli(BetaChance):
    """x = 1 with chance theta, theta ~ Beta(a, b): theta | x ~ Beta(a + sum x, b + n - sum x).

    Attributes:
        column: true or false, or any column of two levels
        event: the level that counts as 1; None for true, or the second level
    """

    column: str
    prior: Law
    event: str | None
    trials: ClassVar[int] = 1  # type: ignore[misc]
    family: ClassVar[str] = "beta-bernoulli"

    def __init__(self, column: str, prior: object = Beta(), event: object = None) -> None:
        self._set(column, prior)
        fill(self, event=None if event is None else str(event))

    def summand(self, schema: Schema) -> Summand:
        """1 for the event, else 0."""
        kind = schema.column(self.column)
        if kind.size != 2:
            raise ModelError(
                "the column has more than two levels",
                where=f"{self.family}, {self.column}",
                asked=f"{kind.size} levels",
                allowed=2,
                advice="Take pv.DirichletCategorical.",
            )
        code = 1 if self.event is None else kind.code(self.event)
        return Summand((Factor(self.column) if code else Factor(self.column, -1, 1),))

    def below(self, theta: Floats, code: int, schema: Schema) -> Floats:
        """Two codes, of which the event's has the chance theta."""
        if code != 0:
            return np.full(theta.shape, 0.0 if code < 0 else 1.0)
        return 1 - theta if self.summand(schema).factors[0].slope > 0 else theta
