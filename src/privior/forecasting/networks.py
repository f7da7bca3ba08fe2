"""Forecasts for networks: how far entries of their tables are off, from public facts alone.

A row of n records and levels of chance p has entries whose estimates vary by p(1-p)/n, and with noise of
variance s on every count by s ((1-p)^2 + (k-1) p^2) / n^2 more; what the prior knows is added as information.
Rows share the records as `expect` says: evenly, unless told otherwise. How far the law of a record is off, as
a whole, says `network_divergence`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.class_loss import ClassLoss, class_loss
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.effort import Effort
from privior.forecasting.network_divergence import NetworkDivergence
from privior.forecasting.network_effort import network_effort
from privior.mechanisms import Mechanism
from privior.models import Network
from privior.privacy import REPLACE_ONE, Neighbours

#: half the width of a 90% interval, in standard deviations
_REACH = 1.6449
_MOST_NAMED = 8


@dataclass(frozen=True)
class NetworkForecast:
    """Typical distances between what is inferred and the true tables.

    Attributes:
        width: expected width of the 90% interval of an entry, on average over all entries
        error: root of the expected squared error of an entry, on average over all entries
        divergence: KL(true || learned) of the law of a record, in nats
        log_loss: by how much the log loss of the target is above that of the true tables; without a target
            that of a record, which is the divergence
    """

    width: float
    error: float
    divergence: float
    log_loss: float

    @property
    def measures(self) -> dict[str, float]:
        """The distances by the names that people read."""
        return {
            "90% width": self.width,
            "error": self.error,
            "KL": self.divergence,
            "log loss": self.log_loss,
        }

    def to_document(self) -> dict[str, float]:
        """Write the distances as plain values."""
        return asdict(self)


@final
@FORECASTERS.register(Network)
class NetworkForecaster(Forecaster):
    """The error of table entries, on average over all entries of all tables."""

    model: Network

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return self.model.sizes(self.schema)

    def _variances(self, place: int, records: int, noise: float) -> Floats:
        """Return the expected squared error of each entry of a table."""
        node, cells = self.model.columns[place], self._sizes[place]
        prior = self.model.prior.of(node, cells)
        alpha = np.ones(cells) if prior is None else np.array([float(one) for one in prior])
        levels = self.schema.column(node).size
        rows = self.expect.shares(alpha).reshape(-1, levels)
        alpha = alpha.reshape(-1, levels)
        among = rows.sum(axis=1, keepdims=True)
        chances = rows / among
        spread = chances * (1 - chances)
        before = spread / (alpha.sum(axis=1, keepdims=True) + 1)
        if not records:
            return np.asarray(before)
        number = records * self.schema.unit.max_rows * among
        seen = spread / number + noise * ((1 - chances) ** 2 + (levels - 1) * chances**2) / number**2
        return np.asarray(1 / (1 / before + 1 / seen))

    @cached_property
    def _divergence(self) -> NetworkDivergence:
        return NetworkDivergence(self.model, self.schema, self.expect)

    @cached_property
    def _loss(self) -> ClassLoss | None:
        target = self.model.target
        return None if target is None else class_loss(self.model, self.schema, self.expect, target)

    @cached_property
    def _guess(self) -> float:
        """What a guess among the levels of the target loses at most."""
        return math.log(self.schema.column(self.model.target).size) if self.model.target else math.inf

    def _forecast(self, records: int, noises: Floats) -> NetworkForecast:
        found = [self._variances(place, records, float(noise)).ravel() for place, noise in enumerate(noises)]
        variances = np.concatenate(found)
        width = float(np.minimum(2 * _REACH * np.sqrt(variances), 1).mean())
        rows = records * self.schema.unit.max_rows
        divergence = self._divergence(rows, noises)
        loss = divergence if self._loss is None else min(self._loss(rows, noises), divergence, self._guess)
        return NetworkForecast(width, math.sqrt(float(variances.mean())), divergence, loss)

    def typical_records(self, records: int, neighbours: Neighbours) -> int:
        """Half of the declared number where that is the largest possible one."""
        return records if neighbours is REPLACE_ONE else -(-records // 2)

    def ahead(self, records: int, mechanism: Mechanism | None) -> NetworkForecast:
        """Forecast a release, or the true tables."""
        return self._forecast(records, self._noises(mechanism))

    def nothing(self, records: int) -> NetworkForecast:
        """Forecast the error of the prior."""
        return self._forecast(0, np.zeros(len(self._sizes)))

    def _noises(self, mechanism: Any) -> Floats:
        """Return the variance of the noise of each table's counts; its average where cells differ."""
        noise = None if mechanism is None else mechanism.cell_noise
        if noise is None:
            return np.zeros(len(self._sizes))
        each = 1 / (2 * np.sinh(np.minimum(noise.rates, 600.0) / 2) ** 2 + noise.curvatures)
        return np.array([part.mean() for part in np.split(each, np.cumsum(self._sizes)[:-1])])

    def drowned(self, records: int, mechanism: Mechanism | None) -> tuple[str, ...]:
        """Return the nodes in whose tables the noise is larger than the average count of a cell."""
        counts = [records * self.schema.unit.max_rows / cells for cells in self._sizes]
        noises = np.sqrt(self._noises(mechanism))
        return tuple(node for node, z, c in zip(self.model.columns, noises, counts, strict=True) if z > c)

    def cautions(self, records: int, mechanism: Mechanism) -> tuple[str, ...]:
        """Name the tables that the noise drowns."""
        drowned = self.drowned(records, mechanism)
        if not drowned:
            return ()
        named = ", ".join(drowned[:_MOST_NAMED])
        more = f" and {len(drowned) - _MOST_NAMED} more" if len(drowned) > _MOST_NAMED else ""
        return (
            f"The noise drowns {len(drowned)} of {len(self._sizes)} tables, where it is larger than the "
            f"average count of a cell: {named}{more}. Take {self.model.remedy}.",
        )

    def effort(self, records: int, mechanism: Mechanism) -> Effort | None:
        """Chains over the data sets behind all tables; where these are too large, each table by itself.

        What chains take given draws, the draws tell.
        """
        if mechanism.cell_noise is None or mechanism.draws_posterior:
            return None
        rows = records * self.schema.unit.max_rows
        return network_effort(self.model, self.schema, mechanism, rows, self._noises(mechanism))

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say how well a target or a record is told, and what inference will take."""
        effort, target = self.effort(records, mechanism), self.model.target
        loss, without = (self.ahead(records, one).log_loss for one in (mechanism, None))
        of, also = (f"of {target}", "") if target else ("of a record", ", which is the KL")
        above = f"{of}: {loss:.3g} above that of the true tables{also} ({without:.3g} without privacy)"
        return [("log loss", above), *([] if effort is None else [("inference", effort.in_short)])]
