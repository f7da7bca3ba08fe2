"""Forecasts for tables with a Dirichlet prior: the error of each mechanism as its law has it.

A prior that is learned has no typical tables of its own. Tables are taken to be typical of prior 1, or as
`expect` says, and inferred with prior 1: with the shape learned errors are about the same, and smaller where
tables are uneven or smooth (both priors on the same releases: evidence/test_learned_forecasts.py).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import final

import numpy as np

from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.effort import Effort
from privior.forecasting.error_laws import error_law
from privior.forecasting.table_errors import (
    ErrorLaw,
    Floats,
    NoiseSpectrum,
    RemainderLaw,
    TableForecast,
    forecast,
    prior_alone,
    records_alone,
)
from privior.mechanisms import GaussianCounts, KNorm, LaplaceCounts, Mechanism, PublishedLaplace
from privior.models import DirichletTable

#: counts whose log likelihood is so far below the largest do not matter, beside the number of cells
_DEPTH = 36.0


@error_law.register(KNorm)
def _(mechanism: KNorm) -> ErrorLaw:
    """All cells are alike, by symmetry."""
    each = mechanism.expected_squared_error / (mechanism.cells - 1)
    return NoiseSpectrum.alike(each, mechanism.cells, laplace=True)


@error_law.register(LaplaceCounts)
@error_law.register(GaussianCounts)
def _(mechanism: LaplaceCounts | GaussianCounts) -> ErrorLaw:
    """Every cell has the same independent noise."""
    return NoiseSpectrum.alike(
        mechanism.expected_squared_error / mechanism.cells,
        mechanism.cells,
        laplace=isinstance(mechanism, LaplaceCounts),
        total_known=mechanism.sensitivity.total_fixed,
    )


@error_law.register(PublishedLaplace)
def _(mechanism: PublishedLaplace) -> ErrorLaw:
    """Forecast the noise alone: clamping takes nothing away of what it says (`cell_noise`)."""
    return RemainderLaw(mechanism.variance)


@final
@FORECASTERS.register(DirichletTable)
class TableForecaster(Forecaster):
    """Distances between the estimated and the true proportions of a table."""

    model: DirichletTable

    @property
    def _prior(self) -> Floats:
        return self.model.typical_parameters(self.schema)

    def ahead(self, records: int, mechanism: Mechanism | None) -> TableForecast:
        """Forecast the error of a release, or of the true counts: what no epsilon can improve on."""
        if mechanism is None:
            return self._said(records_alone(self._prior, records, self.expect))
        return self._said(forecast(error_law(mechanism), self._prior, records, self.expect))

    def nothing(self, records: int) -> TableForecast:
        """Forecast the error of publishing nothing but the prior."""
        return self._said(prior_alone(self._prior, records, self.expect))

    def _said(self, found: TableForecast) -> TableForecast:
        """Leave out the divergence that rests on the prior's parameters where there are none."""
        return replace(found, kl=None) if self.model.cell_prior is None else found

    def effort(self, records: int, mechanism: Mechanism) -> Effort | None:
        """A sum over all tables, whose cells are as wide as the noise lets them be."""
        noise = mechanism.cell_noise
        if noise is None:
            return None
        cells = noise.rates.size
        if self.model.cell_prior is None:
            return Effort.of_learning(cells)
        rows, depth = records * self.schema.unit.max_rows, math.log(cells) + _DEPTH
        rate, bend = float(np.min(noise.rates)), float(np.min(noise.curvatures))
        reach = depth / rate if rate > 0 else math.sqrt(2 * depth / bend) if bend > 0 else math.inf
        return Effort.of(cells, min(reach, rows) + 1, rows, known=mechanism.sensitivity.total_fixed)
