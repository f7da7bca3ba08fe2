"""What draws of all tables of a network have in common: sticks of every row, on a public grid."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from privior.arrays import Floats
from privior.checks import fill, whole_number
from privior.errors import PlanError
from privior.mechanisms.contract import Asked, CellNoise, CellTerm
from privior.mechanisms.networks.drawn_sticks import DrawnSticks
from privior.mechanisms.networks.network_mechanism import NetworkMechanism
from privior.mechanisms.tables import sticks
from privior.mechanisms.tables.table_mechanism import check_records, true_counts
from privior.models import ExactStatistics, Layout, Network, Observed
from privior.privacy import Neighbours
from privior.randomness import EXACTLY_ROUNDED
from privior.schema import Schema

#: more sticks than this, in all draws together, take minutes
MOST_STICKS = 200_000
#: binary places of the grid: enough for a float, few enough for 64-bit integers
PLACES = (16, 60)
_WORTH = "draws are no noise on counts: this is what they are worth, for forecasts"


class NetworkDrawing(NetworkMechanism):
    """Independent draws of all tables: each row as sticks, one fewer than the node has levels.

    The law is that of ideal draws, whose sticks are rounded exactly; order, number and grid are public.

    Attributes:
        records: their number: exact under replace-one, the largest possible one otherwise
        draws: how many draws of all tables there are
        places: binary places of the grid
    """

    records: int
    draws: int
    places: int
    randomness: ClassVar[str] = EXACTLY_ROUNDED
    draws_posterior: ClassVar[bool] = True
    options: ClassVar[Mapping[str, object]] = {"draws": 1}

    def _set_draws(
        self,
        model: Network,
        schema: Schema,
        neighbours: Neighbours | str,
        max_rows: int,
        facts: tuple[int, int, int],
    ) -> None:
        """Take what is drawn: `facts` are the records, the draws and the places."""
        records, draws, places = facts
        self._set_tables(model, schema, neighbours, max_rows)
        fill(self, records=check_records(records, self.name))
        most = max(1, MOST_STICKS // sum(self.sizes))
        whole_number(draws, "draws", 1, most, where=self.name, error=PlanError)
        whole_number(places, "places", *PLACES, where=self.name, error=PlanError)
        fill(self, draws=draws, places=places)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """How many levels each node has."""
        return tuple(self.schema.column(node).size for node in self.model.columns)

    @cached_property
    def prior_parameters(self) -> tuple[tuple[Fraction, ...], ...]:
        """The prior parameters of each table, row by row, exactly, as draws are made with them."""
        return self._said()

    def _said(self) -> tuple[tuple[Fraction, ...], ...]:
        """Return the parameters of the model's prior, which must be numbers."""
        found = []
        for node, cells in zip(self.model.columns, self.sizes, strict=True):
            said = self.model.prior.of(node, cells)
            if said is None:
                raise self.refusal(
                    "its guarantee rests on a prior in numbers, and this one is learned",
                    asked="learned",
                    advice="Say the prior, such as prior=1 or pv.BDeu(10).",
                )
            found.append(said)
        return tuple(found)

    @property
    @abstractmethod
    def record_weight(self) -> Fraction:
        """The weight of a record in the posterior that is drawn from."""

    @property
    def draw_weight(self) -> Fraction:
        """The weight of a record in the posterior that is drawn from."""
        return self.record_weight

    @property
    def smallest_chance(self) -> Fraction:
        """No chance that is drawn is smaller, nor larger than 1 less this; 0 if draws are not cut."""
        return Fraction(0)

    @abstractmethod
    def _row_drawn(self, parameters: list[Fraction]) -> tuple[int, ...]:
        """Draw the sticks of one row from its posterior, exactly rounded."""

    # What it publishes

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """For each node the draws, each a row of sticks for every combination of its parents' levels."""
        return tuple(
            Layout(node, (self.draws, cells // size, size - 1), self.places)
            for node, cells, size in zip(self.model.columns, self.sizes, self.levels, strict=True)
        )

    def release(self, statistics: ExactStatistics) -> Observed:
        """Update the prior exactly and draw every row of every table."""
        counts = true_counts(statistics, sum(self.sizes)).tolist()
        weight, start, numbers = self.record_weight, 0, []
        for prior, size in zip(self.prior_parameters, self.levels, strict=True):
            found = [a + weight * c for a, c in zip(prior, counts[start : start + len(prior)], strict=True)]
            rows = [found[place : place + size] for place in range(0, len(found), size)]
            drawn = [one for _ in range(self.draws) for row in rows for one in self._row_drawn(row)]
            numbers.append(tuple(drawn))
            start += len(prior)
        return Observed(self.layouts, tuple(numbers))

    def drawn_sticks(self, observed: Observed) -> tuple[DrawnSticks, ...]:
        """Return what was drawn of each table, as inference sees it."""
        facts = self.places, float(self.record_weight), float(self.smallest_chance)
        return tuple(
            DrawnSticks.of(
                observed.array(place),
                facts[0],
                np.array([float(one) for one in prior]).reshape(-1, size),
                *facts[1:],
            )
            for place, (prior, size) in enumerate(zip(self.prior_parameters, self.levels, strict=True))
        )

    def parameters_drawn(self, observed: Observed) -> Floats:
        """Return the entries of all tables of each draw, one draw a row."""
        found = []
        for layout, numbers in zip(observed.layouts, observed.numbers, strict=True):
            rows = Observed.of(numbers, shape=(-1, layout.shape[2]), places=layout.places)
            found.append(sticks.probabilities(rows).reshape(self.draws, -1))
        return np.concatenate(found, axis=1)

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum the log densities of the sticks, up to a constant of the release."""
        if observed.layouts != self.layouts or not self.admits(observed, self.records):
            return float("-inf")
        counts = true_counts(statistics, sum(self.sizes)).astype(np.float64)
        tables = np.split(counts, np.cumsum(self.sizes)[:-1])
        total = 0.0
        for table, size, drawn in zip(tables, self.levels, self.drawn_sticks(observed), strict=True):
            for row, cells in enumerate(table.reshape(-1, size)):
                for stick in range(size - 1):
                    seen = drawn.log_likelihood(row, stick, cells[stick], cells[stick + 1 :].sum())
                    total += float(seen)
        return total

    def admits(self, observed: Observed, records: int) -> bool:
        """Sticks are shares, and lie in the box, but for rounding."""
        unit = 1 << self.places
        least = max(Fraction(0), self.smallest_chance * unit - 1)
        return all(least <= stick <= unit - least for stick in observed.counts)

    # What others ask

    @property
    @abstractmethod
    def count_variances(self) -> Floats:
        """What the spread of the draws is worth as noise on the counts: a variance for each table."""

    @property
    def cell_noise(self) -> CellNoise:
        """Gaussian noise of that variance, for forecasts: inference does not look at it."""
        worth = np.repeat(1 / self.count_variances, self.sizes)
        return CellNoise(np.zeros(worth.size), worth, clamped=True, approximate=_WORTH)

    def cell_terms(self, observed: Observed, records: int) -> tuple[CellTerm, ...] | None:
        """Nothing: draws are no noise on cells."""
        return None

    def check(self, asked: Asked) -> None:
        """Refuse another network, unit, number of records or prior."""
        super().check(asked)
        if asked.records != self.records:
            raise self.refusal("the mechanism is for another number of records")
        if asked.model.prior != self.model.prior:
            raise self.refusal("the mechanism is for another prior")
