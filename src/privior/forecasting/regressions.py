"""Forecasts for regressions: how wide intervals of coefficients will be, from public facts alone.

In the units of `MomentLayout` a number that is spread evenly over its range scatters by v = 1/(3 T), T the
number of terms, a level of many that are equally frequent by much less, and weights of a typical size tau
explain a third of the target's variance, which is that of an even spread, 1/12. Then X'u - (X'X) w has the
variance n v s^2 by chance, the noise of X'u, and that of X'X times |w|^2; its slope by w is n v. What the
prior knows is added as information. Features are taken as their schema has them: all numbers spread evenly,
all levels as frequent, and no columns that go together. Nothing of a table is known here: where features are
bunched together in their ranges, or few records have a level, v is less and widths are more. A plan says
beside how wide the interval of a feature with a quarter of an even spread would be. A coefficient that
several weights make up, such as the intercept, adds up their variances.

Where the number of records is private, n is the largest that is declared: the forecast says so, and what a
tenth of them would give.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.coefficients import CoefficientsForecast
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.mechanisms import Mechanism
from privior.models import Design, LinearRegression
from privior.models.weight_prior import STANDARD
from privior.privacy import REPLACE_ONE

#: half the width of a 90% interval, in standard deviations
_REACH = 1.6449
#: variance of the target, and the share of it that features explain
_VARIANCE, _EXPLAINED = 1 / 12, 1 / 3
#: a release that leaves more than this share of the prior's error is hardly one of the data
_IDLE = 0.9
#: and one that leaves more than this share is refused: it would be spent on nothing
_WASTED = 0.99
#: a feature that is not spread evenly, by its standard deviation: as ages are from 0 to 120 of people at
#: school, or a level that 1 record in 50 has
_BUNCHED = 1 / 4
#: where the number of records is private: what part of it is told beside
_TENTH = 10
#: features of one value vary so much, for floats
_LEAST = 1e-9


@final
@FORECASTERS.register(LinearRegression)
class RegressionForecaster(Forecaster):
    """The error of predicted means, and the width of intervals of weights, in units of the target."""

    model: LinearRegression

    @cached_property
    def _design(self) -> Design:
        return self.model.design(self.schema)

    @property
    def _even(self) -> float:
        """How far a number scatters that is spread evenly."""
        return 1 / (3 * self._design.terms)

    @cached_property
    def _believed(self) -> Floats:
        """The variance of each weight before any data, if its feature were spread evenly."""
        believed = self.model.prior.normal(self._design)
        if believed is not None:
            return np.asarray(np.diag(believed[1]), dtype=np.float64)
        each = _VARIANCE * _EXPLAINED / (len(self._design.features) * self._even)
        # levels differ from the first one by two effects
        return np.asarray(each * (self._design.effects**2).sum(axis=0))

    def _each(self, records: int, mechanism: Any) -> tuple[Floats, float]:
        """Return what is left open of each weight, and of the mean of the target."""
        return self._variances(records, mechanism, self._spreads, self._believed)

    def _variances(
        self, records: int, mechanism: Any, spreads: Floats, believed: Floats
    ) -> tuple[Floats, float]:
        """Return what is left open of weights, and of the mean of the target.

        Args:
            records: how many
            mechanism: what makes the noise; None for none
            spreads: the standard deviations of the features, by that of an even spread
            believed: the variances of the weights of features spread evenly, before any data
        """
        learned = self.model.prior.normal(self._design) is None
        prior = believed * (spreads ** (-2 * STANDARD) if learned else np.ones(spreads.shape))
        if not records:
            return prior, 0.3**2
        scatter = spreads**2 * self._even
        errors = _VARIANCE * (1 - _EXPLAINED)
        seen = records * scatter * errors
        mean = errors / records
        if mechanism is not None and mechanism.draws_posterior:
            # a draw is K w and noise of variance 1 / (seen + flat), K = seen / (seen + flat)
            each = float(mechanism.weight / mechanism.stddev**2)
            flat = (mechanism.numbers + 2) / float(mechanism.radius) ** 2
            for_weight, for_mean = records * scatter * each, records * each
            seen = seen + (records * scatter) ** 2 * (for_weight + flat) / (mechanism.draws * for_weight**2)
            mean += (for_mean + flat) / (mechanism.draws * for_mean**2)
        elif mechanism is not None:
            noise = noises(mechanism)
            seen = seen + noise["with target"] + noise["among features"] * float(self._believed.sum())
            mean += noise["target"] / records**2
        information = (records * scatter) ** 2 / seen
        return 1 / (1 / prior + information), 1 / (1 / 0.3**2 + 1 / mean)

    def _forecast(self, records: int, mechanism: Any) -> CoefficientsForecast:
        each, mean = self._each(records, mechanism)
        spread = float(self._spreads**2 * self._even @ each) + mean
        widths = self._widths(each, mean)
        return CoefficientsForecast(self._width(each), math.sqrt(spread) * self._unit, widths)

    @property
    def _unit(self) -> float:
        return 2 * float(self._design.target.half)

    @cached_property
    def _spreads(self) -> Floats:
        """The standard deviation of each feature, by that of an even spread from -1 to 1."""
        found = list[float]()
        for feature in self._design.features:
            means, squares = 1.0, 1.0
            for part in feature.parts:
                values = part.values(self.schema)
                means, squares = means * values.mean(), squares * (values**2).mean()
            found.append(math.sqrt(max(squares - means**2, _LEAST) * 3))
        return np.array(found)

    def _widths(self, each: Floats, mean: float) -> tuple[tuple[str, float], ...]:
        """Return how wide the 90% interval of each coefficient will be, in units of the columns."""
        rows = np.array([[float(one) for one in row] for row in self._design.coefficients])
        rows[:, 1:] /= math.sqrt(self._design.terms)
        open_ = (rows**2) @ np.concatenate([[mean], each])
        widths = 2 * _REACH * self._unit * np.sqrt(open_)
        return tuple(zip(self._design.names, widths.tolist(), strict=True))

    def _width(self, variances: Floats) -> float:
        """Return how wide 90% intervals are on average of what features add, from middle to end."""
        return 2 * _REACH * float(np.sqrt(variances / self._design.terms).mean()) * self._unit

    def ahead(self, records: int, mechanism: Mechanism | None) -> CoefficientsForecast:
        """Forecast a release, or the true moments."""
        return self._forecast(records, mechanism)

    def nothing(self, records: int) -> CoefficientsForecast:
        """Forecast the error of the prior."""
        return self._forecast(0, None)

    def _left(self, records: int, mechanism: Mechanism | None) -> float:
        """Return which share is left of what the prior leaves open of a weight, on average."""
        return float(np.sqrt(self._each(records, mechanism)[0] / self._each(0, None)[0]).mean())

    def cautions(self, records: int, mechanism: Mechanism) -> tuple[str, ...]:
        """Say if so few records and so much noise would nearly give the prior back."""
        if self._left(records, mechanism) <= _IDLE:
            return ()
        return (
            f"With {records} records, {len(self._design.features)} features and this much noise the release "
            f"would tell hardly anything of the coefficients. Take {self.model.remedy}.",
        )

    def wasted(self, records: int, mechanism: Any) -> str | None:
        """Refuse what gives the prior back because of the noise; a prior that no data move is its owner's."""
        if self._left(records, mechanism) <= _WASTED or self._left(records, None) > _WASTED:
            return None
        declared = "" if mechanism.neighbours is REPLACE_ONE else ", as many as are declared,"
        features = len(self._design.features)
        return (
            f"{records} records{declared} are too few for {features} features at this budget: "
            "this would give the prior back for the coefficients"
        )

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say what inference will take."""
        drawn = mechanism.draws_posterior
        how = "populations led from the prior" if drawn else "Hamiltonian Monte Carlo over latent moments"
        spreads = np.array([1.0, _BUNCHED])
        typical = np.full(2, self._believed.mean())
        even, bunched = map(
            self._width, self._variances(records, mechanism, spreads, typical)[0][:, np.newaxis]
        )
        return [
            (
                "90% widths",
                f"about {even:.3g} for a feature spread evenly over its range, {bunched:.3g} for one with a "
                "quarter of that spread; wider where features go together",
            ),
            ("coefficients", self._forecast(records, mechanism).told),
            *self._if_fewer(records, mechanism),
            ("inference", f"{how}, seconds"),
        ]

    def _if_fewer(self, records: int, mechanism: Any) -> list[tuple[str, str]]:
        """Say that the forecast takes the declared number for the true one, where that is private."""
        if mechanism.neighbours is REPLACE_ONE:
            return []
        few = max(records // _TENTH, 1)
        full, less = self._forecast(records, mechanism), self._forecast(few, mechanism)
        words = (
            f"all forecasts are for {records} records, as many as are declared; with {few} the error would "
            f"be about {less.error:.3g} instead of {full.error:.3g}, and widths {less.width:.3g} instead of "
            f"{full.width:.3g}: declare what you expect"
        )
        return [("if fewer come", words)]


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
