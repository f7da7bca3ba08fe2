"""The contract of models, point by point."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from privior.curator import measure_statistics
from privior.forecasting import forecaster
from privior.ledger import Ledger
from privior.models import MODELS, Model, to_model
from privior.planning import plan
from privior.plans import Plan
from privior.posterior import infer
from privior.privacy import Neighbours
from privior.queries import ask
from privior.release import Release
from privior.schema import Schema
from privior.testing.likelihoods import likelihood
from privior.testing.points import answered, hold, refused
from privior.testing.small_tables import codes, exact, moved, neighbouring, relations

#: so many records that no prior outweighs them
_VERY_MANY = 10**15
#: what every model says of itself; what it may have nothing to say of; what it says of itself with a schema
_WORDS = ("first_question", "remedy", "subject", "less", "error_name", "error_heading")
_MAYBE = ("assumption", "typical_in_words")
_OF_SCHEMA = ("in_words", "width_in_words", "statistic_in_words")  # families alone know the last


def check_model(model: Model, schema: Schema, *, records: int = 200) -> None:
    """Check a model on a schema.

    Args:
        model: with its prior
        schema: with few levels, so that all records can be listed
        records: of the tables that are made up
    """
    kit = _Model(model, schema, records)
    for point in (kit.name, kit.document, kit.prior, kit.columns, kit.sums, kit.words, kit.outweighed):
        point()
    likelihood(model, schema)
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
        plain = [name for name in (*_WORDS, *_MAYBE, "parameter") if hasattr(type(self.model), name)]
        of_schema = [name for name in _OF_SCHEMA if hasattr(type(self.model), name)]
        texts: dict[str, Callable[[], object]] = {
            "str": lambda: str(self.model),
            **{name: partial(getattr, self.model, name) for name in plain},
            **{name: partial(self._of_schema, name) for name in of_schema},
        }
        for name, text in texts.items():
            said = answered(text, "words", name)
            hold(isinstance(said, str), "words", f"{name} is no text")
            hold(name in _MAYBE or str(said).strip() != "", "words", f"{name} says nothing")

    def _of_schema(self, name: str) -> object:
        return getattr(self.model, name)(self.schema)

    def outweighed(self) -> None:
        """It says that the prior outweighs the records where it does, and only there."""
        looked: list[float] = []

        def said(records: int, share: float) -> str:
            def left_open() -> float:
                looked.append(share)
                return share

            answer = answered(
                lambda: self.model.prior_outweighs(self.schema, records, left_open),
                "words",
                "prior_outweighs",
            )
            hold(isinstance(answer, str), "words", "prior_outweighs gives no words")
            return answer

        many = "very many records that leave no error open"
        hold(said(_VERY_MANY, 0.0) == "", "words", f"prior_outweighs warns of {many}")
        looked.clear()
        told = said(1, 1.0)
        hold(told != "" or not looked, "words", "prior_outweighs is silent where records tell nothing")

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
