"""Priors with less weight on sensitive parameters are analysed as integrals of their densities say."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from analysed import analysed
from family_cases import SCHEMA
from numpy.typing import NDArray

import privior as pv
from privior.models import Family
from privior.papers.constants import log_ratio, tail_rate
from privior.smoothness import subject_of
from privior.smoothness.one_parameter import OneParameter

Floats = NDArray[np.float64]

#: each with an interval that holds nearly all of it
CASES = {
    "logit": (pv.BetaBernoulli("sick", pv.Reweighted(pv.Beta(2, 3), 1)), (0, 1)),
    "logit-cut": (
        pv.BetaBinomial("hits", 3, pv.Reweighted(pv.Truncated(pv.Beta(2, 3), "0.1", "0.9"), "1.5")),
        (0.1, 0.9),
    ),
    "log": (pv.GammaPoisson("events", pv.Reweighted(pv.Gamma(4, 2), 2, of="log")), (0, 40)),
    "value": (pv.GammaExponential("wait", pv.Reweighted(pv.Gamma(2, 2), 3)), (0, 20)),
    "value-pivot": (
        pv.LaplaceScale("error", 0, pv.Reweighted(pv.Truncated(pv.Gamma(2, 2), "0.5", 3), 1, pivot=1)),
        (0.5, 3),
    ),
    "normal": (
        pv.NormalMean("pressure", pv.Reweighted(pv.Normal(125, stddev=8), "0.1"), stddev=12),
        (40, 210),
    ),
    "normal-cut": (
        pv.NormalMean(
            "pressure",
            pv.Reweighted(pv.Truncated(pv.Normal(125, stddev=8), 110, 150), "0.2", pivot=120),
            stddev=12,
        ),
        (110, 150),
    ),
}
BY_NAME = pytest.mark.parametrize(("model", "ends"), CASES.values(), ids=CASES)


def of(model: Family) -> OneParameter:
    found = subject_of(model, SCHEMA, None)
    assert isinstance(found, OneParameter)
    return found


def grid_of(ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """Points, denser at both ends, and how much each stands for."""
    u = np.linspace(-25, 25, 200_001)
    inner = 1 / (1 + np.exp(-u))
    width = ends[1] - ends[0]
    return ends[0] + width * inner, width * inner * (1 - inner) * (u[1] - u[0])


def weights_of(model: Family, ends: tuple[float, float], records: int, total: float) -> tuple[Floats, Floats]:
    points, steps = grid_of(ends)
    inside = (points > ends[0]) & (points < ends[1])
    points, steps = points[inside], steps[inside]
    logs = model.prior.log_density(points) + model.natural(points) * total - records * model.partition(points)
    weights = np.exp(logs - logs.max()) * steps
    return points, weights / weights.sum()


@BY_NAME
def test_the_mass_of_smooth_parameters_is_an_integral(model: Family, ends: tuple[float, float]) -> None:
    one = of(model)
    points, weights = weights_of(model, ends, 0, 0.0)
    slopes = np.concatenate([one.slope(model.natural(part)) for part in np.array_split(points, 200)])
    order = np.argsort(slopes)
    levels = slopes[order][np.searchsorted(np.cumsum(weights[order]), [0.05, 0.3, 0.6, 0.9, 0.999])]
    near = weights.max() + 1e-6  # of a point of the grid half may be beyond a level, at either end
    for level in levels:
        assert one.outside(np.array([level]))[0] == pytest.approx(weights[slopes > level].sum(), abs=near)
    plain = of(model.with_prior(model.prior.law))  # type: ignore[union-attr]
    assert not np.allclose(plain.outside(levels), one.outside(levels), atol=5e-3)


@BY_NAME
def test_c_and_l0_hold_far_out(model: Family, ends: tuple[float, float]) -> None:
    made = analysed(model, SCHEMA, records=10)
    found, one = made.concentration, made.subject
    assert found is not None
    top = one.roughest if math.isfinite(one.roughest) else found.start + 200 / found.rate
    levels = np.linspace(found.start, top, 2001)[1:]
    promised = np.exp(-found.rate * (levels - found.start))
    assert (one.outside(levels) <= promised * (1 + 1e-9)).all()
    if math.isinf(one.roughest) and math.isfinite(tail_rate(one)):  # what is said of the limit is so
        far = np.array([150.0, 300.0]) / tail_rate(one)
        logs = -np.log(one.outside(far))
        assert float(np.diff(logs)[0] / np.diff(far)[0]) == pytest.approx(tail_rate(one), rel=0.05)


@BY_NAME
@pytest.mark.parametrize("records", [3, 400])
def test_the_best_test_and_c_are_integrals_of_glued_posteriors(
    model: Family, ends: tuple[float, float], records: int
) -> None:
    one = of(model)
    least, most = float(one.statistics.min()), float(one.statistics.max())
    for base in (least, most):
        total = (records - 1) * base
        laws = [weights_of(model, ends, records, total + end)[1] for end in (least, most)]
        apart = float(np.abs(laws[0] - laws[1]).sum() / 2)
        found = one.test(records, total + least, total + most).total_variation
        assert found.low - 2e-4 <= apart <= found.high + 2e-4
    log_c = log_ratio(one, records)
    assert log_c is not None
    for total in (records * (least + share * (most - least)) for share in (0.25, 0.5, 1.0)):
        points, weights = weights_of(model, ends, 0, 0.0)
        logs = model.natural(points) * total - records * model.partition(points)
        ratio = -math.log(float(np.exp(logs - logs.max()) @ weights))
        assert log_c >= ratio - 1e-3


@BY_NAME
def test_it_is_told_and_cut_like_any_other(model: Family, ends: tuple[float, float]) -> None:
    made = analysed(model, SCHEMA, records=20, draws=2)
    words = dict(made.facts())
    assert "exp(-" in words["model"]
    json.dumps(made.to_document(), allow_nan=False)
    assert "slope L" in made.picture().text()
    assert made.trade
    cut = made.subject.cuts(20)[0]
    low, high = cut.words.strip("[]").split(", ")
    points, weights = weights_of(model, ends, 0, 0.0)
    outside = weights[(points < float(low)) | (points > float(high))].sum()
    assert cut.outside == pytest.approx(float(outside), abs=2e-3)
    if math.isfinite(made.slope):
        assert made.epsilon <= made.draws * made.subject.oscillation * (1 + 1e-9)
    else:
        assert words["guarantee"].startswith("none is proved")
