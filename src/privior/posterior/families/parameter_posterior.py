"""The posterior of a family's parameter, and what it says of the next record.

Given the parameter records are independent; the sum that was released with noise, or that draws come from, is
latent (`latent_sums`). Every number shown therefore includes both what a finite number of records leaves open
and what the privacy noise hides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from privior.models import Family
from privior.pictures import Density, IntervalChart
from privior.plans import Plan
from privior.posterior.averages import numbers_of
from privior.posterior.conflict import Conflict, Look
from privior.posterior.contract import posterior_for, with_prior
from privior.posterior.events import Event, quoted
from privior.posterior.families.family_posterior import FamilyPosterior, check_free, noisy_sums, sum_looks
from privior.posterior.families.latent_sums import LatentSums
from privior.posterior.families.parameter import ParameterLaw, parameter_law
from privior.posterior.families.runs import chance_of, codes_reached
from privior.posterior.findings import Finding
from privior.posterior.numbers import Floats, Named, Numbers, quantile_name
from privior.posterior.quantity import Quantity, check_level
from privior.posterior.seeds import drawing, seed_said
from privior.release import Release
from privior.schema import Schema

#: draws that are kept for questions about other numbers than the parameter
_KEPT, _SEED = 20_000, 20_261_116
#: how much of the parameter's law is drawn as a density, and at how many points
_SHOWN, _DRAWN = 0.999, 121
#: the prior must move the expectation by so many standard deviations to be looked at
_MATTERS = 0.5
#: draws that are looked at
_LOOKED = 200
_BOTH = ("the number of records", "the sum")
_FREE = "a family of one parameter has one column"
_RATIO = "P(A | B) is the ratio P(A and B) / P(B): ask for that, as in P(x>=3) / P(x>=1)."


@dataclass(frozen=True)
class ParameterNumbers(Numbers):
    """Numbers that follow from the parameter of a family."""

    model: Family

    @property
    def parameter_ends(self) -> tuple[float, float]:
        """The support of the prior."""
        low, high = self.model.prior.support
        return -math.inf if low is None else float(low), math.inf if high is None else float(high)

    def parameter(self, name: str) -> Named:
        """Return the only parameter of the family, whatever name was asked for, and what it is called."""
        return f"{self.model.parameter} of {quoted(self.model.column)}", lambda theta: theta

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of the column, as the family has it."""
        self.events.place(column)
        check_free(given, _FREE)
        return f"mean({quoted(column)})", self.model.mean_of

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability that a record's value is one of these."""
        check_free(given, _FREE, _RATIO)
        wanted = self.events.cells(event)
        name = f"P({self.events.name(event)})"
        return name, lambda theta: chance_of(wanted, lambda code: self.at_most("", code)(theta))

    def at_most(self, column: str, code: int) -> Callable[[Floats], Floats]:
        """Return the probability of a code of the one column, or a lower one."""
        return lambda theta: self.model.below(theta, code, self.schema)

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return a quantile of the column's values, as they are recorded."""
        self.events.place(column)
        check_free(given, _FREE)
        values = numbers_of(column, self.schema.column(column), "quantile")
        model, schema = self.model, self.schema

        def found(theta: Floats) -> Floats:
            def below(places: NDArray[np.intp], code: int) -> Floats:
                return model.below(theta[places], code, schema)

            return values[codes_reached(share, len(theta), values.size, below)]

        return quantile_name(column, share), found

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Draw codes by inversion, and return their values."""
        column, at = self.schema.column(self.model.column), np.asarray(theta)[np.newaxis]
        uniform, values = rng.uniform(size=number), column.values

        def beyond(places: NDArray[np.intp], code: int) -> Floats:
            return np.asarray(self.model.below(at, code, self.schema) - uniform[places])

        drawn = codes_reached(0.0, number, column.size, beyond)
        return {self.model.column: [values[int(code)] for code in drawn]}

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return the parameter by its name."""
        return {"posterior": {self.model.parameter: theta[np.newaxis]}}


@final
@posterior_for(Family)
@dataclass(frozen=True, repr=False, eq=False)
class ParameterPosterior(FamilyPosterior):
    """The posterior of the parameter theta of a family.

    Attributes:
        releases: what it follows from
        model: the family with the prior that was used
        sums: the unknown sums
        ignored: whether the privacy noise is ignored
        seed: of what is drawn to read answers off
    """

    releases: tuple[Release, ...]
    model: Family
    sums: LatentSums
    ignored: bool = False
    seed: int = field(default_factory=seed_said, kw_only=True)

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer from releases of one table; a prior is a law such as `pv.Gamma(2, 1)`."""
        plan = releases[0].plan
        model = with_prior(plan.model, prior)
        if ignore_noise:
            return cls(releases, model, _as_they_are(releases, model), ignored=True)
        evidence = [(release.plan.mechanism, release.statistics) for release in releases]
        values = plan.records * plan.schema.unit.max_rows
        return cls(releases, model, LatentSums.given(model, plan.schema, values, _public(plan), evidence))

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> ParameterNumbers:
        """Return what the parameter says about records."""
        return ParameterNumbers(model, schema)

    @cached_property
    def conflict(self) -> Conflict | None:
        """How improbable the noise is that draws of the sum leave over, and the parameter under the prior."""
        chosen = np.random.default_rng(_SEED).choice(
            self.sums.totals.size, _LOOKED, p=np.exp(self._log_shares)
        )
        records, (base, unit) = self.sums.records[chosen], map(float, self.model.grid(self.schema))
        sums = (self.sums.totals[chosen] - base * records) / unit
        public = _public(self.releases[0].plan)
        rows, names = (sums[:, None], ("the sum",)) if public else (np.column_stack([records, sums]), _BOTH)
        return Conflict.of([*sum_looks(self.releases, names, rows), self._beside_the_prior()])

    def _beside_the_prior(self) -> Look:
        """Look at the parameter, wherever the prior moves it: if the prior is right, draws come from it.

        Where most is known by the release, a prior far away does no harm: the expectation must move by half
        a standard deviation to be looked at.
        """
        name, law = f"the {self.model.parameter} beside the prior", self.law
        logs = np.log(np.maximum(law.masses, 1e-300)) - self.model.prior.log_density(law.points)
        alone = np.exp(logs - logs.max())  # what the releases alone say
        mean = float(law.points @ alone / alone.sum())
        if not abs(mean - law.mean) > _MATTERS * law.stddev:
            return Look(name, np.ones(_LOOKED))
        prior = parameter_law(self.model, LatentSums.of_one(0.0, 0.0))
        below = prior.below(np.array([law.quantile(share) for share in (np.arange(_LOOKED) + 0.5) / _LOOKED]))
        return Look(name, np.maximum(2 * np.minimum(below, 1 - below), 1e-12))

    @cached_property
    def law(self) -> ParameterLaw:
        """The law of the parameter."""
        return parameter_law(self.model, self.sums)

    def mean(self) -> float:
        """Return the expected parameter."""
        return self.law.mean

    def stddev(self) -> float:
        """Return its standard deviation."""
        return self.law.stddev

    def mode(self) -> float:
        """Return the most likely parameter."""
        return self.law.mode()

    def interval(self, level: float = 0.9) -> tuple[float, float]:
        """Return the equal-tailed interval of the parameter."""
        return self.law.interval(check_level(level))

    @property
    def parameter(self) -> Quantity:
        """The parameter, as a quantity."""
        return self.parameter_named(self.model.column)

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a function of the parameter: that of its values on the grid."""
        drawn = Quantity.of(name, function(self._kept))
        values, masses = function(self.law.points), self.law.masses
        there = np.isfinite(values)
        values, masses = values[there], masses[there] / masses[there].sum()
        order = np.argsort(values, kind="stable")
        image = ParameterLaw(values[order], masses[order])
        return Quantity(
            name, image.mean, drawn.values, image.interval, image.stddev, undefined=drawn.undefined
        )

    def quantities(self) -> list[Quantity]:
        """Return the parameter, and the mean of the column if that is another number."""
        if self.model.parameter == "mean":
            return [self.parameter]
        return [self.parameter, self.average(self.model.column)]

    @cached_property
    def _kept(self) -> Floats:
        return self.law.draws(_KEPT, drawing(_SEED, self.seed))

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self.law.draws(number, rng)

    @cached_property
    def without_noise(self) -> ParameterLaw:
        """What would be known if the expected sum were the true one: what the records alone leave open."""
        weights = np.exp(self._log_shares)
        records = float(np.rint(weights @ self.sums.records))
        total = float(weights @ self.sums.totals)
        return parameter_law(self.model, LatentSums.of_one(records, total))

    @property
    def noise_share(self) -> float:
        """About which share of the variance of the parameter the privacy noise makes up."""
        return max(0.0, 1 - (self.without_noise.stddev / self.stddev()) ** 2)

    @cached_property
    def _log_shares(self) -> Floats:
        """The log posterior probability of each pair (n, T)."""
        theta, masses = self.law.points[::16], self.law.masses[::16]
        prior = np.log(np.maximum(masses, 1e-300)) - self.sums.log_likelihood(
            self.model.natural(theta), self.model.partition(theta)
        )
        logs = np.array(
            [
                weight + _log_sum(prior + self.model.natural(theta) * total - self.model.partition(theta) * n)
                for n, total, weight in zip(
                    self.sums.records, self.sums.totals, self.sums.weights, strict=True
                )
            ]
        )
        return np.asarray(logs - _log_sum(logs))

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw the parameter's interval, with the part that the records alone would leave open."""
        check_level(level)
        return IntervalChart(
            [f"{self.model.parameter} of {self.model.column}"],
            np.array([self.mean()]),
            np.array([self.interval(level)]),
            np.array([self.without_noise.interval(level)]),
            title=str(self.model),
            note=self._note(level),
        )

    def density_picture(self, level: float = 0.9) -> Density | None:
        """Draw where the parameter may lie, with the privacy noise and without it; None if it is a point."""
        laws = self.law, self.without_noise
        tails = [law.interval(_SHOWN) for law in laws]
        points = np.linspace(min(low for low, _ in tails), max(high for _, high in tails), _DRAWN)
        whole, inner = (law.density(points) for law in laws)
        if not (np.diff(points) > 0).all() or not np.isfinite([whole, inner]).all() or not whole.any():
            return None
        name = f"{self.model.parameter} of {self.model.column}"
        return Density(
            points, whole, inner, self.interval(level), f"Where the {name} may lie", name, self._note(level)
        )

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the numbers, then the density of the parameter."""
        density = self.density_picture(level)
        drawn = [] if density is None else [Finding("The density", picture=lambda: density)]
        return [*super().findings(level), *drawn]

    def _subject(self) -> dict[str, object]:
        return {"column": self.model.column}


def _public(plan: Plan) -> bool:
    """Say whether the number of values is public: then it is not summed."""
    return not plan.model.counts_values(plan.schema, plan.neighbours)


def _as_they_are(releases: tuple[Release, ...], model: Family) -> LatentSums:
    """Take the noisy sums of one release as the true ones, moved to where sums can be."""
    plan, seen = releases[0].plan, noisy_sums(releases)
    most = plan.records * plan.schema.unit.max_rows
    records = most if _public(plan) else min(max(seen[0], 1), most)
    low, high = model.summand(plan.schema).bounds(plan.schema)
    total = model.total(plan.schema, records, min(max(seen[-1], records * low), records * high))
    return LatentSums.of_one(records, float(total))


def _log_sum(logs: Floats) -> float:
    most = float(logs.max())
    return most + float(np.log(np.exp(logs - most).sum()))
