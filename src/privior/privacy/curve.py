"""What follows from a dominating pair: epsilon for delta, trade-offs, and what an attacker can gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from privior.errors import NumberError, shown
from privior.exact import rational, round_down, round_up
from privior.privacy.pairs import DominatingPair

if TYPE_CHECKING:
    from privior.pictures import ErrorCurve

#: the grid of a trade-off curve: up to where delta is this small, but no farther than this
_LEAST_SHOWN, _MOST_SHOWN, _STEPS = 1e-12, 50.0, 256
#: more than the rounding of a few floats near 1
_ROUNDING = 1e-14
#: epsilons are found to so many parts of themselves
_PRECISION = 1e-14


@dataclass(frozen=True)
class Curve:
    """The curve of a pair whose both orders are alike: delta at every epsilon, and all that it implies."""

    pair: DominatingPair

    def delta(self, epsilon: object) -> float:
        """Return delta at this epsilon, never rounded down."""
        exact = rational(epsilon, "epsilon")
        return self.pair.delta(epsilon if isinstance(epsilon, float) else round_down(exact))

    def epsilon(self, delta: object = 0) -> float:
        """Return the smallest epsilon for this delta, never rounded down; infinite if there is none."""
        chance = rational(delta, "delta")
        if not 0 <= chance < 1:
            raise NumberError("delta is out of range", asked=shown(delta), allowed="0 to below 1")
        return self._epsilon(round_down(chance))

    def _epsilon(self, delta: float) -> float:
        pure = self.pair.pure
        if delta == 0:
            return math.inf if pure is None else round_up(pure)
        if self.pair.delta(0.0) <= delta:
            return 0.0
        low, high = 0.0, 1.0
        while self.pair.delta(high) > delta:
            low, high = high, 2 * high
            if high > 1e9:
                return math.inf
        while high - low > _PRECISION * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.pair.delta(middle) > delta else (low, middle)
        return high if pure is None else min(high, round_up(pure))

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
        return [(epsilon, self.pair.delta(epsilon)) for epsilon in epsilons]

    def attacker_accuracy(self, prior: float = 0.5) -> float:
        """Bound the chance that the best guess is right, if one neighbour has this prior probability.

        A guess for P on a set S is right with probability p P(S) + (1-p) Q(not S), which is at most
        1 - p + p delta(log((1-p) / p)).
        """
        if not 0 < prior < 1:
            raise NumberError("a belief is a probability", asked=shown(prior), allowed="between 0 and 1")
        sides = ((prior, 1 - prior), (1 - prior, prior))
        delta = self.pair.delta
        return min(1.0, max(no + yes * delta(math.log(no / yes) - _ROUNDING) for yes, no in sides))

    def attacker_belief(self, prior: float = 0.5) -> float | None:
        """Bound the belief to which a pure guarantee lets a prior belief rise; None if it is not pure."""
        if not 0 <= prior <= 1:
            raise NumberError("a belief is a probability", asked=shown(prior), allowed="0 to 1")
        pure = self.pair.pure
        return None if pure is None else prior / (prior + (1 - prior) * math.exp(-round_up(pure)))

    def pictures(self, note: str) -> tuple[ErrorCurve, ErrorCurve]:
        """Draw delta against epsilon, and the trade-off between missed detections and false alarms."""
        from privior.pictures import ErrorCurve

        inside = [(epsilon, delta) for epsilon, delta in self._grid if epsilon > 0]
        curve = [(epsilon, delta) for epsilon, delta in inside if delta >= _LEAST_SHOWN] or inside
        alphas = [10 ** (step / 10) for step in range(-40, 0)]
        return (
            ErrorCurve(
                [epsilon for epsilon, _ in curve],
                {"delta": [delta for _, delta in curve]},
                title="Delta against epsilon",
                y_label="delta",
                note=note,
            ),
            ErrorCurve(
                alphas,
                {"missed, at least": [self.trade_off(alpha) for alpha in alphas]},
                title="What any test can do",
                y_label="chance of a missed detection",
                x_label="chance of a false alarm",
                note=note,
            ),
        )
