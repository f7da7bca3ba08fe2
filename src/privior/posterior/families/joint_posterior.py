"""The posterior of several parameters of a family, and what it says of the next record.

Sums that were released with noise, or that draws come from, are latent (`joint_chain`): every number shown
includes both what a finite number of records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, Self, final

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.models import JointFamily
from privior.models.families import JointLikelihood
from privior.models.families.family import numeric
from privior.pictures import IntervalChart
from privior.posterior.averages import numbers_of
from privior.posterior.conflict import Conflict
from privior.posterior.contract import posterior_for, with_prior
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.events import Event, Events, quoted
from privior.posterior.families.family_posterior import FamilyPosterior, check_free, noisy_sums, sum_looks
from privior.posterior.families.joint_chain import JointDraws, JointTarget
from privior.posterior.families.runs import chance_of, codes_reached
from privior.posterior.numbers import Floats, Named, Numbers, quantile_name
from privior.posterior.quantity import Quantity, check_level
from privior.posterior.seeds import drawing
from privior.release import Release
from privior.schema import Schema
from privior.special import ndtr

_KEPT, _SEED = 20_480, 20_261_116
#: draws that are looked at beside the releases
_LOOKED = 200
_FREE = "this family tells of all records alike"
_TOGETHER = "Draw records of all columns together: posterior.sample(n)."


@dataclass(frozen=True)
class JointNumbers(Numbers):
    """Numbers that follow from the parameters of a family, one draw of them a row."""

    model: JointFamily

    @cached_property
    def likelihood(self) -> JointLikelihood:
        """The family in floating point."""
        return self.model.at(self.schema)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the parameters are called."""
        return self.model.names

    def parameter(self, name: str) -> Named:
        """Return one of the family's numbers, by its name."""
        place = self.model.named(name)
        if place is None:
            raise InferenceError(
                "no such parameter", asked=shown(name), allowed=", ".join(map(quoted, self.model.names))
            )
        return self.model.names[place], lambda theta: self.likelihood.quantities(theta)[place]

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of a column, as the family has it."""
        place = self.events.place(column)
        check_free(given, _FREE, _TOGETHER)

        def means(theta: Floats) -> Floats:
            return np.broadcast_to(self.likelihood.normal(theta)[0][:, place], (len(theta),))

        return f"mean({quoted(column)})", means

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability that a record's value in one column is one of these."""
        check_free(given, _FREE, _TOGETHER)
        name = self.events.name(event)
        named = self.events.columns_of(event)
        if len(named) != 1:
            raise InferenceError(
                "this family tells the probability of one column's values at a time",
                asked=", ".join(named),
                advice=_TOGETHER,
            )
        column = named[0]
        wanted = Events(self.schema, (column,)).cells(event)

        def chances(theta: Floats) -> Floats:
            below, every = self._below(theta, column), slice(None)
            return chance_of(wanted, lambda code: below(every, code))

        return f"P({name})", chances

    def at_most(self, column: str, code: int) -> Callable[[Floats], Floats]:
        """Return the probability of a code of a column, or a lower one."""
        return lambda theta: self._below(theta, column)(slice(None), code)

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return a quantile of one column's values, as they are recorded."""
        self.events.place(column)
        check_free(given, _FREE, _TOGETHER)
        values = numbers_of(column, self.schema.column(column), "quantile")

        def found(theta: Floats) -> Floats:
            return values[codes_reached(share, len(theta), values.size, self._below(theta, column))]

        return quantile_name(column, share), found

    def _below(self, theta: Floats, column: str) -> Callable[[NDArray[np.intp] | slice, int], Floats]:
        """Return the probability of a code of a column and all before it, for some of the draws."""
        place = self.model.columns.index(column)
        lower, step, size = self._grid(column)
        means, covariances = self.likelihood.normal(theta)
        mean = np.broadcast_to(means[:, place], (len(theta),))
        deviation = np.broadcast_to(np.sqrt(covariances[:, place, place]), (len(theta),))

        def below(some: NDArray[np.intp] | slice, code: int) -> Floats:
            if code < 0 or code >= size - 1:
                return np.full(len(mean[some]), 0.0 if code < 0 else 1.0)
            return np.asarray(ndtr((lower + step * (code + 0.5) - mean[some]) / deviation[some]))

        return below

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Draw Normal vectors, and return the nearest values of the columns' grids."""
        # Rounding may have put a released draw outside of where the prior is cut.
        means, covariances = self.likelihood.normal(self.likelihood.clipped(theta[np.newaxis]))
        root = np.linalg.cholesky(covariances[0])
        rows = means[0] + rng.standard_normal((number, len(means[0]))) @ root.T
        found: dict[str, list[object]] = {}
        for name, values in zip(self.model.columns, rows.T, strict=True):
            lower, step, size = self._grid(name)
            codes = np.clip(np.rint((values - lower) / step), 0, size - 1).astype(int)
            known = self.schema.column(name).values
            found[name] = [known[int(code)] for code in codes]
        return found

    def _grid(self, column: str) -> tuple[float, float, float]:
        lower, step, size = (float(one) for one in numeric(self.schema, column, self.model.family))
        return lower, step, size

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return the parameters by their names."""
        named = zip(self.model.names, theta.T, strict=False)
        return {"posterior": {name: values[np.newaxis] for name, values in named}}


@final
@posterior_for(JointFamily)
@dataclass(frozen=True, repr=False, eq=False)
class JointPosterior(FamilyPosterior):
    """The posterior of all parameters of a family, by draws.

    Attributes:
        releases: what it follows from
        model: the family with the prior that was used
        theta: draws of the parameters, one a row
        records: the number of records of each draw
        totals: the sums of each
        diagnostics: how far the draws can be trusted
        ignored: whether the privacy noise is ignored
    """

    releases: tuple[Release, ...]
    model: JointFamily
    theta: Floats
    records: Floats
    totals: Floats
    diagnostics: Diagnostics
    ignored: bool = False

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer from releases of one table; a prior is a law such as `pv.NormalGamma(0, 1, 3, 2)`."""
        plan = releases[0].plan
        model = with_prior(plan.model, prior)
        evidence = [(release.plan.mechanism, release.statistics) for release in releases]
        public = not model.counts_values(plan.schema, plan.neighbours)
        most = plan.records * plan.schema.unit.max_rows
        target = JointTarget(model, model.at(plan.schema), plan.schema, most, public, evidence)
        found = _as_they_are(target, releases) if ignore_noise else target.draws()
        return cls(releases, model, found.theta, found.records, found.totals, found.diagnostics, ignore_noise)

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> JointNumbers:
        """Return what parameters say about records."""
        return JointNumbers(model, schema)

    @cached_property
    def _likelihood(self) -> JointLikelihood:
        return self.model.at(self.schema)

    def mean(self) -> dict[str, float]:
        """Return the expected value of every number by its name."""
        return {one.name: one.mean for one in self.quantities()}

    def stddev(self) -> dict[str, float]:
        """Return the standard deviations."""
        return {one.name: one.stddev for one in self.quantities()}

    def interval(self, level: float = 0.9) -> dict[str, tuple[float, float]]:
        """Return the equal-tailed interval of each."""
        check_level(level)
        return {one.name: one.interval(level) for one in self.quantities()}

    def mode(self) -> NoReturn:
        """Refuse: draws do not tell the mode of several parameters."""
        raise InferenceError("the mode of several parameters together is not looked for")

    def parameter(self, name: str) -> Quantity:
        """Return the posterior of one of the family's numbers, by its name."""
        return self.parameter_named(name)

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a function of the parameters, by all draws."""
        return Quantity.of(name, function(self.theta))

    def quantities(self) -> list[Quantity]:
        """Return every number the family has a name for, the parameters first."""
        return [self.parameter(name) for name in self.model.names]

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self.theta[rng.integers(len(self.theta), size=number)]

    @cached_property
    def without_noise(self) -> list[Quantity]:
        """What would be known if the expected sums were the true ones: what the records alone leave open."""
        records = np.full(_KEPT, np.rint(self.records.mean()))
        totals = np.repeat(self.totals.mean(axis=0)[np.newaxis], _KEPT, axis=0)
        theta = _conjugate(self._likelihood, records, totals)
        values = self._likelihood.quantities(theta)
        return [Quantity.of(name, one) for name, one in zip(self.model.names, values, strict=True)]

    @property
    def noise_share(self) -> float:
        """About which share of the variance of the parameters the privacy noise makes up."""
        pairs = zip(self.without_noise, self.quantities(), strict=True)
        shares = [max(0.0, 1 - (alone.stddev / both.stddev) ** 2) for alone, both in pairs if both.stddev > 0]
        return float(np.mean(shares)) if shares else 0.0

    @cached_property
    def conflict(self) -> Conflict | None:
        """How improbable the noise is that draws of the sums leave over."""
        sums, names = (
            self.totals / self._likelihood.units,
            [f"sum {1 + place}" for place in range(self.totals.shape[1])],
        )
        if self.model.counts_values(self.schema, self.releases[0].plan.neighbours):
            sums, names = np.column_stack([self.records, sums]), ["the number of values", *names]
        some = np.linspace(0, len(sums) - 1, _LOOKED).astype(int)
        return Conflict.of(list(sum_looks(self.releases, names, sums[some])))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        chains = [] if self.diagnostics.warning is None else [f"WARNING: {self.diagnostics.warning}"]
        return (*super().warnings, *chains)

    @property
    def computed(self) -> tuple[str, ...]:
        """The source and the diagnostics."""
        return (f"{self.source}; {self.diagnostics}",)

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw the intervals, with the part that the records alone would leave open.

        Numbers of different kinds have no common scale: each is shown in standard deviations of its
        posterior away from its mean, which the label tells.
        """
        check_level(level)
        labels, ends = [], []
        for both, alone in zip(self.quantities(), self.without_noise, strict=True):
            spread = both.stddev or 1.0
            labels.append(f"{both.name}: {both.mean:.4g}, stddev {both.stddev:.2g}")
            ends.append([(np.array(one.interval(level)) - both.mean) / spread for one in (both, alone)])
        return IntervalChart(
            labels,
            np.zeros(len(labels)),
            np.array([both for both, _ in ends]),
            np.array([alone for _, alone in ends]),
            title=f"{self.model}, in standard deviations from the posterior mean",
            note=self._note(level),
        )


def _conjugate(likelihood: JointLikelihood, records: Floats, totals: Floats) -> Floats:
    """Draw the parameters given sums; draws outside of where the prior is cut are replaced by inside ones."""
    rng = drawing(_SEED)
    theta = likelihood.conjugate(records, totals, rng)
    for _ in range(50):
        outside = ~np.isfinite(likelihood.log_prior(theta))
        if not outside.any():
            return theta
        theta[outside] = likelihood.conjugate(records[outside], totals[outside], rng)
    return likelihood.clipped(theta)


def _as_they_are(target: JointTarget, releases: tuple[Release, ...]) -> JointDraws:
    """Take the noisy sums of one release as the true ones, moved to where sums can be."""
    seen = noisy_sums(releases)
    n = target.most if target.public else min(max(seen[0], target.model.least_records), target.most)
    low, high = target.ends.T
    sums = np.clip(np.array(seen[-len(low) :], dtype=np.float64), n * low, n * high)
    records = np.full(_KEPT, float(n))
    totals = target.likelihood.possible(records[:1], (sums * target.likelihood.units)[np.newaxis])
    every = np.repeat(totals, _KEPT, axis=0)
    theta = _conjugate(target.likelihood, records, every)
    return JointDraws(theta, records, every, Diagnostics.of_exact("noise ignored", float(_KEPT)))
