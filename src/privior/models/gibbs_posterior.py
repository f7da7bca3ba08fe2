"""Gibbs posteriors: what a loss says of the weights of a formula, tempered for privacy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import above_zero, fill, told_by
from privior.errors import ModelError, shown
from privior.exact import decimal
from privior.models.formula import Formula
from privior.models.losses import Loss, check_loss, to_loss
from privior.models.model import MODELS, PRIOR_SHARE, Model
from privior.models.readings import Reading, Records
from privior.models.row_design import Codes, RowDesign
from privior.models.statistics import ExactRecords, Layout
from privior.models.summands import ONE, Summand
from privior.models.weight_prior import Ridge, to_weight_prior
from privior.privacy import Neighbours, Sensitivity
from privior.registry import outside
from privior.schema import Schema

#: the prior that mechanisms choose from the budget
TUNED = "tuned"


@final
@MODELS.register
@dataclass(frozen=True)
class GibbsPosterior(Model):
    """theta ~ exp(-beta sum_i loss(a_i.theta, y_i)) prior(theta), a_i the row of a formula (`RowDesign`).

    prior: Normal(0, stddev^2 I), the intercept included, on all of R^d or on a ball around 0.
    beta, the temperature, is what a mechanism can afford; with a log likelihood as loss and beta = 1 this is
    the posterior. There is no statistic but the records: mechanisms look at every one of them.

    Attributes:
        loss: of a predictor and a target
        formula: what depends on what
        prior: of the weights; None is one that the mechanism chooses from the budget, whatever the data
        radius: of the ball that weights are kept in; None if there is none
    """

    loss: Loss
    formula: Formula
    prior: Ridge | None
    radius: Fraction | None
    family: ClassVar[str] = "gibbs-posterior"
    first_format: ClassVar[int] = 6
    error_name = "error of predictors"
    error_heading = "error of predictors"
    less = "Ask for less, or for fewer features."

    def __init__(
        self,
        loss: object,
        formula: object = None,
        *,
        target: object = None,
        features: object = None,
        prior: object = TUNED,
        radius: object = None,
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
        """
        if formula is not None and (target is not None or features is not None):
            raise self.refusal("say a formula, or a target and features, not both")
        found = formula if isinstance(formula, Formula) else None
        if found is None:
            found = Formula.of(target, features) if formula is None else Formula.parse(formula)
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
        fill(self, loss=kind, formula=found, prior=said, radius=ball)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The target, then what explains it."""
        return self.formula.columns

    @property
    def target(self) -> str:
        """The column that is explained."""
        return self.formula.target

    @property
    def parts(self) -> tuple[object, ...]:
        """The loss, which somebody else may have written."""
        return (self.loss,)

    def design(self, schema: Schema) -> RowDesign:
        """Return what becomes of records."""
        return RowDesign(self.formula, schema)

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

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return 1 and the features of a record, which are whole numbers."""
        return (ONE, *(feature.summand for feature in self.design(schema).design.features))

    def layouts(self, schema: Schema, neighbours: Neighbours) -> tuple[Layout, ...]:
        """There is no statistic that could be published with noise added: the records are read."""
        raise self.refusal("a Gibbs posterior has no table of sums", advice="Release it by its mechanism.")

    def readings(
        self, schema: Schema, neighbours: Neighbours, within: tuple[str, ...] = ()
    ) -> tuple[Reading, ...]:
        """Return every record, the target's code first."""
        if within:
            raise self.refusal(
                "regressions are not released by groups",
                asked=", ".join(within),
                advice="Make the column of the groups a feature, with its products: a*b.",
            )
        return (Records(self.columns),)

    def counted(self, answers: Sequence[Any]) -> tuple[Integers, ...]:
        """Return the codes, a row for each record."""
        (records,) = answers
        return (records.codes,)

    def exact(self, arrays: Sequence[Integers]) -> ExactRecords:
        """Keep the records."""
        (codes,) = arrays
        return ExactRecords(codes)

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one record moves the numbers of records of each kind: the data as counts."""
        relation = Neighbours.of(neighbours)
        self._check_drops(schema, relation)
        if schema.unit.max_rows != 1:
            raise self.refusal(
                "a Gibbs posterior takes one row of each unit",
                asked=f"max_rows {schema.unit.max_rows}",
                allowed="max_rows 1",
                advice="Make one row of the rows of a unit, such as their means, in the table.",
            )
        self.loss_for(schema)
        design = self.design(schema)
        if max(design.reach) >= 2**53:
            raise self.refusal(
                "a feature has too many values",
                asked=max(design.reach),
                allowed=2**53 - 1,
                advice="Give its columns coarser grids.",
            )
        self.targets(np.zeros((0, len(self.columns)), np.int64), schema)  # refuses targets that do not fit
        return Sensitivity.of_counts(relation)

    @property
    def least_records(self) -> int:
        """One is enough to draw from."""
        return 1

    # Words

    def in_words(self, schema: Schema) -> str:
        """Say how many coefficients there are."""
        names = self.design(schema).names
        some = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        return f"{self}: {len(names)} coefficients: {some}"

    @property
    def subject(self) -> str:
        """The formula."""
        return str(self.formula)

    @property
    def first_question(self) -> str:
        """All coefficients."""
        return "parameters()"

    @property
    def remedy(self) -> str:
        """What is drawn is spread over every weight."""
        return "fewer features, more records or more epsilon"

    def width_in_words(self, schema: Schema) -> str:
        """Intervals are of weights."""
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
        if self.prior is None or left_open() <= PRIOR_SHARE:
            return ""
        return (
            f"The prior knows more than {records} records can tell, with or without privacy: this would give "
            "the prior back. Take fewer features, or a wider prior if that is what you believe."
        )

    # Files

    def to_document(self) -> dict[str, object]:
        """Write loss, formula, prior and radius."""
        return {
            "family": self.family,
            "loss": self.loss.to_document(),
            "formula": str(self.formula),
            "prior": TUNED if self.prior is None else self.prior.to_document(),
            **({} if self.radius is None else {"radius": decimal(self.radius)}),
        }

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote, or target and features."""
        known = {"loss", "formula", "target", "features", "prior", "radius"}
        if set(entries) - known or "loss" not in entries:
            raise cls.refusal(
                "unknown or missing entries",
                asked=shown(list(entries)),
                allowed="loss; formula, or target and features; prior, radius",
            )
        return cls(**entries)

    def __str__(self) -> str:
        prior = f"prior {TUNED if self.prior is None else self.prior}"
        ball = "" if self.radius is None else f", within {decimal(self.radius)}"
        return f"GibbsPosterior({self.formula}, loss {self.loss}, {prior}{ball})"
