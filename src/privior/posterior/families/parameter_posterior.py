"""The posterior of a family's parameter, and what it says of the next record.

Given the parameter records are independent; the sum that was released with noise, or that draws come from, is
latent (`latent_sums`). Every number shown therefore includes both what a finite number of records leaves open
and what the privacy noise hides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.mechanisms import NoisyStatistics
from privior.models import Family, to_model
from privior.models.laws import Law
from privior.pictures import IntervalChart
from privior.plans import FamilyPlan
from privior.posterior.events import Event, Events, quoted
from privior.posterior.families.latent_sums import LatentSums
from privior.posterior.families.parameter import ParameterLaw, parameter_law
from privior.posterior.quantity import Quantity, check_level, check_number, generator
from privior.posterior.shown import Shown, numbers_document, numbers_table
from privior.release import Release
from privior.schema import Schema

if TYPE_CHECKING:
    pass

Floats = NDArray[np.float64]

#: draws that are kept for questions about other numbers than the parameter
_KEPT, _SEED = 20_000, 20_261_116


@dataclass(frozen=True, repr=False, eq=False)
class ParameterPosterior(Shown):
    """The posterior of the parameter theta of a family.

    Attributes:
        releases: what it follows from
        model: the family with the prior that was used
        sums: the unknown sums
        ignored: whether the privacy noise is ignored
    """

    releases: tuple[Release[FamilyPlan], ...]
    model: Family
    sums: LatentSums
    ignored: bool = False

    @staticmethod
    def given(
        releases: tuple[Release[FamilyPlan], ...], prior: object, *, ignore_noise: bool
    ) -> ParameterPosterior:
        """Infer from releases of one table.

        Args:
            releases: one or more
            prior: the analyst's own; None for the model's
            ignore_noise: whether noisy sums are taken as true ones
        """
        plan = releases[0].plan
        model = plan.model if prior is None else _with_prior(plan.model, prior)
        public = len(plan.summands) == 1
        if ignore_noise:
            sums = _as_they_are(releases, model, public)
            return ParameterPosterior(releases, model, sums, ignored=True)
        evidence = [(release.plan.mechanism, release.statistics) for release in releases]
        sums = LatentSums.given(model, plan.schema, plan.records, public, evidence)
        return ParameterPosterior(releases, model, sums)

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
        name = f"{self.model.parameter} of {quoted(self.model.column)}"
        return Quantity(name, self.law.mean, self._kept, self.law.interval, self.law.stddev)

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the mean of the column, as the family has it."""
        Events(self._schema, self.model.columns).place(column)
        check_free(given)
        name = f"mean({quoted(column)})"
        if self.model.parameter == "mean":
            return Quantity(name, self.law.mean, self._kept, self.law.interval, self.law.stddev)
        return self._quantity(name, self.model.mean_of)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the probability that a record's value is one of these.

        Values are those of the column's grid; one that lies outside its bounds counts as the nearest end.
        """
        check_free(given)
        events = Events(self._schema, self.model.columns)
        wanted = events.cells(event)

        def chances(theta: Floats) -> Floats:
            return chance(self.model, self._schema, wanted, theta)

        return self._quantity(f"P({events.name(event)})", chances)

    def _quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return a function of the parameter, as a quantity."""
        values, masses = function(self.law.points), self.law.masses
        order = np.argsort(values, kind="stable")
        image = ParameterLaw(values[order], masses[order])
        return Quantity(name, image.mean, function(self._kept), image.interval, image.stddev)

    @cached_property
    def _kept(self) -> Floats:
        return self.law.draws(_KEPT, np.random.default_rng(_SEED))

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of the parameter."""
        return self.law.draws(check_number(n, "n"), generator(seed))

    def sample(
        self, n: int, seed: int | None = None, *, released: int | None = None
    ) -> dict[str, list[object]]:
        """Return n synthetic records: one draw of the parameter, then records from it.

        Args:
            n: how many
            seed: of the draw and the records
            released: take this one of the released draws, counted from 0, instead of a new one
        """
        number, rng = check_number(n, "n"), generator(seed)
        theta = self.law.draws(1, rng) if released is None else self._released(released)[np.newaxis]
        column = self._schema.column(self.model.column)
        codes = np.arange(column.size)
        below = np.array([float(self.model.below(theta, int(code), self._schema)[0]) for code in codes])
        drawn = np.searchsorted(below, rng.uniform(size=number), side="left")
        values = column.values
        return {self.model.column: [values[min(int(code), column.size - 1)] for code in drawn]}

    def to_arviz(self, draws: int = 4000, seed: int | None = None) -> Any:
        """Return an ArviZ InferenceData with the posterior draws alone: no data, no likelihood."""
        try:
            import arviz
        except ImportError:
            raise InferenceError("ArviZ is not installed", advice='Run pip install "arviz<1".') from None
        return arviz.from_dict(posterior={self.model.parameter: self.draws(draws, seed)[np.newaxis]})

    @cached_property
    def without_noise(self) -> ParameterLaw:
        """What would be known if the expected sum were the true one: what the records alone leave open."""
        weights = np.exp(self._log_shares)
        records = float(np.rint(weights @ self.sums.records))
        total = float(weights @ self.sums.totals)
        return parameter_law(self.model, LatentSums(np.array([records]), np.array([total]), np.zeros(1)))

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

    @property
    def noise_ignored(self) -> bool:
        """Whether noisy sums were taken as true ones."""
        return self.ignored

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        return ("WARNING: the privacy noise is IGNORED: intervals are too narrow",) if self.ignored else ()

    def quantities(self) -> list[Quantity]:
        """Return the parameter, and the mean of the column if that is another number."""
        if self.model.parameter == "mean":
            return [self.parameter]
        return [self.parameter, self.average(self.model.column)]

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

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        return {
            "column": self.model.column,
            "family": self.model.family,
            "level": level,
            "quantities": numbers_document(self.quantities(), level),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of the {self.model.parameter} of {self.model.column}, {self._source}>"

    def text(self, level: float = 0.9) -> str:
        """Return a table of what is known, with intervals of this level."""
        table = numbers_table(str(self.model), self.quantities(), level)
        return "\n".join([*table, "", self._source, *self.warnings])


def chance(model: Family, schema: Schema, wanted: NDArray[np.bool_], theta: Floats) -> Floats:
    """Return the probability that a record has one of the wanted codes: runs of neighbours, added up."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8)))
    found = np.zeros(theta.shape)
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        found += model.below(theta, int(after) - 1, schema) - model.below(theta, int(first) - 1, schema)
    return found


def _with_prior(model: Family, prior: object) -> Family:
    """Return the family with the analyst's own prior, checked as the model's was."""
    law = prior.to_document() if isinstance(prior, Law) else prior
    own = to_model({**model.to_document(), "prior": law})
    if not isinstance(own, Family):
        raise TypeError("not a family")
    return own


def _as_they_are(releases: tuple[Release[FamilyPlan], ...], model: Family, public: bool) -> LatentSums:
    """Take the noisy sums of one release as the true ones, moved to where sums can be."""
    plan, seen = releases[0].plan, releases[0].statistics.counts
    if len(releases) > 1 or not isinstance(plan.mechanism, NoisyStatistics):
        raise InferenceError(
            "noise can be ignored for one release of noisy statistics only", asked=plan.mechanism.name
        )
    records = plan.records if public else min(max(seen[0], 1), plan.records)
    low, high = model.summand(plan.schema).bounds(plan.schema)
    total = model.total(plan.schema, records, min(max(seen[-1], records * low), records * high))
    return LatentSums(np.array([float(records)]), np.array([float(total)]), np.zeros(1))


def check_free(given: object) -> None:
    """Refuse a condition."""
    if given:
        raise InferenceError(
            "a family of one parameter has one column: nothing can be given", asked=shown(given)
        )


def _log_sum(logs: Floats) -> float:
    most = float(logs.max())
    return most + float(np.log(np.exp(logs - most).sum()))
