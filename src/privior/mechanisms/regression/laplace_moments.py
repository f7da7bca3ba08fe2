"""Discrete Laplace noise on the moments of a regression: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.errors import shown
from privior.exact import rational, round_up
from privior.mechanisms.contract import Asked, offered_for
from privior.mechanisms.laws import laplace_log_pmf, laplace_variance
from privior.mechanisms.regression.moment_noise import MomentNoise
from privior.models import LinearRegression, LogisticRegression, MomentModel
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours, SignedSteps
from privior.randomness import OPENDP, WIDEST, discrete_laplace
from privior.schema import Schema


@final
@offered_for(LinearRegression, LogisticRegression)
@dataclass(frozen=True)
class LaplaceMoments(MomentNoise):
    """Each published sum gets independent noise, P(z) proportional to exp(-|z| / scale_k).

    scale_k = D / (epsilon w_k), rounded up to a float, w_k the weight of the sum and D how far one record
    moves the weighted sums in L1 (`MomentLayout.l1`). The loss is at most sum_k |move_k| / scale_k <= epsilon
    (Ghosh, Roughgarden, Sundararajan 2009), and randomised response dominates it.
    """

    model: MomentModel
    schema: Schema
    epsilon: Fraction
    neighbours: Neighbours
    scales: tuple[Fraction, ...]
    name: ClassVar[str] = "laplace-moments"
    about: ClassVar[str] = "discrete Laplace noise on every moment"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self,
        model: MomentModel,
        schema: Schema,
        epsilon: object,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        scales: Sequence[object] | None = None,
    ) -> None:
        fill(self, epsilon=Budget.of(epsilon).epsilon)
        self._set_moments(model, schema, neighbours)
        plain = self.layout.plain
        if scales is not None and (not isinstance(scales, (list, tuple)) or len(scales) != len(plain)):
            raise self.refusal("not one scale for each sum", asked=shown(scales))
        if scales is None:
            found = tuple(Fraction(round_up(self.layout.l1 / (self.epsilon * one))) for one in plain)
        else:
            found = tuple(rational(one, "scale") for one in scales)
        if max(found) > WIDEST:
            raise self.refusal(
                "this budget needs more noise than can be drawn",
                advice="Ask for a larger epsilon, or give the columns coarser grids.",
            )
        if not self._enough(found):
            raise self.refusal("these scales do not give the stated guarantee", asked=shown(scales))
        fill(self, scales=found)

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon on the least noise that keeps it; delta stays 0."""
        epsilon, relation = asked.budget.epsilon, asked.neighbours
        return cls(asked.model, asked.schema, epsilon, neighbours=relation)  # type: ignore[arg-type]

    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        """Compare each scale with its weight: what is bounded is a sum of moves with these weights."""
        floats = all(one > 0 and Fraction(float(one)) == one for one in scales)
        weights = zip(scales, self.layout.plain, strict=True)
        return floats and all(one * weight * self.epsilon >= self.layout.l1 for one, weight in weights)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon: the weighted distance of two neighbours' sums over the scale.

        The words have the distance that the scales allow for, which earlier versions bounded less sharply.
        """
        scales = zip(self.scales, self.layout.plain, strict=True)
        allowed = float(min(scale * weight for scale, weight in scales) * self.epsilon)
        reason = (
            f"discrete Laplace noise on moments that one record moves by L1 {allowed:g} in "
            "units of their weights (Ghosh et al. 2009)"
        )
        pair = SignedSteps(self.epsilon)
        return Guarantee(pair, self.neighbours, Budget(self.epsilon), reason, "record")

    @property
    def variances(self) -> Floats:
        """Those of discrete Laplace noise."""
        return np.array([laplace_variance(float(1 / one)) for one in self.scales])

    @property
    def heavy(self) -> bool:
        """Whether tails are heavy: those of Laplace noise are."""
        return True

    def _noise(self) -> list[int]:
        return [discrete_laplace(1, one)[0] for one in self.scales]

    def _log_pmf(self, noise: Integers) -> Floats:
        found = [laplace_log_pmf(noise[k : k + 1], float(1 / one))[0] for k, one in enumerate(self.scales)]
        return np.array(found)
