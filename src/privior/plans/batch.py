"""Batches: several plans for one table, quoted and charged together, all or nothing.

Costs add up. With `by`, every plan is carried out in each group of a column. The groups are disjoint and a
unit has one record, so adding or removing one changes one group alone: all groups cost what one costs
(parallel composition). Under replace-one a record may leave one group and enter another, two groups change,
and all of them cost what removing one and adding one costs, or less where the mechanism says so
(`replacing`). Group sizes are private in any case, so that plans by group are made under add-or-remove-one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from privior.errors import PlanError, shown
from privior.pictures import listing, markup
from privior.plans.group import Group
from privior.plans.plan import Plan
from privior.privacy import ADD_OR_REMOVE_ONE, NOTHING, REPLACE_ONE, Budget, Guarantee, Neighbours
from privior.schema import Schema

#: releases of one batch
MOST_RELEASES = 10_000


@dataclass(frozen=True, repr=False)
class Batch:
    """Plans that are charged together.

    Attributes:
        plans: what to release, from the whole table or from each group
        by: the column whose levels are the groups; None for the whole table
        neighbours: the relation of the guarantee for all of it
    """

    plans: tuple[Plan, ...]
    by: str | None
    neighbours: Neighbours

    @staticmethod
    def of(
        plans: Sequence[Plan], *, by: str | None = None, neighbours: Neighbours | str | None = None
    ) -> Batch:
        """Put plans together.

        Args:
            plans: plans with one schema and one neighbour relation
            by: carry each of them out in every group of this column
            neighbours: the relation to charge; that of the plans unless groups are charged under replace-one
        """
        given = tuple(plans)
        if not given or not all(isinstance(plan, Plan) for plan in given):
            raise PlanError("a batch holds plans, one or more", asked=shown(plans))
        relation = given[0].neighbours if neighbours is None else Neighbours.of(neighbours)
        return Batch(given, by, relation)

    def __post_init__(self) -> None:
        first = self.plans[0]
        if any(plan.schema != first.schema for plan in self.plans):
            raise PlanError("the plans of a batch have different schemas", where="batch")
        if any(plan.neighbours is not first.neighbours for plan in self.plans):
            raise PlanError(
                "the plans of a batch have different neighbour relations",
                where="batch",
                asked=", ".join(dict.fromkeys(str(plan.neighbours) for plan in self.plans)),
                advice="Plan all of them under one: neighbours=ADD_OR_REMOVE_ONE or neighbours=REPLACE_ONE.",
            )
        if self.by is None and self.neighbours is not first.neighbours:
            raise PlanError(
                "a batch of whole tables has the neighbour relation of its plans",
                where="batch",
                asked=self.neighbours,
                allowed=first.neighbours,
            )
        if self.by is not None and any(plan.group is not None for plan in self.plans):
            raise PlanError("a plan of one group cannot be divided into others", where="batch", asked=self.by)
        if self.neighbours not in (ADD_OR_REMOVE_ONE, REPLACE_ONE):
            raise PlanError("no such neighbour relation for groups", asked=self.neighbours)
        if len(self.members) > MOST_RELEASES:
            many = len(self.members)
            raise PlanError("too many releases", where="batch", asked=many, allowed=MOST_RELEASES)

    @property
    def schema(self) -> Schema:
        """The public facts about the table."""
        return self.plans[0].schema

    @cached_property
    def members(self) -> tuple[Plan, ...]:
        """The plan of each release: group by group, in the schema's order."""
        if self.by is None:
            return self.plans
        return tuple(
            replace(plan, group=group) for group in Group.all_by(self.by, self.schema) for plan in self.plans
        )

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What a ledger charges: groups together cost what one does, or two under replace-one."""
        if self.by is None or self.neighbours is ADD_OR_REMOVE_ONE:
            return tuple(plan.guarantee for plan in self.plans)
        return tuple(plan.replacing for plan in self.plans)

    @property
    def declared(self) -> bool:
        """Whether any of the guarantees is declared by code outside privior."""
        return any(plan.declared for plan in self.plans)

    @property
    def cost(self) -> Budget:
        """What all releases cost together."""
        return sum((guarantee.cost for guarantee in self.guarantees), start=NOTHING)

    @property
    def digests(self) -> tuple[str, ...]:
        """The digest of each release's plan."""
        return tuple(plan.digest for plan in self.members)

    @property
    def about(self) -> str:
        """What is bought, in words."""
        where = "" if self.by is None else f" in each group by {self.by}"
        return "; ".join(plan.about for plan in self.plans) + where

    def __repr__(self) -> str:
        return f"<batch of {len(self.members)} releases: {self.about}, {self.cost}>"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of what is released."""
        return ["release", "group", "model", "mechanism", "epsilon", "delta"], [
            [
                str(number),
                "" if plan.group is None else str(plan.group),
                str(plan.model),
                plan.mechanism.name,
                *plan.cost.to_document().values(),
            ]
            for number, plan in enumerate(self.members, 1)
        ]

    def facts(self) -> list[tuple[str, str]]:
        """Say what will be done and charged, as named facts."""
        groups = [] if self.by is None else [("groups", self._groups_in_words)]
        declared = dict.fromkeys(plan.mechanism.declaration for plan in self.plans if plan.declared)
        return [
            ("population", f"{self.schema.population}, protecting {self.schema.unit}"),
            ("releases", str(len(self.members))),
            *groups,
            ("cost", f"{self.cost} together, under {self.neighbours}"),
            *(("declared", words) for words in declared),
        ]

    @property
    def _groups_in_words(self) -> str:
        size = self.schema.column(self.by or "").size
        one = "one record is in one of them, so that all cost what one costs"
        two = "a replaced record may leave one and enter another, so that all cost what two cost"
        return f"{size} by {self.by}: {one if self.neighbours is ADD_OR_REMOVE_ONE else two}"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.facts(self.facts()), markup.table(*self.table(), numeric=(4, 5)))

    def __str__(self) -> str:
        return "\n".join([*listing.facts(self.facts()), "", *listing.table(*self.table())])
