"""The contracts as a kit: what a model or a mechanism must keep, checked on small cases.

    from privior.testing import check_mechanism, check_model

    check_model(BetaGeometric("wait"), schema)
    check_mechanism(StepNoise(30, 1), BetaGeometric("wait"), schema, records=50)

Each function goes through the points of a contract and raises `ContractError`, which names the point, at the
first that is not kept. What is drawn at random is judged so that a right law fails once in a billion runs.
A passed check is evidence, not a proof: guarantees of code outside privior stay declared.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privior.curator import measure_statistics
from privior.errors import PriviorError
from privior.forecasting import forecaster
from privior.ledger import Ledger
from privior.mechanisms import MECHANISMS, Asked, Mechanism, to_mechanism
from privior.models import MODELS, ExactStatistics, Family, Layout, Model, Observed, to_model
from privior.models.families.family import numeric
from privior.planning import plan
from privior.plans import Plan
from privior.posterior import infer
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Budget, Neighbours
from privior.queries import ask
from privior.release import Release
from privior.schema import Schema

Floats = NDArray[np.float64]
Sums = NDArray[np.int64]

#: records with all combinations of codes are listed up to so many
_MOST_LISTED = 100_000
#: pairs of neighbours that are compared, each by so small a share of the releases that show a law
_PAIRS, _SHARE = 8, 40
#: outcomes that are listed, of releases of up to so many numbers
_OUTCOMES, _MOST_NUMBERS = 2000, 6
#: so many standard errors are exceeded with a chance of about one in a billion
_FAR = 6.0
_SMALL = 1e-9
#: what grids of values may make of a continuous law, and a share that hardly counts
_FEW, _SMALL_SHARE = 0.05, 1e-3


class ContractError(AssertionError):
    """A point of a contract is not kept."""


def check_model(model: Model, schema: Schema, *, records: int = 200) -> None:
    """Check a model on a schema.

    Args:
        model: with its prior
        schema: with few levels, so that all records can be listed
        records: of the tables that are made up
    """
    kit = _Model(model, schema, records)
    for point in (kit.name, kit.document, kit.prior, kit.columns, kit.sums, kit.words, kit.likelihood):
        point()
    kit.whole_way()


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
class _Model:
    model: Model
    schema: Schema
    records: int

    def name(self) -> None:
        """It is registered under its name."""
        _hold(MODELS.named(self.model.family) is type(self.model), "name", "another class has its name")
        _hold(len(self.model.columns) > 0, "columns", "it reads none")

    def document(self) -> None:
        """It is written and read back, and unknown entries are refused."""
        written = json.loads(json.dumps(self.model.to_document()))
        _hold(written.get("family") == self.model.family, "document", "it does not name its family")
        _hold(to_model(written) == self.model, "document", "what is read back is another model")
        _hold(hash(to_model(written)) == hash(self.model), "document", "equal models have different hashes")
        _refused(
            lambda: to_model({**written, "no such entry": 1}), "document", "an unknown entry is accepted"
        )

    def prior(self) -> None:
        """The same prior gives the same model, written or as it is."""
        for prior in (self.model.prior, self.model.to_document()["prior"]):
            _hold(self.model.with_prior(prior) == self.model, "prior", "the same prior gives another model")

    def columns(self) -> None:
        """It reads no other columns than it names."""
        for relation in _relations(self.model, self.schema):
            read = {name for one in self.model.summands(self.schema, relation) for name in one.columns}
            _hold(read | set(self.model.by) <= set(self.model.columns), "columns", "it reads others")

    def sums(self) -> None:
        """One record moves the statistics no farther than the sensitivity says, and totals are as it says."""
        for relation in _relations(self.model, self.schema):
            stated = self.model.sensitivity(self.schema, relation)
            _hold(stated.neighbours is relation, "sensitivity", "it is of another neighbour relation")
            for before, after in neighbouring(self.model, self.schema, self.records, relation):
                moved = np.abs(after - before)
                _hold(int(moved.sum()) <= stated.l1, "sensitivity", f"a record moves by L1 {moved.sum()}")
                squares = int((moved.astype(object) ** 2).sum())
                _hold(squares <= stated.l2_squared, "sensitivity", f"a record moves by squares {squares}")
                if stated.total_fixed:
                    _hold(int(before.sum()) == self.records, "sensitivity", "totals are not the records")

    def words(self) -> None:
        """It can be talked about."""
        texts = {
            "in_words": self.model.in_words(self.schema),
            "first_question": self.model.first_question,
            "remedy": self.model.remedy,
            "width_in_words": self.model.width_in_words(self.schema),
            "str": str(self.model),
        }
        for name, text in texts.items():
            _hold(isinstance(text, str) and text.strip() != "", "words", f"{name} says nothing")

    def likelihood(self) -> None:
        """A family of one parameter is conjugate as it says, and a law of records."""
        model = self.model
        if not isinstance(model, Family) or model.prior != model.law:
            return
        low, high = (float(end) for end in model.bounds(self.schema))
        for number, share in product((3, 40), (0.2, 0.6)):
            total = Fraction(round(number * (low + share * (high - low)) * 2**10), 2**10)
            law = model.update(model.law, Fraction(number), total)
            ends = [law.quantile(tail) for tail in (1e-9, 1 - 1e-9)]
            theta = np.linspace(ends[0], ends[1], 20_001)[1:-1]
            logs = np.array(
                [
                    model.log_posterior(float(one), number, np.array([float(total)]), 1.0)[0]
                    for one in theta[::100]
                ]
            )
            own = law.log_density(theta)
            own = own - own.max()
            own -= math.log(float(np.exp(own).sum()) * float(theta[1] - theta[0]))
            near = own[::100] > -20
            apart = float(np.abs(logs - own[::100])[near].max())
            _hold(apart < 1e-2, "likelihood", f"the posterior is off by {apart:.3g} in log density")
        for typical in _typical(model):
            at = np.array([typical])
            chances = np.diff(
                [float(model.below(at, code, self.schema)[0]) for code in range(-1, self._size)]
            )
            _hold(chances.min() > -_SMALL, "likelihood", "a record has a negative chance")
            _hold(abs(chances.sum() - 1) < 1e-6, "likelihood", "chances of records do not add up to 1")
            self._check_records(model, at, chances)

    def _check_records(self, model: Family, theta: Floats, chances: Floats) -> None:
        """Compare what a record adds, by the law of one, with the chances of values inside the bounds.

        Where codes are summed as they are: of other functions of them the law has another measure.
        """
        column = self.schema.column(model.column)
        summand, (base, unit) = model.summand(self.schema), model.grid(self.schema)
        plain = len(summand.factors) == 1 and not summand.factors[0].absolute
        inside = np.arange(1, column.size - 1)
        if not plain or inside.size < 2 or chances[1:-1].sum() < _FEW:
            return
        totals = float(base) + float(unit) * summand.of({model.column: inside}).astype(np.float64)
        logs = model.natural(theta) * totals + model.log_measure(np.ones(totals.size), totals, float(unit))
        own = np.exp(logs - logs.max())
        apart = np.abs(own / own.sum() - chances[1:-1] / chances[1:-1].sum()).sum() / 2
        what = "summand, grid, natural and log_measure give other chances of values than value_below"
        _hold(float(apart) < _FEW, "likelihood", f"{what}, by {apart:.3g}")
        lower, step, _ = numeric(self.schema, model.column, model.family)
        if chances[-1] < _SMALL_SHARE and (chances[0] < _SMALL_SHARE or lower == 0):
            values = float(lower) + float(step) * np.arange(column.size)
            mean, stated = float(values @ chances), float(model.mean_of(theta)[0])
            near = abs(mean - stated) <= _FEW * abs(stated) + float(step)
            _hold(near, "likelihood", f"mean_of says {stated:.4g}, the chances of values {mean:.4g}")

    @property
    def _size(self) -> int:
        return self.schema.column(self.model.columns[0]).size

    def whole_way(self) -> None:
        """It can be planned, forecast, released, read back, inferred and asked."""
        for relation in _relations(self.model, self.schema):
            made = _planned(self.model, self.schema, self.records, relation, "1")
            ahead = forecaster(self.model, self.schema).ahead(self.records, made.mechanism)
            _hold(0 <= ahead.error < math.inf and ahead.width > 0, "forecast", "it is no number")
            better = _planned(self.model, self.schema, self.records, relation, "4").forecast.error
            worse = _planned(self.model, self.schema, self.records, relation, "0.25").forecast.error
            _hold(better <= worse * (1 + 1e-6), "forecast", "more epsilon gives a larger error")
            self._released(made, relation)

    def _released(self, made: Plan, relation: Neighbours) -> None:
        codes = _codes(self.model, self.schema)
        some = codes[np.random.default_rng(1).integers(len(codes), size=self.records)]
        exact = ExactStatistics(statistics(self.model, self.schema, relation, some).ravel())
        ledger = Ledger.in_memory(population=self.schema.population, accept_declared=True)
        release = measure_statistics(made, exact, ledger=ledger)
        again = Release.from_json(release.to_json())
        _hold(again == release, "release", "what is read back is another release")
        posterior = infer(again)
        for one in posterior.quantities():
            low, high = one.interval(0.9)
            _hold(low <= high and math.isfinite(one.mean), "posterior", f"{one.name} is no number")
        _hold(len(posterior.draws(5, 1)) == 5, "posterior", "it gives no draws")
        _hold(len(str(posterior)) > 0, "posterior", "it says nothing")
        sample = posterior.sample(3, 1)
        _hold(set(sample) == set(self.model.columns), "posterior", "it samples other columns")
        answer = ask(again, self.model.first_question)
        _hold(len(str(answer)) > 0, "posterior", "the first question has no answer")


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
        _hold(
            MECHANISMS.named(self.mechanism.name) is type(self.mechanism),
            "name",
            "another class has its name",
        )
        for word in (self.mechanism.about, self.mechanism.randomness):
            _hold(isinstance(word, str) and word != "", "words", "it does not say what it does")

    def document(self) -> None:
        """It is written and read back, and unknown entries are refused."""
        written = json.loads(json.dumps(self.mechanism.to_document()))
        again = to_mechanism(written, self.model, self.schema)
        _hold(again == self.mechanism, "document", "what is read back is another mechanism")
        _hold(hash(again) == hash(self.mechanism), "document", "equal mechanisms have different hashes")
        _hold(again.guarantee.cost == self.mechanism.guarantee.cost, "document", "it costs something else")
        wrong = {**written, "no such entry": 1}
        _refused(
            lambda: to_mechanism(wrong, self.model, self.schema), "document", "an unknown entry is accepted"
        )

    def _asked(self, budget: Budget) -> Asked:
        options = self.mechanism.taken
        return Asked(self.model, self.schema, self.records, self.neighbours, budget, options)

    def fit(self) -> None:
        """It knows which models and relations it is for."""
        _hold(isinstance(self.model, self.mechanism.models), "fit", "it is not for this model")
        asked = self._asked(self.mechanism.guarantee.cost)
        try:
            self.mechanism.check(asked)
        except PriviorError as error:
            _fail("fit", f"it refuses what it was built for: {error.what}")
        other = ADD_OR_REMOVE_ONE if self.neighbours is REPLACE_ONE else REPLACE_ONE
        wrong = replace(asked, neighbours=other)
        _refused(lambda: self.mechanism.check(wrong), "fit", "it accepts another neighbour relation")

    def offers(self) -> None:
        """What it offers costs no more than was asked."""
        budget = Budget.of("0.75", "1e-5")
        built = []
        for offer in type(self.mechanism).offers(self._asked(budget)):
            try:
                built.append(offer.build())
            except PriviorError:
                continue
        _hold(len(built) > 0, "offers", "nothing fits epsilon 0.75 and delta 1e-5")
        for one in built:
            cost = one.guarantee.cost
            within = cost.epsilon <= budget.epsilon and cost.delta <= budget.delta
            _hold(within, "offers", f"what is offered costs {cost}")

    def promise(self) -> None:
        """The guarantee is of the right relation, and its curve agrees with its cost."""
        promised = self.mechanism.guarantee
        _hold(promised.neighbours is self.neighbours, "guarantee", "it is of another neighbour relation")
        _hold(self.mechanism.sensitivity.neighbours is self.neighbours, "guarantee", "so is the sensitivity")
        _hold(promised.reason != "", "guarantee", "it names no theorem")
        at = [promised.delta(epsilon) for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0, 8.0)]
        _hold(all(0 <= one <= 1 for one in at), "guarantee", "delta is no chance")
        _hold(sorted(at, reverse=True) == at, "guarantee", "delta grows with epsilon")
        stated = promised.delta(float(promised.cost.epsilon) * (1 + 1e-12))
        _hold(stated <= float(promised.cost.delta) + 1e-12, "guarantee", "the curve lies above the cost")

    def other_budgets(self) -> None:
        """With another budget it costs that, or less."""
        for epsilon in ("0.25", "2"):
            try:
                cost = self.mechanism.at(self._asked(Budget.of(epsilon, "1e-5"))).guarantee.cost
            except PriviorError:
                continue
            _hold(cost.epsilon <= Fraction(epsilon), "at", f"it costs {cost} where {epsilon} was asked")

    @cached_property
    def _pairs(self) -> list[tuple[Sums, Sums]]:
        return list(neighbouring(self.model, self.schema, self.records, self.neighbours))

    def _drawn(self, sums: Sums, number: int) -> list[Observed]:
        exact = ExactStatistics(sums.ravel())
        return [self.mechanism.release(exact) for _ in range(number)]

    def shape(self) -> None:
        """What is released looks as it says, and could have been released."""
        for observed in self._drawn(self._pairs[0][0], 20):
            _hold(observed.layouts == self.mechanism.layouts, "layouts", "a release looks different")
            whole = all(type(one) is int and abs(one) < self.mechanism.largest for one in observed.counts)
            _hold(whole, "release", "a number is not whole, or too large")
            sizes = tuple(map(len, observed.numbers)) == tuple(one.size for one in self.mechanism.layouts)
            _hold(sizes, "layouts", "there are more or fewer numbers")
            _hold(
                self.mechanism.admits(observed, self.records), "admits", "it does not admit its own release"
            )

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
        _hold(chances.sum() <= 1 + 1e-6, "log_likelihood", "chances add up to more than 1")
        inside = (np.abs(drawn - middle) <= reach).all(axis=1)
        parts = [(np.ones(len(box), bool), inside)]
        for place in range(size):
            for cut in (middle[place], middle[place] + 1):
                parts.append((box[:, place] < cut, inside & (drawn[:, place] < cut)))
        for among, seen in parts:
            want, have = float(chances[among].sum()) * self.releases, int(seen.sum())
            error = math.sqrt(max(want * (1 - want / self.releases), 1.0))
            _hold(
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
                    _hold(worst <= float(pure) + _SMALL, "guarantee", f"a loss of {worst:.6g} was seen")
                    continue
                for epsilon in (0.0, float(promised.cost.epsilon)):
                    over = np.maximum(0.0, 1 - np.exp(np.minimum(epsilon - losses, 0)))
                    error = max(float(over.std()), 1 / number) / math.sqrt(number)
                    excess = float(over.mean()) - _FAR * error
                    _hold(excess <= promised.delta(epsilon), "guarantee", f"delta({epsilon:g}) is larger")

    def _log(self, observed: Observed, sums: Sums) -> float:
        return self.mechanism.log_likelihood(observed, ExactStatistics(sums.ravel()))


def _observed(layouts: tuple[Layout, ...], numbers: list[int]) -> Observed:
    """Put numbers into the arrays of a release, one array after the other."""
    parts, start = [], 0
    for layout in layouts:
        parts.append(tuple(numbers[start : start + layout.size]))
        start += layout.size
    return Observed(layouts, tuple(parts))


def statistics(model: Model, schema: Schema, neighbours: Neighbours, codes: Sums) -> Sums:
    """Return the statistics of records, given as codes of the model's columns: cells by sums."""
    columns = {name: codes[:, place] for place, name in enumerate(model.columns)}
    sizes = tuple(schema.column(name).size for name in model.by)
    cells = np.zeros(len(codes), dtype=np.int64)
    if sizes:
        cells = np.ravel_multi_index(tuple(columns[name] for name in model.by), sizes).astype(np.int64)
    summands = model.summands(schema, neighbours)
    found = np.zeros((math.prod(sizes), len(summands)), dtype=np.int64)
    for place, summand in enumerate(summands):
        np.add.at(found[:, place], cells, summand.of(columns) if summand.factors else 1)
    return found


def neighbouring(
    model: Model, schema: Schema, records: int, neighbours: Neighbours
) -> Iterator[tuple[Sums, Sums]]:
    """Yield the statistics of tables that differ in one record: those that are farthest apart first."""
    codes = _codes(model, schema)
    one_each = [statistics(model, schema, neighbours, one[np.newaxis]) for one in codes[:: _step(len(codes))]]
    base = sum((one_each[place % len(one_each)] for place in range(records - 1)), start=0 * one_each[0])
    if neighbours is REPLACE_ONE:
        moves = [(base + one, base + other) for one, other in product(one_each, repeat=2) if one is not other]
    else:
        moves = [(base, base + one) for one in one_each]
    yield from sorted(moves, key=lambda pair: -int(np.abs(pair[1] - pair[0]).sum()))


def _step(codes: int) -> int:
    """Return which of so many records to take, so that about forty are left, the first among them."""
    return max(1, (codes - 1) // 40)


def _codes(model: Model, schema: Schema) -> Sums:
    sizes = [schema.column(name).size for name in model.columns]
    _hold(math.prod(sizes) <= _MOST_LISTED, "schema", "it has too many levels to be listed here")
    return np.array(list(product(*map(range, sizes))), dtype=np.int64)


def _relations(model: Model, schema: Schema) -> list[Neighbours]:
    """Return the neighbour relations under which a model can be used with a schema."""
    found = []
    for relation in (REPLACE_ONE, ADD_OR_REMOVE_ONE):
        try:
            model.sensitivity(schema, relation)
        except PriviorError:
            continue
        found.append(relation)
    _hold(len(found) > 0, "sensitivity", "it fits no neighbour relation")
    return found


def _planned(model: Model, schema: Schema, records: int, relation: Neighbours, epsilon: str) -> Plan:
    return plan(model, schema, records=records, epsilon=epsilon, delta="1e-5", neighbours=relation)


def _typical(model: Family) -> list[float]:
    return [model.law.quantile(share) for share in (0.2, 0.5, 0.8)]


def _hold(kept: bool, point: str, what: str) -> None:
    if not kept:
        _fail(point, what)


def _fail(point: str, what: str) -> NoReturn:
    raise ContractError(f"{point}: {what}")


def _refused(attempt: Callable[[], Any], point: str, what: str) -> None:
    try:
        attempt()
    except PriviorError:
        return
    _fail(point, what)
