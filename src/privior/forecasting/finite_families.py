"""Forecasts for finite families: how much will be known of the model, from public facts alone.

For each model, tables and noises that are typical of it are laid out (`scenarios`: nothing is random), counts
taken as normal with the variance of the records and that of the noise; the posterior of the model follows by
the same normal laws. For draws the tables are the same, and the law of a draw given each is exact.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from privior.arrays import Floats
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.error_laws import squared_error
from privior.forecasting.families import ParameterForecast
from privior.forecasting.scenarios import strata
from privior.mechanisms import Mechanism
from privior.models import FiniteFamily
from privior.special import ndtri

#: scenarios of all models together, and of each at least
_SCENARIOS, _LEAST = 512, 8
#: noise with less variance is as good as none
_NO_NOISE = 1e-3
#: of more draws their expected numbers are taken
_MOST_DRAWN = 64
_TAIL = 0.05


@final
@FORECASTERS.register(FiniteFamily)
class ModelForecaster(Forecaster):
    """Forecasts for finite families."""

    model: FiniteFamily

    def ahead(self, records: int, mechanism: Mechanism | None) -> ParameterForecast:
        """Forecast; without a mechanism for the true counts."""
        return model_forecast(self.model, records, mechanism)

    def nothing(self, records: int) -> ParameterForecast:
        """Forecast for the prior alone."""
        return model_forecast(self.model, 0, None)


def model_forecast(model: FiniteFamily, records: int, mechanism: Any) -> ParameterForecast:
    """Forecast; without a mechanism for the true counts, with 0 records for the prior alone."""
    prior, chances = np.exp(model.log_prior()), np.exp(model.log_chances())
    if records == 0:
        return _summary(prior[np.newaxis].repeat(len(prior), axis=0), prior, chances)
    each = max(_LEAST, _SCENARIOS // len(prior))
    tables = np.stack([_tables(law, records, each) for law in chances])  # model, scenario, cell
    if mechanism is not None and mechanism.draws_posterior:
        logs = _given_draws(mechanism, tables)
    else:
        logs = _given_noise(mechanism, tables, chances, records)
    logs = logs + model.log_prior()
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return _summary(shares / shares.sum(axis=1, keepdims=True), prior, chances)


def _tables(law: Floats, records: int, size: int) -> Floats:
    """Return counts that are typical of a model, as (size, cells)."""
    steps = np.sqrt(records * law) * ndtri(strata(size, law.size))
    return np.asarray(np.maximum(records * law + steps - law * steps.sum(axis=1, keepdims=True), 0.0))


def _given_noise(mechanism: Any, tables: Floats, chances: Floats, records: int) -> Floats:
    """Return the log likelihood of each model for each scenario, by normal laws.

    Counts of n records have the covariance D - n p p', D = n diag(p) + s once noise of variance s is added.
    Where n is private, it is as if it varied by itself: D + n^2/12 p p'.
    """
    models, each, cells = tables.shape
    known, variance = True, _NO_NOISE
    if mechanism is not None:
        known = mechanism.sensitivity.total_fixed
        variance = max(squared_error(mechanism) / cells, _NO_NOISE)
    noise = np.sqrt(variance) * ndtri(strata(each, cells, first=cells))
    seen = (tables + noise).reshape(models * each, cells)
    found = np.empty((len(seen), models))
    for index, law in enumerate(chances):
        own = records * law + variance
        away = seen - records * law
        slope = (away / own) @ law
        # 1 + f p' D^-1 p, for f = -n without the cancellation
        factor = -float(records) if known else records**2 / 12
        left = variance * float((law / own).sum()) if known else 1 + factor * float((law**2 / own).sum())
        square = (away**2 / own).sum(axis=1) - factor * slope**2 / left
        found[:, index] = -(square + np.log(own).sum() + np.log(left)) / 2
    return found


def _given_draws(mechanism: Any, tables: Floats) -> Floats:
    """Return the log likelihood of each model for draws that are typical of each scenario's table."""
    models, each, cells = tables.shape
    laws = mechanism.log_laws(tables.reshape(models * each, cells))
    number = mechanism.draws
    if number > _MOST_DRAWN:
        drawn = number * np.exp(laws)
    else:
        places = strata(len(laws), number)
        below = np.cumsum(np.exp(laws), axis=1)[:, np.newaxis]
        index = np.minimum((below < places[:, :, np.newaxis]).sum(axis=2), models - 1)
        drawn = np.stack([(index == one).sum(axis=1) for one in range(models)], axis=1).astype(np.float64)
    logs = (drawn @ laws.T).reshape(len(laws), models, each)
    most = logs.max(axis=2)
    return np.asarray(most + np.log(np.exp(logs - most[:, :, np.newaxis]).mean(axis=2)))


def _summary(shares: Floats, prior: Floats, chances: Floats) -> ParameterForecast:
    """Average over scenarios, which stand in the order of the models, alike many for each."""
    each = len(shares) // len(prior)
    truth = np.repeat(np.arange(len(prior)), each)
    weights = np.repeat(prior / each, each)
    right = float(weights @ shares[np.arange(len(shares)), truth])
    width = 0.0
    for values in chances.T:
        order = np.argsort(values)
        below = np.cumsum(shares[:, order], axis=1)
        low, high = (
            values[order][np.minimum((below < share).sum(axis=1), len(prior) - 1)]
            for share in (_TAIL, 1 - _TAIL)
        )
        width += float(weights @ (high - low))
    return ParameterForecast(width / chances.shape[1], max(0.0, 1 - right))
