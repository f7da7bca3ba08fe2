"""The plan: model, mechanism and guarantee for one release, as a value with canonical bytes. No data.

What tables of counts and families share; `table_plan` and `family_plan` have the rest.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from privior.errors import PlanError, PriviorError, shown
from privior.mechanisms import (
    Ahead,
    AnyMechanism,
    Expect,
    to_family_mechanism,
    to_finite_mechanism,
    to_mechanism,
)
from privior.models import FiniteFamily, Model, Summand, SummedModel, to_model
from privior.pictures import ErrorCurve, listing, markup
from privior.plans import outlook
from privior.plans.effort import Effort
from privior.plans.group import Group
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours
from privior.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: columns, those whose levels make the cells, and what each record adds
Reading = tuple[tuple[str, ...], tuple[str, ...], tuple[Summand, ...]]
#: with more records than this, counts might not be exact in every engine
MOST_RECORDS = 10**12


@dataclass(frozen=True)
class Candidate:
    """One mechanism as the planner saw it: its forecast, or why it does not fit and what to do about it."""

    name: str
    about: str
    forecast: Ahead | None
    cost: Budget | None
    unfit: str | None = None
    advice: str | None = None

    def refusal(self, where: str) -> PlanError:
        """Return what to tell somebody who asked for a mechanism that does not fit."""
        return PlanError(f"does not fit: {self.unfit}", where=where, advice=self.advice)


@dataclass(frozen=True, repr=False)
class Plan(ABC):
    """What `measure` will do, fixed before any data are opened.

    Attributes:
        schema: the public facts about the table
        model: the model with its prior
        mechanism: the release law
        neighbours: the neighbour relation of the guarantee
        records: number of units: exact under replace-one, the largest possible one otherwise
        candidates: what the planner compared; not part of the plan's identity
        choice: why this mechanism; likewise
        expect: what the truth is expected to look like, for forecasts alone; likewise
        group: the part of the table that is counted; None for all of it
    """

    schema: Schema
    model: Model
    mechanism: AnyMechanism
    neighbours: Neighbours
    records: int
    candidates: tuple[Candidate, ...] = field(default=(), compare=False)
    choice: str = field(default="", compare=False)
    expect: Expect = field(default=Expect.TYPICAL, compare=False)
    group: Group | None = None

    def __post_init__(self) -> None:
        check_records(self.records, self.schema)
        self._check()
        if self.group is not None:
            self.group.check(self.schema, self.model, self.neighbours)

    @abstractmethod
    def _check(self) -> None:
        """Refuse a mechanism that is for another model, schema or number of records."""

    @property
    def guarantee(self) -> Guarantee:
        """What is promised, whatever the data."""
        return replace(self.mechanism.guarantee, unit=self.schema.unit.noun)

    @property
    def replacing(self) -> Guarantee:
        """What is promised about all groups together if a record is replaced."""
        return replace(self.mechanism.replacing, unit=self.schema.unit.noun)

    @property
    def cost(self) -> Budget:
        """What a ledger will be charged."""
        return self.guarantee.cost

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What a ledger charges one by one."""
        return (self.guarantee,)

    @property
    def members(self) -> tuple[Plan, ...]:
        """The plan of each release: itself."""
        return (self,)

    @property
    def released(self) -> Self:
        """The plan as a release says it."""
        return self

    @property
    def digests(self) -> tuple[str, ...]:
        """The digest of each release's plan."""
        return (self.digest,)

    @property
    def about(self) -> str:
        """What is bought, in words."""
        where = "" if self.group is None else f" where {self.group}"
        return f"{self.model} by {self.mechanism.name}{where}"

    @property
    @abstractmethod
    def by(self) -> tuple[str, ...]:
        """The columns whose cells divide the records: the group's first."""

    @property
    @abstractmethod
    def summands(self) -> tuple[Summand, ...]:
        """What each record adds to the statistics of its cell."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        read = [column for summand in self.summands for column in summand.columns]
        return tuple(dict.fromkeys((*self.by, *read)))

    @property
    def reading(self) -> Reading:
        """The columns that are read, those whose levels make cells, and what is summed: all of a table."""
        return self.columns, self.by, self.summands

    @abstractmethod
    def statistics(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return this plan's statistics from the sums of all cells, one row a cell."""

    @property
    def total_public(self) -> bool:
        """Whether the statistics sum to the public number of records."""
        return self.mechanism.sensitivity.total_fixed

    @property
    @abstractmethod
    def forecast(self) -> Ahead:
        """How far from the truth the release will typically be."""

    @property
    @abstractmethod
    def without_release(self) -> Ahead:
        """How far from the truth publishing the prior alone would be."""

    @property
    @abstractmethod
    def without_noise(self) -> Ahead:
        """How far from the truth publishing the true statistics would be: no epsilon can do better."""

    @abstractmethod
    def at(self, epsilon: object) -> Plan:
        """Return the plan of the same release with another epsilon."""

    def around(self, factors: Sequence[Fraction]) -> list[Plan]:
        """Return the plans whose epsilon is this one's times each factor, as far as they exist."""
        found = []
        for factor in factors:
            with suppress(PriviorError):
                found.append(self.at(self.mechanism.epsilon * factor))
        return found

    @property
    def records_in_words(self) -> str:
        """What is known about the number of records."""
        unit = self.schema.unit
        if self.neighbours is not REPLACE_ONE:
            return f"at most {self.records} {unit.noun}s; the number stays private"
        rows = (
            ""
            if unit.max_rows == 1
            else f", up to {unit.max_rows} rows each; the number of rows stays private"
        )
        return f"exactly {self.records} {unit.noun}s, which is public{rows}"

    @property
    def bad_cells_in_words(self) -> str:
        """Where missing, unknown and unparseable cells go."""
        columns = {name: self.schema.column(name) for name in self.model.columns}
        codes = {name: column.missing_code for name, column in columns.items()}
        return "; ".join(
            f"{name}: left out" if code is None else f"{name}: counted as {columns[name].labels[code]}"
            for name, code in codes.items()
        )

    def to_document(self) -> dict[str, object]:
        """Write the plan as plain values: what a release says about how it was made."""
        group = {} if self.group is None else {"group": self.group.to_document()}
        return {
            **group,
            "schema": self.schema.to_document(),
            "model": self.model.to_document(),
            "mechanism": self.mechanism.to_document(),
            "neighbours": self.neighbours.value,
            "records": self.records,
        }

    @staticmethod
    def from_document(document: object) -> Plan:
        """Read what `to_document` wrote, building every part anew so that each checks itself."""
        if not isinstance(document, dict) or set(document) - {"group"} != {
            "schema",
            "model",
            "mechanism",
            "neighbours",
            "records",
        }:
            raise PlanError("not a plan, or one with unknown or missing entries", where="plan")
        from privior.plans.family_plan import summed_plan
        from privior.plans.finite_plan import FinitePlan
        from privior.plans.table_plan import TablePlan

        schema, model = Schema.from_document(document["schema"]), to_model(document["model"])
        rest = (Neighbours.of(document["neighbours"]), document["records"])
        _check_counted(document["mechanism"])
        group = Group.from_document(document["group"]) if "group" in document else None
        if isinstance(model, SummedModel):
            law = to_family_mechanism(document["mechanism"], model, schema)
            return summed_plan(schema, model, law, *rest, group=group)
        if isinstance(model, FiniteFamily):
            made = to_finite_mechanism(document["mechanism"], model)
            return FinitePlan(schema, model, made, *rest, group=group)
        return TablePlan(schema, model, to_mechanism(document["mechanism"]), *rest, group=group)

    @property
    def digest(self) -> str:
        """SHA-256 of the plan's canonical bytes; two plans are the same exactly if these are."""
        canonical = json.dumps(self.to_document(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def __repr__(self) -> str:
        facts = f"{self.mechanism.name}, {self.cost}, {self.neighbours}, {self.records} records"
        return f"<plan: {self.model}, {facts}>"

    @property
    @abstractmethod
    def model_in_words(self) -> str:
        """The model, and how much it learns."""

    def further_facts(self) -> list[tuple[str, str]]:
        """Say what else is declared or used."""
        return []

    def facts(self) -> list[tuple[str, str]]:
        """Say what will be done and promised, as named facts."""
        unit = self.schema.unit
        return [
            ("population", f"{self.schema.population}, protecting {unit}"),
            ("model", self.model_in_words),
            *([] if self.group is None else [("group", f"only records with {self.group}")]),
            ("records", self.records_in_words),
            *self.further_facts(),
            ("mechanism", f"{self.mechanism.name}: {self.mechanism.about}"),
            ("guarantee", str(self.guarantee)),
            ("that is", self.guarantee.claim()),
            ("bad cells", self.bad_cells_in_words),
        ]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What somebody should know before she spends: a prior that drowns the data, a weak promise."""
        return tuple(outlook.warnings(self))

    @property
    def effort(self) -> Effort | None:
        """What inference will take, where that may be much."""
        return None

    @property
    def slow(self) -> bool:
        """Whether planning with another epsilon takes seconds."""
        return False

    @property
    @abstractmethod
    def drowned(self) -> str:
        """What to say if the prior is stronger than all records together; nothing if it is not."""

    @property
    @abstractmethod
    def first_question(self) -> str:
        """What somebody will ask a release first."""

    @property
    @abstractmethod
    def remedy(self) -> str:
        """What makes such a release more informative, in words."""

    @property
    @abstractmethod
    def error_in_words(self) -> str:
        """What the error of a forecast is, for the head of a column."""

    @property
    @abstractmethod
    def width_in_words(self) -> str:
        """What the forecast width is the width of."""

    def comparison(self) -> outlook.Table:
        """Return header and rows of what the planner compared, with publishing nothing as the last row."""
        return outlook.comparison(self)

    def nearby(self) -> list[Plan]:
        """Return the same release with budgets from a quarter to four times this one."""
        return list(self._nearby)

    @cached_property
    def _nearby(self) -> list[Plan]:
        return self.around(outlook.BUDGETS)

    def budgets(self) -> outlook.Table:
        """Return header and rows of what smaller and larger budgets would buy with this mechanism."""
        return outlook.budgets(self)

    def picture(self) -> ErrorCurve:
        """Draw the expected width of the intervals against epsilon, with what was chosen."""
        return outlook.curve(self)

    def plot(self) -> Figure:
        """Return the curve of the expected interval width against epsilon."""
        return self.picture().figure()

    def _repr_html_(self) -> str:
        compared = [markup.table(*self.comparison(), numeric=range(1, 8)), markup.element("p", self.choice)]
        return markup.fragment(
            markup.facts(self.facts()),
            *(markup.element("p", warning, class_="warning") for warning in self.warnings),
            *(compared if self.candidates else []),
            self.picture().html(),
        )

    def __str__(self) -> str:
        lines = listing.facts(self.facts())
        if self.candidates:
            lines += ["", *listing.table(*self.comparison()), "", self.choice]
        lines += [f"NOTE: {warning}" for warning in self.warnings]
        return "\n".join(lines)


def _check_counted(mechanism: object) -> None:
    """Refuse a mechanism for more records than a plan can have before its law is looked at.

    That costs more the more there are, and does not end at some number (T40).
    """
    records = mechanism.get("records") if isinstance(mechanism, dict) else None
    if isinstance(records, int) and records > MOST_RECORDS:
        raise PlanError("too many records", where="mechanism", asked=shown(records), allowed=MOST_RECORDS)


def check_records(records: int, schema: Schema) -> None:
    """Refuse a number of records that is none, or that integers in some engine cannot count (T04)."""
    if isinstance(records, bool) or not isinstance(records, int) or records < 1:
        raise PlanError("records is not a positive whole number", asked=shown(records))
    if records * schema.unit.max_rows > MOST_RECORDS:
        raise PlanError("too many records", asked=shown(records), allowed=MOST_RECORDS)
