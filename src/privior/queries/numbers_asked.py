"""Questions about one number, understood for one model: what any posterior of it can be asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from privior.errors import QuestionError
from privior.models import Family, JointFamily, Model
from privior.posterior import (
    FinitePosterior,
    GivenJoint,
    GivenParameters,
    MarkovPosterior,
    ParameterPosterior,
    Quantity,
)
from privior.posterior.averages import numbers_of
from privior.queries.binding import Binding
from privior.queries.grammar import parse
from privior.queries.questions import (
    After,
    Mean,
    ModelChance,
    Number,
    Parameter,
    Probability,
    Question,
    Stationary,
)
from privior.schema import Schema

Levels = Mapping[str, list[str]]


class Numbers(Protocol):
    """What a posterior must be able to say: the probability of an event, the mean of a column."""

    def probability(self, event: object, given: object | None = None) -> Quantity:
        """Return the posterior of the probability of an event."""

    def average(self, column: str, given: object | None = None) -> Quantity:
        """Return the posterior of the mean of a column."""


@dataclass(frozen=True)
class BoundNumber:
    """A probability, a mean or a parameter, its words replaced by levels of the model's columns.

    Attributes:
        question: in canonical form
        event: the levels that are meant; None for a mean or a parameter
        given: those that are conditioned on; None for all records
    """

    question: Number
    event: Levels | None
    given: Levels | None

    @staticmethod
    def read(question: str | Question, schema: Schema, model: Model) -> BoundNumber:
        """Read a question about one number, and refuse other ones."""
        written = str(question) if isinstance(question, Question) else question
        asked = parse(written)
        binding = Binding(written, schema, model.columns, parameters_of(model))
        bound = binding.bound(asked) if isinstance(asked, Probability | Mean | Parameter) else asked
        if not isinstance(bound, Probability | Mean | Parameter):
            raise QuestionError(
                "this is not about one number",
                question=written,
                place=0,
                allowed="P(event), mean(column), parameter(column)",
            )
        return BoundNumber.of(bound, binding)

    @staticmethod
    def of(question: Number, binding: Binding) -> BoundNumber:
        """Take a question that was bound already."""
        if not isinstance(question, Probability | Mean):
            return BoundNumber(question, None, None)
        given = binding.event(question.given) or None
        event = binding.event(question.event) if isinstance(question, Probability) else None
        return BoundNumber(question, event, given)

    def quantity(self, posterior: Numbers) -> Quantity:
        """Ask a posterior."""
        if isinstance(self.question, ModelChance):
            return finite(posterior, self.question).model_chance(self.question.name.text)
        if isinstance(self.question, Stationary):
            return _chain(posterior, self.question).stationary(self.question.state.text)
        if isinstance(self.question, After):
            asked = self.question
            return _chain(posterior, asked).after(asked.steps, asked.state.text, asked.start.text)
        if isinstance(self.question, Parameter):
            if isinstance(posterior, ParameterPosterior | GivenParameters):
                return posterior.parameter
            if isinstance(posterior, GivenJoint):
                return posterior.parameter(self.question.column.text)
            raise QuestionError(
                "a table has a probability for each cell, and no single parameter",
                question=str(self.question),
                place=0,
                allowed="P(event), mean(column)",
            )
        if isinstance(self.question, Probability):
            return posterior.probability(self.event, self.given)
        return posterior.average(self.question.column.text, self.given)

    def ends(self, schema: Schema, model: Model) -> tuple[float, float]:
        """Return between what the number lies, whatever the data: public facts, infinite without ends."""
        if isinstance(self.question, Parameter):
            low, high = model.prior.support if isinstance(model, Family) else (None, None)
            return -math.inf if low is None else float(low), math.inf if high is None else float(high)
        if not isinstance(self.question, Mean):
            return 0.0, 1.0
        name = self.question.column.text
        numbers = numbers_of(name, schema.column(name))
        return float(numbers.min()), float(numbers.max())


def parameters_of(model: Model) -> tuple[str, ...]:
    """Return the names by which a model's parameters are asked for, if it has several."""
    return model.names if isinstance(model, JointFamily) else ()


def finite(posterior: object, question: Question) -> FinitePosterior:
    """Return a posterior of models, or refuse the question."""
    if isinstance(posterior, FinitePosterior):
        return posterior
    raise QuestionError(
        "only a finite family has models to choose from",
        question=str(question),
        place=0,
        allowed="P(event), mean(column)",
    )


def _chain(posterior: object, question: Question) -> MarkovPosterior:
    """Return the posterior of a Markov chain, or refuse the question."""
    if isinstance(posterior, MarkovPosterior):
        return posterior
    raise QuestionError(
        "only a Markov chain has steps and a long run",
        question=str(question),
        place=0,
        allowed="P(event), mean(column)",
    )
