"""Latent counts where digits could be lost: huge totals, tiny and strong priors, absurd observations."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from latent_enumeration import Case, case, release
from numpy.typing import NDArray

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.posterior.counts.evidence import Total
from privior.posterior.counts.exact_counts import ExactCounts, exact_counts
from privior.posterior.counts.latent import latent_counts

BILLION = 10**9


def summed(one: Case) -> ExactCounts:
    found = exact_counts(one.evidence, one.prior, one.total)
    assert found is not None
    return found


def pair_law(one: Case, low: int, high: int) -> NDArray[np.float64]:
    """The posterior of the first of two cells on low..high, in forty digits."""
    n, (a, b) = one.total.most, one.prior.tolist()
    with mp.workdps(40):
        logs = []
        for c in range(low, high + 1):
            log = mp.loggamma(mp.mpf(a) + c) - mp.loggamma(c + 1)
            log += mp.loggamma(mp.mpf(b) + n - c) - mp.loggamma(n - c + 1)
            for e in one.evidence:
                for i, count in enumerate((c, n - c)):
                    away = mp.mpf(abs(int(e.observed[i]) - count))
                    log -= mp.mpf(float(e.rates[i])) * away + mp.mpf(float(e.curvatures[i])) * away**2 / 2
            logs.append(log)
        top = max(logs)
        weights = [mp.exp(log - top) for log in logs]
        total = mp.fsum(weights)
        return np.array([float(weight / total) for weight in weights])


PAIRS = {
    "hardly any evidence": case([release([700, 900], 1e-6)], [0.5, 2], 300),
    "hardly any noise": case([release([120, 181], 50)], [0.5, 2], 300),
    "strong prior, contrary": case([release([300, 0], 0.5)], [1e6, 3e6], 300),
    "strong prior, gaussian": case([release([300, 0], curvatures=0.01)], [1e6, 3e6], 300),
    "spikes": case([release([20, 280], 0.05)], [1e-3, 1e-3], 300),
    "spike against a bump": case([release([14, 286], 0.5)], [1e-3, 1], 300),
    "tiny prior": case([release([3, 297], 0.5)], [1e-12, 1e-9], 300),
    "far outside": case([release([-(10**12), 10**12], 0.3)], [1, 2], 300),
    "both too high": case([release([10**12, 10**12], 3)], [0.1, 20], 300),
    "gaussian, far outside": case([release([10**6, 10**6 + 40], curvatures=0.5)], [0.1, 20], 300),
    "sums contradict": case([release([200, 200], 0.7), release([10, 20], curvatures=0.001)], [1, 0.5], 300),
}


@pytest.mark.parametrize("name", PAIRS)
def test_two_cells_are_right_to_the_last_digits(name: str) -> None:
    one = PAIRS[name]
    expected = pair_law(one, 0, one.total.most)
    law = summed(one).marginals[0]
    found = np.zeros(one.total.most + 1)
    found[law.low : law.high + 1] = law.mass
    assert np.abs(found - expected).sum() < 2e-11
    assert summed(one).diagnostics.error < 1e-11


@pytest.mark.parametrize("prior", [[1, 1], [0.5, 3], [2000, 0.01]])
def test_two_cells_of_a_billion_records(prior: list[float]) -> None:
    one = case([release([BILLION // 3, BILLION - BILLION // 3 + 5], 0.5)], prior, BILLION)
    law = summed(one).marginals[0]
    assert law.mass.size < 1000
    expected = pair_law(one, law.low, law.high)
    assert np.abs(law.mass - expected).sum() < 1e-11


@pytest.mark.parametrize("known", [True, False])
def test_five_cells_of_a_billion_records_are_those_of_a_thousand_shifted(known: bool) -> None:
    # With a = 1 the prior is flat given the total, and far from zero only the noise matters; g(N), for an
    # unknown total, changes by (A−1)/N = 4e-9 from one N to the next.
    noisy = np.array([1000, 1010, 990, 1100, 907])
    shift = BILLION // 5
    near = summed(case([release(noisy.tolist(), 0.5)], [1] * 5, 5002))
    far = summed(case([release((noisy + shift).tolist(), 0.5)], [1] * 5, 5002 + 5 * shift, known=known))
    if known:
        assert far.mean - shift == pytest.approx(near.mean, abs=1e-6)
        for one, other in zip(near.marginals, far.marginals, strict=True):
            low, high = max(one.low, other.low - shift), min(one.high, other.high - shift)
            window = one.mass[low - one.low : high + 1 - one.low]
            assert window.sum() == pytest.approx(1, abs=1e-12)
            assert np.allclose(
                window, other.mass[low + shift - other.low :][: high - low + 1], rtol=0, atol=1e-13
            )
    else:
        assert far.totals.mean - 5 * shift < 5002
    assert far.diagnostics.error < 1e-11


def test_a_cell_that_was_not_released_is_what_the_others_leave() -> None:
    one = case([release([BILLION // 2, BILLION // 4, 0], [0.5, 0.5, 0])], [1, 0.5, 0.001], BILLION)
    found = summed(one)
    assert found.mean[2] == pytest.approx(BILLION - found.mean[:2].sum(), abs=1e-5)
    assert found.stddev[2] == pytest.approx(np.hypot(*found.stddev[:2]), rel=1e-6)
    assert found.diagnostics.error < 1e-11


def test_a_wide_window_of_two_cells_is_summed() -> None:
    found = summed(case([release([BILLION // 3, BILLION - BILLION // 3], 5e-5)], [1, 1], BILLION))
    assert found.marginals[0].mass.size > 500_000
    # Both releases speak of one number: a Laplace law of twice the rate, of variance 2/(2 rate)².
    assert found.stddev[0] == pytest.approx(np.sqrt(2) / 1e-4, rel=1e-6)
    mixture = found.beta_mixture()
    assert mixture is not None
    low, high = mixture.interval(0.9)[0]
    assert 1 / 3 - 3e-5 - 1e-4 < low < 1 / 3 < high < 1 / 3 + 3e-5 + 1e-4


ABSURD = {
    "outside": case([release([-(10**12), 10**12, 5, 7], 0.5)], [1, 2, 3, 4], 1000),
    "outside, gaussian": case([release([-(10**6), 10**6, 5, 7], curvatures=0.01)], [1, 2, 3, 4], 1000),
    "all far too high": case([release([10**9] * 4, curvatures=0.01)], [1, 2, 3, 4], 1000),
    "sum too high": case([release([10**6] * 10, 0.5)], [1] * 10, 10**5),
    "sum too low": case([release([10] * 10, 0.5)], [1] * 10, 10**5),
    "strong prior, large table": case([release([10**6, 0, 0, 0, 0], 0.5)], [1e6] * 5, 10**6),
    "hardly any evidence": case([release([3, 500, -900, 20000, 7], 1e-6)], [1, 0.5, 2, 0.01, 1], 1000),
    "hardly any noise": case([release([3, 500, 400, 90, 7], 50)], [1, 0.5, 2, 0.01, 1], 1000),
    "hardly any noise, sums contradict": case(
        [release([3, 500, 400, 90, 17], 50)], [1, 0.5, 2, 0.01, 1], 1000
    ),
    "unknown, too high": case([release([10**5] * 5, 0.5)], [1] * 5, 10**4, known=False),
    "unknown, too low": case([release([-(10**5)] * 5, 0.5)], [1] * 5, 10**4, known=False),
    "unknown, hardly any noise": case(
        [release([3, 500, 400, 90, 7], 50)], [1, 0.5, 2, 0.01, 1], 2000, known=False
    ),
    "unknown, billions": case([release([10**8, 2 * 10**8, 300, 4], 0.05)], [0.5] * 4, BILLION, known=False),
    "unknown, one cell unreleased": case(
        [release([1000, 200, 0], [0.5, 0.5, 0])], [0.5] * 3, 10**4, known=False
    ),
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_tables_have_a_consistent_exact_posterior(name: str) -> None:
    one = ABSURD[name]
    found = summed(one)
    assert found.diagnostics.error < 1e-9
    for law in found.marginals:
        assert law.mass.sum() == pytest.approx(1, abs=1e-12)
        assert law.low >= 0
    assert found.mean.sum() == pytest.approx(found.totals.mean, rel=1e-9, abs=1e-9)
    tables = found.draws(300, np.random.default_rng(1))
    assert (tables >= 0).all()
    sums = tables.sum(axis=1)
    assert (sums == one.total.most).all() if one.total.known else (sums <= one.total.most).all()
    assert np.abs(tables.mean(axis=0) - found.mean).max() <= 6 * found.stddev.max() / np.sqrt(300) + 1e-3
    mixture = found.beta_mixture()
    if mixture is not None:
        ends = mixture.interval(0.9)
        assert (ends[:, 0] <= ends[:, 1]).all()
        assert mixture.mean.sum() == pytest.approx(1, abs=1e-9)


def test_a_table_that_cannot_be_summed_is_sampled() -> None:
    one = case([release([3 * 10**8, 0, 0], [0.5, 0, 0])], [1, 0.5, 2], BILLION)
    found = latent_counts(one.evidence, one.prior, one.total, seed=4)
    assert not found.exact
    assert found.diagnostics.warning is None
    # What is left of the records is shared like Beta(1/2, 2).
    assert found.mean == pytest.approx([3e8, 7e8 * 0.2, 7e8 * 0.8], rel=0.1)
    assert found.stddev[1] == pytest.approx(7e8 * np.sqrt(0.16 / 3.5), rel=0.1)


def test_a_thousand_cells_are_summed() -> None:
    rng = np.random.default_rng(6)
    counts = rng.multinomial(10**5, rng.dirichlet(np.ones(1000)))
    noisy = counts + np.rint(rng.laplace(0, 2, 1000)).astype(int)
    found = latent_counts([release(noisy.tolist(), 0.5)], np.full(1000, 0.5), Total(10**5, known=True))
    assert found.exact
    assert found.diagnostics.error < 1e-10
    assert found.mean.sum() == pytest.approx(10**5, abs=1e-5)
    ends = found.interval(0.9)
    assert 0.87 < np.mean((ends[:, 0] <= counts) & (counts <= ends[:, 1])) < 0.97


def test_a_huge_maximum_with_every_cell_released_gives_no_warning() -> None:
    """What is left for cells that were not released is then shared among none of them."""
    schema = pv.Schema({"x": pv.Categorical(["a", "b", "c"])}, population="p", unit="person")
    plan = pv.plan(
        pv.DirichletCategorical("x", prior=1),
        schema,
        records=10**12,
        epsilon="1e-9",
        neighbours=pv.ADD_OR_REMOVE_ONE,
    )
    release = measure_statistics(plan, ExactStatistics(np.array([10, 5, 5])), ledger=pv.Ledger.in_memory())
    assert np.isfinite(pv.infer(release).mean()).all()
