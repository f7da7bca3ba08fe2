"""Guarantees: what a mechanism promises, to whom, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from privior.errors import NumberError, shown
from privior.exact import decimal, rational, round_down, round_up
from privior.privacy.budget import Budget
from privior.privacy.neighbours import ADD_OR_REMOVE_ONE, Neighbours
from privior.privacy.pairs import DominatingPair


@dataclass(frozen=True)
class Guarantee:
    """A dominating pair under a neighbour relation, with the theorem that proves it.

    Attributes:
        pair: no two neighbours can be told apart better than the two laws of this pair
        neighbours: the relation between data sets
        cost: the (epsilon, delta) of the pair that a ledger charges; exact or rounded up
        reason: the theorem
    """

    pair: DominatingPair
    neighbours: Neighbours
    cost: Budget
    reason: str

    @property
    def pure(self) -> Fraction | None:
        """The largest possible privacy loss; None if it is unbounded."""
        return self.pair.pure

    def delta(self, epsilon: object) -> float:
        """Return delta at this epsilon, from the exact curve, never rounded down."""
        exact = rational(epsilon, "epsilon")
        return self.pair.delta(epsilon if isinstance(epsilon, float) else round_down(exact))

    def epsilon(self, delta: object = 0) -> float:
        """Return the smallest epsilon for this delta, never rounded down; infinite if there is none."""
        chance = rational(delta, "delta")
        if not 0 <= chance < 1:
            raise NumberError("delta is out of range", asked=shown(delta), allowed="0 to below 1")
        return self._epsilon(round_down(chance))

    def _epsilon(self, delta: float) -> float:
        pure = self.pure
        if delta == 0:
            return math.inf if pure is None else round_up(pure)
        if self.pair.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, 1.0
        while self.pair.delta(high) > delta:
            low, high = high, 2 * high
            if high > 1e9:
                return math.inf
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self.pair.delta(middle) > delta else (low, middle)
        return high if pure is None else min(high, round_up(pure))

    def attacker_accuracy(self) -> float:
        """Bound the chance that the best test between two equally likely neighbours is right."""
        return (1 + self.pair.delta(0.0)) / 2

    def attacker_belief(self, prior: float = 0.5) -> float | None:
        """Bound the belief to which a pure guarantee lets a prior belief rise; None if it is not pure."""
        if not 0 <= prior <= 1:
            raise NumberError("a belief is a probability", asked=shown(prior), allowed="0 to 1")
        if self.pure is None:
            return None
        return prior / (prior + (1 - prior) * math.exp(-round_up(self.pure)))

    @property
    def attacker_percent(self) -> float:
        """Where a 50:50 belief ends at most or, if none is bounded, how often the best guess is right."""
        belief = self.attacker_belief()
        return math.ceil((self.attacker_accuracy() if belief is None else belief) * 1000) / 10

    def claim(self, noun: str) -> str:
        """Say in words what somebody who knows all other records can still learn about one unit."""
        added = self.neighbours is ADD_OR_REMOVE_ONE
        change = f"whether one {noun} is included" if added else f"which of two contributions one {noun} made"
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
            "reason": self.reason,
            "attacker_belief": self.attacker_belief(),
            "attacker_accuracy": self.attacker_accuracy(),
        }

    def __str__(self) -> str:
        exactness = "pure" if self.cost.delta == 0 else f"delta {decimal(self.cost.delta)}"
        return f"epsilon {decimal(self.cost.epsilon)} ({exactness}), {self.neighbours}: {self.reason}"


def _number(exact: Fraction) -> int | float:
    """Return a whole number as such, and any other one as a float that is not below it."""
    return exact.numerator if exact.denominator == 1 else round_up(exact)
