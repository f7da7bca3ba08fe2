"""The contract of mechanisms, point by point."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from privior.arrays import Integers
from privior.errors import PriviorError
from privior.mechanisms import MECHANISMS, Asked, Mechanism, to_mechanism
from privior.models import ExactStatistics, Model, Observed
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Budget, Neighbours
from privior.schema import Schema
from privior.testing.points import answered, fail, hold, refused
from privior.testing.releases import (
    FAR,
    check_law,
    check_variances,
    check_words_of_sums,
    follows,
    stated_variances,
)
from privior.testing.small_tables import Exact, neighbouring, other_schemas

#: pairs of neighbours that are compared, each by so small a share of the releases that show a law
_PAIRS, _SHARE = 8, 40
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
    kit.noise()
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
        for word in (self.mechanism.about, self.mechanism.randomness, self.mechanism.declaration):
            hold(isinstance(word, str) and word != "", "words", "it does not say what it does")
        facts = answered(lambda: self.mechanism.facts(self.model, self.schema), "words", "facts")
        for fact in facts:
            said = len(fact) == 2 and all(isinstance(word, str) and word.strip() for word in fact)
            hold(said, "words", f"facts has {fact!r}, which is no name with what it says")
        for name in ("drawback", "minimum_in_words", "stands_for"):  # there may be nothing to say
            said = isinstance(answered(partial(getattr, self.mechanism, name), "words", name), str)
            hold(said, "words", f"{name} is no text")

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
        """It knows which models, schemas and relations it is for."""
        hold(isinstance(self.model, self.mechanism.models), "fit", "it is not for this model")
        asked = self._asked(self.mechanism.guarantee.cost)
        try:
            self.mechanism.check(asked)
        except PriviorError as error:
            fail("fit", f"it refuses what it was built for: {error.what}")
        other = ADD_OR_REMOVE_ONE if self.neighbours is REPLACE_ONE else REPLACE_ONE
        wrong = replace(asked, neighbours=other)
        refused(lambda: self.mechanism.check(wrong), "fit", "it accepts another neighbour relation")
        for what, schema in other_schemas(self.model, self.schema, self.neighbours):
            there = replace(asked, schema=schema)
            refused(partial(self.mechanism.check, there), "fit", f"it accepts {what}")

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
        moved, made = self.model.sensitivity(self.schema, self.neighbours), self.mechanism.sensitivity
        enough = made.l1 >= moved.l1 and made.l2_squared >= moved.l2_squared
        hold(enough, "sensitivity", f"it is made for moves of L1 {made.l1}, the model's are {moved.l1}")
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

    @cached_property
    def _numbers(self) -> Integers:
        """The numbers of many releases of the same table, one release a row."""
        return np.array([one.counts for one in self._drawn(self._pairs[0][0], self.releases)])

    def noise(self) -> None:
        """Noise is as wide as it says, and what it says of sums is the same in all words."""
        seen = self._drawn(self._pairs[0][0], 5)
        tables = [one for one, _ in self._pairs[:_PAIRS] if isinstance(one, ExactStatistics)]
        check_words_of_sums(self.mechanism, self.model, self.schema, self.neighbours, seen, tables)
        stated = stated_variances(self.mechanism)
        if stated is not None:
            check_variances(stated, self._numbers)

    def law(self) -> None:
        """Releases follow the likelihood."""
        if follows(self.mechanism):
            check_law(self.mechanism, self._pairs[0][0], self._numbers)

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
                    excess = float(over.mean()) - FAR * error
                    hold(excess <= promised.delta(epsilon), "guarantee", f"delta({epsilon:g}) is larger")

    def _log(self, observed: Observed, exact: Exact) -> float:
        return self.mechanism.log_likelihood(observed, exact)
