"""What every posterior shows alike: where it comes from, its picture and its tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown
from privior.pictures import IntervalChart, listing, markup
from privior.posterior.quantity import Quantity
from privior.release import Release
from privior.schema import Schema

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


class Shown(ABC):
    """A posterior that follows from releases of one table."""

    #: what it follows from
    releases: Sequence[Release]

    @property
    @abstractmethod
    def noise_ignored(self) -> bool:
        """Whether noisy statistics were taken as true ones."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """What must be known before the numbers are trusted."""

    @abstractmethod
    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw intervals, with the part that the records alone would leave open."""

    @abstractmethod
    def text(self, level: float = 0.9) -> str:
        """Return tables of what is known, with intervals of this level, and warnings."""

    @property
    def _schema(self) -> Schema:
        schema: Schema = self.releases[0].plan.schema
        return schema

    @property
    def _source(self) -> str:
        """What was spent, and whether the noise is accounted for."""
        cost = "; ".join(str(release.plan.cost) for release in self.releases)
        if len(self.releases) > 1:
            cost = f"{len(self.releases)} releases: {cost}"
        return f"privacy noise {'IGNORED' if self.noise_ignored else 'included'} ({cost})"

    def _note(self, level: float) -> str:
        """What stands below a picture."""
        return f"{self._schema.population}: {100 * level:g}% intervals, {self._source}"

    def plot(self, level: float = 0.9) -> Figure:
        """Return the picture as a figure."""
        return self.picture(level).figure()

    def _parts(self) -> list[markup.Markup]:
        """What a notebook shows below the warnings."""
        return [self.picture().html()]

    def _repr_html_(self) -> str:
        warnings = [markup.element("p", warning, class_="warning") for warning in self.warnings]
        return markup.fragment(*warnings, *self._parts())

    def __str__(self) -> str:
        return self.text()

    def _released(self, place: int) -> Floats:
        """Return one of the draws that were released, counted from 0."""
        draws = self.releases[0].draws
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(draws):
            raise InferenceError(
                "there is no such draw in the release", asked=shown(place), allowed=f"0 to {len(draws) - 1}"
            )
        return np.asarray(draws[place])


def numbers_table(title: str, quantities: Sequence[Quantity], level: float) -> list[str]:
    """Return a table of numbers with their intervals, line by line."""
    rows = [
        [
            one.name,
            f"{one.mean:.6g}",
            f"{one.stddev:.2g}",
            " to ".join(f"{end:.6g}" for end in one.interval(level)),
        ]
        for one in quantities
    ]
    return listing.table([title, "mean", "stddev", f"{100 * level:g}% interval"], rows)


def numbers_document(quantities: Sequence[Quantity], level: float) -> list[dict[str, object]]:
    """Write numbers with their intervals as plain values."""
    return [
        {
            "name": one.name,
            "mean": one.mean,
            "stddev": one.stddev,
            "low": one.interval(level)[0],
            "high": one.interval(level)[1],
        }
        for one in quantities
    ]
