"""T39: guarantees of different kinds, chosen one after the other, are added up as if they were of one kind.

Others: an epsilon that is taken for a mu; the best order of each release, where one order must hold for all;
a guarantee whose curve is only almost its own; the cheaper of two sums, so that the order changes the total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import ceil, inf, log, sqrt
from pathlib import Path
from typing import Protocol

from orchard import planned
from till import granted
from twins import against

import privior as pv
from privior.privacy import NOTHING, Guarantee
from privior.schema import Schema

EPSILON, DELTA = Fraction(1), Fraction(1, 10**5)
PLAN = planned()
PURE = planned(epsilon="0.05").guarantee
GAUSSIAN = planned(epsilon="0.2", delta="1e-7", mechanism=pv.GaussianCounts).guarantee
#: within a total variation of a pure one: has no curve but (epsilon, delta)
ALMOST = PURE.within("6e-6")
MOST = 60


class System(Protocol):
    def charge(self, guarantees: Sequence[Guarantee]) -> tuple[list[bool], object]:
        """Open a budget of (1, 1e-5), spend in this order, and return what was granted, and the sum."""


def attack(system: System) -> None:
    """Spend the same in every order; then as much as goes of each kind, and compose that exactly."""
    few = (PURE, PURE, GAUSSIAN, GAUSSIAN)
    sums = {str(system.charge(order)) for order in set(permutations(few))}
    assert len(sums) == 1, "the order changes what is spent"
    for kinds in ((PURE,), (ALMOST,), (GAUSSIAN,), (ALMOST, PURE, GAUSSIAN)):
        wanted = list(kinds) * ceil(MOST / len(kinds))
        grants, _ = system.charge(wanted)
        kept = [guarantee for guarantee, fine in zip(wanted, grants, strict=True) if fine]
        if kept:
            exact = Guarantee.together(kept).delta(EPSILON)
            assert exact <= DELTA, f"{len(kept)} releases have delta {exact:.2g} at the cap's epsilon"
    assert kept, "nothing is granted"


@dataclass(frozen=True)
class Bought:
    """A guarantee as a ledger is charged for it; all else is that of some plan."""

    guarantee: Guarantee
    schema: Schema = PLAN.schema
    neighbours: pv.Neighbours = PLAN.neighbours
    digests: tuple[str, ...] = PLAN.digests
    about: str = PLAN.about
    declared: bool = False

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return (self.guarantee,)

    @property
    def cost(self) -> pv.Budget:
        return self.guarantee.cost


class Privior:
    kind = "basic"
    aside = NOTHING

    def __init__(self, folder: Path) -> None:
        pass

    def charge(self, guarantees: Sequence[Guarantee]) -> tuple[list[bool], object]:
        ledger = pv.Ledger.in_memory(
            population="orchard", epsilon=EPSILON, delta=DELTA, accounting=self.kind, aside=self.aside
        )
        grants = [granted(lambda one=one: ledger.spend(Bought(one))) for one in guarantees]  # type: ignore[misc]
        return grants, ledger.verify().total


class PriviorGaussian(Privior):
    """Has no place for discrete Gaussian noise, nor for what is almost pure, but aside."""

    kind, aside = "gaussian", pv.Budget.of("0.5", "7e-6")


class PriviorConcentrated(Privior):
    """Nothing is put aside: what it has no place for is refused."""

    kind = "concentrated"


class PriviorRenyi(Privior):
    kind, aside = "renyi", pv.Budget.of("0.5", "7e-6")


class EpsilonIsMu:
    """Adds squares, as one does for Gaussian noise, whatever the guarantee."""

    def __init__(self, folder: Path) -> None:
        pass

    def charge(self, guarantees: Sequence[Guarantee]) -> tuple[list[bool], object]:
        total, grants = self.nothing, []
        for guarantee in guarantees:
            more = self.add(total, guarantee)
            grants.append(self.epsilon(more) <= EPSILON)
            total = more if grants[-1] else total
        return grants, self.shown(total)

    nothing: tuple[Fraction, ...] = (Fraction(0),)

    def add(self, total: tuple[Fraction, ...], guarantee: Guarantee) -> tuple[Fraction, ...]:
        return (total[0] + guarantee.cost.epsilon**2,)

    def epsilon(self, total: tuple[Fraction, ...]) -> float:
        return sqrt(total[0])

    def shown(self, total: tuple[Fraction, ...]) -> object:
        return total


class BestOrders(EpsilonIsMu):
    """Charges each release at the order that is best for it, and converts at the one that is best for all."""

    orders = (2, 8, 64)

    def add(self, total: tuple[Fraction, ...], guarantee: Guarantee) -> tuple[Fraction, ...]:
        best = min(guarantee.renyi(order) for order in self.orders)
        if best == inf:
            best = float(guarantee.cost.epsilon)
        return (total[0] + Fraction(best),)

    def epsilon(self, total: tuple[Fraction, ...]) -> float:
        return float(total[0]) + log(1 / DELTA) / (max(self.orders) - 1)


class AlmostItsOwn(EpsilonIsMu):
    """Sums rho by the book, of the law that the sampler is meant to have."""

    def add(self, total: tuple[Fraction, ...], guarantee: Guarantee) -> tuple[Fraction, ...]:
        rho = guarantee.pair.rho
        return (total[0] + (guarantee.cost.epsilon if rho is None else rho),)

    def epsilon(self, total: tuple[Fraction, ...]) -> float:
        return float(total[0]) + 2 * sqrt(total[0] * log(1 / DELTA))


class CheaperSum(AlmostItsOwn):
    """Has two sums, and after each release goes on with the cheaper one."""

    nothing = (Fraction(0), Fraction(0))

    def add(self, total: tuple[Fraction, ...], guarantee: Guarantee) -> tuple[Fraction, ...]:
        (rho,) = super().add(total[:1], guarantee)
        simple = total[1] + guarantee.cost.epsilon
        return rho, min(simple, Fraction(super().epsilon((rho,))))

    def epsilon(self, total: tuple[Fraction, ...]) -> float:
        return float(total[1])


test_t39_compositions = against(attack)(
    privior={
        "basic": Privior,
        "gaussian": PriviorGaussian,
        "concentrated": PriviorConcentrated,
        "renyi": PriviorRenyi,
    },
    twins={
        "epsilon is mu": EpsilonIsMu,
        "best orders": BestOrders,
        "almost its own": AlmostItsOwn,
        "cheaper sum": CheaperSum,
    },
)
