"""Released draws of families have the posterior's law, at the suite's false-alarm rate."""

from __future__ import annotations

import numpy as np
import pytest
from family_cases import CASES, SCHEMA, Case

import privior as pv
from chi_square import fits
from privior.models import ExactStatistics, Family

RECORDS, DRAWS, CELLS = 900, 1500, 12


def quantiles(model: Family, total_off: float, summed: int) -> list[float]:
    """Return the edges of cells of equal chance of the posterior, its total off by a factor."""
    total = float(model.total(SCHEMA, RECORDS, summed)) * total_off
    points = np.linspace(*_range(model, summed), 400_001)[1:-1]
    logs = model.prior.log_density(points) + model.natural(points) * total - model.partition(points) * RECORDS
    below = np.cumsum(np.exp(logs - logs.max()))
    shares = np.arange(1, CELLS) / CELLS
    return [float(edge) for edge in np.interp(shares, below / below[-1], points)]


def _range(model: Family, summed: int) -> tuple[float, float]:
    law = model.update(model.law, RECORDS, model.total(SCHEMA, RECORDS, summed))  # type: ignore[arg-type]
    low, high = law.quantile(1e-12), law.quantile(1 - 1e-12)
    return low - 0.3 * abs(low), high + 0.3 * abs(high)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_draws_have_their_law_and_no_other(case: Case) -> None:
    """A posterior whose sum is off by 5% is noticed."""
    rng = np.random.default_rng(3)
    theta = 0.45 if isinstance(case.model, pv.BetaBinomial | pv.BetaBernoulli) else case.draw(rng)
    codes = {case.model.column: case.codes(rng, theta, RECORDS)}
    summed = int(case.model.summand(SCHEMA).of(codes).sum())
    mechanism = pv.PosteriorDraws(case.model, SCHEMA, RECORDS, 1000, "0.5")
    assert mechanism.weight == 1
    exact = ExactStatistics(np.array([summed]))
    drawn = [float(mechanism.release(exact).values()[0]) for _ in range(DRAWS)]
    law = dict.fromkeys(range(CELLS), 1 / CELLS)
    right = np.searchsorted(quantiles(case.model, 1.0, summed), drawn)
    assert fits(right.tolist(), law)
    wrong = np.searchsorted(quantiles(case.model, 1.05, summed), drawn)
    assert not fits(wrong.tolist(), law)
