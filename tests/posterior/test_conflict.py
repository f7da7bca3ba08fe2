"""T50: a prior that contradicts the release is noticed, and one that does not is left alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.posterior.conflict import FALSE_ALARM, Conflict, Look
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.latent import latent_counts
from privior.posterior.noise_sums import NoiseSums
from privior.posterior.tables import table_conflict as module
from privior.posterior.tables.groups import Groups
from privior.posterior.tables.prior_looks import prior_looks
from privior.posterior.tables.residuals import residual_looks
from privior.report import page_of

#: made-up customers of a bank by age, 18 to 95: hardly anybody above 60, and hardly anybody at all above 85
AGES = (
    *(12, 35, 50, 79, 129, 202, 302, 527, 805, 909, 1038, 1185, 1757, 1996, 2085, 1972, 2098, 1894, 1806),
    *(1696, 1466, 1487, 1355, 1291, 1242, 1161, 1136, 1216, 1175, 1088, 997, 994, 939, 936, 911, 891, 811),
    *(788, 778, 828, 740, 770, 596, 67, 60, 55, 56, 59, 60, 54, 36, 44, 67, 54, 52, 44, 37, 32, 32, 44, 30),
    *(25, 31, 17, 19, 22, 9, 5, 9, 4, 2, 3, 2, 0, 2, 2, 1, 2),
)
Noise = Callable[[int, float, np.random.Generator], np.ndarray]


def ages(epsilon: str) -> pv.Release:
    schema = pv.Schema({"age": pv.Integer(18, 95)}, population="bank", unit="customer")
    model = pv.DirichletCategorical("age", prior=1)
    plan = pv.plan(model, schema, records=sum(AGES), epsilon=epsilon)
    table = pa.table({"age": np.repeat(np.arange(18, 96), AGES)})
    return pv.measure(plan, table, ledger=pv.Ledger.in_memory())


def laplace(cells: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(np.subtract(*rng.geometric(-np.expm1(-rate), (2, cells))))


def of_sum_zero(cells: int, rate: float, rng: np.random.Generator) -> np.ndarray:
    while True:
        found = laplace(cells, rate, rng)
        found[-1] = -found[:-1].sum()
        if rng.random() < np.exp(-rate * abs(found[-1])):
            return found


@pytest.mark.parametrize(("rate", "curvature"), [(1.2, 0.0), (0.0, 0.5)])
@pytest.mark.parametrize("zero", [False, True])
def test_chances_of_sums_are_those_of_enumeration(rate: float, curvature: float, zero: bool) -> None:
    each = np.arange(-25, 26)
    weights = np.exp(-rate * np.abs(each) - curvature * each**2 / 2)
    far = np.zeros(101)
    for places in product(range(each.size), repeat=3):
        values = each[list(places)]
        if not zero or values.sum() == 0:
            far[abs(values[0] + values[1])] += weights[list(places)].prod()
    tails = far[::-1].cumsum()[::-1] / far.sum()
    law = NoiseSums(rate, curvature, 3, zero)
    found = law.sum_chances(np.arange(20), 2)
    assert found == pytest.approx(tails[:20], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("noise", [laplace, of_sum_zero])
def test_the_size_of_noise_is_called_rare_as_often_as_it_is(noise: Noise) -> None:
    rng = np.random.default_rng(1)
    zero = noise is of_sum_zero
    drawn = np.stack([noise(4, 0.3, rng) for _ in range(4_000)])
    law = NoiseSums(0.3, 0.0, 4, zero)
    right = (law.size_chances(drawn, rng) <= 0.02).mean()
    wrong = (law.size_chances(2 * drawn, rng) <= 0.02).mean()
    assert right < 0.02 + 4 * np.sqrt(0.02 / 4_000) < 0.05 < wrong


def looked_at(
    observed: np.ndarray, tables: np.ndarray, prior: np.ndarray, rate: float, *, zero: bool
) -> Conflict:
    """Look at tables of one column."""
    cells = observed.size
    evidence = CellEvidence(observed, np.full(cells, rate), np.zeros(cells))
    groups, rng = Groups((("x", tuple(map(str, range(cells)))),)), np.random.default_rng(3)
    stddev = NoiseSums(rate, 0.0, cells, zero).stddev
    found = Conflict.of(
        [
            *residual_looks(evidence, tables, groups, rng, zero=zero),
            *prior_looks(observed.astype(float), stddev, tables, prior, groups, rng),
        ]
    )
    assert found is not None
    return found


def test_a_right_prior_is_left_alone_and_posterior_means_would_not_do() -> None:
    """Draws are like the truth; their mean is nearer to the release than the truth, or to the prior."""
    rng = np.random.default_rng(5)
    chances: list[float] = []
    by_means: list[float] = []
    for turn in range(60):
        (cells, records), alpha = ((3, 60), (12, 60), (30, 20_000))[turn % 3], (0.2, 1.0)[turn % 2]
        rate = (0.05, 0.3)[turn // 30]
        counts = rng.multinomial(records, rng.dirichlet(np.full(cells, alpha)))
        prior, observed = np.full(cells, alpha), counts + of_sum_zero(cells, rate, rng)
        evidence = CellEvidence(observed, np.full(cells, rate), np.zeros(cells))
        latent = latent_counts([evidence], prior, Total(records, known=True))
        for tables, found in (
            (latent.draws(60, rng), chances),
            (np.tile(np.rint(latent.mean).astype(np.int64), (60, 1)), by_means),
        ):
            found.append(looked_at(observed, tables, prior, rate, zero=True).chance)
    assert min(chances) > FALSE_ALARM
    assert np.mean(np.array(chances) < 0.2) < 0.1
    assert min(by_means) <= FALSE_ALARM


@pytest.mark.parametrize("epsilon", ["0.1", "0.5"])
def test_a_flat_prior_on_ages_is_contradicted(epsilon: str, seeded_noise: object) -> None:
    release = ages(epsilon)
    flat, learned = pv.infer(release), pv.infer(release, prior=pv.LearnedPrior())
    assert flat.conflict.chance < FALSE_ALARM / 10
    (warning,) = flat.warnings
    assert (
        "the release contradicts this prior: intervals are not to be trusted; try --prior learned" in warning
    )
    assert warning in str(pv.ask(flat, "P(age>=80)"))
    assert not learned.warnings
    assert any("contradicts this prior" in check.says for check in pv.review(release).checks)
    assert "contradicts this prior" in page_of(release)


def test_sums_over_groups_notice_what_the_size_of_noise_does_not() -> None:
    """Counts that are all taken for a little too large leave noise of the right size and a sum far off."""
    rng, cells = np.random.default_rng(7), 64
    noises = np.stack([laplace(cells, 0.1, rng) for _ in range(50)])
    observed = rng.integers(1_000, 2_000, cells)
    evidence = CellEvidence(observed, np.full(cells, 0.1), np.zeros(cells))
    tables = observed - 3 * noises // 4 + 10
    every = Groups((("x", tuple(map(str, range(cells)))),))
    size, *sums = residual_looks(evidence, tables, every, rng, zero=False)
    assert not Conflict.of([size]).found  # type: ignore[union-attr]
    assert Conflict.of(sums).found  # type: ignore[union-attr]


def test_noise_alone_notices_no_flat_prior(seeded_noise: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: drawn counts are not compared with the prior. Their noise is as it should be."""
    monkeypatch.setattr(module, "prior_looks", lambda *_: ())
    assert not pv.infer(ages("0.1")).warnings


def test_several_releases_of_a_chain_are_looked_at(seeded_noise: object) -> None:
    states = pv.Categorical(["a", "b", "c"])
    schema = pv.Schema({"now": states, "then": states}, population="chain", unit="walk")
    plan = pv.plan(pv.MarkovChain("now", "then"), schema, records=300, epsilon=1)
    rows = pa.table({"now": ["a", "b", "c"] * 100, "then": ["b", "c", "a"] * 100})
    ledger = pv.Ledger.in_memory()
    one, two = (pv.measure(plan, rows, ledger=ledger) for _ in range(2))
    single, both = pv.infer(one).conflict, pv.infer([one, two]).conflict
    assert single.looks < both.looks
    assert not both.found


def test_nothing_is_said_of_draws_and_of_ignored_noise(seeded_noise: object) -> None:
    release = ages("0.5")
    assert not pv.infer(release, noise="ignore").contradictions
    assert Conflict.of([]) is None


def test_half_of_the_draws_must_agree() -> None:
    """One draw that is strange by chance is no conflict; that most are, is one."""
    few, most = (np.where(np.arange(100) < share, 1e-9, 0.5) for share in (40, 60))
    assert not Conflict.of([Look("x", few)]).found  # type: ignore[union-attr]
    assert Conflict.of([Look("x", most)]).found  # type: ignore[union-attr]


def test_a_learned_prior_that_keeps_room_on_an_even_table_is_no_contradiction() -> None:
    """1,096 even days were called a contradiction, because draws left too little noise."""
    rng = np.random.default_rng(11)
    cells, rate, evenly = 400, 0.05, np.full(400, 100)
    observed = evenly + of_sum_zero(cells, rate, rng)
    too_wide = evenly + np.rint(0.5 * (observed - evenly)).astype(np.int64)
    tables = too_wide + rng.integers(-3, 4, (60, cells))
    evidence = CellEvidence(observed, np.full(cells, rate), np.zeros(cells))
    groups = Groups((("day", tuple(str(day) for day in range(cells))),))
    both = [
        Conflict.of([*residual_looks(evidence, tables, groups, rng, zero=True, learned=learned)])
        for learned in (True, False)
    ]
    assert both[0] is not None
    assert both[0].chance > FALSE_ALARM
    assert both[1] is not None
    assert both[1].chance < FALSE_ALARM
    narrow = evenly + np.rint(-0.5 * (observed - evenly)).astype(np.int64) + np.zeros((60, cells), np.int64)
    too_much = Conflict.of([*residual_looks(evidence, narrow, groups, rng, zero=True, learned=True)])
    assert too_much is not None
    assert too_much.chance < FALSE_ALARM
