"""The posterior of the model of a finite family, and what it says of the cells and of the next record.

Given the model all chances are known: what is open is which model it is. Every number shown includes both
what a finite number of records leaves open and what the privacy noise hides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.errors import InferenceError, shown
from privior.models import FiniteFamily
from privior.posterior.cells import CellsPosterior
from privior.posterior.contract import posterior_for, released_draws, with_prior
from privior.posterior.events import quoted
from privior.posterior.findings import MOST_ROWS, Finding, Table
from privior.posterior.finite.model_chances import ModelChances, certain_chances, model_chances
from privior.posterior.named_numbers import NamedNumbers
from privior.posterior.numbers import Floats
from privior.posterior.quantity import DRAWS, Quantity, check_level
from privior.posterior.seeds import drawing, seed_said
from privior.release import Release


@final
@posterior_for(FiniteFamily)
@dataclass(frozen=True, repr=False, eq=False)
class FinitePosterior(CellsPosterior):
    """The posterior of the model.

    Attributes:
        releases: what it follows from
        model: the family with the prior that was used
        chances: the probability of each model, and how it was found
        ignored: whether the privacy noise is ignored
        seed: of what is drawn to read answers off
    """

    releases: tuple[Release, ...]
    model: FiniteFamily
    chances: ModelChances
    ignored: bool = False
    seed: int = field(default_factory=seed_said, kw_only=True)

    understands: ClassVar[Mapping[str, str]] = {
        **CellsPosterior.understands,
        "model": "model_chance",
        "models": "ranking",
    }

    @classmethod
    def given(cls, releases: tuple[Release, ...], prior: object, *, ignore_noise: bool) -> Self:
        """Infer from releases of one table; a prior is the weights of the models."""
        model = with_prior(releases[0].plan.model, prior)
        found = certain_chances(releases, model) if ignore_noise else model_chances(releases, model)
        return cls(releases, model, found, ignored=ignore_noise)

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say that there are models instead of counts."""
        if question not in ("counts", "share", "table"):
            return None
        what = "a finite family is asked for models and chances, not for counts"
        return what, "Ask for models(), or for P(event)."

    # Which model it is

    def models(self) -> dict[str, float]:
        """Return the probability of each model."""
        return dict(zip(self.model.names, self.chances.shares.tolist(), strict=True))

    def best(self) -> str:
        """Return the model that is most probable given the releases."""
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
        return self._over_models("expected value", np.array([float(of(name)) for name in self.model.names]))

    def ranking(self) -> list[tuple[str, float, float]]:
        """Return the models, the most probable ones first: name, prior probability, probability."""
        prior, shares = np.exp(self.model.log_prior()), self.chances.shares
        order = np.argsort(-shares, kind="stable")
        return [(self.model.names[index], float(prior[index]), float(shares[index])) for index in order]

    # What follows for the cells

    def mean(self) -> NamedNumbers:
        """Return the expected chance of each cell."""
        shares, cells = self.chances.shares, np.ascontiguousarray(self._laws.T)
        return self._named(np.array([float(shares @ cell) for cell in cells]))  # as for each quantity

    def stddev(self) -> NamedNumbers:
        """Return the standard deviation of each cell's chance."""
        return self._named(np.sqrt(self.chances.shares @ (self._laws - self.mean()) ** 2))

    def interval(self, level: float = 0.9) -> NamedNumbers:
        """Return the equal-tailed interval of each cell's chance, as (k, 2)."""
        return self._named(_intervals(self._laws, self.chances.shares, check_level(level)))

    def mode(self) -> Floats:
        """Return the cell chances of the most probable model."""
        return np.asarray(self._laws[int(np.argmax(self.chances.shares))])

    def quantity(self, name: str, function: Callable[[Floats], Floats]) -> Quantity:
        """Return the law of a number that follows from the chances of the cells."""
        return self._over_models(name, function(self._laws))

    def _over_models(self, name: str, values: Floats) -> Quantity:
        """Return a number that each model has, as a quantity; models without it have no share."""
        has, shares = np.isfinite(values), self.chances.shares
        if not has.all():
            whole = float(shares[has].sum())
            if not whole > 0:
                raise InferenceError("what is conditioned on has no chance in any model that is possible")
            shares = np.where(has, shares, 0.0) / whole
        known = np.where(has, values, 0.0)
        mean = float(shares @ known)

        def interval(level: float) -> tuple[float, float]:
            low, high = _intervals(known[:, np.newaxis], shares, level)[0]
            return float(low), float(high)

        stddev = float(np.sqrt(shares @ (known - mean) ** 2))
        drawn = drawing(0, self.seed).choice(known, size=DRAWS, p=shares)
        return Quantity(name, mean, drawn, interval, stddev)

    @cached_property
    def _laws(self) -> Floats:
        return np.exp(self.model.log_chances())

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        return self._laws[rng.choice(len(self._laws), size=number, p=self.chances.shares)]

    # How it is shown

    @cached_property
    def without_noise(self) -> Floats:
        """The probability of each model if the table were the expected one: what records alone leave open."""
        plan = self.releases[0].plan
        records = float(plan.records)
        if not plan.total_public and not released_draws(self.releases[0]):
            most = plan.records * plan.schema.unit.max_rows
            records = float(np.clip(self.releases[0].statistics.amounts.sum(), 0, most))
        mean = self.mean()
        logs = self.model.log_prior() + records * (np.where(mean > 0, self.model.log_chances(), 0.0) @ mean)
        shares = np.exp(logs - logs.max())
        return np.asarray(shares / shares.sum())

    def _without_noise(self, level: float) -> Floats:
        return _intervals(self._laws, self.without_noise, level)

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
    def assumptions(self) -> tuple[str, ...]:
        """That one of the models is the truth."""
        return (
            f"The truth is taken to be one of these {len(self.model.names)} models: intervals say which one, "
            "and what lies between two of them is not in the intervals.",
        )

    @property
    def source(self) -> str:
        """What was spent, and how the chances of the models were found."""
        return f"{super().source}; {self.chances.method}"

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the chances of the models, then those of the cells."""
        mean, ends = self.mean(), self.interval(level)
        models = [
            [name, f"{prior:.4g}", f"{chance:.4g}"] for name, prior, chance in self.ranking()[:MOST_ROWS]
        ]
        cells = [
            [", ".join(self.cells[i]), f"{mean[i]:.4f}", f"{ends[i, 0]:.4f} to {ends[i, 1]:.4f}"]
            for i in self._shown(mean)
        ]
        header = [" x ".join(self.model.columns), "probability", f"{100 * level:g}% interval"]
        return [
            Finding("The models", Table(["model", "prior", "probability"], models), words=self._best),
            Finding("The numbers", Table(header, cells), picture=lambda: self.picture(level)),
        ]

    def _best(self) -> str:
        return (
            f"The most probable model is {self.best()}. The probabilities of the models include what the "
            f"finite number of records leaves open and what the privacy noise hides. {self.assumptions[0]}"
        )

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known of the models and of each cell as plain values, for JSON."""
        return {
            "columns": list(self.model.columns),
            "family": self.model.family,
            "models": self.models(),
            "best": self.best(),
            "level": level,
            "cells": self._cells_document(level),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<posterior of {self.model}: {self.best()} is most probable, {self.source}>"


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
