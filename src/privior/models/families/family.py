"""The contract of a conjugate family of one parameter.

    theta ~ prior                                               a conjugate law, or one cut to an interval
    log p(x | theta) = h(theta) t(x) - A(theta) + a constant    one record
    T = t(x_1) + ... + t(x_n)                                   the statistic

On the public grid of its column t(x) is base + unit * j, j a whole number with public bounds. What is summed
in an engine is j; T = base n + unit sum j is exact. A cell outside the bounds counts as the nearest one
inside, so the family speaks of records as the schema sees them.

A family knows its likelihood twice: exactly, as the update of its prior's parameters, from which posteriors
are drawn; and in floating point, for inference. Where a draw from the posterior has a proved privacy, it has
the pair too.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from privior.arrays import Floats
from privior.checks import fill
from privior.errors import ModelError, shown
from privior.exact import decimal
from privior.models.families.drawing import FamilyDrawing
from privior.models.families.reweighting import reweighted_draw
from privior.models.families.summed import SummedModel
from privior.models.laws import Conjugate, Law, Reweighted, Truncated, to_law
from privior.models.laws.conjugate import read_number
from privior.models.laws.masses import log_normaliser
from privior.models.summands import ONE, Summand
from privior.privacy import Neighbours, pairs
from privior.privacy.pairs import DominatingPair, SignedSteps
from privior.schema import Boolean, Bounded, Integer, Schema


class Family(SummedModel):
    """One column, one parameter, one conjugate prior.

    Attributes:
        column: the column whose values are modelled
        prior: of the parameter
    """

    column: str
    prior: Law
    family: ClassVar[str]
    #: what the parameter is called in answers
    parameter: ClassVar[str]
    #: the kind of law that is conjugate
    conjugate: ClassVar[type[Conjugate]]
    #: the shape that records are taken to have; empty if they can have no other
    shape: ClassVar[str] = ""
    #: whether several draws from the posterior are as private as one from another law, which is quickly found
    draws_compose: ClassVar[bool] = False

    def _set(self, column: str, prior: object) -> None:
        if not isinstance(column, str) or not column:
            raise self.refusal("not the name of a column", asked=shown(column))
        law = to_law(prior) if isinstance(prior, dict) else prior
        base = _plain(law)
        if not isinstance(base, self.conjugate):
            raise self.refusal(
                "this prior is not conjugate here",
                asked=shown(prior),
                allowed=f"pv.{self.conjugate.__name__}(...), or it in pv.Truncated(...), pv.Reweighted(...)",
            )
        fill(self, column=column, prior=law)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns that are read."""
        return (self.column,)

    @property
    def law(self) -> Conjugate:
        """The prior's law, without the interval to which it may be cut and without weights."""
        base: Conjugate = _plain(self.prior)
        return base

    @property
    def assumption(self) -> str:
        """That the column has the family's shape."""
        return f"{self.column} is {self.shape}" if self.shape else ""

    def with_prior(self, prior: object) -> Self:
        """Return the same family with another prior of the same kind."""
        other = copy(self)
        other._set(self.column, prior)
        return other

    # What is summed

    @abstractmethod
    def summand(self, schema: Schema) -> Summand:
        """Return j, what one record adds to the sum."""

    @abstractmethod
    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """Return base and unit: t = base + unit * j."""

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return what is summed: where the number of values is private, they are counted too."""
        self.check(schema)
        own = self.summand(schema)
        return (ONE, own) if self.counts_values(schema, neighbours) else (own,)

    def bounds(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """Return the least and the largest t of a record."""
        base, unit = self.grid(schema)
        low, high = self.summand(schema).bounds(schema)
        return base + unit * low, base + unit * high

    def total(self, schema: Schema, records: int, summed: int) -> Fraction:
        """Return T, exactly."""
        base, unit = self.grid(schema)
        return base * records + unit * summed

    def check(self, schema: Schema) -> None:
        """Refuse a schema that the family cannot be used with."""
        self.summand(schema)

    @property
    def first_question(self) -> str:
        """What a user asks first of a family: the value of its parameter."""
        return f"parameter('{self.column}')"

    def statistic_in_words(self, schema: Schema) -> str:
        """Say between what a record's statistic lies."""
        low, high = self.bounds(schema)
        return f"each record adds {float(low):.6g} to {float(high):.6g}"

    # The likelihood

    @abstractmethod
    def update(self, law: Conjugate, records: Fraction, total: Fraction) -> Conjugate:
        """Return the law after n records with sum T; both may be weighted."""

    @abstractmethod
    def natural(self, theta: Floats) -> Floats:
        """Return h(theta), the natural parameter."""

    @abstractmethod
    def partition(self, theta: Floats) -> Floats:
        """Return A(theta), the log of the constant that makes the law sum to 1."""

    @abstractmethod
    def log_measure(self, records: Floats, totals: Floats, unit: float) -> Floats:
        """Return log m_n(T): T has the density or chance m_n(T) exp(h T - n A); -inf where T cannot be."""

    def log_posterior(self, theta: float, records: int, totals: Floats, weight: float) -> Floats:
        """Return the log density at theta of the posterior given n weighted records, one for each T."""
        normaliser = self.log_evidence(weight * records, weight * totals)
        points = np.array([theta])
        inner = self.natural(points) * totals - self.partition(points) * records
        return np.asarray(self.prior.log_density(points) + weight * inner - normaliser)

    def log_evidence(self, records: float, totals: Floats) -> Floats:
        """Return the log of the integral of the prior times exp(h T - n A): a sum for glued priors."""
        prior = self.prior
        if not isinstance(prior, Reweighted):
            first, second, extra = self.updated(records, totals)
            return np.asarray(log_normaliser(self.conjugate, first, second, prior.support) + extra)
        logs = []
        for piece in prior.pieces:
            first, second, extra = self.with_prior(piece.law).updated(records, totals)
            inside = log_normaliser(self.conjugate, first, second, (piece.lower, piece.upper))
            logs.append(inside + extra + prior.log_constant(piece))
        return np.asarray(np.logaddexp.reduce(logs))

    @abstractmethod
    def updated(self, records: float, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the parameters after n records for each T, in floating point, and a logarithm.

        Prior density times exp(h T - n A) is the law of these parameters times the exponential of the
        logarithm, both written without constants.
        """

    @abstractmethod
    def mean_of(self, theta: Floats) -> Floats:
        """Return the mean of the column's values given the parameter."""

    @abstractmethod
    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the probability that a record's value is at most this."""

    def below(self, theta: Floats, code: int, schema: Schema) -> Floats:
        """Return the probability that a record has at most this code: what lies outside is at the ends."""
        lower, step, size = numeric(schema, self.column, self.family)
        if code < 0 or code >= size - 1:
            return np.full(theta.shape, 0.0 if code < 0 else 1.0)
        return self.value_below(theta, float(lower + step * (code + Fraction(1, 2))))

    # Privacy

    @property
    def cut_ends(self) -> tuple[Fraction, Fraction] | None:
        """Both ends of the interval to which the prior is cut, inside the support; None if it is not cut.

        Raises ModelError where it is cut at one end only, or at an end of its support: the log likelihood
        ratio of two records is then unbounded, and for cut laws no other pair is proved.
        """
        if isinstance(self.prior, Reweighted):
            raise self.refusal(
                "no privacy is proved for draws from this re-weighted law",
                asked=str(self.prior),
                advice="Re-weight a law that is cut at both ends inside its support, "
                "or release noisy statistics.",
            )
        if not isinstance(self.prior, Truncated):
            return None
        low, high = self.prior.support
        first, last = self.law.support
        if low is None or high is None or low == first or high == last:
            raise self.refusal(
                "no privacy is proved for draws from a law that is cut at one end only",
                asked=str(self.prior),
                advice="Cut it at both ends, inside its support, or not at all; or release noisy statistics.",
            )
        return low, high

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends of the interval in which the parameter lies, where there are two."""
        low, high = self.prior.support
        if low is None or high is None:
            raise self.refusal("the parameter is not bounded", asked=str(self.prior))
        return low, high

    def cut_pair(self, schema: Schema, records: int, weight: Fraction) -> pairs.TruncatedDraw:
        """Return the pair of one draw where the prior is cut at both ends."""
        raise self.refusal("no privacy is proved for draws from a cut law")

    def bounded_pair(self, schema: Schema, records: int, weight: Fraction) -> pairs.TruncatedDraw | None:
        """Return the pair of one draw where the parameter is bounded, re-weighted or not; else None."""
        if isinstance(self.prior, Reweighted):
            return reweighted_draw(self, schema, records, weight)
        return None if self.cut_ends is None else self.cut_pair(schema, records, weight)

    def drawing(self, schema: Schema, records: int, weight: Fraction) -> FamilyDrawing:
        """Return the posterior of the parameter."""
        return FamilyDrawing(self, schema, records, weight)

    def finest(self, schema: Schema) -> float:
        """Return the scale of the prior."""
        return self.law.scale

    # Files

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        return {
            "family": self.family,
            "column": self.column,
            **self.facts(),
            "prior": self.prior.to_document(),
        }

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.column}, prior {self.prior})"


def numeric(schema: Schema, column: str, family: str) -> tuple[Fraction, Fraction, int]:
    """Return the least value, the step and the number of values of a column of numbers."""
    kind = schema.column(column)
    if isinstance(kind, Boolean):
        return Fraction(0), Fraction(1), 2
    if isinstance(kind, Integer):
        return Fraction(kind.lower), Fraction(1), kind.size
    if isinstance(kind, Bounded):
        return kind.lower, kind.grid, kind.size
    raise ModelError(
        "not a column of numbers", where=f"{family}, {column}", asked=kind.kind, allowed="integer, bounded"
    )


def above(value: object, family: str, name: str) -> Fraction:
    """Read a fact that is known beside the prior, and is positive."""
    found = read_number(value, family, name)
    if found <= 0:
        raise ModelError(f"{name} is not above 0", where=family, asked=decimal(found))
    return found


def _plain(law: object) -> Any:
    """Return a law without interval and weights; anything else as it is."""
    if isinstance(law, Reweighted):
        return law.base
    return law.law if isinstance(law, Truncated) else law


def pure_draws(each: pairs.TruncatedDraw, draws: int) -> DominatingPair:
    """Return the pair of draws from a posterior on a bounded interval: randomised response for each."""
    return SignedSteps(each.pure, draws)
