"""The contract of models, point by point."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from privior.arrays import Floats
from privior.curator import measure_statistics
from privior.forecasting import forecaster
from privior.ledger import Ledger
from privior.models import MODELS, Family, Model, to_model
from privior.models.families.family import numeric
from privior.planning import plan
from privior.plans import Plan
from privior.posterior import infer
from privior.privacy import Neighbours
from privior.queries import ask
from privior.release import Release
from privior.schema import Schema
from privior.testing.points import hold, refused
from privior.testing.small_tables import codes, exact, moved, neighbouring, relations

_SMALL = 1e-9
#: what grids of values may make of a continuous law, and a share that hardly counts
_FEW, _SMALL_SHARE = 0.05, 1e-3


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


@dataclass(frozen=True)
class _Model:
    model: Model
    schema: Schema
    records: int

    def name(self) -> None:
        """It is registered under its name."""
        hold(MODELS.named(self.model.family) is type(self.model), "name", "another class has its name")
        hold(len(self.model.columns) > 0, "columns", "it reads none")

    def document(self) -> None:
        """It is written and read back, and unknown entries are refused."""
        written = json.loads(json.dumps(self.model.to_document()))
        hold(written.get("family") == self.model.family, "document", "it does not name its family")
        hold(to_model(written) == self.model, "document", "what is read back is another model")
        hold(hash(to_model(written)) == hash(self.model), "document", "equal models have different hashes")
        refused(lambda: to_model({**written, "no such entry": 1}), "document", "an unknown entry is accepted")

    def prior(self) -> None:
        """The same prior gives the same model, written or as it is."""
        for prior in (self.model.prior, self.model.to_document()["prior"]):
            hold(self.model.with_prior(prior) == self.model, "prior", "the same prior gives another model")

    def columns(self) -> None:
        """It reads no other columns than it names."""
        for relation in relations(self.model, self.schema):
            asked = self.model.readings(self.schema, relation)
            read = {name for reading in asked for name in reading.columns}
            hold(read <= set(self.model.columns), "columns", "it reads others")

    def sums(self) -> None:
        """One record moves the statistics no farther than the sensitivity says, and totals are as it says."""
        for relation in relations(self.model, self.schema):
            stated = self.model.sensitivity(self.schema, relation)
            hold(stated.neighbours is relation, "sensitivity", "it is of another neighbour relation")
            for before, after in neighbouring(self.model, self.schema, self.records, relation):
                away = moved(before, after)
                hold(int(away.sum()) <= stated.l1, "sensitivity", f"a record moves by L1 {away.sum()}")
                squares = int((away.astype(object) ** 2).sum())
                hold(squares <= stated.l2_squared, "sensitivity", f"a record moves by squares {squares}")
                if stated.total_fixed:
                    total = self.records * self.model.times_counted
                    hold(before.total == total, "sensitivity", "totals are not the records")

    def words(self) -> None:
        """Whatever is said of the model in words says something."""
        texts = {
            "in_words": self.model.in_words(self.schema),
            "first_question": self.model.first_question,
            "remedy": self.model.remedy,
            "width_in_words": self.model.width_in_words(self.schema),
            "str": str(self.model),
        }
        for name, text in texts.items():
            hold(isinstance(text, str) and text.strip() != "", "words", f"{name} says nothing")

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
            hold(apart < 1e-2, "likelihood", f"the posterior is off by {apart:.3g} in log density")
        for typical in _typical(model):
            at = np.array([typical])
            chances = np.diff(
                [float(model.below(at, code, self.schema)[0]) for code in range(-1, self._size)]
            )
            hold(chances.min() > -_SMALL, "likelihood", "a record has a negative chance")
            hold(abs(chances.sum() - 1) < 1e-6, "likelihood", "chances of records do not add up to 1")
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
        hold(float(apart) < _FEW, "likelihood", f"{what}, by {apart:.3g}")
        lower, step, _ = numeric(self.schema, model.column, model.family)
        if chances[-1] < _SMALL_SHARE and (chances[0] < _SMALL_SHARE or lower == 0):
            values = float(lower) + float(step) * np.arange(column.size)
            mean, stated = float(values @ chances), float(model.mean_of(theta)[0])
            near = abs(mean - stated) <= _FEW * abs(stated) + float(step)
            hold(near, "likelihood", f"mean_of says {stated:.4g}, the chances of values {mean:.4g}")

    @property
    def _size(self) -> int:
        return self.schema.column(self.model.columns[0]).size

    def whole_way(self) -> None:
        """It can be planned, forecast, released, read back, inferred and asked."""
        for relation in relations(self.model, self.schema):
            made = _planned(self.model, self.schema, self.records, relation, "1")
            ahead = forecaster(self.model, self.schema).ahead(self.records, made.mechanism)
            hold(0 <= ahead.error < math.inf and ahead.width > 0, "forecast", "it is no number")
            better = _planned(self.model, self.schema, self.records, relation, "4").forecast.error
            worse = _planned(self.model, self.schema, self.records, relation, "0.25").forecast.error
            hold(better <= worse * (1 + 1e-6), "forecast", "more epsilon gives a larger error")
            self._released(made, relation)

    def _released(self, made: Plan, relation: Neighbours) -> None:
        every = codes(self.model, self.schema)
        some = every[np.random.default_rng(1).integers(len(every), size=self.records)]
        known = exact(self.model, self.schema, relation, some)
        ledger = Ledger.in_memory(population=self.schema.population, accept_declared=True)
        release = measure_statistics(made, known, ledger=ledger)
        again = Release.from_json(release.to_json())
        hold(again == release, "release", "what is read back is another release")
        posterior = infer(again)
        answer = ask(posterior, self.model.first_question)
        hold(len(str(answer)) > 0, "posterior", "the first question has no answer")
        hold(len(str(posterior)) > 0, "posterior", "it says nothing")
        if not posterior.uncertain:
            hold(len(posterior.warnings) > 0, "posterior", "it does not say that it has no intervals")
            refused(lambda: posterior.draws(5, 1), "posterior", "it draws from no law")
            return
        for one in posterior.quantities():
            low, high = one.interval(0.9)
            hold(low <= high and math.isfinite(one.mean), "posterior", f"{one.name} is no number")
        hold(len(posterior.draws(5, 1)) == 5, "posterior", "it gives no draws")
        if "sample" not in posterior.understands:
            refused(
                lambda: posterior.sample(3, 1), "posterior", "it makes up columns that it knows nothing of"
            )
            return
        sample = posterior.sample(3, 1)
        hold(set(sample) == set(self.model.columns), "posterior", "it samples other columns")


def _planned(model: Model, schema: Schema, records: int, relation: Neighbours, epsilon: str) -> Plan:
    return plan(model, schema, records=records, epsilon=epsilon, delta="1e-5", neighbours=relation)


def _typical(model: Family) -> list[float]:
    return [model.law.quantile(share) for share in (0.2, 0.5, 0.8)]
