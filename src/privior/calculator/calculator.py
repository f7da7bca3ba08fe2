"""The contract of a calculation: what it needs, what it may take, and what can be solved for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privior.calculator.facts import Facts, count
from privior.errors import PlanError, shown
from privior.exact import decimal, round_down
from privior.mechanisms import TableMechanism
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours
from privior.privacy.calibration import largest, largest_whole, smallest
from privior.privacy.composition import compose_ordered, compose_symmetric
from privior.privacy.pairs import DominatingPair

#: facts that are whole numbers
_WHOLE = ("draws", "drawn")

PairParts = Callable[[Facts], Sequence[DominatingPair]]


@dataclass(frozen=True)
class Calculation:
    """What can be promised under some public facts.

    Attributes:
        name: of what was calculated
        about: in a few words
        facts: what was given, and what was solved for
        guarantee: the promise
        mechanism: the mechanism itself, where there is one
    """

    name: str
    about: str
    facts: Facts
    guarantee: Guarantee
    mechanism: TableMechanism | None = None


@dataclass(frozen=True)
class Calculator:
    """One kind of release; any number of draws of it is composed.

    Attributes:
        name: as people type it
        about: in a few words
        needs: the facts without which nothing is promised
        takes: further facts, with what they are if nothing is said
        parts: builds a pair for each table that one draw shows
        reason: the theorem, or which one it is for some facts
        safer: which numbers are safer when they are larger (True) or smaller (False): those to be solved for
    """

    name: str
    about: str
    needs: tuple[str, ...]
    takes: Mapping[str, object]
    parts: PairParts
    reason: str | Callable[[Facts], str]
    safer: Mapping[str, bool]

    @property
    def solvable(self) -> Mapping[str, bool]:
        """Every parameter that can be solved for: fewer draws are always safer."""
        return {**self.safer, "draws": False}

    def checked(self, given: Facts) -> Facts:
        """Refuse facts that are missing or play no part."""
        known = (*self.needs, *self.takes, "draws")
        strange = sorted(set(given) - set(known))
        absent = [name for name in self.needs if name not in given]
        if strange or absent:
            raise PlanError(
                "a fact is missing" if absent else "a fact plays no part here",
                where=self.name,
                asked=", ".join(absent or strange),
                allowed=", ".join(known),
            )
        return {**self.takes, "draws": 1, **given}

    def promised(self, given: Facts, epsilon: object = None, delta: object = None) -> Calculation:
        """Return the promise, at this epsilon or at this delta; a pure one needs neither."""
        facts = self.checked(given)
        pair, relation = self._composed(facts)
        draws = count(facts, "draws")
        reason = self.theorem(facts) if draws == 1 else f"{self.theorem(facts)}; {draws} draws composed"
        promise = Guarantee.on_curve(pair, relation, reason, epsilon=epsilon, delta=delta)
        return Calculation(self.name, self.about, facts, promise)

    def solved(
        self, parameter: str, given: Facts, epsilon: object, delta: object = 0, order: float | None = None
    ) -> Calculation:
        """Find the least safe value of a parameter that keeps a promise.

        Args:
            parameter: which fact to find; what is given for it is not used
            given: the other facts
            epsilon: of the promise
            delta: likewise; 0 for a pure one
            order: promise a Renyi divergence of this order of at most epsilon instead
        """
        if parameter not in self.solvable:
            raise PlanError(
                "cannot be solved for",
                where=self.name,
                asked=shown(parameter),
                allowed=", ".join(self.solvable),
            )
        others = {name: value for name, value in given.items() if name != parameter}
        target = Budget.of(epsilon, delta or 0)

        def holds(value: Fraction | int) -> bool:
            facts = self.checked({**others, parameter: value})
            pair, relation = self._composed(facts)
            promise = Guarantee(pair, relation, target, self.theorem(facts))
            if order is not None:
                divergence = promise.renyi(order)
                return divergence < 1e300 and Fraction(divergence) <= target.epsilon
            if target.delta == 0:
                return promise.pure is not None and promise.pure <= target.epsilon
            return Fraction(promise.delta(round_down(target.epsilon))) <= target.delta

        found: Fraction | int | None
        if parameter in _WHOLE:
            found = largest_whole(holds)
        else:
            found = (smallest if self.solvable[parameter] else largest)(holds)
        if found is None:
            pure = target.delta == 0 and order is None
            never = f": a {self.name} is never pure: give delta > 0, or truncate" if pure else ""
            raise PlanError(
                f"no {parameter.replace('_', ' ')} keeps this promise{never}",
                where=self.name,
                asked=str(target),
                allowed="an order below the divergence's end, or a larger epsilon" if order else None,
            )
        made = self.promised({**others, parameter: found}, epsilon=target.epsilon)
        facts = {**made.facts, parameter: decimal(Fraction(found))}
        return Calculation(self.name, self.about, facts, made.guarantee)

    def theorem(self, facts: Facts) -> str:
        """Return the theorem for these facts."""
        return self.reason if isinstance(self.reason, str) else self.reason(facts)

    def _composed(self, facts: Facts) -> tuple[DominatingPair, Neighbours]:
        """Compose the tables of one draw, and the draws."""
        relation = Neighbours.of(str(facts.get("neighbours", REPLACE_ONE.value)))
        compose = compose_symmetric if relation is REPLACE_ONE else compose_ordered
        draws = count(facts, "draws")
        return compose([(pair, draws) for pair in self.parts(facts)]), relation
