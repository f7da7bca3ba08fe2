"""Forecasts for Gibbs posteriors: how far draws spread, from public facts alone.

Features that are spread evenly over their ranges have a mean square of 1/3. Where losses bend by b on average
(half of their smoothness), beta n records add beta n b/3 to the precision of a weight, and the prior m. A
draw varies by one over that, and its mean is shrunk by m over it: both are errors of a typical weight.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, final

from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.families import ParameterForecast
from privior.mechanisms import Mechanism
from privior.models import GibbsPosterior, Loss

#: half the width of a 90% interval, in standard deviations; mean square of a feature; size of a weight
_REACH, _SQUARE, _WEIGHT = 1.6449, 1 / 3, 0.5


@final
@FORECASTERS.register(GibbsPosterior)
class GibbsForecaster(Forecaster):
    """The error of predictors, and the spread of weights."""

    model: GibbsPosterior

    @cached_property
    def _loss(self) -> Loss:
        return self.model.loss_for(self.schema)

    @cached_property
    def _size(self) -> int:
        return self.model.design(self.schema).size

    def _forecast(self, seen: float, precision: float, draws: int) -> ParameterForecast:
        """Return what so much weight of records leaves open."""
        known = seen * _SQUARE * float(self._loss.smoothness) / 2
        variance = 1 / (known + precision) / draws
        shrunk = (precision / (known + precision) * _WEIGHT) ** 2
        error = math.sqrt(self._size * _SQUARE * (variance + shrunk))
        return ParameterForecast(2 * _REACH * math.sqrt(variance), error)

    @property
    def _prior(self) -> float:
        return 1.0 if self.model.prior is None else 1 / float(self.model.prior.stddev) ** 2

    def ahead(self, records: int, mechanism: Mechanism | None) -> ParameterForecast:
        """Forecast draws; without a mechanism the loss's own minimiser, whose records vary too."""
        if mechanism is None:
            return self._forecast(float(records), self._prior, 1)
        known: Any = mechanism
        return self._forecast(float(known.temperature) * records, float(known.whole_precision), known.draws)

    def nothing(self, records: int) -> ParameterForecast:
        """Forecast a draw from the prior."""
        return self._forecast(0.0, self._prior, 1)

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say what inference will take."""
        return [("inference", "none: draws are used as they are")]
