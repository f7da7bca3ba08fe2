"""Gibbs posteriors: what a loss says of the weights of a formula, tempered for privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Codes, Floats, Integers
from privior.checks import above_zero, fill, told_by
from privior.errors import ModelError, shown
from privior.exact import decimal, rational
from privior.models.formula import Formula
from privior.models.formula_model import RecordsModel
from privior.models.loss_checks import check_loss
from privior.models.losses import Loss, to_loss
from privior.models.model import MODELS
from privior.models.weight_prior import Ridge, to_weight_prior
from privior.privacy import REPLACE_ONE, Neighbours, Sensitivity
from privior.registry import outside
from privior.schema import Schema

#: the prior that mechanisms choose from the budget
TUNED = "tuned"


@final
@MODELS.register
@dataclass(frozen=True)
class GibbsPosterior(RecordsModel):
    """theta ~ exp(-beta sum_i loss(a_i.theta, y_i)) prior(theta), a_i the row of a formula (`RowDesign`).

    prior: Normal(0, stddev^2 I), the intercept included, on all of R^d or on a ball around 0.
    beta, the temperature, is what a mechanism can afford; with a log likelihood as loss and beta = 1 this is
    the posterior. There is no statistic but the records: mechanisms look at every one of them.
    With a `convexity` m_l each record's loss has m_l/2 |theta|^2 beside: the ridge of equations (13) and (14)
    of the paper, in the losses instead of the prior. These are strongly convex, and more can be afforded the
    more records there are.

    Attributes:
        loss: of a predictor and a target
        formula: what depends on what
        prior: of the weights; None is one that the mechanism chooses from the budget, whatever the data
        radius: of the ball that weights are kept in; None if there is none
        convexity: m_l, of each record's loss; 0 if it has none of its own
    """

    loss: Loss
    formula: Formula
    prior: Ridge | None
    radius: Fraction | None
    convexity: Fraction
    family: ClassVar[str] = "gibbs-posterior"
    error_name = "error of predictors"
    error_heading = "error of predictors"

    def __init__(
        self,
        loss: object,
        formula: object = None,
        *,
        target: object = None,
        features: object = None,
        prior: object = TUNED,
        radius: object = None,
        convexity: object = 0,
    ) -> None:
        """Take a loss and a formula, or the names of columns.

        Args:
            loss: `pv.LogisticLoss()`, `pv.HuberLoss(threshold)`, ..., or its name
            formula: `income ~ age + sex + age:sex`, as of `pv.LinearRegression`
            target: instead of a formula: the column that is explained
            features: the columns that explain it
            prior: "tuned", or the standard deviation of each weight, as a number or `pv.Ridge(stddev)`
            radius: of the ball that weights are kept in; with one, losses are bounded and a release may be
                pure
            convexity: of the ridge in each record's loss; for a public number of records
        """
        found = self._formula_of(formula, target, features)
        said: object = None
        if prior is not None and prior != TUNED:
            with told_by(ModelError, self.family, ModelError):
                said = to_weight_prior(prior) if isinstance(prior, (dict, Ridge)) else Ridge(prior)
            if not isinstance(said, Ridge):
                raise self.refusal(
                    "not a prior of weights that Gibbs posteriors know",
                    asked=str(said),
                    allowed=f'"{TUNED}", or a standard deviation such as "2"',
                )
        kind = to_loss(loss)
        if outside(type(kind)):
            check_loss(kind)
        ball = None if radius is None else above_zero(radius, "radius")
        own = rational(convexity, "convexity")
        if own < 0:
            raise self.refusal("convexity is below 0", asked=shown(convexity), allowed="0 or more")
        fill(self, loss=kind, formula=found, prior=said, radius=ball, convexity=own)

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Where losses have a convexity of their own, the number of records must be public."""
        if self.convexity and Neighbours.of(neighbours) is not REPLACE_ONE:
            raise self.refusal(
                "a convexity of losses needs a public number of records", asked=str(neighbours)
            )
        return super().sensitivity(schema, neighbours)

    @property
    def parts(self) -> tuple[object, ...]:
        """The loss, which somebody else may have written."""
        return (self.loss,)

    def loss_for(self, schema: Schema) -> Loss:
        """Return the loss in the units of the schema's target."""
        design = self.design(schema)
        if self.loss.of_levels:
            design.levels  # noqa: B018 - refuses a target of another kind
            return self.loss
        column: Any = schema.column(self.target)
        half, least = design.design.target.half, Fraction(column.lower)
        return self.loss.scaled(half, least, least + (column.size - 1) * Fraction(getattr(column, "grid", 1)))

    def targets(self, codes: Codes, schema: Schema) -> Floats:
        """Return the targets of records: -1 and 1, or numbers in the units of the loss."""
        design = self.design(schema)
        if self.loss.of_levels:
            return design.signs(codes)
        coded = design.design.target
        whole = coded.factor.of(codes[:, 0].astype(np.int64))
        if not self.loss.as_they_are:
            return np.asarray(whole / float(coded.reach))
        column: Any = schema.column(self.target)
        unit = Fraction(getattr(column, "grid", 1))
        if unit.denominator != 1 or Fraction(column.lower).denominator != 1:
            raise self.refusal("this loss is for whole numbers", asked=self.target)
        return np.asarray(int(column.lower) + int(unit) * codes[:, 0].astype(np.int64), np.float64)

    def targets_at(self, places: Integers, schema: Schema) -> Floats:
        """Return the targets that losses know of some values of the column."""
        codes = np.zeros((len(places), len(self.columns)), np.int64)
        codes[:, 0] = places
        return self.targets(codes, schema)

    def ball(self, schema: Schema) -> Fraction | None:
        """Return the radius of the ball: so small that no predictor leaves the loss's reach.

        |a.theta| <= R |theta|; with R^2 the whole number `RowDesign.squared_norm` and reach B, the largest
        radius is B / R, here rounded down to a float.
        """
        reach = self.loss_for(schema).reach
        if reach is None:
            return self.radius
        squared = reach**2 / self.design(schema).squared_norm
        found = Fraction(float(squared) ** 0.5)
        while found**2 > squared:
            found = Fraction(np.nextafter(float(found), 0.0))
        return found if self.radius is None else min(found, self.radius)

    # What is asked of the rows

    def _check_target(self, schema: Schema) -> None:
        """Refuse targets that do not fit the loss."""
        self.loss_for(schema)
        self.targets(np.zeros((0, len(self.columns)), np.int64), schema)

    @property
    def least_records(self) -> int:
        """One is enough to draw from."""
        return 1

    # Words

    @property
    def remedy(self) -> str:
        """What is drawn is spread over every weight."""
        return "fewer features, more records or more epsilon"

    def width_in_words(self, schema: Schema) -> str:
        """What the width in a plan is of: the spread of draws of weights."""
        return (
            "the spread of draws of what a feature adds to the predictor from the middle to the end of its "
            "range, as a 90% interval, average over the features"
        )

    @property
    def typical_in_words(self) -> str:
        """Forecasts know neither features nor weights."""
        return "for features that are spread evenly over their ranges"

    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Compare what the records know with what the prior knows."""
        return "" if self.prior is None else super().prior_outweighs(schema, records, left_open)

    # Files

    def to_document(self) -> dict[str, object]:
        """Write loss, formula, prior and radius."""
        return {
            "family": self.family,
            "loss": self.loss.to_document(),
            **self.formula.to_document(),
            "prior": TUNED if self.prior is None else self.prior.to_document(),
            **({} if self.radius is None else {"radius": decimal(self.radius)}),
            **({"convexity": decimal(self.convexity)} if self.convexity else {}),
        }

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote, or target and features."""
        known = {"loss", "formula", "coding", "target", "features", "prior", "radius", "convexity"}
        if set(entries) - known or "loss" not in entries:
            raise cls.refusal(
                "unknown or missing entries",
                asked=shown(list(entries)),
                allowed="loss; formula, or target and features; prior, radius, convexity",
            )
        return cls(**cls._coded(entries))

    def __str__(self) -> str:
        prior = f"prior {TUNED if self.prior is None else self.prior}"
        ball = "" if self.radius is None else f", within {decimal(self.radius)}"
        own = f", each {decimal(self.convexity)}-strongly convex" if self.convexity else ""
        return f"GibbsPosterior({self.formula}, loss {self.loss}, {prior}{ball}{own})"
