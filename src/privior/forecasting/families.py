"""Forecasts for families: how wide the interval of the parameter will be, from public facts alone.

At a parameter theta a record has the information I = h'^2 v, v the variance of t; n records leave a variance
of 1/(n I) open. Noise of variance w on their sum adds w / (n h' v)^2, the slope of E[t] being h' v. A draw
from a posterior in which records have the weight r varies by 1/(r n I + J), J what the prior it is made with
knows, and its centre moves with the records' estimate by the share r n I/(r n I + J): as an estimate it adds
(r n I + J)/(r n I)^2, N draws an N-th of it. What the prior knows beside is added as information. A parameter
outside the interval to which the law of the draws is cut is missed by its distance from it at least. The
widths at quantiles of the prior are averaged. Several parameters are measured in standard deviations of the
prior (`joint_families`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.joint_families import joint_variances
from privior.mechanisms import Mechanism
from privior.models import Family, JointFamily
from privior.models.laws import Reweighted, Truncated
from privior.schema import Schema

#: half the width of a 90% interval, in standard deviations
_REACH = 1.6448536269514722
_SHARES = (np.arange(15) + 0.5) / 15
#: the relative step of numeric derivatives
_STEP = 1e-4


@dataclass(frozen=True)
class ParameterForecast:
    """Typical distances between what is inferred and the parameter, or the model of a finite family.

    Attributes:
        width: expected width of the 90% interval; of a cell's chance, on average over the cells
        error: root of the expected squared error of the posterior mean; the expected probability that the
            posterior gives to wrong models
    """

    width: float
    error: float

    @property
    def measures(self) -> dict[str, float]:
        """The distances by the names that people read."""
        return {"90% width": self.width, "error": self.error}

    def to_document(self) -> dict[str, float]:
        """Write the distances as plain values."""
        return asdict(self)


class SumsForecaster(Forecaster):
    """Forecasts for families, by the variances that are left open."""

    @abstractmethod
    def variances(self, records: int, mechanism: Mechanism | None) -> Floats:
        """Return what is left open at parameters typical of the prior; without records, what it leaves."""

    def ahead(self, records: int, mechanism: Mechanism | None) -> ParameterForecast:
        """Forecast the error; without a mechanism that of the true sum."""
        variance = self.variances(records, mechanism)
        return ParameterForecast(float((2 * _REACH * np.sqrt(variance)).mean()), math.sqrt(variance.mean()))

    def nothing(self, records: int) -> ParameterForecast:
        """Forecast the error of the prior."""
        return self.ahead(0, None)


@final
@FORECASTERS.register(Family)
class FamilyForecaster(SumsForecaster):
    """Forecasts for one parameter."""

    model: Family

    def variances(self, records: int, mechanism: Mechanism | None) -> Floats:
        """Return what is left open of the parameter, at values typical of the prior."""
        with np.errstate(all="ignore"):  # parameters next to an end, where slopes are beyond all floats
            return _variances(self.model, self.schema, records, mechanism)


@final
@FORECASTERS.register(JointFamily)
class JointForecaster(SumsForecaster):
    """Forecasts for several parameters, as shares of the prior's variances."""

    model: JointFamily

    def variances(self, records: int, mechanism: Mechanism | None) -> Floats:
        """Return what is left open of each parameter, at values typical of the prior."""
        return joint_variances(self.model, self.schema, records, mechanism)


def _variances(model: Family, schema: Schema, records: int, mechanism: Any) -> Floats:
    """Return what is left open at parameters typical of the prior."""
    theta, prior = _typical(model)
    variance = np.full(theta.shape, prior)
    if records:
        slope, spread = _slopes(model, theta)
        information = records * slope**2 * spread
        open_ = 1 / information
        if mechanism is not None and mechanism.draws_posterior:
            seen = float(mechanism.weight) * information
            open_ = open_ + (seen + mechanism.model.law.information) / (mechanism.draws * seen**2)
        elif mechanism is not None:
            open_ = open_ + _noise(model, schema, mechanism, theta) / (records * slope * spread) ** 2
        learned = 1 / (1 / variance + 1 / open_)
        variance = np.where(np.isfinite(learned), learned, prior)  # nothing is known to be learned there
        if mechanism is not None and mechanism.draws_posterior:
            variance = variance + _outside(mechanism.model, theta) ** 2
    return variance


def _typical(model: Family) -> tuple[Floats, float]:
    """Return parameters typical of the prior, and its variance."""
    law = model.law
    if not isinstance(model.prior, Truncated | Reweighted):
        theta = np.array([law.quantile(float(share)) for share in _SHARES])
    else:
        low, high = model.prior.support
        first = law.quantile(1e-9) if low is None else float(low)
        last = law.quantile(1 - 1e-9) if high is None else float(high)
        points = np.linspace(first, last, 4001)[1:-1]
        logs = model.prior.log_density(points)
        below = np.cumsum(np.exp(logs - logs.max()))
        theta = np.interp(_SHARES, below / below[-1], points)
    return theta, float(theta.var()) * 1.02


def _outside(model: Family, theta: Floats) -> Floats:
    """Return how far outside the interval of the draws a parameter lies."""
    low, high = model.prior.support
    below = np.maximum(float(low) - theta, 0) if low is not None else np.zeros_like(theta)
    above = np.maximum(theta - float(high), 0) if high is not None else np.zeros_like(theta)
    return np.asarray(below + above)


def _slopes(model: Family, theta: Floats) -> tuple[Floats, Floats]:
    """Return h' and the variance of t: A' / h' is the mean of t, and its slope h' times the variance."""
    step = _STEP * np.maximum(np.abs(theta), 1e-12)
    if model.conjugate.name == "beta":
        step = _STEP * theta * (1 - theta)

    def slope(values: Floats, after: Floats) -> Floats:
        return np.asarray((after - values) / (2 * step))

    natural = slope(model.natural(theta - step), model.natural(theta + step))
    means = (_mean(model, theta - step, step), _mean(model, theta + step, step))
    return natural, np.abs(slope(*means) / natural)


def _mean(model: Family, theta: Floats, step: Floats) -> Floats:
    """Return the mean of t: A' / h'."""
    rise = model.natural(theta + step) - model.natural(theta - step)
    return np.asarray((model.partition(theta + step) - model.partition(theta - step)) / rise)


def _noise(model: Family, schema: Schema, mechanism: Any, theta: Floats) -> Floats:
    """Return the variance of the noise of T; a noisy number of records moves T by its mean."""
    base, unit = (float(one) for one in model.grid(schema))
    variances = mechanism.variances
    noise = np.full(theta.shape, unit**2 * variances[-1])
    if len(variances) > 1:
        mean = _mean(model, theta, _STEP * np.maximum(np.abs(theta), 1e-12))
        noise = noise + (mean - base) ** 2 * variances[0]
    return noise
