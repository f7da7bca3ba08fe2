"""Logistic regression: a column of two levels explained by others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from privior.arrays import Integers
from privior.checks import fill
from privior.models.design import MOST_FEATURES, Design
from privior.models.formula import Formula
from privior.models.formula_model import RecordsModel
from privior.models.model import MODELS, MOST_SUM
from privior.models.moment_model import MomentModel
from privior.models.row_design import AT_ONCE, Codes, summed_products
from privior.models.statistics import ExactRecords
from privior.models.weight_prior import LEARNED, Ridge, Shrinkage, to_weight_prior
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class LogisticRegression(RecordsModel, MomentModel):
    """P(target = its second level) = 1 / (1 + e^(-a.theta)), a the row of a formula (`RowDesign`).

    theta ~ Normal(0, stddev^2 I), of features in [-1, 1], the intercept among them; or stddev is learned, and
    the intercept's is 2. There is no statistic but the records themselves: mechanisms look at every one of
    them. What follows from a release is in `posterior/regression`.

    Attributes:
        formula: what depends on what
        prior: of the weights
    """

    formula: Formula
    prior: Ridge | Shrinkage
    family: ClassVar[str] = "logistic-regression"
    error_name = "excess log loss of predictions"
    error_heading = "excess log loss"

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
            formula: `smoker ~ age + sex + age:sex`, as of `pv.LinearRegression`; the target has two levels
            target: instead of a formula: the column that is explained
            features: the columns that explain it
            prior: "learned", or the standard deviation of what a feature adds to the log odds from the middle
                to the end of its range, as a number or `pv.Ridge(stddev)`
        """
        found = self._formula_of(formula, target, features)
        told = prior == LEARNED or isinstance(prior, (dict, Ridge, Shrinkage))
        said = to_weight_prior(prior) if told else Ridge(prior)
        if not isinstance(said, (Ridge, Shrinkage)) or said == Shrinkage(heavy_tails=True):
            raise self.refusal(
                "not a prior of log odds",
                asked=str(said),
                allowed=f'"{LEARNED}", or a standard deviation such as "2"',
            )
        fill(self, formula=found, prior=said)

    @property
    def scale(self) -> float | None:
        """The standard deviation of the weights; None if it is learned."""
        return float(self.prior.stddev) if isinstance(self.prior, Ridge) else None

    # What is asked of the rows

    def _check_target(self, schema: Schema) -> None:
        """Refuse a target of another kind."""
        self.design(schema).levels  # noqa: B018

    # Its moments

    def moment_design(self, schema: Schema) -> Design:
        """The features, and the target as -1 or 1."""
        return Design(self.formula, schema, two_levels=True)

    def moment_trouble(self, schema: Schema) -> tuple[str, object] | None:
        """Without an intercept nothing tells means; products may not be exact, or too many."""
        features = len(self.design(schema).design.features)
        if features > MOST_FEATURES:
            return f"more than {MOST_FEATURES} features have too many moments", features
        if not self.formula.intercept:
            return "moments of a logistic regression need an intercept", str(self.formula)
        largest = max(self.design(schema).reach) ** 2 * AT_ONCE
        if largest >= MOST_SUM:
            return "sums of products of such fine features might not be exact", largest
        return None

    def kept(self, schema: Schema) -> float:
        """The records are read like those of other mechanisms: their codes, some copies, and their order."""
        widest = max(schema.column(name).size for name in self.columns)
        return 4.0 * np.min_scalar_type(-widest).itemsize * len(self.columns) + 24.0

    def products(self, schema: Schema, statistics: ExactRecords) -> Integers:
        """Multiply the numbers of every record; sums too large to be written are cut, which moves no sum of
        one record farther than before."""
        design = self.design(schema)

        def whole(codes: Codes) -> Integers:
            target = 2 * codes[:, :1].astype(np.int64) - 1
            return np.concatenate([design.whole(codes), target], axis=1)

        sums = summed_products(statistics.codes, whole)
        return np.asarray(np.clip(sums, 1 - MOST_SUM // 2, MOST_SUM // 2 - 1), np.int64)

    # Words

    @property
    def remedy(self) -> str:
        """Noise is added to every weight."""
        return "fewer features, more records or more epsilon"

    def width_in_words(self, schema: Schema) -> str:
        """What the width in a plan is of: intervals of weights."""
        return (
            f"90% intervals of what a feature adds to the log odds of {self.target} from the middle to the "
            "end of its range, average over the features; for a release without intervals the spread of 90% "
            "of its estimates"
        )

    @property
    def typical_in_words(self) -> str:
        """Forecasts know neither features nor weights."""
        return "for features that are spread evenly over their ranges and weights of the prior's size"
