"""The posterior of several parameters of a family, and what it says of the next record.

Sums that were released with noise, or that draws come from, are latent (`joint_chain`): every number shown
includes both what a finite number of records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.mechanisms import NoisyStatistics
from privior.models import JointFamily, to_model
from privior.models.families import JointLikelihood
from privior.models.families.family import numeric
from privior.models.laws import JointLaw
from privior.pictures import IntervalChart
from privior.plans import JointPlan
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.events import Event, Events, quoted
from privior.posterior.families.joint_chain import JointDraws, JointTarget
from privior.posterior.quantity import Quantity, check_level, check_number, generator
from privior.posterior.shown import Shown, numbers_document, numbers_table
from privior.release import Release
from privior.schema import Schema

if TYPE_CHECKING:
    pass

Floats = NDArray[np.float64]

_KEPT, _SEED = 20_480, 20_261_116


@dataclass(frozen=True, repr=False, eq=False)
class GivenJoint:
    """The law that gives each of some parameters the same chance.

    Attributes:
        releases: what they follow from
        model: the family with the prior that was used
        theta: the parameters, one draw a row
    """

    releases: tuple[Release[JointPlan], ...]
    model: JointFamily
    theta: Floats

    @property
    def _schema(self) -> Schema:
        return self.releases[0].plan.schema

    @cached_property
    def _likelihood(self) -> JointLikelihood:
        return self.model.at(self._schema)

    def parameter(self, name: str) -> Quantity:
        """Return the posterior of one of the family's numbers, by its name."""
        place = self.model.named(name)
        if place is None:
            raise InferenceError(
                "no such parameter", asked=shown(name), allowed=", ".join(map(quoted, self.model.names))
            )
        values = self._likelihood.quantities(self.theta)[place]
        return Quantity(self.model.names[place], float(values.mean()), values)

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the mean of a column, as the family has it."""
        place = Events(self._schema, self.model.columns).place(column)
        _check_free(given)
        values = self._likelihood.normal(self.theta)[0][:, place]
        values = np.broadcast_to(values, (len(self.theta),))
        return Quantity(f"mean({quoted(column)})", float(values.mean()), values)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the probability that a record's value in one column is one of these.

        Values are those of the column's grid; one that lies outside its bounds counts as the nearest end.
        """
        _check_free(given)
        events = Events(self._schema, self.model.columns)
        name = events.name(event)
        named = list(event) if isinstance(event, dict) else list(self.model.columns)
        if len(named) != 1:
            raise InferenceError(
                "this family tells the probability of one column's values at a time",
                asked=", ".join(map(str, named)),
                advice="Draw records of all columns together: posterior.sample(n).",
            )
        column = str(named[0])
        wanted = Events(self._schema, (column,)).cells(event)
        values = self._chances(column, wanted)
        return Quantity(f"P({name})", float(values.mean()), values)

    def _chances(self, column: str, wanted: NDArray[np.bool_]) -> Floats:
        from scipy.special import ndtr

        place = self.model.columns.index(column)
        means, covariances = self._likelihood.normal(self.theta)
        mean, deviation = means[:, place], np.sqrt(covariances[:, place, place])
        lower, step, size = (float(one) for one in numeric(self._schema, column, self.model.family))

        def below(code: int) -> Floats:
            if code < 0 or code >= size - 1:
                return np.full(len(self.theta), 0.0 if code < 0 else 1.0)
            return np.asarray(ndtr((lower + step * (code + 0.5) - mean) / deviation))

        edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8)))
        found = np.zeros(len(self.theta))
        for first, after in zip(edges[::2], edges[1::2], strict=True):
            found += below(int(after) - 1) - below(int(first) - 1)
        return found

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n of them, one a row: all in turn, from the first one again after the last."""
        return self.theta[np.arange(check_number(n, "n")) % len(self.theta)]


@dataclass(frozen=True, repr=False, eq=False)
class JointPosterior(GivenJoint, Shown):
    """The posterior of all parameters of a family, by draws.

    Attributes:
        records: the number of records of each draw
        totals: the sums of each
        diagnostics: how far the draws can be trusted
        ignored: whether the privacy noise is ignored
    """

    records: Floats
    totals: Floats
    diagnostics: Diagnostics
    ignored: bool = False

    @staticmethod
    def given(
        releases: tuple[Release[JointPlan], ...], prior: object, *, ignore_noise: bool
    ) -> JointPosterior:
        """Infer from releases of one table.

        Args:
            releases: one or more
            prior: the analyst's own; None for the model's
            ignore_noise: whether noisy sums are taken as true ones
        """
        plan = releases[0].plan
        model = plan.model if prior is None else _with_prior(plan.model, prior)
        evidence = [(release.plan.mechanism, release.statistics) for release in releases]
        public = len(plan.summands) == len(model.products)
        target = JointTarget(model, model.at(plan.schema), plan.schema, plan.records, public, evidence)
        found = _as_they_are(target, releases) if ignore_noise else target.draws()
        return JointPosterior(
            releases, model, found.theta, found.records, found.totals, found.diagnostics, ignore_noise
        )

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

    def quantities(self) -> list[Quantity]:
        """Return every number the family has a name for, the parameters first."""
        return [self.parameter(name) for name in self.model.names]

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of the parameters, one a row."""
        rng = generator(seed)
        return self.theta[rng.integers(len(self.theta), size=check_number(n, "n"))]

    def sample(
        self, n: int, seed: int | None = None, *, released: int | None = None
    ) -> dict[str, list[object]]:
        """Return n synthetic records: one draw of the parameters, then records from it.

        Args:
            n: how many
            seed: of the draw and the records
            released: take this one of the released draws, counted from 0, instead of a new one
        """
        number, rng = check_number(n, "n", len(self.model.columns)), generator(seed)
        theta = self.theta[rng.integers(len(self.theta))] if released is None else self._inside(released)
        means, covariances = self._likelihood.normal(theta[np.newaxis])
        root = np.linalg.cholesky(covariances[0])
        rows = means[0] + rng.standard_normal((number, len(means[0]))) @ root.T
        found: dict[str, list[object]] = {}
        for name, values in zip(self.model.columns, rows.T, strict=True):
            lower, step, size = (float(one) for one in numeric(self._schema, name, self.model.family))
            codes = np.clip(np.rint((values - lower) / step), 0, size - 1).astype(int)
            known = self._schema.column(name).values
            found[name] = [known[int(code)] for code in codes]
        return found

    def _inside(self, place: int) -> Floats:
        """Return a released draw, moved to where the prior is if rounding has put it outside."""
        return np.asarray(self._likelihood.clipped(self._released(place)[np.newaxis])[0])

    def to_arviz(self, draws: int = 4000, seed: int | None = None) -> Any:
        """Return an ArviZ InferenceData with the posterior draws alone: no data, no likelihood."""
        try:
            import arviz
        except ImportError:
            raise InferenceError("ArviZ is not installed", advice='Run pip install "arviz<1".') from None
        columns = zip(self.model.names, self.draws(draws, seed).T, strict=False)
        return arviz.from_dict(posterior={name: values[np.newaxis] for name, values in columns})

    @cached_property
    def without_noise(self) -> list[Quantity]:
        """What would be known if the expected sums were the true ones: what the records alone leave open."""
        records = np.full(_KEPT, np.rint(self.records.mean()))
        totals = np.repeat(self.totals.mean(axis=0)[np.newaxis], _KEPT, axis=0)
        theta = _conjugate(self._likelihood, records, totals)
        values = self._likelihood.quantities(theta)
        return [
            Quantity(name, float(one.mean()), one) for name, one in zip(self.model.names, values, strict=True)
        ]

    @property
    def noise_share(self) -> float:
        """About which share of the variance of the parameters the privacy noise makes up."""
        pairs = zip(self.without_noise, self.quantities(), strict=True)
        shares = [max(0.0, 1 - (alone.stddev / both.stddev) ** 2) for alone, both in pairs if both.stddev > 0]
        return float(np.mean(shares)) if shares else 0.0

    @property
    def noise_ignored(self) -> bool:
        """Whether noisy sums were taken as true ones."""
        return self.ignored

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        ignored = ["WARNING: the privacy noise is IGNORED: intervals are too narrow"] if self.ignored else []
        chains = [] if self.diagnostics.warning is None else [f"WARNING: {self.diagnostics.warning}"]
        return (*ignored, *chains)

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

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        return {
            "columns": list(self.model.columns),
            "family": self.model.family,
            "level": level,
            "quantities": numbers_document(self.quantities(), level),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of the {self.model.parameter} of {', '.join(self.model.columns)}, {self._source}>"

    def text(self, level: float = 0.9) -> str:
        """Return a table of what is known, with intervals of this level."""
        table = numbers_table(str(self.model), self.quantities(), level)
        return "\n".join([*table, "", f"{self._source}; {self.diagnostics}", *self.warnings])


def _conjugate(likelihood: JointLikelihood, records: Floats, totals: Floats) -> Floats:
    """Draw the parameters given sums; draws outside of where the prior is cut are replaced by inside ones."""
    rng = np.random.default_rng(_SEED)
    theta = likelihood.conjugate(records, totals, rng)
    for _ in range(50):
        outside = ~np.isfinite(likelihood.log_prior(theta))
        if not outside.any():
            return theta
        theta[outside] = likelihood.conjugate(records[outside], totals[outside], rng)
    return likelihood.clipped(theta)


def _with_prior(model: JointFamily, prior: object) -> JointFamily:
    """Return the family with the analyst's own prior, checked as the model's was."""
    law = prior.to_document() if isinstance(prior, JointLaw) else prior
    own = to_model({**model.to_document(), "prior": law})
    if not isinstance(own, JointFamily):
        raise TypeError("not a family of several parameters")
    return own


def _as_they_are(target: JointTarget, releases: tuple[Release[JointPlan], ...]) -> JointDraws:
    """Take the noisy sums of one release as the true ones, moved to where sums can be."""
    plan, seen = releases[0].plan, releases[0].statistics.counts
    if len(releases) > 1 or not isinstance(plan.mechanism, NoisyStatistics):
        raise InferenceError(
            "noise can be ignored for one release of noisy statistics only", asked=plan.mechanism.name
        )
    n = plan.records if target.public else min(max(seen[0], target.model.least_records), plan.records)
    low, high = target.ends.T
    sums = np.clip(np.array(seen[-len(low) :], dtype=np.float64), n * low, n * high)
    records = np.full(_KEPT, float(n))
    totals = target.likelihood.possible(records[:1], (sums * target.likelihood.units)[np.newaxis])
    every = np.repeat(totals, _KEPT, axis=0)
    theta = _conjugate(target.likelihood, records, every)
    return JointDraws(theta, records, every, Diagnostics.of_exact("noise ignored", float(_KEPT)))


def _check_free(given: object) -> None:
    """Refuse a condition."""
    if given:
        raise InferenceError(
            "this family tells of all records alike: nothing can be given",
            asked=shown(given),
            advice="Draw records of all columns together: posterior.sample(n).",
        )
