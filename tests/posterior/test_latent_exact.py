"""Exact latent counts against the list of all tables, and against closed forms."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from latent_enumeration import CASES, case, enumerate_tables, release
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from scipy.special import betaln, gammaln

from chi_square import fits
from privior.errors import InferenceError
from privior.posterior.counts import cell_weights, table_draws
from privior.posterior.counts.dirichlet_weights import DirichletWeights
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.exact_counts import ExactCounts, exact_counts
from privior.posterior.counts.latent import latent_counts
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.summation import fast_length, sum_tree


def summed(name: str) -> ExactCounts:
    found = exact_counts(CASES[name].evidence, CASES[name].prior, CASES[name].total)
    assert found is not None
    return found


def spread_out(law: IntegerLaw, most: int) -> NDArray[np.float64]:
    every = np.zeros(most + 1)
    every[law.low : law.high + 1] = law.mass
    return every


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_every_number_is_that_of_the_enumeration(
    name: str, dense: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not dense:
        monkeypatch.setattr(cell_weights, "_DENSE", 0)
    truth, found, most = enumerate_tables(CASES[name]), summed(name), CASES[name].total.most
    for cell, law in enumerate(found.marginals):
        assert np.allclose(spread_out(law, most), truth.marginal(cell), rtol=0, atol=2e-13)
    assert np.allclose(spread_out(found.totals, most), truth.totals(), rtol=0, atol=2e-13)
    assert np.allclose(found.mean, truth.mean, rtol=0, atol=1e-12)
    assert np.allclose(found.stddev, truth.stddev, rtol=0, atol=1e-7)
    assert found.exact
    assert found.diagnostics.exact
    assert found.diagnostics.error < 2e-12


@pytest.mark.parametrize("name", CASES)
def test_sums_of_cells_are_those_of_the_enumeration(name: str) -> None:
    truth, found, most = enumerate_tables(CASES[name]), summed(name), CASES[name].total.most
    for chosen in itertools.product([False, True], repeat=CASES[name].prior.size):
        cells = np.array(chosen)
        law = found.sum_of(cells)
        assert (law is not None) == CASES[name].total.known
        if law is not None:
            sums = np.bincount(truth.tables[:, cells].sum(axis=1), truth.weights, most + 1)
            assert np.allclose(spread_out(law, most), sums, rtol=0, atol=2e-13)


@pytest.mark.parametrize("name", CASES)
def test_the_interval_of_a_count_holds_its_quantiles(name: str) -> None:
    truth, ends = enumerate_tables(CASES[name]), summed(name).interval(0.83)
    for cell in range(CASES[name].prior.size):
        spread = np.cumsum(truth.marginal(cell))
        assert ends[cell].tolist() == [np.searchsorted(spread, tail) for tail in (0.085, 0.915)]


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].total.known])
def test_the_interval_of_a_probability_holds_its_quantiles(name: str) -> None:
    mixture = summed(name).beta_mixture()
    assert mixture is not None
    truth, ends = enumerate_tables(CASES[name]), mixture.interval(0.9)
    if CASES[name].prior.size == 1:
        assert ends.tolist() == [[1, 1]]
        return
    for cell, found in enumerate(ends):
        expected = [truth.theta_quantile(cell, 0.05), truth.theta_quantile(cell, 0.95)]
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("name", [name for name in CASES if not CASES[name].total.known])
def test_an_unknown_total_has_no_closed_mixture(name: str) -> None:
    assert summed(name).beta_mixture() is None


@pytest.mark.parametrize("proposed", [False, True])
@pytest.mark.parametrize(
    "name", ["two releases", "unreleased", "spike and bump", "unknown, strong prior", "one cell"]
)
def test_draws_come_from_the_posterior(name: str, proposed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if proposed:
        monkeypatch.setattr(table_draws, "_LISTED", 0)
    truth = enumerate_tables(CASES[name])
    tables = summed(name).draws(20_000, np.random.default_rng(5))
    law = {tuple(table): weight for table, weight in zip(truth.tables.tolist(), truth.weights, strict=True)}
    assert fits([tuple(table) for table in tables.tolist()], law)


def test_draws_of_one_cell_fit_its_marginal_in_a_larger_table() -> None:
    rng = np.random.default_rng(2)
    noisy = rng.multinomial(2000, np.full(12, 1 / 12)) + rng.integers(-30, 31, 12)
    found = exact_counts([release(noisy.tolist(), 0.05)], np.full(12, 0.5), Total(2000, known=True))
    assert found is not None
    tables = found.draws(5000, rng)
    assert (tables.sum(axis=1) == 2000).all()
    for cell, law in enumerate(found.marginals):
        assert fits(tables[:, cell].tolist(), dict(enumerate(law.mass.tolist(), start=law.low)))


def test_without_a_release_counts_are_beta_binomial() -> None:
    prior, n = np.array([0.01, 0.5, 3, 40]), 3000
    found = exact_counts([], prior, Total(n, known=True))
    assert found is not None
    c = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1)
    for a, law in zip(prior, found.marginals, strict=True):
        rest = prior.sum() - a
        expected = np.exp(choose + betaln(a + c, rest + n - c) - betaln(a, rest))
        assert np.allclose(spread_out(law, n), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("strength", [0.01, 0.5, 300.0])
def test_without_a_release_an_unknown_total_stays_uniform(strength: float) -> None:
    found = exact_counts([], np.full(4, strength), Total(2000, known=False))
    assert found is not None
    assert np.allclose(spread_out(found.totals, 2000), 1 / 2001, rtol=1e-8, atol=0)
    assert found.mean == pytest.approx(np.full(4, 250.0), rel=1e-9)


def test_fourier_transforms_stay_within_the_noise_they_state() -> None:
    rng = np.random.default_rng(1)
    laws = []
    for _ in range(12):
        mass = np.exp(-0.01 * np.abs(np.arange(1500) - rng.integers(300, 1200)))
        laws.append(IntegerLaw(int(rng.integers(0, 50)), mass / mass.sum()))
    most = round(sum(law.mean for law in laws))
    trees = [
        sum_tree(laws, most, most, lambda a, b: np.zeros(b - a + 1), 1e-18, fourier=fourier)
        for fourier in (True, False)
    ]
    fast, slow = trees
    assert fast is not None
    assert slow is not None
    assert slow.noise == 0 < fast.noise < 1e-10
    for one, other in zip(fast.marginals, slow.marginals, strict=True):
        assert np.abs(one.mass - other.mass).sum() < 2 * fast.noise


def test_hulls_hold_every_count_near_the_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    for _ in range(150):
        most = int(rng.integers(1, 400))
        evidence = [
            release(
                rng.integers(-most, 2 * most + 1, 3).tolist(),
                (10 ** rng.uniform(-3, 1.5, 3) * rng.integers(0, 2, 3)).tolist(),
                (10 ** rng.uniform(-5, 1, 3) * rng.integers(0, 2, 3)).tolist(),
            )
            for _ in range(rng.integers(0, 3))
        ]
        weights = DirichletWeights.of(evidence, 10 ** rng.uniform(-4, 4, 3), most)
        tilt, cut = float(rng.normal(scale=2)), float(rng.uniform(5, 60))
        monkeypatch.setattr(cell_weights, "_DENSE", 10**9)
        listed = weights.hull(tilt, cut)
        monkeypatch.setattr(cell_weights, "_DENSE", 0)
        sought = weights.hull(tilt, cut)
        assert (sought.low <= listed.low).all()
        assert (sought.high >= listed.high).all()
        assert (sought.width <= listed.width + 6).all()


def test_asking_twice_gives_the_same_answer() -> None:
    one = CASES["mixed"]
    first, second = (latent_counts(one.evidence, one.prior, one.total) for _ in range(2))
    assert first.mean.tolist() == second.mean.tolist()
    tables = [each.draws(50, np.random.default_rng(1)) for each in (first, second)]
    assert Counter(map(tuple, tables[0].tolist())) == Counter(map(tuple, tables[1].tolist()))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: release([1, 2], rates=-1),
        lambda: release([1, 2], rates=np.inf),
        lambda: release([1, 2], curvatures=np.nan),
        lambda: CellEvidence(np.array([np.nan]), np.ones(1), np.ones(1)),
        lambda: CellEvidence(np.array([1, 2]), np.ones(1), np.ones(2)),
        lambda: CellEvidence(np.array([2**63 - 1]), np.ones(1), np.ones(1)),
        lambda: Total(-1, known=True),
        lambda: Total(2**60, known=True),
        lambda: latent_counts([release([1, 2], 0.5)], np.ones(3), Total(5, known=True)),
        lambda: latent_counts([release([1, 2], 0.5)], np.array([1.0, 0.0]), Total(5, known=True)),
        lambda: latent_counts([], np.array([]), Total(5, known=True)),
    ],
)
def test_what_is_not_evidence_is_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(InferenceError):
        wrong()


def test_the_misfit_tells_a_release_that_contradicts_the_total() -> None:
    fair = case([release([300, 300, 400], 0.5)], [1, 1, 1], 1000)
    foul = case([release([900, 900, 900], 0.5)], [1, 1, 1], 1000)
    fits_well, fits_badly = (
        latent_counts(each.evidence, each.prior, each.total).diagnostics.misfit for each in (fair, foul)
    )
    assert fits_well is not None
    assert fits_badly is not None
    assert fits_well < 2
    assert fits_badly > 1000


def test_transforms_have_the_length_that_scipy_says() -> None:
    """Another length would be another last digit of every frozen answer."""
    sizes = [*range(1, 3000), *np.random.default_rng(1).integers(3000, 10**8, 300).tolist()]
    assert [fast_length(size) for size in sizes] == [next_fast_len(size, real=True) for size in sizes]
