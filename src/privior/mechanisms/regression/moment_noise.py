"""What mechanisms for regressions have in common: independent noise on every published moment."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any, Self

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill, known_as
from privior.mechanisms.contract import Asked, Mechanism
from privior.models import Layout, Model, MomentLayout, MomentModel, Observed
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema


class MomentNoise(Mechanism):
    """Noise on the sums of products of features and target, each published once (`MomentLayout`).

    Attributes:
        model: the regression; its prior plays no part
        schema: the public facts of its columns
        neighbours: the neighbour relation
    """

    model: MomentModel
    schema: Schema
    neighbours: Neighbours

    def _set_moments(self, model: MomentModel, schema: Schema, neighbours: Neighbours | str) -> None:
        fill(self, model=model, schema=schema, neighbours=Neighbours.of(neighbours))
        self.sensitivity  # noqa: B018 - refuses a schema that does not fit
        trouble = model.moment_trouble(schema)
        if trouble is not None:
            raise self.refusal(trouble[0], asked=trouble[1])

    @cached_property
    def layout(self) -> MomentLayout:
        """Which sums are published, in which units."""
        return self.model.layout(self.schema, self.neighbours)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves all sums, each by itself."""
        return self.model.sensitivity(self.schema, self.neighbours)

    @abstractmethod
    def _noise(self) -> list[int]:
        """Draw the noise of all sums, exactly."""

    @abstractmethod
    def _log_pmf(self, noise: Integers) -> Floats:
        """Return the log probability of the noise of each sum."""

    @property
    @abstractmethod
    def variances(self) -> Floats:
        """The variance of the noise of each sum."""

    @property
    @abstractmethod
    def heavy(self) -> bool:
        """Whether the noise is Laplace: a Normal law whose variance is exponential."""

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """All noisy sums, in one array."""
        return (Layout("moments", (len(self.layout.published),)),)

    def _true(self, statistics: Any) -> Integers:
        """Return the sums that are published, of all products."""
        matrix = self.model.products(self.schema, statistics)
        return np.array([matrix[place] for place in self.layout.places], np.int64)

    def release(self, statistics: Any) -> Observed:
        """Add exact draws, one to each sum."""
        exact = self._true(statistics).tolist()
        noisy = tuple(one + z for one, z in zip(exact, self._noise(), strict=True))
        return Observed(self.layouts, (noisy,))

    def log_likelihood(self, observed: Observed, statistics: Any) -> float:
        """Sum the log probabilities of all noises."""
        noise = np.asarray(observed.counts, np.int64) - self._true(statistics)
        return math.fsum(self._log_pmf(noise).tolist())

    def check(self, asked: Asked) -> None:
        """Refuse another regression, schema or neighbour relation."""
        model = known_as(MomentModel, asked.model)  # type: ignore[type-abstract]
        same = (
            self.model.formula == model.formula
            and self.layout.design.numbers == model.moment_design(asked.schema).numbers
        )
        if not same or self.neighbours is not asked.neighbours:
            raise self.refusal("the mechanism is for another regression, schema or neighbour relation")

    def admits(self, observed: Observed, records: int) -> bool:
        """Noise has no ends, so that any integers may be released."""
        return True

    def memory(self, records: int) -> str:
        """Say about how much a release takes: a program of this library, and what is kept of the rows."""
        kept, program = self.model.kept(self.schema), 1.6e8 + 1e6 * len(self.layout.design.features)
        if not kept:
            return f"about {program / 1e6:.0f} MB, however many records: sums are added up as rows are read"
        return f"about {(program + records * kept) / 1e6:.0f} MB for {records} records"

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say how many sums there are, and how noisy they are, in units in which they compare."""
        count = len(self.layout.published)
        units = np.sqrt(self.variances) * np.sqrt([float(one) for one in self.layout.squared])
        return [
            ("statistic", f"{count} sums of products of features and {self.model.target}"),
            (
                "noise",
                f"standard deviation {float(np.median(units)):.3g} records, each at the end of its range",
            ),
        ]

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        return cls(model, schema, **entries)  # type: ignore[call-arg]
