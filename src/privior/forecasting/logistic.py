"""Forecasts for logistic regressions: how far predictions will be off, from public facts alone.

For features that are spread evenly over their ranges a weight's part of the Hessian is n v, v = w/3 (w for
the intercept), w = E[q (1-q)] the average curvature of a record. The minimiser's squared error in a weight is
then ((ridge tau)^2 + n v + variance) / (n v + ridge)^2, tau the prior's standard deviation, and the log loss
is larger by half the sum of v times these. Nothing of a table is known here.
"""

from __future__ import annotations

import math
from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.families import ParameterForecast
from privior.mechanisms import Mechanism
from privior.models import LogisticRegression

#: half the width of a 90% interval, in standard deviations
_REACH = 1.6449
#: the average of q (1-q), where the target is explained about as well as usual
_CURVED = 0.14


@final
@FORECASTERS.register(LogisticRegression)
class LogisticForecaster(Forecaster):
    """The excess of the log loss over that of the true weights, and the spread of estimated weights."""

    model: LogisticRegression

    def _curvatures(self) -> Floats:
        design = self.model.design(self.schema)
        intercept = [1.0] if design.formula.intercept else []
        return _CURVED * np.array([*intercept, *[1 / 3] * len(design.design.features)])

    def _forecast(self, records: int, ridge: float, variance: float) -> ParameterForecast:
        v, believed = self._curvatures(), float(self.model.prior.stddev) ** 2
        if not records:
            squared = np.full(len(v), believed)
        else:
            squared = (ridge**2 * believed + records * v + variance) / (records * v + ridge) ** 2
        error = float((v * squared).sum()) / 2
        return ParameterForecast(2 * _REACH * math.sqrt(float(squared.mean())), error)

    def ahead(self, records: int, mechanism: Mechanism | None) -> ParameterForecast:
        """Forecast a release, or the posterior mode of the records themselves."""
        if mechanism is None:
            return self._forecast(records, 1 / float(self.model.prior.stddev) ** 2, 0.0)
        law: Any = mechanism
        return self._forecast(law.expected, float(law.ridge), float(law.variance))

    def nothing(self, records: int) -> ParameterForecast:
        """Forecast the error of even odds."""
        return self._forecast(0, 0.0, 0.0)

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say what inference will take."""
        told: Any = mechanism
        drawn = "; intervals by chains, in seconds" if told.intervals else ""
        return [("inference", f"predictions at once, from the released weights{drawn}")]
