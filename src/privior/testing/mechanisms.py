"""The contract of mechanisms, point by point."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from privior.errors import PriviorError
from privior.mechanisms import MECHANISMS, Asked, Mechanism, to_mechanism
from privior.models import Layout, Model, Observed
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Budget, Neighbours
from privior.schema import Schema
from privior.testing.points import fail, hold, refused
from privior.testing.small_tables import Exact, neighbouring

#: pairs of neighbours that are compared, each by so small a share of the releases that show a law
_PAIRS, _SHARE = 8, 40
#: outcomes that are listed, of releases of up to so many numbers
_OUTCOMES, _MOST_NUMBERS = 2000, 6
#: so many standard errors are exceeded with a chance of about one in a billion
_FAR = 6.0
_SMALL = 1e-9


def check_mechanism(
    mechanism: Mechanism,
    model: Model,
    schema: Schema,
    *,
    records: int = 20,
    neighbours: Neighbours | str = REPLACE_ONE,
    releases: int = 4000,
) -> None:
    """Check a mechanism with a model that it is for.

    Args:
        mechanism: built for this model, schema, relation and number of records
        model: with its prior
        schema: with few levels, so that all records can be listed
        records: of the tables that are made up
        neighbours: the relation that the mechanism was built for
        releases: how many are drawn to see their law; fewer where a draw takes long
    """
    kit = _Mechanism(mechanism, model, schema, records, Neighbours.of(neighbours), releases)
    for point in (kit.name, kit.document, kit.fit, kit.offers, kit.promise, kit.other_budgets, kit.shape):
        point()
    kit.law()
    kit.privacy()


@dataclass(frozen=True)
class _Mechanism:
    mechanism: Mechanism
    model: Model
    schema: Schema
    records: int
    neighbours: Neighbours
    releases: int

    def name(self) -> None:
        """It is registered under its name."""
        hold(
            MECHANISMS.named(self.mechanism.name) is type(self.mechanism),
            "name",
            "another class has its name",
        )
        for word in (self.mechanism.about, self.mechanism.randomness):
            hold(isinstance(word, str) and word != "", "words", "it does not say what it does")

    def document(self) -> None:
        """It is written and read back, and unknown entries are refused."""
        written = json.loads(json.dumps(self.mechanism.to_document()))
        again = to_mechanism(written, self.model, self.schema)
        hold(again == self.mechanism, "document", "what is read back is another mechanism")
        hold(hash(again) == hash(self.mechanism), "document", "equal mechanisms have different hashes")
        hold(again.guarantee.cost == self.mechanism.guarantee.cost, "document", "it costs something else")
        wrong = {**written, "no such entry": 1}
        refused(
            lambda: to_mechanism(wrong, self.model, self.schema), "document", "an unknown entry is accepted"
        )

    def _asked(self, budget: Budget) -> Asked:
        options = self.mechanism.taken
        return Asked(self.model, self.schema, self.records, self.neighbours, budget, options)

    def fit(self) -> None:
        """It knows which models and relations it is for."""
        hold(isinstance(self.model, self.mechanism.models), "fit", "it is not for this model")
        asked = self._asked(self.mechanism.guarantee.cost)
        try:
            self.mechanism.check(asked)
        except PriviorError as error:
            fail("fit", f"it refuses what it was built for: {error.what}")
        other = ADD_OR_REMOVE_ONE if self.neighbours is REPLACE_ONE else REPLACE_ONE
        wrong = replace(asked, neighbours=other)
        refused(lambda: self.mechanism.check(wrong), "fit", "it accepts another neighbour relation")

    def offers(self) -> None:
        """What it offers costs no more than was asked."""
        budget = Budget.of("0.75", "1e-5")
        built = []
        for offer in type(self.mechanism).offers(self._asked(budget)):
            try:
                built.append(offer.build())
            except PriviorError:
                continue
        hold(len(built) > 0, "offers", "nothing fits epsilon 0.75 and delta 1e-5")
        for one in built:
            cost = one.guarantee.cost
            within = cost.epsilon <= budget.epsilon and cost.delta <= budget.delta
            hold(within, "offers", f"what is offered costs {cost}")

    def promise(self) -> None:
        """The guarantee is of the right relation, and its curve agrees with its cost."""
        promised = self.mechanism.guarantee
        hold(promised.neighbours is self.neighbours, "guarantee", "it is of another neighbour relation")
        hold(self.mechanism.sensitivity.neighbours is self.neighbours, "guarantee", "so is the sensitivity")
        hold(promised.reason != "", "guarantee", "it names no theorem")
        at = [promised.delta(epsilon) for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0, 8.0)]
        hold(all(0 <= one <= 1 for one in at), "guarantee", "delta is no chance")
        hold(sorted(at, reverse=True) == at, "guarantee", "delta grows with epsilon")
        stated = promised.delta(float(promised.cost.epsilon) * (1 + 1e-12))
        hold(stated <= float(promised.cost.delta) + 1e-12, "guarantee", "the curve lies above the cost")

    def other_budgets(self) -> None:
        """With another budget it costs that, or less."""
        for epsilon in ("0.25", "2"):
            try:
                cost = self.mechanism.at(self._asked(Budget.of(epsilon, "1e-5"))).guarantee.cost
            except PriviorError:
                continue
            hold(cost.epsilon <= Fraction(epsilon), "at", f"it costs {cost} where {epsilon} was asked")

    @cached_property
    def _pairs(self) -> list[tuple[Exact, Exact]]:
        return list(neighbouring(self.model, self.schema, self.records, self.neighbours))

    def _drawn(self, exact: Exact, number: int) -> list[Observed]:
        return [self.mechanism.release(exact) for _ in range(number)]

    def shape(self) -> None:
        """What is released looks as it says, and could have been released."""
        for observed in self._drawn(self._pairs[0][0], 20):
            hold(observed.layouts == self.mechanism.layouts, "layouts", "a release looks different")
            whole = all(type(one) is int and abs(one) < self.mechanism.largest for one in observed.counts)
            hold(whole, "release", "a number is not whole, or too large")
            sizes = tuple(map(len, observed.numbers)) == tuple(one.size for one in self.mechanism.layouts)
            hold(sizes, "layouts", "there are more or fewer numbers")
            hold(self.mechanism.admits(observed, self.records), "admits", "it does not admit its own release")

    def law(self) -> None:
        """Releases follow the likelihood: as many fall into boxes of outcomes as their chances add up to.

        Points of a grid finer than 1 have a density instead, up to a constant, and are not judged here.
        """
        size = sum(one.size for one in self.mechanism.layouts)
        if any(one.places for one in self.mechanism.layouts) or size > _MOST_NUMBERS:
            return
        sums = self._pairs[0][0]
        drawn = np.array([one.counts for one in self._drawn(sums, self.releases)], dtype=np.int64)
        middle = np.median(drawn, axis=0).astype(np.int64)
        reach = int((_OUTCOMES ** (1 / size) - 1) // 2)
        box = np.array(list(product(range(-reach, reach + 1), repeat=size)), dtype=np.int64) + middle
        layouts = self.mechanism.layouts
        chances = np.exp([self._log(_observed(layouts, outcome), sums) for outcome in box.tolist()])
        hold(chances.sum() <= 1 + 1e-6, "log_likelihood", "chances add up to more than 1")
        inside = (np.abs(drawn - middle) <= reach).all(axis=1)
        parts = [(np.ones(len(box), bool), inside)]
        for place in range(size):
            for cut in (middle[place], middle[place] + 1):
                parts.append((box[:, place] < cut, inside & (drawn[:, place] < cut)))
        for among, seen in parts:
            want, have = float(chances[among].sum()) * self.releases, int(seen.sum())
            error = math.sqrt(max(want * (1 - want / self.releases), 1.0))
            hold(
                abs(have - want) < _FAR * error + 1,
                "log_likelihood",
                f"outcomes of chance {want / self.releases:.4g} came {have} times of {self.releases}",
            )

    def privacy(self) -> None:
        """No neighbours are farther apart than promised, as far as releases show."""
        promised = self.mechanism.guarantee
        pure, number = promised.pure, max(10, self.releases // _SHARE)
        for pair in self._pairs[:_PAIRS]:
            for here, there in (pair, pair[::-1]):
                releases = self._drawn(here, number)
                losses = np.array([self._log(one, here) - self._log(one, there) for one in releases])
                if pure is not None:
                    worst = float(losses.max())
                    hold(worst <= float(pure) + _SMALL, "guarantee", f"a loss of {worst:.6g} was seen")
                    continue
                for epsilon in (0.0, float(promised.cost.epsilon)):
                    over = np.maximum(0.0, 1 - np.exp(np.minimum(epsilon - losses, 0)))
                    error = max(float(over.std()), 1 / number) / math.sqrt(number)
                    excess = float(over.mean()) - _FAR * error
                    hold(excess <= promised.delta(epsilon), "guarantee", f"delta({epsilon:g}) is larger")

    def _log(self, observed: Observed, exact: Exact) -> float:
        return self.mechanism.log_likelihood(observed, exact)


def _observed(layouts: tuple[Layout, ...], numbers: list[int]) -> Observed:
    """Put numbers into the arrays of a release, one array after the other."""
    parts, start = [], 0
    for layout in layouts:
        parts.append(tuple(numbers[start : start + layout.size]))
        start += layout.size
    return Observed(layouts, tuple(parts))
