"""Logistic regression: a column of two levels explained by others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from privior.arrays import Integers
from privior.checks import fill
from privior.models.formula import Formula
from privior.models.model import MODELS, PRIOR_SHARE, Model
from privior.models.readings import Reading, Records
from privior.models.row_design import RowDesign
from privior.models.statistics import ExactRecords, Layout
from privior.models.summands import ONE, Summand
from privior.models.weight_prior import Ridge, to_weight_prior
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class LogisticRegression(Model):
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
    first_format: ClassVar[int] = 6
    error_name = "excess log loss of predictions"
    error_heading = "excess log loss"
    less = "Ask for less, or for fewer features."

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
        if formula is not None and (target is not None or features is not None):
            raise self.refusal("say a formula, or a target and features, not both")
        found = formula if isinstance(formula, Formula) else None
        if found is None:
            found = Formula.of(target, features) if formula is None else Formula.parse(formula)
        said = to_weight_prior(prior) if isinstance(prior, (dict, Ridge)) else Ridge(prior)
        if not isinstance(said, Ridge):
            raise self.refusal(
                "not a prior of log odds", asked=str(said), allowed='a standard deviation such as "2"'
            )
        fill(self, formula=found, prior=said)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The target, then what explains it."""
        return self.formula.columns

    @property
    def target(self) -> str:
        """The column that is explained."""
        return self.formula.target

    def design(self, schema: Schema) -> RowDesign:
        """Return what becomes of records."""
        return RowDesign(self.formula, schema)

    # What is asked of the rows

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return 1 and the features of a record, which are whole numbers."""
        return (ONE, *(feature.summand for feature in self.design(schema).design.features))

    def layouts(self, schema: Schema, neighbours: Neighbours) -> tuple[Layout, ...]:
        """There is no statistic that could be published with noise added: the records are read."""
        raise self.refusal(
            "a logistic regression has no table of sums", advice="Release it by its mechanisms."
        )

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
                "a regression takes one row of each unit",
                asked=f"max_rows {schema.unit.max_rows}",
                allowed="max_rows 1",
                advice="Make one row of the rows of a unit, such as their means, in the table.",
            )
        design = self.design(schema)
        design.levels  # noqa: B018 - refuses a target of another kind
        design.design.features  # noqa: B018 - refuses columns that are no features
        if max(design.reach) >= 2**53:
            raise self.refusal(
                "a feature has too many values",
                asked=max(design.reach),
                allowed=2**53 - 1,
                advice="Give its columns coarser grids.",
            )
        return Sensitivity.of_counts(relation)

    @property
    def least_records(self) -> int:
        """More than there are terms, at least."""
        return len(self.formula.terms) + 3

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

    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Compare what the records know with what the prior knows."""
        if left_open() <= PRIOR_SHARE:
            return ""
        return (
            f"The prior knows more than {records} records can tell, with or without noise: this would give "
            "the prior back. Take fewer features, or a wider prior if that is what you believe."
        )

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
