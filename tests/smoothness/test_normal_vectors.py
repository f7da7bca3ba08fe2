"""What the analysis says of several parameters of the Normal law bounds what draws and tables give."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations, combinations_with_replacement, permutations, product

import mpmath
import numpy as np
import pytest
from analysed import analysed
from joint_cases import CASES, SCHEMA, TWO
from numpy.typing import NDArray
from scipy import stats

import privior as pv
from privior.models.families import JointFamily
from privior.models.laws.matrices import floats
from privior.papers.constants import tail_rate
from privior.smoothness import subject_of
from privior.smoothness.matrix_law import MatrixLaw, Rate
from privior.smoothness.precision_matrices import Precisions
from privior.smoothness.several_means import Means

Floats = NDArray[np.float64]
BOTH, SEVERAL, MATRIX = CASES
NORMAL_GAMMA, BOX = BOTH.model, BOTH.cut


def quadratic(records: Floats, means: Floats, precision: Floats) -> Floats:
    away = records - means
    return np.asarray(-np.einsum("ri,ij,rj->r", away, precision, away) / 2)


def largest(logs: Floats, apart: Floats) -> float:
    gaps = np.abs(logs[:, None] - logs)
    return float((gaps[apart > 0] / apart[apart > 0]).max())


@pytest.mark.parametrize("distance", ["records", "values"])
def test_slopes_of_mean_and_precision_are_the_largest_over_all_pairs(distance: str) -> None:
    one = subject_of(BOX, SCHEMA, distance)
    values = np.linspace(-8, 8, 161)
    apart = 1 - np.eye(161) if distance == "records" else np.abs(values[:, None] - values)
    rng = np.random.default_rng(4)
    found = []
    for mean, precision in [*product((-8.0, 8.0), (0.1, 2.0)), *rng.uniform([-8, 0.1], [8, 2], (60, 2))]:
        slope = largest(-precision * (values - mean) ** 2 / 2, apart)
        assert float(one.steepness(np.array([mean]))[0]) * precision == pytest.approx(slope)  # type: ignore[attr-defined]
        found.append(slope)
    assert one.roughest == pytest.approx(max(found))
    assert one.smoothest <= min(found)


@pytest.mark.parametrize("cut", [False, True])
def test_the_mass_of_mean_and_precision_is_above_that_of_draws_but_not_far(cut: bool) -> None:
    small = pv.Schema({"x": pv.Bounded(-1, 1, grid="0.5")}, population="few", unit="patient")
    ends = {"means": ("-0.5", 1), "precisions": ("0.5", 4)} if cut else {}
    model = pv.NormalMeanPrecision("x", pv.NormalGamma("0.2", 1, 2, 1, **ends))
    one = subject_of(model, small, None)
    rng, number = np.random.default_rng(8), 400_000
    precision = rng.gamma(2, 1, number)
    mean = rng.normal(0.2, precision**-0.5)
    if cut:
        kept = (precision > 0.5) & (precision < 4) & (mean > -0.5) & (mean < 1)
        precision, mean = precision[kept], mean[kept]
    slopes = precision * one.steepness(mean)  # type: ignore[attr-defined]
    for level in np.quantile(slopes, [0.05, 0.3, 0.6, 0.9, 0.99]):
        found, share = float(one.outside(np.array([level]))[0]), float((slopes > level).mean())
        error = 5 * math.sqrt(share * (1 - share) / slopes.size)
        assert share - error <= found <= share + error + 0.04
    if cut:
        assert float(one.outside(np.array([one.roughest]))[0]) == 0
        return
    far = np.array([150.0, 300.0]) / tail_rate(one)
    logs = -np.log(one.outside(far))
    assert float(np.diff(logs)[0] / np.diff(far)[0]) == pytest.approx(tail_rate(one), rel=0.1)


@cache
def unbounded() -> pv.Theorems:
    """Thirty records without a box, analysed once for those who only read."""
    return analysed(NORMAL_GAMMA, SCHEMA, records=30)


def test_a_box_is_told_as_pure_and_no_box_as_unbounded() -> None:
    made = analysed(BOX, SCHEMA, records=30, draws=2)
    assert made.epsilon == pytest.approx(2 * 512)
    assert made.epsilon <= made.printed_epsilon * (1 + 1e-9)
    free = unbounded()
    assert free.slope == math.inf
    assert free.log_ratio == math.inf
    assert dict(free.facts())["guarantee"].startswith("none is proved")
    half = pv.NormalMeanPrecision("error", pv.NormalGamma(0, 4, 20, 40, means=(-8, 8)))
    assert pv.analyse(half, SCHEMA, records=30).slope == math.inf


def test_the_mass_of_several_means_is_above_that_of_draws() -> None:
    model, schema = SEVERAL.small
    one = subject_of(model, schema, None)
    records = np.array(list(product((-1.0, 0, 1), (0.0, 1, 2))))
    known = np.linalg.inv(np.array([[2.0, 1], [1, 1]]))
    rng = np.random.default_rng(3)
    thetas = rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], 20_000)
    away = records - thetas[:, None]
    logs = -np.einsum("tri,ij,trj->tr", away, known, away) / 2
    slopes = logs.max(axis=1) - logs.min(axis=1)
    for level in np.quantile(slopes, [0.1, 0.5, 0.9, 0.999]):
        assert float(one.outside(np.array([level]))[0]) >= float((slopes > level).mean()) - 0.002
    assert float(one.outside(np.array([slopes.max() * 2]))[0]) < 0.01


def test_several_means_are_told_apart_as_their_gaussian_pair_says() -> None:
    model, schema = SEVERAL.small
    made = analysed(model, schema, records=20, draws=3)
    assert isinstance(made.subject, Means)
    known, prior = (np.linalg.inv(np.array(m)) for m in ([[2.0, 1.0], [1.0, 1.0]], [[1.0, 0.5], [0.5, 2.0]]))
    gain = known @ np.linalg.inv(prior + 20 * known) @ known
    shift = max(math.sqrt(np.array(d) @ gain @ np.array(d)) for d in ((2, 2), (2, -2)))
    truth = 2 * stats.norm.cdf(math.sqrt(3) * shift / 2) - 1
    found = made.subject.contrasts(20)[0].with_draws(3).total_variation
    assert found.low - 1e-9 <= truth <= found.high + 1e-9
    assert made.delta(0.0) == pytest.approx(truth, rel=1e-9)


def test_bounds_for_precision_matrices_hold_for_drawn_ones_and_are_reached() -> None:
    model, schema = MATRIX.small
    one = subject_of(model, schema, None)
    assert isinstance(one, Precisions)
    records = np.array(list(product((-1.0, 0, 1), (-0.5, 0.5, 1.5))))
    rng = np.random.default_rng(5)
    bases = np.linalg.qr(rng.standard_normal((20_000, 2, 2)))[0]
    matrices = np.einsum("mij,mj,mkj->mik", bases, rng.choice([0.5, 2.0], (20_000, 2)), bases)
    logs = -np.einsum("ri,mij,rj->mr", records, matrices, records) / 2
    ranges = (logs[:, :, None] - logs[:, None]).max(axis=0)
    steepest = float(np.abs(ranges).max())
    assert steepest <= one.roughest
    assert steepest == pytest.approx(one.roughest, rel=1e-3)
    widest = float((ranges + ranges.T).max())  # the largest less the least, for each pair
    assert widest <= one.oscillation
    assert widest == pytest.approx(one.oscillation, rel=1e-3)
    big = subject_of(MATRIX.model, SCHEMA, None)
    assert isinstance(big, Precisions)
    corner = max((x - 0.25) ** 2 + (y - 1) ** 2 for x in (-6, 6) for y in (-12, 14))
    assert big.roughest == pytest.approx(corner / 2)
    assert big.oscillation == pytest.approx(0.95 * 2 * 6.25 * 13)  # of corners that differ in one sign


def test_no_posterior_of_precision_matrices_leaves_the_range() -> None:
    """All pairs of neighbours of three records, the posterior on a fine set of matrices in place of all."""
    model, schema = MATRIX.small
    one = subject_of(model, schema, None)
    records = np.array(list(product((-1.0, 0, 1), (-0.5, 0.5, 1.5))))
    angles = np.linspace(0, math.pi, 13)[:-1]
    turns = [np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles]
    matrices = [t @ np.diag(e) @ t.T for t in turns for e in product((0.5, 1.0, 2.0), repeat=2)]
    logs = np.array([quadratic(records, np.zeros(2), m) + math.log(np.linalg.det(m)) / 2 for m in matrices]).T
    worst = 0.0
    for others in product(range(9), repeat=2):
        weights = logs[list(others)].sum(axis=0) + logs
        laws = weights - np.log(np.exp(weights).sum(axis=1))[:, None]
        worst = max(worst, float(np.abs(laws[:, None] - laws).max()))
    assert worst <= one.oscillation
    assert worst > 0.4 * one.oscillation


def test_own_distances_of_vectors() -> None:
    model, schema = MATRIX.small

    def length(one: object, two: object) -> float:
        return float(np.abs(np.array(one, float) - np.array(two, float)).sum())

    assert subject_of(model, schema, length).roughest <= subject_of(model, schema, None).roughest
    means = subject_of(SEVERAL.small[0], TWO, length)
    assert isinstance(means, Means)
    assert means.nearest == 1
    with pytest.raises(pv.ModelError, match="too many values"):
        pv.analyse(SEVERAL.model, SCHEMA, records=5, distance=length)


# Theorem 6, C and tests, against sums over parameters


def whole_likelihoods(records: Floats, means: Floats, precisions: Floats) -> Floats:
    """The log likelihood of each record at each of many parameters; a row for each record."""
    away = records[:, None] - means
    _, sizes = np.linalg.slogdet(precisions)
    return np.asarray(sizes / 2 - np.einsum("rpi,pij,rpj->rp", away, precisions, away) / 2)


def drawn_parameters(name: str) -> tuple[JointFamily, pv.Schema, Floats, Floats, Floats]:
    """A small model, its possible records, and parameters drawn from its prior."""
    rng, number = np.random.default_rng(11), 200_000
    if name == "mean and precision":
        schema = pv.Schema({"x": pv.Bounded(-1, 1, grid="0.5")}, population="few", unit="patient")
        prior = pv.NormalGamma("0.2", 1, 2, 1, means=("-0.5", 1), precisions=("0.5", 4))
        tau = rng.gamma(2, 1, number)
        mu = rng.normal(0.2, tau**-0.5)
        kept = (tau > 0.5) & (tau < 4) & (mu > -0.5) & (mu < 1)
        records = np.linspace(-1, 1, 5)[:, None]
        return pv.NormalMeanPrecision("x", prior), schema, records, mu[kept, None], tau[kept, None, None]
    if name == "several means":
        model, schema = SEVERAL.small
        thetas = rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], number)
        known = np.broadcast_to(np.linalg.inv(np.array([[2.0, 1], [1, 1]])), (number, 2, 2))
        return model, schema, np.array(list(product((-1.0, 0, 1), (0.0, 1, 2)))), thetas, known
    model, schema = MATRIX.small
    law = model.prior
    assert isinstance(law, pv.Wishart)
    matrices = stats.wishart(float(law.degrees), floats(law.scale)).rvs(number, random_state=rng)
    values = np.linalg.eigvalsh(matrices)
    kept = (values[:, 0] >= float(law.lower)) & (values[:, 1] <= float(law.upper))
    records = np.array(list(product((-1.0, 0, 1), (-0.5, 0.5, 1.5))))
    return model, schema, records, np.zeros((kept.sum(), 2)), matrices[kept]


@pytest.mark.parametrize("name", ["mean and precision", "several means", "precision matrices"])
def test_theorem_6_and_c_agree_with_drawn_parameters(name: str) -> None:
    """Three records, of which two are alike: the mean likelihoods are averages over the draws."""
    model, schema, records, means, precisions = drawn_parameters(name)
    made = analysed(model, schema, records=3)
    logs = whole_likelihoods(records, means, precisions)
    size = range(len(records))
    marginals = np.array(
        [[float(np.exp(2 * logs[other] + logs[one]).mean()) for one in size] for other in size]
    )
    rises = np.full((len(records),) * 3, -math.inf)
    for x, y in permutations(size, 2):
        gain = math.inf if name == "several means" else float((logs[x] - logs[y]).max())
        rises[:, x, y] = 2 * np.minimum(gain, np.log(marginals[:, y] / marginals[:, x]))
    assert made.necessary is not None
    assert made.necessary <= float(rises.max()) * 1.02 + 0.01  # never more than is so
    assert made.necessary >= 0.5 * float(rises.max())
    peak = max(
        float((total := logs[list(chosen)].sum(axis=0)).max() - np.log(np.exp(total).mean()))
        for chosen in combinations_with_replacement(size, 3)
    )
    assert made.log_ratio is not None
    assert peak <= made.log_ratio * 1.01
    if name == "several means":
        assert made.log_ratio == pytest.approx(peak, rel=0.05)
    else:
        assert dict(made.facts())["C"].startswith("at most ")


@pytest.mark.parametrize("cut", [False, True])
def test_posteriors_of_mean_and_precision_are_told_apart_as_on_a_grid(cut: bool) -> None:
    schema = pv.Schema({"x": pv.Bounded(-1, 1, grid="0.5")}, population="few", unit="patient")
    ends = {"means": ("-0.5", 1), "precisions": ("0.5", 4)} if cut else {}
    model = pv.NormalMeanPrecision("x", pv.NormalGamma("0.2", 1, 2, 1, **ends))
    found = subject_of(model, schema, None).contrasts(4)
    assert {one.replaced for one in found} == {1, 2, 4}
    low, high = (-0.5, 1.0) if cut else (-30.0, 30.0)
    mu = np.linspace(low, high, 3001 if cut else 12_001)[:, None]
    logs = np.linspace(math.log(0.5 if cut else 1e-3), math.log(4.0 if cut else 60.0), 801)
    tau = np.exp(logs)
    prior = (2 - 0.5) * logs - tau * (1 + (mu - 0.2) ** 2 / 2) + logs

    def law(records: list[float]) -> Floats:
        squares = sum((one - mu) ** 2 for one in records)
        value = prior + (len(records) * logs - tau * squares) / 2
        weights = np.exp(value - value.max())
        return np.asarray(weights / weights.sum())

    one = law([0.0, 0.0, 0.0, 1.0])
    for contrast, other in ((found[0], law([0.0, 0.0, 0.0, -1.0])), (found[6], law([0.0] * 4))):
        apart = contrast.test.total_variation
        assert contrast.about == "1 replaced, the others in the middle"
        assert apart.low - 1e-3 <= float(np.abs(one - other).sum()) / 2 <= apart.high + 1e-3


def test_the_mass_of_smooth_matrices_is_at_most_that_of_draws_but_not_far() -> None:
    model, schema, records, means, matrices = drawn_parameters("precision matrices")
    one = subject_of(model, schema, None)
    logs = whole_likelihoods(records, means, matrices)
    slopes = np.ptp(logs, axis=0)
    levels = np.linspace(0.5, one.roughest, 15)
    truth = (slopes[:, None] > levels).mean(axis=0)
    found = one.outside(levels)
    assert np.all(found >= truth - 0.01)
    assert np.all(np.diff(found) <= 0)
    assert found[-1] == 0
    largest = np.linalg.eigvalsh(matrices)[:, 1]
    assert found[7] == pytest.approx((largest > 2 * levels[7] / 3.25).mean(), abs=0.01)
    many = one.outside(np.linspace(0.5, one.roughest, 1000))
    assert np.all(many >= np.interp(np.linspace(0.5, one.roughest, 1000), levels, found) - 0.15)
    for cut in one.cuts(3):
        top = 2 * cut.level / 3.25
        if cut.outside > 0:
            assert cut.outside == pytest.approx((largest > top).mean(), abs=0.01)
            assert cut.epsilon == pytest.approx((top - 0.5) / 1.5 * one.oscillation)
    assert one.cuts(3)[-1].outside == 0


def test_posteriors_of_matrices_are_told_apart_as_by_draws() -> None:
    """Parameters drawn from the prior, weighted by the likelihood of three records."""
    model, schema, records, means, matrices = drawn_parameters("precision matrices")
    found = subject_of(model, schema, None).contrasts(3)
    assert {one.replaced for one in found} == {1, 2, 3}
    logs = whole_likelihoods(records, means, matrices)
    far, across, near = 2, 8, 4  # (-1, 1.5), (1, 1.5) and (0, 0.5)

    def chances(chosen: tuple[int, ...]) -> Floats:
        weights = np.exp(logs[list(chosen)].sum(axis=0))
        return np.asarray(weights / weights.sum())

    def told(about: str, one: tuple[int, ...], two: tuple[int, ...]) -> bool:
        truth = float(np.abs(chances(one) - chances(two)).sum()) / 2
        apart = [contrast.test.total_variation for contrast in found if contrast.about == about]
        return any(bounds.low - 5e-3 <= truth <= bounds.high + 5e-3 for bounds in apart)

    assert told("all replaced", (far,) * 3, (across,) * 3)
    assert not told("all replaced", (far,) * 3, (far, far, across))
    assert told("1 replaced, the others near", (near, near, far), (near, near, across))
    assert told("1 replaced, the others there", (across, across, far), (across,) * 3)
    assert told("2 replaced, the others far", (far,) * 3, (far, across, across))


def test_the_mean_likelihood_of_matrices_is_told_for_two_columns_only() -> None:
    columns = {name: pv.Bounded(-1, 1, grid="0.5") for name in "abc"}
    schema = pv.Schema(columns, population="few", unit="patient")
    prior = pv.Wishart(6, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "0.5", 2)
    made = analysed(pv.MultivariateNormalPrecision(list("abc"), [0, 0, 0], prior), schema, records=5)
    assert made.necessary is None
    assert dict(made.facts())["Theorem 6"] == "was not computed"
    assert made.log_ratio is not None
    assert made.subject.contrasts(5) == ()
    assert made.subject.cuts(5) == ()
    assert made.mass(made.slope / 2) == 0  # nothing is said
    assert "two columns only" in str(made)


@pytest.mark.parametrize(
    ("cut", "records"),
    [
        (False, 1),
        (True, 2),
        (False, 10**9),
        pytest.param(False, 2, marks=pytest.mark.slow),
        pytest.param(True, 1, marks=pytest.mark.slow),
        pytest.param(True, 10**9, marks=pytest.mark.slow),
        pytest.param(False, 10**6, marks=pytest.mark.slow),
    ],
)
def test_few_values_and_many_records_are_told_too(records: int, cut: bool) -> None:
    schema = pv.Schema({"x": pv.Bounded(-1, 1, grid=2)}, population="few", unit="patient")
    ends = {"means": ("-0.5", 1), "precisions": ("0.5", 4)} if cut else {}
    made = analysed(
        pv.NormalMeanPrecision("x", pv.NormalGamma("0.2", 1, 2, 1, **ends)), schema, records=records
    )
    assert "best test" in str(made)
    assert made.necessary is not None
    assert made.necessary <= made.epsilon  # what is ruled out is not proved
    if not cut and records > 2:
        assert made.accuracy.low == pytest.approx(1)


@pytest.mark.parametrize("records", [1, 50, 10**9])
def test_theorem_6_never_rules_out_what_is_proved_for_matrices(records: int) -> None:
    model, schema = MATRIX.small
    made = analysed(model, schema, records=records)
    assert made.necessary is not None
    assert 0 < made.necessary <= made.epsilon


def matrix_case(
    first: tuple[object, object, object],
    second: tuple[object, object, object],
    mean: tuple[object, object] = (0, 0),
    scale: object = 1,
    ends: tuple[object, object] = ("0.5", 2),
    degrees: object = 4,
) -> tuple[pv.MultivariateNormalPrecision, pv.Schema]:
    columns = {
        name: pv.Bounded(low, high, grid=grid)
        for name, (low, high, grid) in zip("xy", (first, second), strict=True)
    }
    law = pv.Wishart(degrees, [[scale, 0], [0, scale]], *ends)
    schema = pv.Schema(columns, population="few", unit="patient")
    return pv.MultivariateNormalPrecision(["x", "y"], list(mean), law), schema


#: priors whose rate is lost in floating point beside that of records in one direction, and one that is not
HOSTILE = {
    "flat": (matrix_case((-34, 34, 1), (-7, 7, 1), ("-0.8", "0.6"), "1e15"), 100),
    "flat, the other way": (matrix_case((-4, 4, 1), (-12, 12, 1), ("-0.1", "-0.2"), "1e15"), 100),
    "many records": (matrix_case((-4, 4, 1), (-12, 12, 1), (0, 0), "1e7"), 10**8),
    "wide bounds": (matrix_case((-1, 1, 1), (-2, 2, "0.5"), ends=("1e-6", "1e6"), degrees="1.5"), 10**9),
    "plain": (matrix_case((-1, 1, 1), (-2, 2, "0.5"), (5, -9)), 100),
}


def test_rates_keep_both_eigenvalues() -> None:
    """Against 80 digits; floats alone lose the smaller one."""
    for (model, schema), records in HOSTILE.values():
        subject = subject_of(model, schema, None)
        assert isinstance(subject, Precisions)
        rate = subject.rate + Rate.of(records, subject.marks[0][1])
        with mpmath.workdps(80):
            first, beside, second = (mpmath.mpf(one.numerator) / one.denominator for one in entries(rate))
            exact = mpmath.eigsy(mpmath.matrix([[first, beside], [beside, second]]), eigvals_only=True)
        assert rate.eigenvalues == pytest.approx([float(one) for one in exact], rel=1e-13, abs=0)
    assert np.linalg.eigvalsh(rate.matrix)[0] > 0  # of the plain one
    flat = Rate(Fraction(1), Fraction(1), 1 + Fraction(1, 10**17))
    assert flat.eigenvalues[0] == pytest.approx(5e-18, abs=0)
    assert np.linalg.eigvalsh(flat.matrix)[0] != pytest.approx(5e-18, rel=0.5, abs=0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.slow] if "the other way" in case else []) for case in HOSTILE],
)
def test_no_bound_of_matrices_contradicts_another(case: str) -> None:
    """What Theorem 6 rules out is below what is proved, and losses have a law: the mean of e^-loss is 1."""
    (model, schema), records = HOSTILE[case]
    found = analysed(model, schema, records=records)
    assert found.necessary is not None
    assert 0 < found.necessary <= found.epsilon
    subject = found.subject
    assert isinstance(subject, Precisions)
    (_, one), (_, two) = subject.marks[0], subject.marks[-2]
    common = subject.rate + Rate.of(records - 1, subject.marks[1][1])
    rates = [common + Rate.of(1, deviation) for deviation in (one, two)]
    low, high = (float(end) for end in (model.prior.lower, model.prior.upper))
    law = MatrixLaw(rates[0], float(model.prior.degrees) + records, low, high)
    drawn, chances = law.points()
    change = Rate.of(1, two).matrix - Rate.of(1, one).matrix
    constant = subject.log_mass(records, rates[0], high) - subject.log_mass(records, rates[1], high)
    losses = np.einsum("ij,rji->r", change, drawn) / 2 - constant
    if float(chances @ -np.expm1(np.minimum(-losses, 0.0))) < 0.5:  # else few points of one are of the other
        assert float(chances @ np.exp(-losses)) == pytest.approx(1, abs=0.02)
    apart = found.le_cam[0]
    assert 0 <= apart <= records * subject.distance.reach / 2
    if case.startswith("flat"):
        assert apart < records / 4  # these are told apart: nobody is off by half of all records


def test_the_interval_of_a_test_holds_what_more_points_give() -> None:
    """And of the neighbours looked at those that are told apart best come first."""
    (model, schema), records = HOSTILE["plain"]
    subject = subject_of(model, schema, None)
    assert isinstance(subject, Precisions)
    rates = [Rate.of(1, deviation) for _, deviation in subject.marks]
    near = min(rates, key=lambda rate: rate.first + rate.second)
    far, across = max(
        combinations(rates, 2), key=lambda two: float(np.linalg.norm(two[0].matrix - two[1].matrix, "nuc"))
    )
    others = [subject.rate, *[near] * 95]
    p, q = (reduce(Rate.__add__, [*others, *[one] * 5]) for one in (far, across))
    matrices, chances = MatrixLaw(p, 4.0 + records, 0.5, 2.0).points(96, 128)
    constant = subject.log_mass(records, p, 2.0) - subject.log_mass(records, q, 2.0)
    losses = np.einsum("ij,rji->r", q.matrix - p.matrix, matrices) / 2 - constant
    truth = float(chances @ -np.expm1(np.minimum(-losses, 0.0)))
    found = {one.about: one.test.total_variation for one in subject.contrasts(records)}
    apart = found["5 replaced, the others near"]
    assert apart.low <= truth <= apart.high
    assert apart.high - apart.low < 0.1 * apart.high
    made = of_fifty()
    assert made.worst is not None
    shifted = subject.contrasts(50)  # of another prior mean
    assert max(one.test.total_variation.low for one in shifted if one.replaced == 1) > 0.19
    best = made.worst.test.total_variation
    assert best.high >= max(one.test.total_variation.low for one in made.contrasts if one.replaced == 1)
    assert best.high - best.low < 0.02


@cache
def of_fifty() -> pv.Theorems:
    """Fifty records of a plain case, analysed once for those who only read."""
    return analysed(*matrix_case((-1, 1, 1), (-2, 2, "0.5")), records=50)


def entries(rate: Rate) -> tuple[Fraction, Fraction, Fraction]:
    return rate.first, rate.beside, rate.second


def test_corollary_9_is_called_true_false_or_unknown() -> None:
    """Unknown where what is proved is above what it promises, and nothing rules that out."""
    model, schema = matrix_case((-1, 1, 1), (-1, 1, 1), scale="0.05", ends=("0.01", 1))
    found = analysed(model, schema, records=1)
    level, holds = found.corollary_9
    assert found.necessary is not None
    assert found.necessary < 2 * level < found.epsilon
    assert holds is None
    assert "not known" in dict(found.facts())["Corollary 9"]
    assert analysed(model, schema, records=1, failure="0.0001").corollary_9[1] is True  # at L itself
    coin = pv.Schema({"sick": pv.Boolean()}, population="few", unit="patient")
    for prior in (pv.Beta(1, 1), pv.Reweighted(pv.Beta(3, 3), 2)):  # the loss is unbounded
        assert analysed(pv.BetaBernoulli("sick", prior), coin, records=10).corollary_9[1] is False
    assert unbounded().corollary_9[1] is False


def test_what_is_proved_is_told_per_unit_and_by_the_smaller_range() -> None:
    model, schema = matrix_case((-1, 1, 1), (-2, 2, "0.5"))

    def near(one: tuple[float, float], two: tuple[float, float]) -> float:
        return 0.1 * (abs(float(one[0]) - float(two[0])) + abs(float(one[1]) - float(two[1])))

    found = analysed(model, schema, records=50, distance=near)
    said = dict(found.facts())["Theorem 6"]
    below, proved = (float(part.split()[0]) for part in (said.split("below ")[1], said.split("proved ")[1]))
    assert below <= proved == pytest.approx(found.epsilon / found.subject.distance.reach, rel=1e-4)
    few = analysed(*matrix_case((-1, 1, 2), (-4, 4, 8)), records=5)  # fewer records than the box has
    assert few.epsilon == pytest.approx(few.subject.oscillation)
    assert few.epsilon < float(few.subject.model.oscillation(few.subject.schema))  # type: ignore[attr-defined]


def test_draws_that_are_not_released_are_not_told_as_if_they_were() -> None:
    model, schema = matrix_case((-1, 1, 1), (-2, 2, "0.5"), ends=(1, "1.000000001"))
    said = dict(pv.analyse(model, schema, records=100).facts())["guarantee"]
    assert "releases no such draws" in said
    assert "trials" in said
    fine = dict(of_fifty().facts())["guarantee"]
    assert "releases no" not in fine
