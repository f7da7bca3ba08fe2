"""Rounded Gaussian noise on the moments of a regression, exactly Gaussian differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.errors import shown
from privior.exact import decimal, rational, round_down
from privior.mechanisms.contract import Asked, offered_for
from privior.mechanisms.regression.moment_noise import MomentNoise
from privior.models import (
    LinearRegression,
    LogisticRegression,
    Model,
    MomentLayout,
    MomentModel,
    MomentWeights,
)
from privior.models.moment_weights import FIRST
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Budget, Guarantee, Neighbours
from privior.privacy.calibration import largest
from privior.privacy.pairs import GaussianPair
from privior.randomness import Bits, NormalLaw, rounded
from privior.schema import Schema
from privior.special import log_ndtr

#: the widest noise: of a variance of so many times what one record moves
_WIDEST = Fraction(10**12)
#: how moments are weighed if nothing is said: about as predictions need them, for 3 to 30 features. Products
#: of features and those with the target decide; that of the target's square costs nothing under replace-one
BALANCED = {
    REPLACE_ONE: MomentWeights(1, "1/4", 2, "1/4", 4, "1/4"),
    ADD_OR_REMOVE_ONE: MomentWeights(1, "1/2", 3, "1/4", 1, "1/8"),
}


@final
@offered_for(LinearRegression, LogisticRegression)
@dataclass(frozen=True)
class GaussianMoments(MomentNoise):
    """Each published sum gets an independent Normal(0, variance / w_k^2) number, rounded to a whole one.

    w_k is the weight of the sum (`MomentWeights`, `MomentLayout`), so that in these units all noises have one
    variance, and one record moves all sums together by at most D, D^2 = `MomentLayout.l2_squared`. The sums
    are whole numbers, hence sum + round(noise) = round(sum + noise): a post-processing of the Gaussian
    mechanism, which is mu-GDP with mu = D / sqrt(variance) and no more (Dong, Roth, Su 2022, Theorem 1). The
    rounded numbers are drawn exactly (`randomness.rounding`). Noise that is discrete from the start would
    have to be wider, for lack of a sharp bound in so many dimensions: by 6 to 9% if concentrated divergence
    is converted.
    """

    model: MomentModel
    schema: Schema
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    variance: Fraction
    weights: MomentWeights
    name: ClassVar[str] = "gaussian-moments"
    about: ClassVar[str] = "rounded Gaussian noise on every moment"
    randomness: ClassVar[str] = (
        "exactly rounded Normal numbers, by interval arithmetic from the system's bits"
    )

    def __init__(
        self,
        model: MomentModel,
        schema: Schema,
        epsilon: object,
        delta: object,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        variance: object = None,
        weights: object = None,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        if budget.delta == 0:
            raise self.refusal("needs delta > 0: Gaussian noise is never pure")
        fill(self, epsilon=budget.epsilon, delta=budget.delta)
        relation = Neighbours.of(neighbours)
        fill(self, weights=BALANCED[relation] if weights is None else MomentWeights.of(weights))
        self._set_moments(model, schema, relation)
        found = self._calibrated() if variance is None else rational(variance, "variance")
        if not 0 < found <= _WIDEST:
            raise self.refusal("this is no variance of noise", asked=shown(variance))
        if not self._enough(found):
            raise self.refusal("this variance does not give the stated guarantee", asked=decimal(found))
        fill(self, variance=found)

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon and delta on the least noise that keeps them."""
        spent = (asked.budget.epsilon, asked.budget.delta)
        return cls(asked.model, asked.schema, *spent, neighbours=asked.neighbours)  # type: ignore[arg-type]

    @cached_property
    def layout(self) -> MomentLayout:
        """Which sums are published, weighed in this way."""
        return self.model.layout(self.schema, self.neighbours, self.weights)

    def to_document(self) -> dict[str, object]:
        """Write the noise, and the weights of the sums as numbers."""
        return {**super().to_document(), "weights": self.weights.to_document()}

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read what `to_document` wrote; releases of earlier versions do not name their weights."""
        return super().from_entries({"weights": FIRST, **entries}, model, schema)

    def _calibrated(self) -> Fraction:
        level = round_down(self.epsilon)
        squared = largest(
            lambda one: Fraction(GaussianPair(one).delta(level)) <= self.delta, digits=6, most=Fraction(10**6)
        )
        if not squared:
            raise self.refusal(
                "this budget needs more noise than can be certified",
                asked=str(Budget(self.epsilon, self.delta)),
                advice="Ask for a larger epsilon or delta, or use pv.LaplaceMoments.",
            )
        return Fraction(self.layout.l2_squared / squared)

    def _enough(self, variance: Fraction) -> bool:
        pair = GaussianPair(self.layout.l2_squared / variance)
        return Fraction(pair.delta(round_down(self.epsilon))) <= self.delta

    @property
    def guarantee(self) -> Guarantee:
        """mu-GDP, exactly."""
        pair = GaussianPair(self.layout.l2_squared / self.variance)
        reason = (
            "Gaussian noise on moments that one record moves by at most "
            f"{float(self.layout.l2_squared) ** 0.5:.4g} together (Dong, Roth, Su 2022, Theorem 1), rounded "
            "afterwards"
        )
        return Guarantee(pair, self.neighbours, Budget(self.epsilon, self.delta), reason, "record")

    @cached_property
    def exact_variances(self) -> tuple[Fraction, ...]:
        """The variance of the noise of each sum, before it is rounded."""
        return tuple(self.variance / one for one in self.layout.squared)

    @property
    def variances(self) -> Floats:
        """The variance of each noisy sum, with that of rounding to the grid."""
        return np.array([float(one) for one in self.exact_variances]) + 1 / 12

    @property
    def heavy(self) -> bool:
        """Whether tails are heavy: those of Normal noise are not."""
        return False

    def _noise(self) -> list[int]:
        bits = Bits()
        return [rounded(NormalLaw(Fraction(0), one), 0, bits) for one in self.exact_variances]

    def _log_pmf(self, noise: Integers) -> Floats:
        scale = np.sqrt([float(one) for one in self.exact_variances])
        away = np.abs(noise.astype(np.float64))
        near, far = (log_ndtr(-(away + side) / scale) for side in (-0.5, 0.5))
        return np.asarray(near + np.log(-np.expm1(far - near)))
