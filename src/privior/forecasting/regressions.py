"""Forecasts for regressions: how wide intervals of coefficients will be, from public facts alone.

In the units of `MomentLayout` numbers that are spread evenly over their ranges scatter by v = 1/(3 T), T the
number of terms, a level of L that are equally frequent by (1 - 1/L)/(L T), products by the products of their
parts; and weights of a typical size tau explain a third of the target's variance, which is that of an even
spread, 1/12. Then X'u - (X'X) w has the variance n v s^2 by chance, the noise of X'u, and that of X'X times
|w|^2; its slope by w is n v. What the prior knows is added as information. Nothing of a table is known here:
where features are bunched together in their ranges, or few records have a level, v is less and widths are
more. A plan says beside how wide the interval of a feature with a quarter of an even spread would be.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.families import ParameterForecast
from privior.mechanisms import Mechanism
from privior.models import Design, LinearRegression
from privior.models.design import Feature
from privior.models.weight_prior import STANDARD

#: half the width of a 90% interval, in standard deviations
_REACH = 1.6449
#: variance of the target, and the share of it that features explain
_VARIANCE, _EXPLAINED = 1 / 12, 1 / 3
#: the mean square of a number that is spread evenly over -1 to 1; two levels of -1 and 1 are seldom even
_EVEN = 1 / 3
#: a release that leaves more than this share of the prior's error is hardly one of the data
_IDLE = 0.9
#: and one that leaves more than this share is refused: it would be spent on nothing
_WASTED = 0.99
#: a feature that is not spread evenly, by its standard deviation: as ages are from 0 to 120 of people at
#: school, or a level that 1 record in 50 has
_BUNCHED = 1 / 4


@final
@FORECASTERS.register(LinearRegression)
class RegressionForecaster(Forecaster):
    """The error of predicted means, and the width of intervals of weights, in units of the target."""

    model: LinearRegression

    @cached_property
    def _design(self) -> Design:
        return self.model.design(self.schema)

    @cached_property
    def _scatter(self) -> Floats:
        """How far each feature scatters if numbers are spread evenly and levels are equally frequent."""
        return np.array([self._scatter_of(feature) for feature in self._design.features]) / self._design.terms

    def _scatter_of(self, feature: Feature) -> float:
        sizes = [self.schema.column(part.factor.column).size for part in feature.parts]
        squares = [
            1 / size if part.label and not part.half else _EVEN
            for part, size in zip(feature.parts, sizes, strict=True)
        ]
        level_alone = len(squares) == 1 and squares[0] != _EVEN
        return math.prod(squares) * (1 - squares[0] if level_alone else 1.0)

    @cached_property
    def _prior(self) -> Floats:
        """The variance of each weight before any data."""
        believed = self.model.prior.normal(self._design)
        if believed is not None:
            return np.asarray(np.diag(believed[1]), dtype=np.float64)
        even = _EVEN / self._design.terms
        typical = _VARIANCE * _EXPLAINED / (len(self._design.features) * even)
        return np.asarray(typical * (self._scatter / even) ** -STANDARD)

    def _variance(self, records: int, mechanism: Any, spread: float = 1.0) -> tuple[Floats, float]:
        """Return what is left open of each weight, and of the mean of the target.

        Args:
            records: how many
            mechanism: what makes the noise; None for none
            spread: the standard deviation of features, by that of an even spread
        """
        learned = self.model.prior.normal(self._design) is None
        prior = self._prior * (spread ** (-2 * STANDARD) if learned else 1.0)
        if not records:
            return prior, 0.3**2
        scatter = spread**2 * self._scatter
        errors = _VARIANCE * (1 - _EXPLAINED)
        seen = records * scatter * errors
        mean = errors / records
        if mechanism is not None and mechanism.draws_posterior:
            # a draw is K w and noise of variance 1 / (seen + flat), K = seen / (seen + flat)
            each = float(mechanism.weight / mechanism.stddev**2)
            flat = (mechanism.numbers + 2) / float(mechanism.radius) ** 2
            for_weight, for_mean = records * scatter * each, records * each
            seen += (records * scatter) ** 2 * (for_weight + flat) / (mechanism.draws * for_weight**2)
            mean += (for_mean + flat) / (mechanism.draws * for_mean**2)
        elif mechanism is not None:
            noise = noises(mechanism)
            seen += noise["with target"] + noise["among features"] * float(self._prior.sum())
            mean += noise["target"] / records**2
        information = (records * scatter) ** 2 / seen
        return 1 / (1 / prior + information), 1 / (1 / 0.3**2 + 1 / mean)

    def _forecast(self, records: int, mechanism: Any) -> ParameterForecast:
        weight, mean = self._variance(records, mechanism)
        unit = 2 * float(self._design.target.half)
        spread = float(self._scatter @ weight) + mean
        return ParameterForecast(self._width(weight), math.sqrt(spread) * unit)

    def _width(self, variances: Floats) -> float:
        """Return how wide 90% intervals are on average of what features add, from middle to end."""
        within = float(np.sqrt(variances / self._design.terms).mean())
        return 2 * _REACH * within * 2 * float(self._design.target.half)

    def ahead(self, records: int, mechanism: Mechanism | None) -> ParameterForecast:
        """Forecast a release, or the true moments."""
        return self._forecast(records, mechanism)

    def nothing(self, records: int) -> ParameterForecast:
        """Forecast the error of the prior."""
        return self._forecast(0, None)

    def _left(self, records: int, mechanism: Mechanism | None) -> float:
        """Return which share is left of what the prior leaves open of a weight, on average."""
        return float(np.sqrt(self._variance(records, mechanism)[0] / self._prior).mean())

    def cautions(self, records: int, mechanism: Mechanism) -> tuple[str, ...]:
        """Say if so few records and so much noise would nearly give the prior back."""
        if self._left(records, mechanism) <= _IDLE:
            return ()
        return (
            f"With {records} records, {len(self._design.features)} features and this much noise the release "
            f"would tell hardly anything of the coefficients. Take {self.model.remedy}.",
        )

    def wasted(self, records: int, mechanism: Mechanism) -> str | None:
        """Refuse what gives the prior back because of the noise; a prior that no data move is its owner's."""
        if self._left(records, mechanism) <= _WASTED or self._left(records, None) > _WASTED:
            return None
        return (
            f"{records} records are too few for {len(self._design.features)} features at this budget: "
            "this would give the prior back for the coefficients"
        )

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say what inference will take."""
        drawn = mechanism.draws_posterior
        how = "populations led from the prior" if drawn else "Hamiltonian Monte Carlo over latent moments"
        even, bunched = (self._width(self._variance(records, mechanism, one)[0]) for one in (1.0, _BUNCHED))
        return [
            (
                "90% widths",
                f"about {even:.3g} for a feature spread evenly over its range, {bunched:.3g} for one with a "
                "quarter of that spread; wider where features go together",
            ),
            ("inference", f"{how}, seconds"),
        ]


def noises(mechanism: Any) -> dict[str, float]:
    """Return the variances of the noise of moments, in their units: averages of each kind."""
    layout = mechanism.layout
    by_key = dict(zip(layout.published, mechanism.variances, strict=True))
    last = len(layout.design.numbers) - 1
    found: dict[str, list[float]] = {"with target": [], "among features": [], "target": []}
    for one in layout.moments:
        if one.key not in by_key or not one.squared:
            continue
        variance = one.unit**2 * float(by_key[one.key])
        if one.column == last and 0 < one.row < last:
            found["with target"].append(variance)
        elif 0 < one.row <= one.column < last:
            found["among features"].append(variance)
        elif (one.row, one.column) == (0, last):
            found["target"].append(variance)
    return {name: float(np.mean(values)) if values else 0.0 for name, values in found.items()}
