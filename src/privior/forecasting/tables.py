"""Forecasts for tables with a Dirichlet prior: the error of each mechanism as its law has it.

A prior that is learned has no typical tables of its own. Tables are taken to be typical of prior 1, or as
`expect` says, and inferred with prior 1: with the shape learned errors are about the same, and smaller where
tables are uneven or smooth (both priors on the same releases: evidence/test_learned_forecasts.py).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import singledispatch
from typing import Any, final

import numpy as np

from privior.errors import PlanError
from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.draws import DrawnLaw
from privior.forecasting.effort import Effort
from privior.forecasting.hellinger import ListedLaw, SampledLaw
from privior.forecasting.table_errors import (
    ErrorLaw,
    Floats,
    Forecast,
    NoiseSpectrum,
    RemainderLaw,
    forecast,
    prior_alone,
    records_alone,
)
from privior.mechanisms import (
    DirichletDraw,
    GaussianCounts,
    HellingerMechanism,
    KNorm,
    LaplaceCounts,
    Mechanism,
    PosteriorRelease,
    PublishedLaplace,
    VirtualRecords,
)
from privior.mechanisms.hellinger import distances
from privior.mechanisms.hellinger_extremes import typical_table
from privior.models import DirichletTable
from privior.privacy.hellinger import all_tables

#: counts whose log likelihood is so far below the largest do not matter, beside the number of cells
_DEPTH = 36.0
#: a squared error is summed over so many outputs, and over some of more
_MOST_SUMMED = 20_000


@singledispatch
def error_law(mechanism: object) -> ErrorLaw:
    """Return the law of a release as forecasts see it."""
    raise PlanError("no forecast is known for this mechanism", where=getattr(mechanism, "name", None))


@error_law.register
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


@error_law.register
def _(mechanism: PublishedLaplace) -> ErrorLaw:
    """Clamping takes nothing away (`cell_noise`)."""
    return RemainderLaw(mechanism.variance)


@error_law.register
def _(mechanism: DirichletDraw) -> ErrorLaw:
    return _drawn(mechanism, None, mechanism.draws)


@error_law.register
def _(mechanism: VirtualRecords) -> ErrorLaw:
    return _drawn(mechanism, mechanism.drawn, 1)


def _drawn(mechanism: PosteriorRelease, drawn: int | None, draws: int) -> ErrorLaw:
    known = mechanism.sensitivity.total_fixed
    return DrawnLaw(float(mechanism.rate), drawn, draws, mechanism.least, known)


@error_law.register
def _(mechanism: HellingerMechanism) -> ErrorLaw:
    """That of the posterior mean, or where `infer` gives none of the released table itself."""
    return ListedLaw(mechanism.temperatures) if mechanism.listable else SampledLaw(mechanism.temperatures)


@singledispatch
def squared_error(mechanism: Any) -> float:
    """Return the expected squared Euclidean length of the noise, before any use of public facts."""
    return float(mechanism.expected_squared_error)


@squared_error.register
def _(mechanism: HellingerMechanism) -> float:
    """That of a table which is typical of the prior."""
    alpha = np.array([float(one) for one in mechanism.parameters])
    typical = typical_table(alpha, mechanism.records)
    if mechanism.outputs > _MOST_SUMMED:
        return SampledLaw(mechanism.temperatures).squared_error(typical, alpha)
    tables = all_tables(mechanism.records, mechanism.cells)
    weights = np.exp(-mechanism.temperatures(typical[None, :]) * distances(typical, tables, alpha))
    return float(weights @ ((tables - typical) ** 2).sum(axis=1) / weights.sum())


@final
@FORECASTERS.register(DirichletTable)
class TableForecaster(Forecaster):
    """Distances between the estimated and the true proportions of a table."""

    model: DirichletTable

    @property
    def _prior(self) -> Floats:
        return self.model.typical_parameters(self.schema)

    def ahead(self, records: int, mechanism: Mechanism | None) -> Forecast:
        """Forecast the error of a release, or of the true counts: what no epsilon can improve on."""
        if mechanism is None:
            return self._said(records_alone(self._prior, records, self.expect))
        return self._said(forecast(error_law(mechanism), self._prior, records, self.expect))

    def nothing(self, records: int) -> Forecast:
        """Forecast the error of publishing nothing but the prior."""
        return self._said(prior_alone(self._prior, records, self.expect))

    def _said(self, found: Forecast) -> Forecast:
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
