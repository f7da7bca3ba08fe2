"""Guarantees: what a mechanism promises, to whom, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privior.errors import NumberError, shown
from privior.exact import decimal, rational, round_down, round_up, shortened_up
from privior.pictures import ErrorCurve
from privior.privacy.budget import NOTHING, Budget
from privior.privacy.neighbours import ADD_OR_REMOVE_ONE, Neighbours
from privior.privacy.pairs import DominatingPair, GaussianPair, both_orders

#: the grid of a trade-off curve: up to where delta is this small, but no farther than this
_LEAST_SHOWN, _MOST_SHOWN, _STEPS = 1e-12, 50.0, 256
#: more than the rounding of a few floats near 1
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Guarantee:
    """A dominating pair under a neighbour relation, with the theorem that proves it.

    Attributes:
        pair: no two neighbours can be told apart better than the two laws of this pair; under
            add-or-remove-one the first law has the record
        neighbours: the relation between data sets
        cost: the (epsilon, delta) of the pair that a ledger charges; exact or rounded up
        reason: the theorem
    """

    pair: DominatingPair
    neighbours: Neighbours
    cost: Budget
    reason: str

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
        draft = Guarantee(pair, neighbours, NOTHING, reason)
        if epsilon is not None:
            exact = rational(epsilon, "epsilon")
            return replace(draft, cost=Budget(exact, shortened_up(Fraction(draft.delta(round_down(exact))))))
        if delta is not None and rational(delta, "delta") > 0:
            found, chance = draft.epsilon(delta), rational(delta, "delta")
        elif draft.pure is not None:
            return replace(draft, cost=Budget(shortened_up(draft.pure), Fraction(0)))
        else:
            found, chance = math.inf, Fraction(0)
        if math.isinf(found):
            raise NumberError(
                "the loss has no bound: this promise is never pure",
                asked=reason,
                advice="Give delta > 0, or an epsilon.",
            )
        return replace(draft, cost=Budget(shortened_up(Fraction(found)), chance))

    @cached_property
    def _worst(self) -> DominatingPair:
        """Whoever attacks may stand on either side, so every promise is about the worse of both orders."""
        return both_orders(self.pair)

    @property
    def pure(self) -> Fraction | None:
        """The largest possible privacy loss; None if it is unbounded."""
        return self._worst.pure

    def delta(self, epsilon: object) -> float:
        """Return delta at this epsilon, from the exact curve, never rounded down."""
        exact = rational(epsilon, "epsilon")
        return self._worst.delta(epsilon if isinstance(epsilon, float) else round_down(exact))

    def epsilon(self, delta: object = 0) -> float:
        """Return the smallest epsilon for this delta, never rounded down; infinite if there is none."""
        chance = rational(delta, "delta")
        if not 0 <= chance < 1:
            raise NumberError("delta is out of range", asked=shown(delta), allowed="0 to below 1")
        return self._epsilon(round_down(chance))

    def _epsilon(self, delta: float) -> float:
        pure, worst = self.pure, self._worst
        if delta == 0:
            return math.inf if pure is None else round_up(pure)
        if worst.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, 1.0
        while worst.delta(high) > delta:
            low, high = high, 2 * high
            if high > 1e9:
                return math.inf
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if worst.delta(middle) > delta else (low, middle)
        return high if pure is None else min(high, round_up(pure))

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of this order above 0, never rounded down; it may be infinite."""
        if not order > 0:
            raise NumberError("an order is a number above 0", asked=shown(order))
        return self._worst.renyi(order)

    @property
    def gdp(self) -> float:
        """The mu of a Gaussian guarantee, rounded up; only Gaussian pairs have one."""
        if isinstance(self.pair, GaussianPair):
            return self.pair.mu
        raise NumberError("no Gaussian curve bounds this one tightly: it has no mu", asked=self.reason)

    @property
    def zcdp(self) -> Fraction:
        """The smallest known rho: divergences of every order a are at most a rho."""
        rho = getattr(self.pair, "rho", None)
        if isinstance(rho, Fraction):
            return rho
        if self.pure is not None:
            return self.pure**2 / 2  # Bun, Steinke 2016, Proposition 1.4
        raise NumberError("divergences of high order are infinite: there is no rho", asked=self.reason)

    def trade_off(self, alpha: float) -> float:
        """Bound from below the chance of a missed detection of any test with this chance of a false alarm.

        f(alpha) = sup over epsilon of max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha)); a
        supremum over a grid is smaller, which is the safe side.
        """
        if not 0 <= alpha <= 1:
            raise NumberError("a false alarm has a probability", asked=shown(alpha), allowed="0 to 1")
        found = [0.0]
        for epsilon, delta in self._grid:
            found += [1 - delta - math.exp(epsilon) * alpha, math.exp(-epsilon) * (1 - delta - alpha)]
        return max(0.0, max(found) - _ROUNDING)

    @cached_property
    def _grid(self) -> list[tuple[float, float]]:
        most = min(self._epsilon(_LEAST_SHOWN), _MOST_SHOWN)
        epsilons = [most * step / _STEPS for step in range(_STEPS + 1)]
        return [(epsilon, self._worst.delta(epsilon)) for epsilon in epsilons]

    def attacker_accuracy(self, prior: float = 0.5) -> float:
        """Bound the chance that the best guess is right, if one neighbour has this prior probability.

        A guess for P on a set S is right with probability p P(S) + (1-p) Q(not S), which is at most
        1 - p + p delta(log((1-p) / p)).
        """
        if not 0 < prior < 1:
            raise NumberError("a belief is a probability", asked=shown(prior), allowed="between 0 and 1")
        sides = ((prior, 1 - prior), (1 - prior, prior))
        worst = self._worst
        return min(1.0, max(no + yes * worst.delta(math.log(no / yes) - _ROUNDING) for yes, no in sides))

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

    def pictures(self) -> tuple[ErrorCurve, ErrorCurve]:
        """Draw delta against epsilon, and the trade-off between missed detections and false alarms."""
        shown_at = [
            (epsilon, delta) for epsilon, delta in self._grid if epsilon > 0 and delta >= _LEAST_SHOWN
        ]
        curve = shown_at or [(epsilon, delta) for epsilon, delta in self._grid if epsilon > 0]
        alphas = [10 ** (step / 10) for step in range(-40, 0)]
        return (
            ErrorCurve(
                [epsilon for epsilon, _ in curve],
                {"delta": [delta for _, delta in curve]},
                title="Delta against epsilon",
                y_label="delta",
                note=self.reason,
            ),
            ErrorCurve(
                alphas,
                {"missed, at least": [self.trade_off(alpha) for alpha in alphas]},
                title="What any test can do",
                y_label="chance of a missed detection",
                x_label="chance of a false alarm",
                note=self.reason,
            ),
        )

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
