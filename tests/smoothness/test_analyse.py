"""What the analysis finds for each model is what brute force, closed forms and oracles give."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysed import analysed
from family_cases import CASES, SCHEMA, Case
from numpy.typing import NDArray
from program import inside
from scipy import stats

import privior as pv
from privior.models import Family, to_model
from privior.models.families import (
    BetaBernoulli,
    BetaBinomial,
    GammaExponential,
    GammaPoisson,
    LaplaceScale,
    NormalMean,
    NormalPrecision,
)
from privior.papers.constants import log_ratio, peaks, tail_rate
from privior.smoothness import Subject, subject_of
from privior.smoothness.one_parameter import OneParameter

Floats = NDArray[np.float64]
BOTH = [pytest.param(model, id=f"{case.name}-{kind}") for case in CASES for kind, model in
        (("whole", case.model), ("cut", case.cut))]  # fmt: skip
SMALL = [pytest.param(*case.small, id=case.name) for case in CASES]
DISTANCES = ("records", "values", "statistic")


def log_density(model: Family, theta: float | Floats, values: Floats) -> Floats:
    """The textbook log likelihood of one record, with all its constants; a row for each parameter."""
    match model:
        case BetaBinomial() | BetaBernoulli():
            return np.asarray(stats.binom.logpmf(values, model.trials, theta))
        case GammaPoisson():
            return np.asarray(stats.poisson.logpmf(values, theta))
        case GammaExponential():
            return np.asarray(stats.expon.logpdf(values, scale=1 / theta))
        case LaplaceScale():
            return np.asarray(stats.laplace.logpdf(values, float(model.location), 1 / theta))
        case NormalMean():
            return np.asarray(stats.norm.logpdf(values, theta, math.sqrt(model.variance)))
        case NormalPrecision():
            return np.asarray(stats.norm.logpdf(values, float(model.mean), theta**-0.5))
        case _:
            raise TypeError(model)


def values_of(model: Family, schema: pv.Schema) -> Floats:
    column = schema.column(model.column)
    if isinstance(column, pv.Categorical):
        return np.array([float(level == "yes") for level in column.levels])
    return np.array([float(value) for value in column.values])  # type: ignore[arg-type]


def subject(model: Family, schema: pv.Schema, distance: object = None) -> OneParameter:
    found = subject_of(model, schema, distance)
    assert isinstance(found, OneParameter)
    return found


def parameters(case_model: Family, rng: np.random.Generator, number: int = 12) -> Floats:
    low, high = case_model.prior.support
    law = case_model.law
    drawn = np.array([law.quantile(share) for share in rng.uniform(0.02, 0.98, number)])
    ends = (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
    return np.asarray(np.clip(drawn, *ends))


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("distance", [*DISTANCES, "squares"])
def test_slopes_are_the_largest_over_all_pairs_of_records(model: Family, distance: str) -> None:
    values = values_of(model, SCHEMA)
    if distance in ("values", "squares") and isinstance(SCHEMA.column(model.column), pv.Categorical):
        with pytest.raises(pv.ModelError, match="this distance does not fit the records"):
            subject(model, SCHEMA, distance)
        return
    one = subject(model, SCHEMA, distance)
    apart = {
        "records": 1 - np.eye(values.size),
        "values": np.abs(values[:, None] - values),
        "statistic": np.abs(one.statistics[:, None] - one.statistics),
        "squares": np.abs(values[:, None] ** 2 - values**2) + 2 * np.abs(values[:, None] - values),
    }[distance]
    assert one.distance.reach == pytest.approx(apart.max(), rel=1e-12)
    for theta in parameters(model, np.random.default_rng(1)):
        logs = log_density(model, float(theta), values)
        gaps = np.abs(logs[:, None] - logs)
        slope = float((gaps[apart > 1e-12] / apart[apart > 1e-12]).max())
        found = float(one.slope(model.natural(np.array([theta])))[0])
        assert found == pytest.approx(slope, rel=1e-6, abs=1e-9)
        assert found <= one.roughest * (1 + 1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("distance", DISTANCES[::2])
def test_the_mass_of_smooth_parameters_is_that_of_draws_from_the_prior(case: Case, distance: str) -> None:
    rng, number = np.random.default_rng(3), 20_000
    one = subject(case.model, SCHEMA, distance)
    drawn = np.array([case.draw(rng) for _ in range(number)])
    slopes = one.slope(case.model.natural(drawn))
    for level in np.quantile(slopes, [0.05, 0.3, 0.6, 0.9, 0.99]):
        chance = float(one.outside(np.array([level]))[0])
        error = math.sqrt(chance * (1 - chance) / number) + 1e-9
        assert abs(float((slopes > level).mean()) - chance) < 5 * error
    low, high = (float(end) for end in case.cut.prior.support)  # type: ignore[arg-type]
    inside = drawn[(drawn > low) & (drawn < high)]
    cut = subject(case.cut, SCHEMA, distance)
    level = float(np.quantile(cut.slope(case.cut.natural(inside)), 0.7))
    assert float(cut.outside(np.array([level]))[0]) == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize("model", BOTH)
def test_c_and_l0_hold_and_cannot_be_better(model: Family) -> None:
    made = analysed(model, SCHEMA, records=10)
    found = made.concentration
    assert found is not None
    one = made.subject
    top = one.roughest if math.isfinite(one.roughest) else found.start + 200 / found.rate
    levels = np.linspace(found.start, top, 3001)[1:]
    outside = one.outside(levels)
    promised = np.exp(-found.rate * (levels - found.start))
    assert (outside <= promised * (1 + 1e-9)).all()
    far = math.isinf(one.roughest) and found.rate > 0.97 * tail_rate(one)
    assert far or (outside > np.exp(-1.03 * found.rate * (levels - found.start))).any()
    assert found.mean <= found.scale


def test_the_best_c_of_a_cut_exponential_is_its_hazard_at_the_lower_end() -> None:
    """l = theta D: with L0 at its least the tail is that of a cut Exponential law, of rising hazard."""
    schema = pv.Schema({"x": pv.Bounded(0, 1, grid="0.25")}, population="p", unit="person")
    model = pv.GammaExponential("x", pv.Truncated(pv.Gamma(1, 2), "0.5", 2))
    one = subject(model, schema, "values")
    levels = np.linspace(0.5, 2, 2000)[1:-1]
    rates = -np.log(one.outside(levels)) / (levels - 0.5)
    assert rates.min() == pytest.approx(2 / (1 - math.exp(-3)), rel=1e-3)
    assert one.smoothest == pytest.approx(0.5)
    assert one.roughest == pytest.approx(2)
    assert one.oscillation == pytest.approx(1.5)


@pytest.mark.parametrize(("model", "schema"), SMALL)
@pytest.mark.parametrize("records", [1, 2, 4])
def test_the_constant_c_is_the_largest_ratio_of_all_data_sets(
    model: Family, schema: pv.Schema, records: int
) -> None:
    """A mean over quantiles of the prior, and a largest value over many more parameters."""
    values = values_of(model, schema)
    shares = (np.arange(2000) + 0.5) / 2000
    tails = np.geomspace(1e-14, 1e-3, 60)
    quantiles = [model.law.quantile(share) for share in shares]
    more = [model.law.quantile(share) for share in [*tails, *(1 - tails)]]
    ends = [Fraction(f"{model.law.quantile(share):.3g}") for share in (0.2, 0.8)]
    for cut in (False, True):
        prior = pv.Truncated(model.law, *ends) if cut else model.law
        mine = to_model({**model.to_document(), "prior": prior.to_document()})
        assert isinstance(mine, Family)
        low, high = (float(ends[0]), float(ends[1])) if cut else (-math.inf, math.inf)
        inside = [theta for theta in quantiles if low <= theta <= high]
        wide = inside if cut else [*inside, *(theta for theta in more if 0 < theta < 1 or theta > 1)]
        table, far = (log_density(model, np.array(some)[:, None], values) for some in (inside, wide))
        best = max(
            float(np.exp(far[:, chosen].sum(axis=1)).max() / np.exp(table[:, chosen].sum(axis=1)).mean())
            for chosen in map(list, combinations_with_replacement(range(values.size), records))
        )
        found = log_ratio(subject(mine, schema), records)
        assert found is not None
        if math.isinf(found):
            continue  # a likelihood that is unbounded where records are at 0
        assert math.exp(found) == pytest.approx(best, rel=0.02)
        assert math.exp(found) >= best * (1 - 2e-3)


def test_the_constant_c_of_many_sums_is_bounded_between_the_points_of_a_grid() -> None:
    model = pv.GammaPoisson("events", pv.Gamma(8, 4))
    found = log_ratio(subject(model, SCHEMA), 1000)  # 12001 sums, every third is looked at
    one = subject(model, SCHEMA)
    totals = np.arange(12_001.0)
    truth = float((peaks(one, 1000, totals) - one.log_means(1000, totals)).max())
    assert truth <= found <= truth + 0.01  # type: ignore[operator]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_necessary_condition_is_never_above_what_is_exact(case: Case) -> None:
    made = analysed(case.cut, SCHEMA, records=6)
    assert made.necessary is not None
    assert 0 <= made.necessary <= made.epsilon <= made.printed_epsilon * (1 + 1e-9)
    assert made.epsilon <= made.subject.oscillation * (1 + 1e-9)


@pytest.mark.parametrize(("model", "schema"), SMALL)
def test_no_test_beats_the_guarantee_and_where_it_is_exact_one_reaches_it(
    model: Family, schema: pv.Schema
) -> None:
    made = analysed(model, schema, records=4)
    found = [one.test.total_variation for one in made.subject.contrasts(4) if one.replaced == 1]
    assert all(one.low <= made.delta(0.0) + 1e-9 for one in found)
    case = next(case for case in CASES if case.small[0] == model)
    if case.tight:
        assert max(one.high for one in found) >= made.delta(0.0) - 1e-9
    assert made.accuracy.low <= made.accuracy.high <= (1 + made.delta(0.0)) / 2 + 1e-12


ORACLES = [  # MATH: Bernoulli in [.2, .8], Exponential rates in [.5, 2] with prior rate 1, data in [0, 1]
    (pv.BetaBernoulli("x", pv.Truncated(pv.Beta(), "0.2", "0.8")), pv.Boolean(), 1, 1.38629436, 2.77258872),
    (pv.BetaBernoulli("x", pv.Truncated(pv.Beta(), "0.2", "0.8")), pv.Boolean(), 10, 2.36712624, 2.77258872),
    (
        pv.GammaExponential("x", pv.Truncated(pv.Gamma(1, 1), "0.5", 2)),
        pv.Bounded(0, 1, grid="0.5"),
        1,
        0.859525105,
        1.5,
    ),
]


@pytest.mark.parametrize(("model", "column", "records", "exact", "limit"), ORACLES)
def test_oracles(model: Family, column: Any, records: int, exact: float, limit: float) -> None:
    schema = pv.Schema({"x": column}, population="p", unit="person")
    made = analysed(model, schema, records=records)
    assert made.epsilon == pytest.approx(exact, rel=1e-8)
    assert made.subject.oscillation == pytest.approx(limit, rel=1e-8)


def test_one_draw_of_a_chance_is_told_apart_as_an_integral_says() -> None:
    """A9 of the errata: flat prior on [.2, .8], one record: the best guess is right with probability 0.65."""
    schema = pv.Schema({"x": pv.Boolean()}, population="p", unit="person")
    model = pv.BetaBernoulli("x", pv.Truncated(pv.Beta(), "0.2", "0.8"))
    made = analysed(model, schema, records=1, failure="0.3")
    guess = made.tests[0][2]
    assert guess.low - 1e-9 <= 0.65 <= guess.high + 1e-9
    assert made.theorem_13 is not None
    assert made.theorem_13.value == pytest.approx(0.6514, abs=1e-4)


def test_a_normal_mean_is_told_apart_as_its_gdp_says() -> None:
    model = pv.NormalMean("pressure", pv.Normal(125, stddev=8), stddev=12)
    one = subject(model, SCHEMA)
    for draws in (1, 7, 50):
        mu = math.sqrt(draws) * 140 / 144 / math.sqrt(1 / 64 + 1000 / 144)
        contrast = one.contrasts(1000)[0]
        test = contrast.with_draws(draws)
        apart = 2 * stats.norm.cdf(mu / 2) - 1
        power = stats.norm.cdf(stats.norm.ppf(0.05) + mu)
        for bounds, truth in ((test.total_variation, apart), (test.power(0.05), power)):
            assert bounds.low - 1e-9 <= truth <= bounds.high + 1e-9
            assert bounds.high - bounds.low < 2e-3


def test_draws_of_a_rate_are_told_apart_as_one_draw_of_a_larger_shape() -> None:
    """N draws of Gamma(shape, b) against Gamma(shape, b'): their sum is Gamma(N shape)."""
    schema = pv.Schema({"x": pv.Bounded(1, 2, grid="0.5")}, population="p", unit="person")
    one = subject(pv.GammaExponential("x", pv.Gamma(2, 3)), schema)
    contrast = one.contrasts(5)[0]  # five records, one at 2 or at 1, the others at 1: rates 9 and 8
    for draws in (1, 4, 30):
        shape, ratio = draws * 7.0, 9 / 8
        cut = shape * math.log(ratio) / (ratio - 1)  # where both densities are equal, unit rate 8
        apart = abs(stats.gamma.cdf(cut * ratio, shape) - stats.gamma.cdf(cut, shape))
        found = contrast.with_draws(draws).total_variation
        assert found.low - 1e-9 <= apart <= found.high + 1e-9
        level = stats.gamma.ppf(0.05, shape)  # reject small sums under the smaller rate
        power = float(stats.gamma.cdf(level * ratio, shape))
        bounds = contrast.with_draws(draws).power(0.05)
        assert bounds.low - 1e-6 <= power <= bounds.high + 1e-6


def test_le_cam_is_half_the_distance_times_the_overlap() -> None:
    model = pv.NormalMean("pressure", pv.Normal(125, stddev=8), stddev=12)
    made = analysed(model, SCHEMA, records=1000)
    mu = 140 / 144 / math.sqrt(1 / 64 + 1000 / 144)
    best = max(k / 2 * 2 * stats.norm.cdf(-k * mu / 2) for k in (1, 2, 5, 10, 30, 100, 300, 1000))
    assert made.le_cam[0] == pytest.approx(best, rel=1e-2)
    assert made.le_cam[0] <= best


TABLE = pv.Schema(
    {"colour": pv.Categorical(["red", "green", "blue"]), "size": pv.Categorical(["s", "l"])},
    population="p",
    unit="person",
)


@pytest.mark.parametrize("prior", [1, "1/4", ["0.3", 1, 4]])
def test_the_smoothness_of_a_table_is_that_of_drawn_tables(prior: object) -> None:
    one = subject_of(pv.DirichletCategorical("colour", prior), TABLE, None)
    alphas = [1.0] * 3 if prior == 1 else [0.25] * 3 if prior == "1/4" else [0.3, 1.0, 4.0]
    number = 200_000
    drawn = np.random.default_rng(2).dirichlet(alphas, size=number)
    slopes = np.log(drawn.max(axis=1) / np.maximum(drawn.min(axis=1), 1e-300))
    for level in (0.2, 1.0, 3.0, 8.0):
        chance = float(one.outside(np.array([level]))[0])
        error = math.sqrt(chance * (1 - chance) / number)
        assert abs(float((slopes > level).mean()) - chance) < 5 * error
    two = subject_of(pv.DirichletCategorical("size", [2, 3]), TABLE, None)
    odds = [float(two.outside(np.array([level]))[0]) for level in (0.5, 2.0, 20.0)]
    for level, found in zip((0.5, 2.0, 20.0), odds, strict=True):
        edge = 1 / (1 + math.exp(-level))
        assert found == pytest.approx(stats.beta.sf(edge, 2, 3) + stats.beta.cdf(1 - edge, 2, 3), rel=1e-5)


@pytest.mark.parametrize("prior", [1, "1/4", ["0.1", "0.6", 2]])
def test_the_constant_of_a_table_is_the_largest_of_all_counts(prior: object) -> None:
    from scipy.special import gammaln, xlogy

    one = subject_of(pv.DirichletCategorical("colour", prior), TABLE, None)
    alphas = np.array([1.0] * 3 if prior == 1 else [0.25] * 3 if prior == "1/4" else [0.1, 0.6, 2.0])
    for records in (1, 3, 12):
        counts = np.array(
            [(a, b, records - a - b) for a in range(records + 1) for b in range(records + 1 - a)], float
        )
        best = xlogy(counts, counts / records).sum(axis=1)
        mean = (gammaln(alphas + counts) - gammaln(alphas)).sum(axis=1)
        mean = mean + gammaln(alphas.sum()) - gammaln(alphas.sum() + records)
        assert log_ratio(one, records) == pytest.approx(float((best - mean).max()), rel=1e-9)


def test_millions_of_records_are_analysed_as_quickly() -> None:
    made = analysed(pv.DirichletCategorical("colour", 2), TABLE, records=10**8)
    assert made.log_ratio is not None
    assert made.log_ratio > 30
    assert made.tests[0][2].high - made.tests[0][2].low < 1e-3  # where the posteriors differ is found
    mean = pv.NormalMean("pressure", pv.Normal(125, stddev=8), stddev=12)
    apart = subject(mean, SCHEMA).contrasts(10**8)[0].test.total_variation
    mu = 140 / 144 / math.sqrt(1 / 64 + 10**8 / 144)
    assert apart.low <= 2 * stats.norm.cdf(mu / 2) - 1 <= apart.high
    assert apart.high < 1.01 * apart.low


def test_a_distance_that_is_not_sufficient_is_refused() -> None:
    def colour_only(one: Any, two: Any) -> float:
        return float(one[0] != two[0])

    def nearly(one: object, two: object) -> float:
        return abs(max(float(str(one)), 2) - max(float(str(two)), 2))

    def everywhere(one: object, two: object) -> float:
        return float(one != two)

    table = pv.DirichletCategorical(["colour", "size"], prior=1)
    with pytest.raises(pv.ModelError, match="not sufficient"):
        pv.analyse(table, TABLE, records=5, distance=colour_only)
    assert pv.analyse(table, TABLE, records=5, distance=everywhere).subject.distance.reach == 1
    model = pv.GammaPoisson("events")
    with pytest.raises(pv.ModelError, match="not sufficient"):
        pv.analyse(model, SCHEMA, records=5, distance=nearly)
    same = analysed(model, SCHEMA, records=5, distance=everywhere)
    named = analysed(model, SCHEMA, records=5)
    assert same.concentration == named.concentration
    # two values with the same statistic may be at distance 0
    fold = pv.LaplaceScale("error", 0, pv.Truncated(pv.Gamma(), 1, 2))
    assert pv.analyse(fold, SCHEMA, records=5, distance="statistic").slope == pytest.approx(2)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"records": 0}, "records is out of range"),
        ({"records": True}, "records is out of range"),
        ({"draws": 0}, "draws is out of range"),
        ({"failure": 2}, "failure is out of range"),
        ({"distance": "far"}, "does not fit"),
        ({"distance": lambda one, two: -1.0}, "negative"),
        ({"distance": lambda one, two: float("nan")}, "not a number"),
        ({"distance": lambda one, two: 0.0}, "0 everywhere"),
        ({"distance": lambda one, two: float(int(one) > int(two))}, "differs"),
    ],
)
def test_bad_input_is_refused(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(pv.PriviorError, match=says) as refused:
        pv.analyse(pv.GammaPoisson("events"), SCHEMA, **{"records": 5, **asked})
    assert "Nothing was spent" in str(refused.value)
    with pytest.raises(pv.ModelError, match="cannot be analysed"):
        pv.analyse("model", SCHEMA, records=5)
    with pytest.raises(pv.ModelError, match="schema"):
        pv.analyse(pv.GammaPoisson("events"), records=5)
    for unit, column, fault in (
        (pv.Unit("person", column="id", max_rows=2), pv.Boolean(), "max_rows|one row"),
        ("person", pv.Boolean(missing=pv.DROP), "dropped"),
    ):
        schema = pv.Schema({"x": column}, population="p", unit=unit)
        for model in (pv.BetaBernoulli("x"), pv.DirichletCategorical("x", prior=1)):
            with pytest.raises(pv.ModelError, match=fault):
                pv.analyse(model, schema, records=5)


def test_the_guarantee_the_best_test_and_the_cut_lead_and_the_papers_follow() -> None:
    found = pv.analyse(pv.BetaBernoulli("sick", pv.Beta(5, 5)), SCHEMA, records=5)
    names = [name for name, _ in found.facts()]
    assert names[-3:] == ["guarantee", "best test", "cut"]
    assert not any(word in str(found) for word in ("Theorem", "Lemma", "Assumption", "Corollary"))
    stated = pv.theorems(found)
    assert stated.facts()[: len(names)] == found.facts()
    written, mine = stated.to_document(), found.to_document()
    assert mine.pop("cuts") == written["theorem_17"]
    assert mine.items() <= written.items()
    assert stated.pictures()[1:] == found.pictures()


def test_a_prior_cut_to_smooth_parameters_is_as_private_as_the_table_says() -> None:
    model = pv.BetaBernoulli("sick", pv.Beta(5, 5))
    for cut, draws, epsilon, _ in pv.analyse(model, SCHEMA, records=20).trade:
        low, high = cut.words.strip("[]").split(", ")
        mine = pv.BetaBernoulli("sick", pv.Truncated(pv.Beta(5, 5), low, high))
        again = analysed(mine, SCHEMA, records=20)
        assert again.slope <= cut.level + 1e-9
        assert draws * again.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert cut.outside == pytest.approx(
            stats.beta.cdf(float(low), 5, 5) + stats.beta.sf(float(high), 5, 5), rel=1e-6
        )


def test_a_new_kind_of_model_takes_part_by_one_function() -> None:
    class Coin:
        pass

    class CoinSubject(Subject):
        words = "a coin that is fair or not"
        distance = subject_of(pv.DirichletCategorical("answer", prior=1), SCHEMA, None).distance
        smoothest, roughest, oscillation = 0.0, 1.0, 2.0

        def outside(self, levels: Floats) -> Floats:
            return np.where(levels < 1, 0.5, 0.0)

    subject_of.register(Coin, lambda model, schema, distance: CoinSubject())
    made = analysed(Coin(), records=3, draws=2)
    assert made.epsilon == pytest.approx(4)
    assert made.delta(0.0) < 1
    assert "a coin" in str(made)


def test_the_command_tells_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def told(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = inside(["analyse", "sick.toml", *arguments], monkeypatch)
        return code, *capsys.readouterr()

    schema = pv.Schema({"sick": pv.Boolean()}, population="clinic", unit="patient")
    model = pv.BetaBernoulli("sick", pv.Truncated(pv.Beta(), "0.2", "0.8"))
    pv.Analysis(schema, model, 10, pv.Budget.of(1)).write(tmp_path / "sick.toml")
    code, output, errors = told("--draws", "2", "--picture", "mass.png", "--json")
    assert code == 0, errors
    document = json.loads(output)
    made = analysed(model, schema, records=10, draws=2)
    assert document == json.loads(json.dumps(made.to_document()))
    assert {"mass.png", "mass-tests.png"} <= {file.name for file in tmp_path.iterdir()}
    code, output, _ = told()
    assert code == 0
    assert "Assumption 2" not in output  # the guarantee, the best test and the cut lead
    assert [name for name in ("guarantee", "best test", "cut", "utility lost") if name not in output] == []
    code, output, _ = told("--papers")
    assert code == 0
    assert "Assumption 2" in output
    assert "utility lost" in output
    assert told("--quiet")[1].startswith("epsilon 2.367")
    code, _, errors = told("--distance", "far")
    assert code == 3
    assert "does not fit" in errors


def test_a_large_bernoulli_column_is_analysed_soon_and_every_step_can_be_interrupted() -> None:
    """45,211 records took ten minutes, and Ctrl-C was not heard."""
    schema = pv.Schema({"y": pv.Boolean()}, population="bank", unit="customer")
    begun = time.process_time()
    made = pv.analyse(pv.BetaBernoulli("y", pv.Beta("1/2", "1/2")), schema, records=45_211)
    assert "guarantee" in dict(made.facts())
    assert len(made.trade) > 10
    assert time.process_time() - begun < 10
    model = next(case.model for case in CASES if isinstance(case.model, NormalPrecision))
    slow = pv.analyse(model, SCHEMA, records=10**6)  # many seconds
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        slow.facts()
    timer.join()
    assert time.monotonic() - sent[0] < 3
