"""Logistic regression: a column of two levels explained by others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, final

from privior.checks import fill
from privior.models.formula import Formula
from privior.models.formula_model import RecordsModel
from privior.models.model import MODELS
from privior.models.weight_prior import Ridge, to_weight_prior
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class LogisticRegression(RecordsModel):
    """P(target = its second level) = 1 / (1 + e^(-a.theta)), a the row of a formula (`RowDesign`).

    theta ~ Normal(0, stddev^2 I), of features in [-1, 1], the intercept among them.
    There is no statistic but the records themselves: mechanisms look at every one of them.
    What follows from a release is in `posterior/logistic`.

    Attributes:
        formula: what depends on what
        prior: of the weights
    """

    formula: Formula
    prior: Ridge
    family: ClassVar[str] = "logistic-regression"
    error_name = "excess log loss of predictions"
    error_heading = "excess log loss"

    def __init__(
        self,
        formula: object = None,
        *,
        target: object = None,
        features: object = None,
        prior: object = "2",
    ) -> None:
        """Take a formula, or the names of columns.

        Args:
            formula: `smoker ~ age + sex + age:sex`, as of `pv.LinearRegression`; the target has two levels
            target: instead of a formula: the column that is explained
            features: the columns that explain it
            prior: the standard deviation of what a feature adds to the log odds from the middle to the end
                of its range, as a number or `pv.Ridge(stddev)`
        """
        found = self._formula_of(formula, target, features)
        said = to_weight_prior(prior) if isinstance(prior, (dict, Ridge)) else Ridge(prior)
        if not isinstance(said, Ridge):
            raise self.refusal(
                "not a prior of log odds", asked=str(said), allowed='a standard deviation such as "2"'
            )
        fill(self, formula=found, prior=said)

    # What is asked of the rows

    def _check_target(self, schema: Schema) -> None:
        """Refuse a target of another kind."""
        self.design(schema).levels  # noqa: B018

    # Words

    @property
    def remedy(self) -> str:
        """Noise is added to every weight."""
        return "fewer features, more records or more epsilon"

    def width_in_words(self, schema: Schema) -> str:
        """Intervals are of weights."""
        return (
            f"90% intervals of what a feature adds to the log odds of {self.target} from the middle to the "
            "end of its range, average over the features"
        )

    @property
    def typical_in_words(self) -> str:
        """Forecasts know neither features nor weights."""
        return "for features that are spread evenly over their ranges and weights of the prior's size"

    # Files

    def to_document(self) -> dict[str, object]:
        """Write formula and prior."""
        return {"family": self.family, "formula": str(self.formula), "prior": self.prior.to_document()}

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote, or target and features."""
        if set(entries) - {"formula", "target", "features", "prior"}:
            raise cls.refusal(
                "unknown or missing entries",
                asked=", ".join(entries),
                allowed="formula, or target and features; prior",
            )
        return cls(**entries)

    def __str__(self) -> str:
        return f"LogisticRegression({self.formula}, prior {self.prior})"
