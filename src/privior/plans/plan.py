"""The plan: model, mechanism and guarantee for one release, as a value with canonical bytes. No data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from privior.checks import is_whole
from privior.errors import PlanError, PriviorError, shown
from privior.forecasting import Expect, forecaster
from privior.mechanisms import Asked, to_mechanism
from privior.models import MOST_SUM, ExactRecords, ExactStatistics, Factor, Model, Reading, Summand, to_model
from privior.plans import outlook, statement
from privior.plans.candidate import Candidate
from privior.plans.group import Group
from privior.privacy import Budget, Guarantee, Neighbours
from privior.registry import outside
from privior.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from privior.forecasting import Effort, Forecaster
    from privior.pictures import ErrorCurve

#: with more records than this, counts might not be exact in every engine
MOST_RECORDS = 10**12


@final
@dataclass(frozen=True, repr=False)
class Plan:
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
        believed: the model with the prior that is believed, where draws are made with another one; like
            `expect` for forecasts alone
    """

    schema: Schema
    model: Any  # a Model, of whatever kind
    mechanism: Any  # a Mechanism for it
    neighbours: Neighbours
    records: int
    candidates: tuple[Candidate, ...] = field(default=(), compare=False)
    choice: str = field(default="", compare=False)
    expect: Expect = field(default=Expect.TYPICAL, compare=False)
    group: Group | None = None
    believed: Model | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_records(self.records, self.schema)
        if not isinstance(self.model, self.mechanism.models):
            raise PlanError(f"not a mechanism for {self.model.family}", where=self.mechanism.name)
        needed = self.model.sensitivity(self.schema, self.neighbours)
        self._check_sums()
        self.mechanism.check(self.asked(Budget(self.mechanism.epsilon)))
        honoured = self.mechanism.sensitivity
        if honoured.l1 < needed.l1 or honoured.l2_squared < needed.l2_squared:
            raise PlanError(
                "the mechanism is for statistics that a unit moves less",
                where=self.mechanism.name,
                asked=f"L1 {honoured.l1}, squares {honoured.l2_squared}",
                allowed=f"L1 {needed.l1}, squares {needed.l2_squared}, or more",
            )
        if self.group is not None:
            self.group.check(self.schema, self.model, self.neighbours)

    def _check_sums(self) -> None:
        """Refuse sums that some engine could not hold, and fewer records than the model needs."""
        for one in self.summands:
            if type(one) is not Summand or any(type(factor) is not Factor for factor in one.factors):
                raise PlanError("what a record adds is no Summand of privior", where=self.model.family)
        farthest = max(abs(end) for one in self.summands for end in one.bounds(self.schema))
        rows = self.records * self.schema.unit.max_rows
        if rows * farthest >= MOST_SUM:
            raise PlanError(
                "the sum of so many records might not be exact in every engine",
                where=", ".join(self.model.columns),
                asked=f"{rows} records that add up to {farthest} each",
                allowed=f"{MOST_SUM // farthest - 1} records",
                advice="Give the column a coarser grid.",
            )
        if self.records < self.model.least_records:
            raise PlanError(
                "too few records for this family",
                where=self.model.family,
                asked=f"{self.records} records",
                allowed=f"{self.model.least_records} records or more",
            )

    def asked(self, budget: Budget) -> Asked:
        """Return what this mechanism would be asked for at a budget."""
        options = self.mechanism.taken
        return Asked(self.model, self.schema, self.records, self.neighbours, budget, options)

    # What is promised

    @property
    def guarantee(self) -> Guarantee:
        """What is promised, whatever the data."""
        promised: Guarantee = self.mechanism.guarantee
        return replace(promised, unit=self.schema.unit.noun)

    @property
    def replacing(self) -> Guarantee:
        """What is promised about all groups together if a record is replaced."""
        promised: Guarantee = self.mechanism.replacing
        return replace(promised, unit=self.schema.unit.noun)

    @property
    def declared(self) -> bool:
        """Whether the guarantee rests on code outside privior, which nobody here has proved."""
        return bool(
            self.mechanism.declared or any(outside(type(one)) for one in (self.model, *self.model.parts))
        )

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
    def released(self) -> Plan:
        """The plan as a release says it: whoever reads it may believe something else."""
        return self if self.believed is None else replace(self, believed=None)

    @property
    def digests(self) -> tuple[str, ...]:
        """The digest of each release's plan."""
        return (self.digest,)

    @property
    def about(self) -> str:
        """What is bought, in words."""
        where = "" if self.group is None else f" where {self.group}"
        return f"{self.model} by {self.mechanism.name}{where}"

    # What is read

    @cached_property
    def summands(self) -> tuple[Summand, ...]:
        """What each record adds to the statistics of its cell."""
        return tuple(self.model.summands(self.schema, self.neighbours))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(name for reading in self.readings for name in reading.columns))

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What is asked of the rows, divided by the group's column first."""
        within = () if self.group is None else (self.group.column,)
        return tuple(self.model.readings(self.schema, self.neighbours, within))

    def statistics(self, *answers: Any) -> ExactStatistics | ExactRecords:
        """Return this plan's statistics from the answers to its readings: private."""
        arrays = self.model.counted(answers)
        parts = arrays if self.group is None else [self.group.part(one, self.schema) for one in arrays]
        exact: ExactStatistics | ExactRecords = self.model.exact(parts)
        return exact

    @property
    def total_public(self) -> bool:
        """Whether the number of records follows from public facts, so that each is counted as planned."""
        return bool(self.mechanism.sensitivity.total_fixed)

    # What can be expected

    @property
    def inferred(self) -> Model:
        """The model with the prior that forecasts take readers to infer with."""
        inferred: Model = self.believed or self.model
        return inferred

    @cached_property
    def forecaster(self) -> Forecaster:
        """What forecasts this release, and others of the same."""
        return forecaster(self.inferred, self.schema, self.expect)

    @property
    def typical_records(self) -> int:
        """For how many records forecasts are."""
        return self.forecaster.typical_records(self.records, self.neighbours)

    @cached_property
    def forecast(self) -> Any:
        """How far from the truth the release will typically be."""
        return self.forecaster.ahead(self.typical_records, self.mechanism)

    @cached_property
    def without_release(self) -> Any:
        """How far from the truth publishing the prior alone would be."""
        return self.forecaster.nothing(self.typical_records)

    @cached_property
    def without_noise(self) -> Any:
        """How far from the truth publishing the true statistics would be: no epsilon can do better."""
        return self.forecaster.ahead(self.typical_records, None)

    @property
    def effort(self) -> Effort | None:
        """What inference will take, where that may be much."""
        return self.forecaster.effort(self.typical_records, self.mechanism)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to mind of the forecast before one spends."""
        return self.forecaster.cautions(self.typical_records, self.mechanism)

    def at(self, epsilon: object) -> Plan:
        """Return the plan of the same release with another epsilon."""
        mechanism = self.mechanism.at(self.asked(Budget.of(epsilon, self.cost.delta)))
        return replace(self, mechanism=mechanism, candidates=(), choice="")

    def around(self, factors: Sequence[Fraction]) -> list[Plan]:
        """Return the plans whose epsilon is this one's times each factor, as far as they exist."""
        found = []
        for factor in factors:
            with suppress(PriviorError):
                found.append(self.at(self.mechanism.epsilon * factor))
        return found

    # Words

    @property
    def records_in_words(self) -> str:
        """What is known about the number of records."""
        return statement.records(self)

    @property
    def bad_cells_in_words(self) -> str:
        """Where missing, unknown and unparseable cells go."""
        return statement.bad_cells(self)

    @property
    def moved_in_words(self) -> str:
        """Between what bounds numbers and days are counted; what lies outside is moved there."""
        return statement.moved(self)

    # Files

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
        entries = {"schema", "model", "mechanism", "neighbours", "records"}
        if not isinstance(document, dict) or set(document) - {"group"} != entries:
            raise PlanError("not a plan, or one with unknown or missing entries", where="plan")
        schema, model = Schema.from_document(document["schema"]), to_model(document["model"], stored=True)
        _check_counted(document["mechanism"])
        return Plan(
            schema,
            model,
            to_mechanism(document["mechanism"], model, schema),
            Neighbours.of(document["neighbours"]),
            document["records"],
            group=Group.from_document(document["group"]) if "group" in document else None,
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the plan's canonical bytes; two plans are the same exactly if these are."""
        canonical = json.dumps(self.to_document(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def __repr__(self) -> str:
        facts = f"{self.mechanism.name}, {self.cost}, {self.neighbours}, {self.records} records"
        return f"<plan: {self.model}, {facts}>"

    def facts(self) -> list[tuple[str, str]]:
        """Say what will be done and promised, as named facts."""
        return statement.facts(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What somebody should know before she spends: a prior that drowns the data, a weak promise."""
        return tuple(outlook.warnings(self))

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings, and what the schema leaves unsaid, which can be mended until something is spent."""
        return (*self.warnings, *outlook.unsaid(self))

    def comparison(self) -> outlook.TableOfWords:
        """Return header and rows of what the planner compared, with publishing nothing as the last row."""
        return outlook.comparison(self)

    def nearby(self) -> list[Plan]:
        """Return the same release with budgets from a quarter to four times this one."""
        return list(self._nearby)

    @cached_property
    def _nearby(self) -> list[Plan]:
        return self.around(outlook.BUDGETS)

    def budgets(self) -> outlook.TableOfWords:
        """Return header and rows of what smaller and larger budgets would buy with this mechanism."""
        return outlook.budgets(self)

    def picture(self) -> ErrorCurve:
        """Draw the expected width of the intervals against epsilon, with what was chosen."""
        return outlook.curve(self)

    def plot(self) -> Figure:
        """Return the curve of the expected interval width against epsilon."""
        return self.picture().figure()

    def _repr_html_(self) -> str:
        return statement.page(self)

    def __str__(self) -> str:
        return statement.text(self)


def _check_counted(mechanism: object) -> None:
    """Refuse a mechanism for more records than a plan can have before its law is looked at.

    That costs more the more there are, and does not end at some number (T40).
    """
    records = mechanism.get("records") if isinstance(mechanism, dict) else None
    if isinstance(records, int) and records > MOST_RECORDS:
        raise PlanError("too many records", where="mechanism", asked=shown(records), allowed=MOST_RECORDS)


def check_records(records: int, schema: Schema) -> None:
    """Refuse a number of records that is none, or that integers in some engine cannot count (T04)."""
    if not is_whole(records, 1):
        raise PlanError("records is not a positive whole number", asked=shown(records))
    if records * schema.unit.max_rows > MOST_RECORDS:
        raise PlanError("too many records", asked=shown(records), allowed=MOST_RECORDS)
