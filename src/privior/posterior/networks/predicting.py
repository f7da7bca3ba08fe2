"""What a posterior of a network predicts for rows of somebody's own: free, like every question."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError, shown
from privior.models import Network
from privior.posterior.contract import Posterior
from privior.posterior.networks.network_numbers import NetworkNumbers
from privior.posterior.networks.prediction import Predictor
from privior.posterior.own_rows import coded_rows, row_named
from privior.posterior.quantity import check_level, quantiles

#: draws over which predictions are averaged: always as many, so that no row's answer depends on the others
_DRAWS = 1000


class Predicting(Posterior):
    """A posterior of the tables of a network that predicts one column from others.

    Rows come as a frame of pandas or polars, a table of pyarrow, or {column: values}; cells are read as the
    schema says. A cell with nothing in it (None, NaN, an empty text) is summed out, and so are columns that
    are not there; numbers outside the bounds are moved to them; a level that the schema does not know is an
    error. The target's own column is not looked at.
    """

    model: Network

    @cached_property
    def numbers(self) -> NetworkNumbers:
        """What tables say about records."""
        return NetworkNumbers(self.model, self.schema)

    @property
    @abstractmethod
    def kept(self) -> Floats:
        """The draws of all tables that are kept, one a row."""

    def predict(self, frame: Any, target: str | None = None) -> Any:
        """Return the most probable level of the target for each row: an array of the schema's values.

        Args:
            frame: the rows
            target: the column; a classifier's own, unless another one is named
        """
        name, places = self._target(target), self.predict_proba(frame, target).argmax(axis=1)
        values = self.schema.column(name).values
        alike = len({type(value) for value in values}) == 1
        return np.array(values, dtype=None if alike else object)[places]

    def predict_proba(self, frame: Any, target: str | None = None) -> Floats:
        """Return the chances of the target's levels for each row, as (rows, levels in the schema's order).

        They are averages over the posterior: what is not known of the tables makes them less extreme.

        Args:
            frame: the rows
            target: the column; a classifier's own, unless another one is named
        """
        return self._predicted(frame, target, None)

    def predict_interval(self, frame: Any, level: float = 0.9, target: str | None = None) -> Floats:
        """Return the interval of each chance: lower and upper along a last axis, as (rows, levels, 2).

        It holds the chance that the true tables give with this probability.

        Args:
            frame: the rows
            level: of the intervals
            target: the column; a classifier's own, unless another one is named
        """
        return self._predicted(frame, target, check_level(level))

    def predictions(
        self, frame: Any, target: str | None = None, level: float | None = None
    ) -> dict[str, list[object]]:
        """Return columns: the most probable level of each row, the chance of each level, perhaps intervals.

        Args:
            frame: the rows
            target: the column; a classifier's own, unless another one is named
            level: of intervals
        """
        name, chances = self._target(target), self.predict_proba(frame, target)
        labels = self.schema.column(name).labels
        found: dict[str, list[object]] = {name: [labels[place] for place in chances.argmax(axis=1)]}
        found |= {f"P({name}={one})": chances[:, place].tolist() for place, one in enumerate(labels)}
        if level is not None:
            ends = self.predict_interval(frame, level, target)
            for place, one in enumerate(labels):
                found[f"low P({name}={one})"] = ends[:, place, 0].tolist()
                found[f"high P({name}={one})"] = ends[:, place, 1].tolist()
        return found

    def _predicted(self, frame: Any, target: str | None, level: float | None) -> Floats:
        name = self._target(target)
        kept = self.kept
        draws = kept[np.linspace(0, len(kept) - 1, min(_DRAWS, len(kept))).astype(np.int64)]
        predictor = Predictor(self.numbers.elimination, draws, name)
        codes = coded_rows(frame, self.schema, predictor.known, name)
        found = np.empty((len(codes), predictor.levels, *(() if level is None else (2,))))
        for rows, which, chances in predictor.chances(codes):
            possible = np.isfinite(chances[:, 0])
            ever = np.atleast_1d(possible.any(axis=1))
            if not ever.all():
                row = int(rows[~ever[which]][0])
                asked = f"P({name} | row)"
                raise InferenceError("such a row has no chance", where=row_named(row), asked=asked)
            found[rows] = _over_draws(chances, level, everywhere=bool(possible.all()))[which]
        return found

    def _target(self, target: str | None) -> str:
        name = self.model.target if target is None else target
        if name is None:
            raise InferenceError(
                "it is not said which column is to be predicted",
                asked=shown(target),
                allowed=", ".join(self.model.columns[:20]),
                advice='Name it: target="...".',
            )
        self.numbers.events.place(name)
        return name


def _over_draws(chances: Floats, level: float | None, *, everywhere: bool) -> Floats:
    """Return means or intervals along the last axis; draws without a chance are left out."""
    if everywhere:
        return (
            np.asarray(chances.mean(axis=-1))
            if level is None
            else quantiles(np.moveaxis(chances, -1, 0), level)
        )
    if level is None:
        return np.asarray(np.nanmean(chances, axis=-1))
    tail = (1 - level) / 2
    return np.asarray(np.moveaxis(np.nanquantile(chances, [tail, 1 - tail], axis=-1), 0, -1))
