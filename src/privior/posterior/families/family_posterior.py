"""What posteriors of families share: parameters that have names, shown as a table of numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from privior.errors import InferenceError, shown
from privior.posterior.conflict import Look
from privior.posterior.contract import Posterior, released_draws
from privior.posterior.events import Event
from privior.posterior.findings import Finding, Table
from privior.posterior.noise_sums import NoiseSums
from privior.posterior.numbers import Floats
from privior.posterior.ordered_quantity import OrderedQuantity
from privior.posterior.quantity import Quantity
from privior.release import Release


class FamilyPosterior(Posterior):
    """A posterior of the parameters of a family."""

    understands: ClassVar[Mapping[str, str]] = {**Posterior.understands, "parameter": "parameter_named"}

    @property
    @abstractmethod
    def noise_share(self) -> float:
        """About which share of the variance of the parameters the privacy noise makes up."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""
        ignored = "WARNING: the privacy noise is IGNORED: intervals are too narrow"
        return (ignored,) if self.ignored else self.contradictions

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The shape of the columns, on which probabilities of records rest."""
        if not self.model.assumption:
            return ()
        return (
            f"That {self.model.assumption}: sums cannot tell. Probabilities of records hold only if that is "
            "so. A histogram of the column, a second release, can tell: privior check-fit.",
        )

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the law of the probability of an event, provided that records have the family's shape."""
        return replace(super().probability(event, given), provided=self.model.assumption)

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the law of the mean of a column; how far records spread it is taken from the family."""
        shape = self.model.assumption
        rests = f"{shape}, which decides how wide that is" if shape else ""
        return replace(super().average(column, given), provided=rests)

    def quantile(
        self, column: str, share: float, given: Event | object | None = None
    ) -> Quantity | OrderedQuantity:
        """Return the law of a quantile of a column, provided that records have the family's shape."""
        return replace(super().quantile(column, share, given), provided=self.model.assumption)

    def refusal(self, question: str) -> tuple[str, str] | None:
        """Say that there are parameters instead of counts."""
        if question not in ("counts", "share", "table"):
            return None
        column, first = self.model.columns[0], self.model.first_question
        return "a family has no table of counts", f"Ask for mean({column}), or for {first}."

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the numbers, and where their uncertainty comes from."""
        header = [str(self.model), "mean", "stddev", f"{100 * level:g}% interval"]
        rows = [
            [
                one.name,
                f"{one.mean:.6g}",
                f"{one.stddev:.2g}",
                " to ".join(f"{end:.6g}" for end in one.interval(level)),
            ]
            for one in self.quantities()
        ]
        numbers = Table(header, rows)
        return [Finding("The numbers", numbers, picture=lambda: self.picture(level), words=self._share)]

    def _share(self) -> str:
        return (
            f"The privacy noise accounts for about {100 * self.noise_share:.0f}% of the variance of the "
            f"{self.model.parameter}, the finite number of records for the rest. All intervals include both."
        )

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known as plain values, for JSON."""
        ends = [one.interval(level) for one in self.quantities()]
        return {
            **self._subject(),
            "family": self.model.family,
            "level": level,
            "quantities": [
                {"name": one.name, "mean": one.mean, "stddev": one.stddev, "low": low, "high": high}
                for one, (low, high) in zip(self.quantities(), ends, strict=True)
            ],
            "warnings": list(self.warnings),
        }

    def _subject(self) -> dict[str, object]:
        """Say what was modelled, for documents."""
        return {"columns": list(self.model.columns)}

    def __repr__(self) -> str:
        return f"<posterior of the {self.model.parameter} of {', '.join(self.model.columns)}, {self.source}>"


def sum_looks(releases: tuple[Release, ...], names: Sequence[str], sums: Floats) -> Iterator[Look]:
    """Look at the noise that draws of the unknown sums leave over.

    Args:
        releases: those that are no noise on sums say nothing here
        names: what each sum is called
        sums: draws, one a row, in the order of what is released
    """
    for release in releases:
        noise = release.plan.mechanism.cell_noise
        if noise is None or noise.clamped:
            continue
        seen = release.statistics.amounts.astype(np.float64)
        for name, rate, curvature, left in zip(
            names, noise.rates, noise.curvatures, np.rint(seen - sums).T, strict=True
        ):
            law = NoiseSums(float(rate), float(curvature), 1, zero=False)
            yield Look(f"the noise of {name}", law.sum_chances(left.astype(np.int64), 1))


def noisy_sums(releases: tuple[Release, ...]) -> tuple[int, ...]:
    """Return the noisy sums of one release, which are to be taken as true ones."""
    if len(releases) > 1 or released_draws(releases[0]):
        raise InferenceError(
            "noise can be ignored for one release of noisy statistics only",
            asked=releases[0].plan.mechanism.name,
        )
    return tuple(round(one) for one in releases[0].statistics.amounts.tolist())


def check_free(given: object, what: str, advice: str | None = None) -> None:
    """Refuse a condition where nothing can be given."""
    if given:
        raise InferenceError(f"{what}: nothing can be given", asked=_condition(given), advice=advice)


def _condition(given: object) -> str:
    """Say which columns are conditioned on, not all of their levels."""
    alternatives = given if isinstance(given, list) else [given]
    names = {str(name): None for one in alternatives if isinstance(one, Mapping) for name in one}
    return f"a condition on {', '.join(names)}" if names else shown(given)
