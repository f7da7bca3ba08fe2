"""Forecasts for logistic regressions: how far predictions will be off, from public facts alone.

For features that are spread evenly over their ranges a weight's part of the Hessian is n v, v = w/3 (w for
the intercept), w = E[q (1-q)] the average curvature of a record. The minimiser's squared error in a weight is
then ((ridge tau)^2 + n v + variance) / (n v + ridge)^2, tau the prior's standard deviation, and the log loss
is larger by half the sum of v times these. tau is the prior's standard deviation; if it is learned, one that
makes the index as wide as is believed.

Noisy moments tell a weight by the sum of products of its feature and the target, whose slope is n v: it
varies by n v, by its noise, and by that of the products of features times the weights, as far as their prior
leaves these open. What the prior knows is added as information. To that comes what is lost because an index
of few features is not Normal: with made tables of 5 to 14 features about .06 by their number. So moments are
taken where noise dominates, since only they are shrunk by what the release itself says of the weights' size.
Nothing of a table is known here.
"""

from __future__ import annotations

import math
from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.families import ParameterForecast
from privior.forecasting.regressions import noises
from privior.mechanisms import Mechanism, ObjectivePerturbation
from privior.models import LogisticRegression
from privior.privacy import REPLACE_ONE

#: half the width of a 90% interval, in standard deviations
_REACH = 1.6449
#: the average of q (1-q), where the target is explained about as well as usual
_CURVED = 0.14
#: the mean square of a feature, and the degrees of freedom of what is believed of their products, beyond d
_SQUARE, _FREEDOM = 1 / 3, 4
#: a usual standard deviation of the index, and a usual intercept, where nothing is said of weights
_INDEX, _FIRST = 1.35, 1.0
#: what is lost because an index is not Normal, times the number of features
_NOT_NORMAL = 0.06


@final
@FORECASTERS.register(LogisticRegression)
class LogisticForecaster(Forecaster):
    """The excess of the log loss over that of the true weights, and the spread of estimated weights."""

    model: LogisticRegression

    def _curvatures(self) -> Floats:
        design = self.model.design(self.schema)
        intercept = [1.0] if design.formula.intercept else []
        return _CURVED * np.array([*intercept, *[_SQUARE] * len(design.design.features)])

    @property
    def _believed(self) -> float:
        """The variance of a weight before any data."""
        said = self.model.scale
        d = len(self.model.design(self.schema).design.features)
        return _INDEX**2 / (_SQUARE * d) if said is None else said**2

    @property
    def _first(self) -> float:
        """The variance of the intercept before any data."""
        said = self.model.scale
        return _FIRST**2 if said is None else said**2

    def _of_moments(self, records: int, mechanism: Any) -> ParameterForecast:
        """Forecast what noisy moments leave open."""
        layout, believed = mechanism.layout, self._believed
        noise, terms, d = noises(mechanism), layout.design.terms, len(layout.design.features)
        with_target, among = noise["with target"] * terms, noise["among features"] * terms**2
        among = 1 / (1 / max(among, 1e-12) + (d + _FREEDOM) / (_SQUARE * records) ** 2)
        slope, first = records * _CURVED * _SQUARE, records * _CURVED
        told = slope**2 / (slope + with_target + among * _CURVED**2 * d * believed)
        weight = 1 / (1 / believed + told)
        mean = 1 / (1 / self._first + first**2 / (first + noise["target"]))
        error = _CURVED * (d * _SQUARE * weight + mean) / 2 + _NOT_NORMAL / d
        return ParameterForecast(2 * _REACH * math.sqrt(weight), error)

    def _forecast(self, records: int, ridge: float, variance: float) -> ParameterForecast:
        v = self._curvatures()
        believed = np.full(len(v), self._believed)
        if self.model.formula.intercept:
            believed[0] = self._first
        if not records:
            squared = believed
        else:
            squared = (ridge**2 * believed + records * v + variance) / (records * v + ridge) ** 2
        error = float((v * squared).sum()) / 2
        return ParameterForecast(2 * _REACH * math.sqrt(float(squared.mean())), error)

    def ahead(self, records: int, mechanism: Mechanism | None) -> ParameterForecast:
        """Forecast a release, or the posterior mode of the records themselves."""
        if mechanism is None:
            return self._forecast(records, 1 / self._believed, 0.0)
        law: Any = mechanism
        if law.layouts[0].name == "moments":
            guess = records if law.neighbours is REPLACE_ONE else -(-records // 2)
            return self._of_moments(guess, law)
        return self._forecast(law.expected, float(law.ridge), float(law.variance))

    def nothing(self, records: int) -> ParameterForecast:
        """Forecast the error of even odds."""
        return self._forecast(0, 0.0, 0.0)

    def _why_moments(self, records: int, law: Any) -> str:
        """Say why they are released and not a minimiser, which must be true of a law that was named too."""
        spent = law.guarantee.cost
        if spent.delta == 0:
            return "a minimiser needs delta > 0, and this budget has none"
        guess = records if law.neighbours is REPLACE_ONE else -(-records // 2)
        other = ObjectivePerturbation(
            self.model, self.schema, spent.epsilon, spent.delta, expected=guess, neighbours=law.neighbours
        )
        if self.ahead(records, other).error < self.ahead(records, law).error:
            return "they were asked for; predictions by objective-perturbation are forecast to be better"
        return (
            "noise outweighs what this many records tell of so many weights: weights are shrunk by what the "
            "release says of their size, which a noisy minimiser cannot say"
        )

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say what inference will take."""
        told: Any = mechanism
        if told.layouts[0].name == "moments":
            return [
                ("inference", "Hamiltonian Monte Carlo over latent moments, seconds; intervals come with it"),
                ("why moments", self._why_moments(records, told)),
            ]
        drawn = "; intervals by chains, in seconds" if told.intervals else ""
        return [("inference", f"predictions at once, from the released weights{drawn}")]
