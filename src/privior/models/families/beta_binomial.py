"""Successes in a known number of trials, the same for each record, with a Beta prior of their chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privior.checks import fill, is_whole
from privior.errors import ModelError, shown
from privior.models.families.beta_chance import BetaChance
from privior.models.families.family import numeric
from privior.models.laws import Beta, Law
from privior.models.model import MODELS
from privior.models.summands import Factor, Summand
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class BetaBinomial(BetaChance):
    """x ~ Binomial(trials, theta), theta ~ Beta(a, b): theta | x ~ Beta(a + sum x, b + n trials - sum x).

    The values of the column are 0 to `trials`. One replaced record moves up to `trials` successes, as if
    that many records of one trial belonged to one unit.
    """

    column: str
    trials: int
    prior: Law
    family: ClassVar[str] = "beta-binomial"
    shape: ClassVar[str] = "binomial"

    def __init__(self, column: str, trials: int, prior: object = Beta()) -> None:
        if not is_whole(trials, 1, 10**6):
            raise self.refusal("not a number of trials", asked=shown(trials))
        fill(self, trials=trials)
        self._set(column, prior)

    def summand(self, schema: Schema) -> Summand:
        """The successes of a record, as they are."""
        lower, step, size = numeric(schema, self.column, self.family)
        if lower != 0 or step != 1 or size != self.trials + 1:
            raise ModelError(
                "the column does not count the successes of so many trials",
                where=f"{self.family}, {self.column}",
                asked=f"{self.trials} trials",
                allowed=f"integer, 0 to {self.trials}",
            )
        return Summand((Factor(self.column),))
