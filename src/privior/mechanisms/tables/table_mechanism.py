"""What mechanisms for tables of counts have in common, and the public facts from which one is built."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from privior.arrays import Integers
from privior.checks import is_whole, known_as, whole_number
from privior.errors import PlanError, shown
from privior.mechanisms.contract import Asked, CellNoise, Floats, Mechanism
from privior.models import MOST_CELLS, ExactStatistics, Layout, Model, Observed, TableModel
from privior.privacy import REPLACE_ONE, Budget, Neighbours, Sensitivity
from privior.schema import Schema

#: one Dirichlet parameter for all cells, or one for each
PriorParameters = Fraction | tuple[Fraction, ...]


@dataclass(frozen=True)
class PublicFacts:
    """What a mechanism for a table of counts may depend on: nothing here is read from data.

    Attributes:
        cells: number of cells k of the table
        records: number of units n: exact under replace-one, the largest possible one otherwise
        max_rows: records that one unit contributes at most
        neighbours: the neighbour relation
        budget: what may be spent
        prior: the model's Dirichlet parameters, one for all cells or one for each; None if they are learned
        draws: how many draws to release, for mechanisms that release draws
        least: records that every cell has at least, as a public fact, for mechanisms that use it
    """

    cells: int
    records: int
    max_rows: int
    neighbours: Neighbours
    budget: Budget
    prior: PriorParameters | None = Fraction(1)
    draws: int = 1
    least: int = 0

    @staticmethod
    def of(asked: Asked) -> PublicFacts:
        """Take what is asked of a table."""
        model = known_as(TableModel, asked.model)  # type: ignore[type-abstract]
        unit = asked.records, asked.schema.unit.max_rows, asked.neighbours
        return PublicFacts(model.size(asked.schema), *unit, asked.budget, model.cell_prior, **asked.options)

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """The prior parameter of each cell."""
        return of_each_cell(self.numbers, self.cells)

    @property
    def numbers(self) -> PriorParameters:
        """The prior, for a mechanism whose law and guarantee rest on it."""
        if self.prior is None:
            raise PlanError(
                "its guarantee rests on a prior in numbers, and this one is learned",
                where="prior",
                asked="learned",
                advice="Say the prior, such as prior=1.",
            )
        return self.prior


@dataclass(frozen=True, eq=False)
class CellGammas:
    """A release's log likelihood as a function of the true counts c of n records, up to a constant:

    sum over cells of slopes c + sum over terms (shift, weight) of weight lnG(prior + rate c + shift), plus
    the sum over `totals` of weight lnG(sum of prior + rate n + shift).

    Attributes:
        prior: of the release, one for each cell
        rate: the weight of one record
        slopes: one for each cell
        terms: shifts and weights, one of each for each cell
        totals: shifts and weights for the number of records
        approximate: what is approximated, in words; empty if nothing is
    """

    prior: Floats
    rate: float
    slopes: Floats
    terms: tuple[tuple[Floats, Floats], ...]
    totals: tuple[tuple[float, float], ...]
    approximate: str = ""


class TableMechanism(Mechanism):
    """A release law for tables of counts.

    Attributes:
        cells: number of cells
        records: the number of records that the law depends on; None if it depends on none
        prior: the prior that the law depends on; None if it depends on none
        neighbours: the neighbour relation
        max_rows: records that one unit contributes at most
    """

    models: ClassVar[tuple[type[Model], ...]] = (TableModel,)
    cells: int
    records: int | None
    prior: PriorParameters | None
    neighbours: Neighbours
    max_rows: int

    @property
    @abstractmethod
    def cell_noise(self) -> CellNoise | None:
        """The noise as inference sees it; None if the law is no noise on the cells."""

    def cell_gammas(self, observed: Observed) -> CellGammas | None:
        """Return what a release from the posterior says of each cell; None for other releases."""
        return None

    @classmethod
    @abstractmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build the mechanism that spends the budget, or raise PlanError if it does not fit."""

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Build it for the public facts of the table."""
        return cls.for_facts(PublicFacts.of(asked))

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves a table of counts under this relation."""
        return Sensitivity.of_counts(self.neighbours, self.max_rows)

    def to_document(self) -> dict[str, object]:
        """Write the fields as plain values; in files the number of cells has always been called levels."""
        entries = super().to_document().items()
        return {"levels" if name == "cells" else name: value for name, value in entries}

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        rest = {name: value for name, value in entries.items() if name != "levels"}
        if len(rest) == len(entries):
            raise TypeError("no number of cells")
        return cls(**rest, cells=entries["levels"])  # type: ignore[call-arg]

    def check(self, asked: Asked) -> None:
        """Refuse another number of cells, unit, number of records or prior."""
        facts = PublicFacts.of(replace(asked, options={}))
        if self.cells != facts.cells:
            raise self.refusal(
                "the mechanism is for another number of cells", asked=self.cells, allowed=facts.cells
            )
        check_unit(self, asked)
        if self.records not in (None, asked.records):
            raise self.refusal("the mechanism is for another number of records")
        if self.prior is not None and self.prior not in (facts.numbers, facts.parameters):
            raise self.refusal("the mechanism is for another prior")

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """One number for each cell."""
        return (Layout("counts", (self.cells,)),)

    def outcomes(self, records: int, margin: int) -> range:
        """Return the numbers that one cell of a table of so many records is listed with in audits."""
        return range(-margin, records + margin + 1)

    def small(self, cells: int, records: int, max_rows: int) -> TableMechanism:
        """Take few cells and records, with the same epsilon and delta."""
        few, budget = min(cells, self.cells), Budget(self.epsilon, self.guarantee.cost.delta)
        facts = PublicFacts(few, records, max_rows, self.sensitivity.neighbours, budget)
        if self.prior is None:
            return self.for_facts(facts)
        prior = self.prior[:few] if isinstance(self.prior, tuple) else self.prior
        return self.for_facts(replace(facts, prior=prior))


class FixedTotal(TableMechanism):
    """A law for tables whose total is public: one record moves from one cell to another."""

    neighbours: ClassVar[Neighbours] = REPLACE_ONE  # type: ignore[misc]
    max_rows: ClassVar[int] = 1  # type: ignore[misc]

    @classmethod
    def check_facts(cls, facts: PublicFacts) -> None:
        """Refuse facts under which the total is not public."""
        if not Sensitivity.of_counts(facts.neighbours, facts.max_rows).total_fixed:
            raise cls.refusal("needs a public total (replace-one, one row per unit)")


def check_unit(mechanism: Mechanism, asked: Asked) -> None:
    """Refuse a mechanism that protects another unit than the schema's."""
    needed, honoured = asked.model.sensitivity(asked.schema, asked.neighbours), mechanism.sensitivity
    if needed != honoured:
        raise PlanError(
            "the mechanism is for another neighbour relation or unit of protection",
            where=mechanism.name,
            asked=f"{honoured.neighbours}, L1 {honoured.l1}",
            allowed=f"{needed.neighbours}, L1 {needed.l1}",
        )


def of_each_cell(prior: PriorParameters, cells: int) -> tuple[Fraction, ...]:
    """Return the prior parameter of each cell."""
    return prior if isinstance(prior, tuple) else (prior,) * cells


def check_cells(cells: int, name: str) -> int:
    """Return a number of cells, refusing fewer than two, and more than fit into memory."""
    return whole_number(cells, "cells", 2, MOST_CELLS, where=name, error=PlanError)


def check_records(records: int, name: str) -> int:
    """Return a public number of records, refusing what is none."""
    if is_whole(records, 1):
        return records
    raise PlanError("records is not a positive whole number", where=name, asked=shown(records))


def true_counts(statistics: ExactStatistics, cells: int) -> Integers:
    """Return the counts, which must be one per cell."""
    if statistics.counts.size != cells:
        raise ValueError(f"the mechanism has {cells} cells, the statistics {statistics.counts.size}")
    return statistics.counts


def with_noise(statistics: ExactStatistics, noise: Sequence[int]) -> Observed:
    """Add one noise to each count, in whole numbers of any length."""
    counts = true_counts(statistics, len(noise))
    return Observed.of([int(count) + z for count, z in zip(counts, noise, strict=True)])
