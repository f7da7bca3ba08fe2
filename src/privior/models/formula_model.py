"""Models of a formula: what regressions and Gibbs posteriors have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

from privior.arrays import Integers
from privior.models.coding import FIRST, check_coding
from privior.models.design import Design
from privior.models.formula import Formula
from privior.models.model import PRIOR_SHARE, Model
from privior.models.readings import Reading, Records
from privior.models.row_design import RowDesign
from privior.models.statistics import ExactRecords, Layout
from privior.models.summands import ONE, Summand
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema


class FormulaModel(Model):
    """A target explained by the features of a formula, with one row for each unit.

    Attributes:
        formula: what depends on what
        prior: of the weights
    """

    formula: Formula
    prior: Any
    first_format: ClassVar[int] = 6
    less = "Ask for less, or for fewer features."

    def _formula_of(self, formula: object, target: object, features: object) -> Formula:
        """Read a formula, or the names of columns."""
        if formula is not None and (target is not None or features is not None):
            raise self.refusal("say a formula, or a target and features, not both")
        if isinstance(formula, Formula):
            return formula
        return Formula.of(target, features) if formula is None else Formula.parse(formula)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The target, then what explains it."""
        return self.formula.columns

    @property
    def target(self) -> str:
        """The column that is explained."""
        return self.formula.target

    @abstractmethod
    def design(self, schema: Schema) -> Design | RowDesign:
        """Return what the formula makes of records: the features."""

    def readings(
        self, schema: Schema, neighbours: Neighbours, within: tuple[str, ...] = ()
    ) -> tuple[Reading, ...]:
        """Return what is asked of all records together."""
        if within:
            raise self.refusal(
                "regressions are not released by groups",
                asked=", ".join(within),
                advice="Make the column of the groups a feature, with its products: a*b.",
            )
        return (self._reading(schema),)

    @abstractmethod
    def _reading(self, schema: Schema) -> Reading:
        """Return the one thing that is asked of all records."""

    def _check_rows(self, schema: Schema, relation: Neighbours) -> None:
        """Refuse several rows of a unit, and dropped cells that the relation does not allow."""
        self._check_drops(schema, relation)
        if schema.unit.max_rows != 1:
            raise self.refusal(
                "a regression takes one row of each unit",
                asked=f"max_rows {schema.unit.max_rows}",
                allowed="max_rows 1",
                advice="Make one row of the rows of a unit, such as their means, in the table.",
            )

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
        """What the model is about: the formula."""
        return str(self.formula)

    @property
    def first_question(self) -> str:
        """What a user asks first of a regression: all coefficients."""
        return "parameters()"

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
        """Write formula and prior, from which the model is read again."""
        return {"family": self.family, **self.formula.to_document(), "prior": self.prior.to_document()}

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote, or target and features."""
        if set(entries) - {"formula", "coding", "target", "features", "prior"}:
            raise cls.refusal(
                "unknown or missing entries",
                asked=", ".join(entries),
                allowed="formula, or target and features; prior",
            )
        return cls(**cls._coded(entries))

    @staticmethod
    def _coded(entries: dict[str, object]) -> dict[str, object]:
        """Read a formula with the coding that is named beside it."""
        rest = {name: value for name, value in entries.items() if name != "coding"}
        if "coding" in entries and "formula" in rest:
            rest["formula"] = Formula.parse(rest["formula"], check_coding(entries["coding"]))
        return rest

    @classmethod
    def from_stored(cls, entries: dict[str, object]) -> Self:
        """Read a model from a plan; those of earlier versions do not name their coding."""
        return cls.from_entries({"coding": FIRST, **entries})

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.formula}, prior {self.prior})"


class RecordsModel(FormulaModel):
    """A model of a formula without a statistic but the records: mechanisms look at every one of them."""

    def design(self, schema: Schema) -> RowDesign:
        """Return what becomes of records."""
        return RowDesign(self.formula, schema)

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return 1 and the features of a record, which are whole numbers."""
        return (ONE, *(feature.summand for feature in self.design(schema).design.features))

    def layouts(self, schema: Schema, neighbours: Neighbours) -> tuple[Layout, ...]:
        """There is no statistic that could be published with noise added: the records are read."""
        raise self.refusal(f"a {self.family} has no table of sums", advice="Release it by its mechanisms.")

    def _reading(self, schema: Schema) -> Reading:
        """Return every record, the target's code first."""
        return Records(self.columns)

    def counted(self, answers: Sequence[Any]) -> tuple[Integers, ...]:
        """Return the codes, a row for each record."""
        (records,) = answers
        return (records.codes,)

    def exact(self, arrays: Sequence[Integers]) -> ExactRecords:
        """Keep the codes of all records, for a mechanism that looks at each of them."""
        (codes,) = arrays
        return ExactRecords(codes)

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one record moves the numbers of records of each kind: the data as counts."""
        relation = Neighbours.of(neighbours)
        self._check_rows(schema, relation)
        self._check_target(schema)
        design = self.design(schema)
        design.design.features  # noqa: B018 - refuses columns that are no features
        if max(design.reach) >= 2**53:
            raise self.refusal(
                "a feature has too many values",
                asked=max(design.reach),
                allowed=2**53 - 1,
                advice="Give its columns coarser grids.",
            )
        return Sensitivity.of_counts(relation)

    @abstractmethod
    def _check_target(self, schema: Schema) -> None:
        """Refuse a target that does not fit."""
