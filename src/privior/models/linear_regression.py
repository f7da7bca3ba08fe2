"""Linear regression: a column of numbers explained by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from privior.arrays import Integers
from privior.checks import fill
from privior.models.design import Design
from privior.models.formula import Formula
from privior.models.model import MODELS
from privior.models.moment_model import MomentModel
from privior.models.readings import Moments, Reading
from privior.models.statistics import ExactStatistics, Layout
from privior.models.summands import Summand
from privior.models.weight_prior import LEARNED, WeightPrior, to_weight_prior
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class LinearRegression(MomentModel):
    """y = intercept + x' w + e, e ~ Normal(0, s^2), x the features of a formula (`Design`).

    w ~ Normal(0, tau^2 I), tau learned, or another prior of the weights; little is believed of the rest
    The statistic is the matrix of all sums of products of 1, x and y, on and above its diagonal.
    Given that matrix w is Normal and s^2 inverse Gamma; given a noisy one see `posterior/regression`.

    Attributes:
        formula: what depends on what
        prior: of the weights
    """

    formula: Formula
    prior: WeightPrior
    family: ClassVar[str] = "linear-regression"
    error_name = "error of predicted means"
    error_heading = "error of means"

    def __init__(
        self,
        formula: object = None,
        *,
        target: object = None,
        features: object = None,
        prior: object = LEARNED,
    ) -> None:
        """Take a formula, or the names of columns.

        Args:
            formula: `income ~ age + sex + age:sex`; products by `:`, `a*b` for both and their product, `-1`
                for no intercept
            target: instead of a formula: the column that is explained
            features: the columns that explain it
            prior: "learned", `pv.Shrinkage(heavy_tails=False)`, `pv.Ridge(stddev)` or
                `pv.OwnCoefficients(...)`
        """
        found = self._formula_of(formula, target, features)
        fill(self, formula=found, prior=to_weight_prior(prior))

    def design(self, schema: Schema) -> Design:
        """Return what the formula makes of records: the features and the target."""
        return Design(self.formula, schema)

    # What is asked of the rows

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return all products of two numbers, on and above the diagonal of their matrix, row by row."""
        return tuple(Moments(self.design(schema).numbers).products().values())

    def layouts(self, schema: Schema, neighbours: Neighbours) -> tuple[Layout, ...]:
        """One array with a number for each product."""
        return (Layout("moments", (len(self.summands(schema, neighbours)),)),)

    def _reading(self, schema: Schema) -> Reading:
        """Return the products of all numbers, in one pass."""
        return Moments(self.design(schema).numbers)

    def counted(self, answers: Sequence[Any]) -> tuple[Integers, ...]:
        """Return what is on and above the diagonal of the matrix, row by row."""
        (matrix,) = (np.asarray(answer) for answer in answers)
        return (matrix[np.triu_indices(len(matrix))],)

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one record moves the sums, each by itself.

        Each product lies in the range of `Summand.bounds`, which is attained; L1 and squares add up over the
        products (`Sensitivity.of_sums`): a bound. Mechanisms have a sharper one, of all sums together, in
        units of their own (`MomentLayout`).
        """
        relation = Neighbours.of(neighbours)
        self._check_rows(schema, relation)
        self.prior.normal(self.design(schema))
        ranges = [one.bounds(schema) for one in self.summands(schema, relation)]
        return Sensitivity.of_sums(ranges, relation)

    def moment_design(self, schema: Schema) -> Design:
        """The features, and the target."""
        return self.design(schema)

    def products(self, schema: Schema, statistics: ExactStatistics) -> Integers:
        """Put what was read back in its places."""
        size = len(self.design(schema).numbers)
        if statistics.counts.size != size * (size + 1) // 2:
            raise ValueError("these are not the moments of this regression")
        matrix = np.zeros((size, size), np.int64)
        matrix[np.triu_indices(size)] = statistics.counts
        return matrix

    # Words

    @property
    def remedy(self) -> str:
        """Noise is added to every product of two features."""
        return "fewer features, narrower bounds, more records or more epsilon"

    def width_in_words(self, schema: Schema) -> str:
        """What the width in a plan is of: intervals of weights."""
        return (
            f"90% intervals of what a feature adds to {self.target} from the middle to the end of its range, "
            "average over the features"
        )

    @property
    def typical_in_words(self) -> str:
        """Forecasts know neither features nor weights."""
        return "for features that are spread evenly over their ranges and explain a third of the variance"
