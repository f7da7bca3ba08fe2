"""Forecasts for tables with a Dirichlet prior: the error of each mechanism as its law has it.

A prior that is learned has no typical tables of its own. Tables are taken to be typical of prior 1, or as
`expect` says, and inferred with prior 1: with the shape learned errors are about the same, and smaller where
tables are uneven or smooth (both priors on the same releases: evidence/test_learned_forecasts.py). Where the
noise of all cells together drowns the records, prior 1 knows that its tables are even; a shape learned by
halves may be any, and follows the noise. What that adds was measured, on 120 columns and pairs of columns: it
hardly depends on the table.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import final

import numpy as np

from privior.forecasting.contract import FORECASTERS, Forecaster
from privior.forecasting.effort import Effort
from privior.forecasting.error_laws import error_law, squared_error
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
from privior.models import DirichletTable, LearnedPrior

#: counts whose log likelihood is so far below the largest do not matter, beside the number of cells
_DEPTH = 36.0
#: what halving adds to l2, total variation and Hellinger, in squares, while records are no more than so many
#: lengths of the noise (beyond, by their square less), and by which part its intervals are wider
_ADDED, _WIDER, _DROWNED = (0.25, 0.37, 0.3), 0.6, 2.0


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
        found = forecast(error_law(mechanism), self._prior, records, self.expect)
        return self._said(self._drowned(found, records, squared_error(mechanism)))

    def _drowned(self, found: TableForecast, records: int, noise: float) -> TableForecast:
        """Add what halving adds; the levels of one column in no order are not halved."""
        columns = [self.schema.column(name) for name in self.model.columns]
        if not isinstance(self.model.prior, LearnedPrior) or [one.ordered for one in columns] == [False]:
            return found
        part = min(1.0, _DROWNED**2 * noise / max(1, records * self.schema.unit.max_rows) ** 2)
        errors = (found.l2, found.total_variation, found.hellinger)
        l2, variation, hellinger = map(math.hypot, errors, [part * one for one in _ADDED])
        width = min(1.0, found.width * (1 + _WIDER * part))
        return replace(found, l2=l2, total_variation=variation, hellinger=hellinger, width=width)

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
