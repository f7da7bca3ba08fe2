"""The posterior of the model of a finite family, and what it says of the cells and of the next record.

Given the model all chances are known: what is open is which model it is. Every number shown includes both
what a finite number of records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.mechanisms import ModelDraws
from privior.models import FiniteFamily
from privior.pictures import IntervalChart, listing, markup
from privior.plans import FinitePlan
from privior.posterior.averages import numbers_of
from privior.posterior.events import Event, Events, quoted
from privior.posterior.finite.model_chances import ModelChances, certain_chances, model_chances
from privior.posterior.quantity import Quantity, check_level, check_number, generator
from privior.posterior.shown import Shown
from privior.posterior.tables.drawn import DRAWS, SEED
from privior.release import Release

if TYPE_CHECKING:
    pass

Floats = NDArray[np.float64]

#: rows of a table of models or cells as text
_MOST_ROWS = 40


@dataclass(frozen=True, repr=False, eq=False)
class FinitePosterior(Shown):
    """The posterior of the model.

    Attributes:
        releases: what it follows from
        model: the family with the prior that was used
        chances: the probability of each model, and how it was found
        ignored: whether the privacy noise is ignored
    """

    releases: tuple[Release[FinitePlan], ...]
    model: FiniteFamily
    chances: ModelChances
    ignored: bool = False

    @staticmethod
    def given(
        releases: tuple[Release[FinitePlan], ...], prior: object, *, ignore_noise: bool
    ) -> FinitePosterior:
        """Infer from releases of one table.

        Args:
            releases: one or more
            prior: the analyst's own weights of the models; None for the model's
            ignore_noise: whether noisy counts are taken as true ones
        """
        first = releases[0].plan.model
        model = first if prior is None else first.with_prior(prior)
        if not ignore_noise:
            return FinitePosterior(releases, model, model_chances(releases, model))
        if len(releases) > 1:
            raise InferenceError(
                "noise can be ignored for one release only", asked=f"{len(releases)} releases"
            )
        return FinitePosterior(releases, model, certain_chances(releases[0], model), ignored=True)

    # Which model it is

    def models(self) -> dict[str, float]:
        """Return the probability of each model."""
        return dict(zip(self.model.names, self.chances.shares.tolist(), strict=True))

    def best(self) -> str:
        """Return the most probable model."""
        return self.model.names[int(np.argmax(self.chances.shares))]

    def model_chance(self, name: str) -> Quantity:
        """Return the probability that this is the model: a number without uncertainty of its own."""
        if name not in self.model.names:
            some = ", ".join(self.model.names[:20])
            raise InferenceError("not a model of this family", asked=shown(name), allowed=some)
        share = self.models()[name]
        return Quantity(f"model({quoted(name)})", share, np.array([share]), lambda _: (share, share), 0.0)

    def expected(self, values: Mapping[str, float] | Callable[[str], float]) -> Quantity:
        """Return a number that depends on the model: its mean, spread and intervals over the models.

        Args:
            values: one for each model by name, or a function of the name
        """
        if isinstance(values, Mapping) and set(values) != set(self.model.names):
            raise InferenceError("not one value for each model", asked=shown(dict(values)))
        of = values.__getitem__ if isinstance(values, Mapping) else values
        return self._quantity("expected value", np.array([float(of(name)) for name in self.model.names]))

    # What follows for the cells

    @cached_property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each cell, one per column of the model."""
        return tuple(product(*(self._schema.column(name).labels for name in self.model.columns)))

    def mean(self) -> Floats:
        """Return the expected chance of each cell."""
        return np.asarray(self.chances.shares @ self._laws)

    def stddev(self) -> Floats:
        """Return the standard deviation of each cell's chance."""
        return np.sqrt(self.chances.shares @ (self._laws - self.mean()) ** 2)

    def interval(self, level: float = 0.9) -> Floats:
        """Return the equal-tailed interval of each cell's chance, as (k, 2)."""
        return _intervals(self._laws, self.chances.shares, check_level(level))

    def predictive(self) -> Floats:
        """Return the probability that the next record falls into each cell: the posterior mean."""
        return self.mean()

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the probability of an event, such as {"sex": "female"}.

        Args:
            event: a level, or several, for some columns; for a model of one column a level alone will do
            given: another event to condition on
        """
        wanted, name = self._events.cells(event), self._events.name(event)
        if given is None:
            return self._quantity(f"P({name})", self._laws[:, wanted].sum(axis=1))
        among = self._among(self._events.cells(given))
        return self._quantity(f"P({name} | {self._events.name(given)})", among[:, wanted].sum(axis=1))

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the posterior of the mean of a column of numbers, or of the share of true.

        Args:
            column: a column of whole numbers, of numbers on a grid, or true or false
            given: an event to condition on
        """
        place = self._events.place(column)
        numbers = numbers_of(column, self._schema.column(column))
        values = numbers[np.unravel_index(np.arange(self._laws.shape[1]), self._shape)[place]]
        if given is None:
            return self._quantity(f"mean({quoted(column)})", self._laws @ values)
        name = f"mean({quoted(column)} | {self._events.name(given)})"
        return self._quantity(name, self._among(self._events.cells(given)) @ values)

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return the cell chances of n models drawn from the posterior, as (n, k)."""
        number = check_number(n, "n", self._laws.shape[1])
        return self._laws[generator(seed).choice(len(self._laws), size=number, p=self.chances.shares)]

    def mode(self) -> Floats:
        """Return the cell chances of the most probable model."""
        return np.asarray(self._laws[int(np.argmax(self.chances.shares))])

    def sample(
        self, n: int, seed: int | None = None, *, released: int | None = None
    ) -> dict[str, list[object]]:
        """Return n synthetic records, column by column: one draw of the model, then records from it.

        Args:
            n: how many
            seed: of the draw and the records
            released: take this one of the released draws, counted from 0, instead of a new one
        """
        number, rng = check_number(n, "n"), generator(seed)
        if released is None:
            law = self._laws[rng.choice(len(self._laws), p=self.chances.shares)]
        else:
            law = self._released(released)
        codes = np.unravel_index(rng.choice(law.size, size=number, p=law / law.sum()), self._shape)
        values = [self._schema.column(name).values for name in self.model.columns]
        return {
            name: [known[code] for code in some]
            for name, known, some in zip(self.model.columns, values, codes, strict=True)
        }

    def to_arviz(self, draws: int = DRAWS, seed: int | None = None) -> Any:
        """Return an ArviZ InferenceData with the posterior draws alone: no data, no likelihood."""
        try:
            import arviz
        except ImportError:
            raise InferenceError("ArviZ is not installed", advice='Run pip install "arviz<1".') from None
        labels = [", ".join(cell) for cell in self.cells]
        theta = self.draws(draws, seed)[np.newaxis]
        return arviz.from_dict(posterior={"theta": theta}, coords={"cell": labels}, dims={"theta": ["cell"]})

    # How it is shown

    @cached_property
    def without_noise(self) -> Floats:
        """The probability of each model if the table were the expected one: what records alone leave open."""
        plan = self.releases[0].plan
        records = float(plan.records)
        if not plan.total_public and not isinstance(plan.mechanism, ModelDraws):
            most = plan.records * plan.schema.unit.max_rows
            records = float(np.clip(self.releases[0].statistics.array().sum(), 0, most))
        mean = self.mean()
        logs = self.model.log_prior() + records * (np.where(mean > 0, self.model.log_chances(), 0.0) @ mean)
        shares = np.exp(logs - logs.max())
        return np.asarray(shares / shares.sum())

    @property
    def noise_ignored(self) -> bool:
        """Whether noisy counts were taken as true ones."""
        return self.ignored

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        found = ["WARNING: the privacy noise is IGNORED: too sure of one model"] if self.ignored else []
        if self.chances.error > 0.02:
            found.append(
                f"WARNING: the probabilities of the models are simulated, with an error of about "
                f"{self.chances.error:.2g}"
            )
        return tuple(found)

    @property
    def _source(self) -> str:
        return f"{super()._source}; {self.chances.method}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the models, the most probable ones first."""
        prior, shares = np.exp(self.model.log_prior()), self.chances.shares
        rows = [
            [self.model.names[index], f"{prior[index]:.4g}", f"{shares[index]:.4g}"]
            for index in np.argsort(-shares, kind="stable")[:_MOST_ROWS]
        ]
        return ["model", "prior", "probability"], rows

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw the interval of each cell's chance, with the part that the records alone would leave open."""
        check_level(level)
        return IntervalChart(
            [", ".join(cell) for cell in self.cells],
            self.mean(),
            self.interval(level),
            _intervals(self._laws, self.without_noise, level),
            title=" x ".join(self.model.columns),
            note=self._note(level),
        )

    def _parts(self) -> list[markup.Markup]:
        return [markup.table(*self.table(), numeric=range(1, 3)), self.picture().html()]

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known of the models and of each cell as plain values, for JSON."""
        numbers = zip(self.cells, self.mean(), self.stddev(), self.interval(level), strict=True)
        return {
            "columns": list(self.model.columns),
            "family": self.model.family,
            "models": self.models(),
            "best": self.best(),
            "level": level,
            "cells": [
                {
                    "levels": list(levels),
                    "mean": float(mean),
                    "stddev": float(stddev),
                    "low": float(low),
                    "high": float(high),
                }
                for levels, mean, stddev, (low, high) in numbers
            ],
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of {self.model}: {self.best()} is most probable, {self._source}>"

    def text(self, level: float = 0.9) -> str:
        """Return the tables of models and of cells, with intervals of this level, and warnings."""
        mean, ends = self.mean(), self.interval(level)
        order = np.arange(mean.size)
        if mean.size > _MOST_ROWS:
            order = np.argsort(-mean, kind="stable")[:_MOST_ROWS]
        rows = [
            [", ".join(self.cells[i]), f"{mean[i]:.4f}", f"{ends[i, 0]:.4f} to {ends[i, 1]:.4f}"]
            for i in order
        ]
        header = [" x ".join(self.model.columns), "probability", f"{100 * level:g}% interval"]
        models = listing.table(*self.table())
        return "\n".join([*models, "", *listing.table(header, rows), "", self._source, *self.warnings])

    @cached_property
    def _laws(self) -> Floats:
        return np.exp(self.model.log_chances())

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        return tuple(self._schema.column(name).size for name in self.model.columns)

    @cached_property
    def _events(self) -> Events:
        return Events(self._schema, self.model.columns)

    def _among(self, condition: NDArray[np.bool_]) -> Floats:
        """Return the chances in each model given that a record is in some cells; nan where it cannot be."""
        inside = np.where(condition, self._laws, 0.0)
        whole = inside.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return np.asarray(inside / whole)

    def _quantity(self, name: str, values: Floats) -> Quantity:
        """Return a number that each model has, as a quantity; models without it have no share."""
        has = np.isfinite(values)
        whole = float(self.chances.shares[has].sum())
        if not whole > 0:
            raise InferenceError("what is conditioned on has no chance in any model that is possible")
        shares = np.where(has, self.chances.shares, 0.0) / whole
        known = np.where(has, values, 0.0)
        mean = float(shares @ known)

        def interval(level: float) -> tuple[float, float]:
            low, high = _intervals(known[:, np.newaxis], shares, level)[0]
            return float(low), float(high)

        stddev = float(np.sqrt(shares @ (known - mean) ** 2))
        drawn = np.random.default_rng(SEED).choice(known, size=DRAWS, p=shares)
        return Quantity(name, mean, drawn, interval, stddev)


def _intervals(values: Floats, shares: Floats, level: float) -> Floats:
    """Return the smallest values not exceeded with probability (1 -+ level)/2, one row for each column."""
    order = np.argsort(values, axis=0, kind="stable")
    below = np.cumsum(shares[order], axis=0)
    ranked = np.take_along_axis(values, order, axis=0)
    last = len(values) - 1
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        places = np.minimum((below < share * (1 - 1e-12)).sum(axis=0), last)
        ends.append(np.take_along_axis(ranked, places[np.newaxis], axis=0)[0])
    return np.stack(ends, axis=1)
