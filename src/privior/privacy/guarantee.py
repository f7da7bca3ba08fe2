"""Guarantees: what a mechanism promises, to whom, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from privior.checks import whole_number
from privior.errors import NumberError, PlanError, shown
from privior.exact import decimal, rational, round_down, round_up, shortened_up
from privior.privacy.budget import NOTHING, Budget
from privior.privacy.curve import Curve
from privior.privacy.neighbours import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
from privior.privacy.pairs import DominatingPair, Within, both_orders
from privior.privacy.pairs.group import group

if TYPE_CHECKING:
    from privior.pictures import ErrorCurve


@dataclass(frozen=True)
class Guarantee:
    """A dominating pair under a neighbour relation, with the theorem that proves it.

    Attributes:
        pair: each two neighbours are dominated by the two laws of this pair, in one order or the other;
            under add-or-remove-one the first law has the unit
        neighbours: the relation between data sets
        cost: an (epsilon, delta) on the pair's curve, as a ledger is charged; exact or rounded up
        reason: the theorem
        unit: what neighbours differ by, in the singular
        sampler_error: how far, in total variation, the release may be from the one that the pair is about
    """

    pair: DominatingPair
    neighbours: Neighbours
    cost: Budget
    reason: str
    unit: str = "record"
    sampler_error: Fraction = Fraction(0)

    @staticmethod
    def on_curve(
        pair: DominatingPair,
        neighbours: Neighbours,
        reason: str,
        *,
        epsilon: object = None,
        delta: object = None,
    ) -> Guarantee:
        """Return the promise at this epsilon, or else at this delta, or else the pure one."""
        return Guarantee(pair, neighbours, NOTHING, reason).at(epsilon=epsilon, delta=delta)

    def at(self, *, epsilon: object = None, delta: object = None) -> Guarantee:
        """State the same promise at this epsilon, or else at this delta, or else the pure one."""
        if epsilon is not None:
            exact = rational(epsilon, "epsilon")
            return replace(self, cost=Budget(exact, shortened_up(Fraction(self.delta(round_down(exact))))))
        if delta is not None and rational(delta, "delta") > 0:
            found, chance = self.epsilon(delta), rational(delta, "delta")
        elif self.pure is not None:
            return replace(self, cost=Budget(shortened_up(self.pure)))
        else:
            found, chance = math.inf, Fraction(0)
        if math.isinf(found):
            raise NumberError(
                "the loss has no bound: this promise is never pure",
                asked=self.reason,
                advice="Give delta > 0, or an epsilon.",
            )
        return replace(self, cost=Budget(shortened_up(Fraction(found)), chance))

    # ---- what it implies ----------------------------------------------------------------------------------

    @cached_property
    def worst(self) -> DominatingPair:
        """The worse of both orders at each epsilon, sampler error included.

        Whoever attacks may stand on either side, so every promise is about this pair.
        """
        both = both_orders(self.pair)
        return Within(both, self.sampler_error) if self.sampler_error else both

    @cached_property
    def curve(self) -> Curve:
        """The curve of the worse order."""
        return Curve(self.worst)

    @property
    def pure(self) -> Fraction | None:
        """The largest possible privacy loss; None if it is unbounded."""
        return self.worst.pure

    def delta(self, epsilon: object) -> float:
        """Return delta at this epsilon, from the exact curve, never rounded down."""
        return self.curve.delta(epsilon)

    def epsilon(self, delta: object = 0) -> float:
        """Return the smallest epsilon for this delta, never rounded down; infinite if there is none."""
        return self.curve.epsilon(delta)

    def slack(self, epsilon: float) -> float:
        """Bound how far discretisation may have put delta above the exact composition; 0 for closed forms.

        The curves of the parts count as exact.
        """
        from privior.privacy.composition import slack

        return slack(both_orders(self.pair), epsilon)

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of this order above 0, never rounded down; it may be infinite."""
        if not order > 0:
            raise NumberError("an order is a number above 0", asked=shown(order))
        return self.worst.renyi(order)

    @property
    def gdp(self) -> float:
        """The mu of a Gaussian guarantee, rounded up; only Gaussian pairs have one."""
        mu = self.worst.mu
        if mu is not None:
            return mu
        raise NumberError("no Gaussian curve bounds this one tightly: it has no mu", asked=self.reason)

    @property
    def zcdp(self) -> Fraction:
        """The smallest known rho: divergences of every order a are at most a rho."""
        rho = self.worst.rho
        if rho is not None:
            return rho
        raise NumberError("divergences of high order are infinite: there is no rho", asked=self.reason)

    def trade_off(self, alpha: float) -> float:
        """Bound from below the chance of a missed detection of any test with this chance of a false alarm."""
        return self.curve.trade_off(alpha)

    def attacker_accuracy(self, prior: float = 0.5) -> float:
        """Bound the chance that the best guess is right, if one neighbour has this prior probability."""
        return self.curve.attacker_accuracy(prior)

    def attacker_belief(self, prior: float = 0.5) -> float | None:
        """Bound the belief to which a pure guarantee lets a prior belief rise; None if it is not pure."""
        return self.curve.attacker_belief(prior)

    @property
    def attacker_percent(self) -> float:
        """Where a 50:50 belief ends at most or, if none is bounded, how often the best guess is right."""
        belief = self.attacker_belief()
        return math.ceil((self.attacker_accuracy() if belief is None else belief) * 1000) / 10

    def pictures(self) -> tuple[ErrorCurve, ErrorCurve]:
        """Draw delta against epsilon, and the trade-off between missed detections and false alarms."""
        return self.curve.pictures(self.reason)

    # ---- several together ---------------------------------------------------------------------------------

    @staticmethod
    def together(parts: Sequence[Guarantee]) -> Guarantee:
        """Compose releases about the same people that are all planned before the first is made.

        The cost is stated at the largest delta of the parts or, if the whole has no epsilon there, at the sum
        of their epsilons. Releases that are chosen in the light of earlier ones need a filter (`filters`).
        """
        return _together([(part, 1) for part in parts])

    def __add__(self, other: Guarantee) -> Guarantee:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return Guarantee.together([self, other])

    def __mul__(self, times: int) -> Guarantee:
        """Compose so many releases by the same mechanism from the same data, planned before the first."""
        return _together([(self, times)])

    __rmul__ = __mul__

    def within(self, distance: object) -> Guarantee:
        """Return what is promised if the sampler is within this total variation of its law, for all data."""
        exact = rational(distance, "distance")
        if not 0 <= exact <= 1:
            raise NumberError("a total variation is out of range", asked=shown(distance), allowed="0 to 1")
        farther = replace(self, sampler_error=min(self.sampler_error + exact, Fraction(1)))
        return _restated(farther, self.cost.epsilon)

    # ---- other neighbours ---------------------------------------------------------------------------------

    def for_units(self, unit: str, most: int) -> Guarantee:
        """Return what is promised to a unit (a person, say) with up to `most` of what is protected now.

        Under replace-one the number of records is public: a unit's are replaced by as many others.
        """
        whole_number(most, "most", what="not a number of records")
        pair = self.pair if self.neighbours is ADD_OR_REMOVE_ONE else both_orders(self.pair)
        reason = self.reason if most == 1 else f"{self.reason}; groups of up to {most} {self.unit}s"
        made = replace(self, pair=group(pair, most), unit=unit, reason=reason)
        return _restated(made, most * self.cost.epsilon)

    def replacing(self) -> Guarantee:
        """Return what add-or-remove-one implies for replace-one: one is removed, then one is added."""
        if self.neighbours is REPLACE_ONE:
            return self
        pair = group(both_orders(self.pair), 2)
        reason = f"{self.reason}; replaced: one removed, one added"
        made = replace(self, pair=pair, neighbours=REPLACE_ONE, reason=reason)
        return _restated(made, 2 * self.cost.epsilon)

    # ---- words --------------------------------------------------------------------------------------------

    def claim(self) -> str:
        """Say in words what somebody who knows all other records can still learn about one unit."""
        added = self.neighbours is ADD_OR_REMOVE_ONE
        change = (
            f"whether one {self.unit} is included"
            if added
            else f"which of two contributions one {self.unit} made"
        )
        if self.pure is not None:
            start = f"Somebody who knows everything else and is unsure (50%) {change}"
            return f"{start} ends at most {self.attacker_percent:g}% sure, whatever comes out."
        return (
            f"Somebody who knows everything else and guesses {change} is right with probability at most "
            f"{self.attacker_percent:g}% (50% without the release), on average over what may come out; "
            "unlike under a pure guarantee, a rare outcome may tell more."
        )

    def to_document(self) -> dict[str, object]:
        """Write what is promised as plain values, for JSON; `exact` holds the amounts as exact text."""
        return {
            "epsilon": _number(self.cost.epsilon),
            "delta": _number(self.cost.delta),
            "exact": self.cost.to_document(),
            "pure": self.pure is not None,
            "neighbours": self.neighbours.value,
            "unit": self.unit,
            "reason": self.reason,
            "attacker_belief": self.attacker_belief(),
            "attacker_accuracy": self.attacker_accuracy(),
        }

    def __str__(self) -> str:
        exactness = "pure" if self.cost.delta == 0 else f"delta {decimal(self.cost.delta)}"
        return f"epsilon {decimal(self.cost.epsilon)} ({exactness}), {self.neighbours}: {self.reason}"


def _together(parts: Sequence[tuple[Guarantee, int]]) -> Guarantee:
    if not parts:
        raise PlanError("there is nothing to compose", where="guarantee")
    first = parts[0][0]
    for part, _ in parts:
        for name, one, other in (
            ("neighbour relations", first.neighbours.value, part.neighbours.value),
            ("units of protection", first.unit, part.unit),
        ):
            if one != other:
                raise PlanError(
                    f"guarantees for different {name} do not add up",
                    where="guarantee",
                    asked=f"{one} and {other}",
                    advice="Convert one first: replacing() makes replace-one of add-or-remove-one, for_units("
                    "...) speaks of larger units.",
                )
    from privior.privacy.composition import compose_ordered, compose_symmetric

    compose = compose_ordered if first.neighbours is ADD_OR_REMOVE_ONE else compose_symmetric
    pair = compose([(part.pair, times) for part, times in parts])
    error = sum((times * part.sampler_error for part, times in parts), start=Fraction(0))
    reasons = [part.reason if times == 1 else f"{times} times {part.reason}" for part, times in parts]
    made = replace(first, pair=pair, reason=" + ".join(reasons), sampler_error=min(error, Fraction(1)))
    try:
        return made.at(delta=max(part.cost.delta for part, _ in parts))
    except NumberError:
        return made.at(epsilon=sum(times * part.cost.epsilon for part, times in parts))


def _restated(guarantee: Guarantee, epsilon: Fraction) -> Guarantee:
    """State the pure promise if what it was made of was pure, or else the one at this epsilon."""
    pure = guarantee.cost.delta == 0 and guarantee.pure is not None
    return guarantee.at() if pure else guarantee.at(epsilon=epsilon)


def _number(exact: Fraction) -> int | float:
    """Return a whole number as such, and any other one as a float that is not below it."""
    return exact.numerator if exact.denominator == 1 else round_up(exact)
