"""T50: what a family's release contradicts, what it cannot tell, and the histogram that can."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.posterior.families.latent_sums import LatentSums
from privior.posterior.families.parameter import _Coordinate, parameter_law
from privior.posterior.families.parameter_posterior import ParameterNumbers
from privior.posterior.families.zooming import zoomed
from privior.report import page_of

CALLS = pv.Schema(
    {"calls": pv.Integer(0, 60), "balance": pv.Bounded(0, 20_000, grid=10)},
    population="bank",
    unit="customer",
)


def released(model: object, values: np.ndarray, epsilon: str = "1", **facts: object) -> pv.Release:
    plan = pv.plan(model, CALLS, records=len(values), epsilon=epsilon, **facts)  # type: ignore[arg-type]
    (column,) = plan.model.columns
    return pv.measure(plan, pa.table({column: values}), ledger=pv.Ledger.in_memory())


@pytest.mark.parametrize("neighbours", ["replace-one", "add-or-remove-one"])
def test_a_prior_far_from_the_release_is_contradicted(neighbours: str, seeded_noise: object) -> None:
    calls = np.random.default_rng(1).poisson(20, 500)
    far = released(pv.GammaPoisson("calls", pv.Gamma(1000, 1000)), calls, neighbours=neighbours)
    posterior = pv.infer(far)
    assert "contradicts this prior" in posterior.warnings[0]
    vague = pv.infer(far, prior=pv.Gamma(1, 1))  # also far from 20, but it moves nothing
    assert not vague.warnings
    assert vague.mean() == pytest.approx(20, rel=0.1)


def test_what_rests_on_the_shape_says_so(seeded_noise: object) -> None:
    calls = np.random.default_rng(1).poisson(3, 500)
    release = released(pv.GammaPoisson("calls", pv.Gamma(1, 1)), calls)
    assert ", if calls is Poisson" in str(pv.ask(release, "P(calls>=3)"))
    assert pv.ask(release, "P(calls>=3)").to_document()["provided"] == "calls is Poisson"
    for question in (
        "median(calls)",
        "quantile(calls, 90%)",
        "P(calls=1) - P(calls=2)",
        "interval(P(calls=1) / mean(calls))",
    ):
        assert pv.ask(release, question).to_document().get("provided") == "calls is Poisson", question
    assert "calls is Poisson, which decides how wide that is" in str(pv.ask(release, "mean(calls)"))
    assert (
        pv.ask(release, "mean(calls) / parameter(calls)").to_document().get("provided") != "calls is Poisson"
    )
    assert "That calls is Poisson" in page_of(release)


def test_the_page_says_between_what_bounds_values_were_counted(seeded_noise: object) -> None:
    balances = np.random.default_rng(1).lognormal(6, 2, 500)
    model = pv.GammaExponential("balance", pv.Gamma(1, 400))
    assert "beyond the declared bounds (balance: 0 to 20000)" in page_of(released(model, balances))


def test_records_of_a_fine_grid_are_drawn_without_listing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = pv.Schema({"balance": pv.Bounded(-2000, 20_000, grid="0.1")}, population="bank", unit="customer")
    model = pv.NormalMean("balance", pv.Normal(1000, stddev=3000), stddev=3000)
    asked, below = [], type(model).below

    def counted(self: pv.NormalMean, theta: np.ndarray, code: int, schema: pv.Schema) -> np.ndarray:
        asked.append(code)
        return np.asarray(below(self, theta, code, schema))

    monkeypatch.setattr(type(model), "below", counted)
    numbers = ParameterNumbers(model, fine)
    drawn = numbers.records(np.array(1000.0), 5, np.random.default_rng(1))["balance"]
    assert len(asked) <= 5 * 18  # halving 220,001 values
    uniform = np.random.default_rng(1).uniform(size=5)
    for value, share in zip(drawn, uniform, strict=True):
        code, at = fine.column("balance").code(value), np.array([1000.0])
        assert below(model, at, code - 1, fine)[0] < share <= below(model, at, code, fine)[0]


def histogram(family: pv.Release, values: np.ndarray, epsilon: str) -> pv.Release:
    asked = pv.histogram_for(family, epsilon=epsilon)
    (column,) = asked.model.columns
    return pv.measure(asked.plan(), pa.table({column: values}), ledger=pv.Ledger.in_memory())


def test_a_histogram_tells_counts_that_are_not_poisson(seeded_noise: object) -> None:
    rng, model = np.random.default_rng(2), pv.GammaPoisson("calls", pv.Gamma(1, 1))
    for values, wrong in ((rng.poisson(2.7, 5_000), False), (rng.geometric(0.27, 5_000) - 1, True)):
        family = released(model, values)
        fit = pv.check_fit(family, histogram(family, values, "0.2"))
        assert fit.contradicted == wrong
        assert ("contradicts that calls is Poisson" in str(fit)) == wrong
        assert fit.noisy.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "model",
    [
        pv.NormalMean("balance", pv.Normal(2_000, stddev=2_000), stddev=2_500),
        pv.NormalMeanPrecision("balance", pv.NormalGamma(2_000, 1, 1, 4_000_000)),
    ],
)
def test_a_histogram_tells_money_that_is_not_normal(model: object, seeded_noise: object) -> None:
    rng = np.random.default_rng(3)
    skewed = np.minimum(rng.lognormal(7.5, 0.9, 4_000), 20_000)
    family = released(model, skewed)
    assert pv.check_fit(family, histogram(family, skewed, "0.5")).contradicted


def test_a_right_family_is_seldom_contradicted(seeded_noise: object) -> None:
    rng, model = np.random.default_rng(4), pv.GammaPoisson("calls", pv.Gamma(1, 1))
    chances = []
    for _ in range(12):
        values = rng.poisson(2.7, 1_000)
        family = released(model, values)
        chances.append(pv.check_fit(family, histogram(family, values, "0.5")).conflict.chance)
    assert min(chances) > 0.001
    assert np.mean(chances) > 0.3


def test_only_a_histogram_of_the_same_records_is_compared(seeded_noise: object) -> None:
    values = np.random.default_rng(2).poisson(2.7, 500)
    family = released(pv.GammaPoisson("calls", pv.Gamma(1, 1)), values)
    fewer = released(pv.GammaPoisson("calls", pv.Gamma(1, 1)), values[:400])
    for other in (family, histogram(fewer, values[:400], "0.5")):
        with pytest.raises(pv.InferenceError, match="not a noisy histogram"):
            pv.check_fit(family, other)


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_the_grid_is_fine_enough_where_noise_leaves_long_tails(delta: str, seeded_noise: object) -> None:
    """Means, spreads and quantiles are those of brute force to a thousandth of a standard deviation."""
    calls = np.random.default_rng(1).poisson(3, 48)
    model = pv.GammaPoisson("calls", pv.Gamma(2, 1))
    posterior = pv.infer(released(model, calls, "0.5", delta=delta))
    sums: LatentSums = posterior.sums
    coordinate = _Coordinate.of(model)

    def log_density(t: np.ndarray) -> np.ndarray:
        theta = coordinate.theta(t)
        known = sums.log_likelihood(model.natural(theta), model.partition(theta))
        return np.asarray(model.prior.log_density(theta) + coordinate.log_slope(t) + known)

    grid = zoomed(log_density, *coordinate.ends, 65)
    t = np.linspace(grid[0], grid[-1], 8_001)
    logs = log_density(t)
    masses = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    theta, below = coordinate.theta(t), masses.cumsum() - masses / 2
    mean = float(theta @ masses)
    spread = float(np.sqrt((theta - mean) ** 2 @ masses))
    found = parameter_law(model, sums)
    assert found.mean == pytest.approx(mean, abs=1e-3 * spread)
    assert found.stddev == pytest.approx(spread, rel=1e-3)
    for share in (0.005, 0.05, 0.5, 0.95, 0.995):
        assert found.quantile(share) == pytest.approx(np.interp(share, below, theta), abs=1e-3 * spread)
