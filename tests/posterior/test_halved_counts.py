"""The default prior: its sums are those of brute force, and its intervals hold what a fixed prior's miss."""

from __future__ import annotations

import math
from itertools import islice, product

import numpy as np
import pytest
from plain_laws import plain_means

import privior as pv
from privior.models import LearnedPrior
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.halved_counts import _PLAIN, HalvedCounts, halved_counts, nothing_chance
from privior.posterior.counts.halving_centres import centres
from privior.posterior.counts.halving_machine import HalvingMachine
from privior.posterior.counts.halving_sums import LOW
from privior.posterior.counts.halving_tree import halving_tree
from privior.posterior.counts.latent import latent_counts
from privior.posterior.counts.stirling import log_gamma


def of(
    observed: list[int], rate: float, total: Total, *, ordered: bool = False, seed: int = 0
) -> HalvedCounts:
    cells = len(observed)
    evidence = [CellEvidence(np.array(observed), np.full(cells, rate), np.zeros(cells))]
    return halved_counts(evidence, (cells,), (ordered,), LearnedPrior(), total, seed=seed)


def split(one: int, other: int, a: float, b: float) -> float:
    """A Beta-binomial."""
    logs = math.lgamma(one + other + 1) - math.lgamma(one + 1) - math.lgamma(other + 1)
    logs += math.lgamma(one + a) + math.lgamma(other + b) - math.lgamma(one + other + a + b)
    return math.exp(logs + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))


def brute_force(
    observed: list[int],
    rate: float,
    totals: range,
    taken_back: float = 0.5,
    law: int | None = None,
    sparse: bool = False,
) -> np.ndarray:
    """Return the expected counts of two or three cells: all tables, all laws of both splits, or one law.

    If sparse, stretches in which little is seen are taken for empty ones.
    """
    prior = LearnedPrior()
    a = prior.concentrations
    variance = 1 / float(CellEvidence(np.zeros(1), np.array([rate]), np.zeros(1)).precisions[0])

    def chance(one: int, other: int, share: float, seen: list[int], noises: tuple[int, int]) -> np.ndarray:
        """Averaged over laws, for each frequency of empty halves; `noises` is how many cells halves have."""
        sides = [(sum(seen[: noises[0]]), noises[0]), (sum(seen[noises[0] :]), noises[1])]
        sides.append((sum(seen), sum(noises)))
        bare = sparse and any(each <= 4 * math.sqrt(variance * cells) for each, cells in sides)
        laws = prior.sparse[None] if bare else prior.laws
        if law is not None:
            laws = laws[:1, law : law + 1]
        ends = [(2 * c * share, 2 * c * (1 - share)) if c > 2 else (c, c) for c in a.tolist()]
        blur = variance * noises[0] * noises[1] / sum(noises)

        def heights(size: float) -> np.ndarray:
            """How high each kind stands at its middle, under the noise."""
            spreads = [p * q * size * (size + p + q) / ((p + q) ** 2 * (p + q + 1)) for p, q in ends]
            return np.asarray((1 + np.array(spreads) / blur) ** -0.5)

        found = laws @ np.array([split(one, other, *each) for each in ends])
        usual = max(sum(seen), math.sqrt(variance * sum(noises)))
        if not bare or one + other > 0:
            found *= ((laws @ heights(usual)) / (laws @ heights(one + other))) ** taken_back
        return np.asarray(found.mean(axis=1))

    weighed = np.zeros(len(observed) + 1)
    for table in product(range(totals[-1] + 1), repeat=len(observed)):
        if sum(table) not in totals:
            continue
        likelihood = math.exp(-rate * sum(abs(y - c) for y, c in zip(observed, table, strict=True)))
        beforehand = chance(table[0], table[1], 0.5, observed[:2], (1, 1))
        if len(table) == 3:
            beforehand = beforehand * chance(table[0] + table[1], table[2], 2 / 3, observed, (2, 1))
        weighed += likelihood * float(beforehand.mean()) * np.array([1.0, *table])
    return np.asarray(weighed[1:] / weighed[0])


def mixed(observed: list[int], rate: float, totals: range) -> np.ndarray:
    """Return the expected counts of all states, learned ones and with empty stretches, and by noise alone."""
    variance = 1 / float(CellEvidence(np.zeros(1), np.array([rate]), np.zeros(1)).precisions[0])
    little = [one for one in observed if one <= 4 * math.sqrt(variance)]
    empty = round(16 * nothing_chance(sum(little), variance * len(little))) / 16
    facts = observed, rate, totals
    learned = (1 - empty) * brute_force(*facts) + empty * brute_force(*facts, sparse=True)
    return np.asarray((1 - _PLAIN) * learned + _PLAIN * plain_means(observed, variance, totals))


@pytest.mark.parametrize("observed", [[7, 2], [9, 1, 3], [-2, 12, 0], [0, 1, 25]])
@pytest.mark.parametrize("known", [True, False])
def test_it_is_the_sum_over_all_tables_and_laws(observed: list[int], known: bool) -> None:
    """Narrow noise, units of one record: nothing but the number of draws and of states separates them."""
    records = 12 if max(observed) < 20 else 26
    expected = mixed(observed, 0.6, range(records, records + 1) if known else range(records + 1))
    found = of(observed, 0.6, Total(records, known))
    assert found.mean == pytest.approx(expected, abs=0.25)
    if known:
        assert set(found.draws(200, np.random.default_rng(3)).sum(axis=1)) == {records}


@pytest.mark.parametrize("observed", [[7, 2], [6, 1, 3]])
def test_sums_are_pulled_down_half_as_much(observed: list[int]) -> None:
    """As brute force has it, which otherwise would expect less."""
    facts = observed, 1.2, range(21)
    expected, pulled = brute_force(*facts), brute_force(*facts, taken_back=0)
    found = np.mean([of(observed, 1.2, Total(20, known=False), seed=seed).mean for seed in range(4)], axis=0)
    assert found == pytest.approx(mixed(*facts), abs=0.06)
    assert expected.sum() > pulled.sum() + 0.1


@pytest.mark.parametrize("known", [True, False])
def test_few_records_under_wide_noise_are_summed_one_by_one(known: bool) -> None:
    """In units of a share of the noise alone the means of six records were off by a third of a record."""
    observed, rate = [3, 2, 1], 0.05
    expected = mixed(observed, rate, range(6, 7) if known else range(7))
    assert of(observed, rate, Total(6, known)).mean == pytest.approx(expected, abs=0.15)


def test_parts_are_made_of_their_halves_and_the_shortest_column_is_halved_first() -> None:
    tree = halving_tree((5, 2, 3))
    parts = [{cell} for cell in range(30)]
    cells = np.arange(30).reshape(5, 2, 3)
    for row, (one, other) in enumerate(tree.halves.tolist()):
        assert not parts[one] & parts[other]
        parts.append(parts[one] | parts[other])
        inside = tuple(slice(low, high) for low, high in zip(tree.lows[row], tree.highs[row], strict=True))
        assert parts[-1] == set(cells[inside].ravel().tolist())
    assert parts[-1] == set(range(30))
    assert tree.axes[-1] == 1
    for some in tree.each_depth:
        assert (tree.halves[some] < tree.cells + some.start).all()


def test_a_straight_line_of_log_counts_is_expected_of_an_ordered_column() -> None:
    """Halves of an exponential law, from its neighbours; without order, or under wide noise, equal ones."""
    tree = halving_tree((16,))
    counts = 1e6 * np.exp(-0.3 * np.arange(16))
    inner = (tree.lows[:, 0] > 0) & (tree.highs[:, 0] < 16)
    shares = np.array(
        [
            counts[low : (low + high + 1) // 2].sum() / counts[low:high].sum()
            for low, high in zip(tree.lows[:, 0], tree.highs[:, 0], strict=True)
        ]
    )
    found = centres(tree, (True,), counts, np.ones(16)).shares()
    assert found[inner] == pytest.approx(shares[inner], abs=0.06)
    assert set(centres(tree, (False,), counts, np.ones(16)).shares()) == {0.5}
    assert np.abs(centres(tree, (True,), counts, np.full(16, 1e16)).shares() - 0.5).max() < 0.01


@pytest.mark.parametrize("wide", [1, 4])
def test_compiled_sums_are_those_over_whole_arrays(wide: int) -> None:
    """Two ways to write the same, where they are far from flat and where units are of several records."""
    rng = np.random.default_rng(4)
    cells = 23
    counts = (rng.gamma(0.3, size=cells) * 90).astype(np.int64)
    evidence = [CellEvidence(counts, np.full(cells, 0.3 / wide), np.zeros(cells))]
    tree = halving_tree((cells,), (True,))
    tree = tree.apart(np.arange(cells - 1) % 3)
    variance = 1 / evidence[0].precisions
    middle = centres(tree, (True,), counts.astype(float), variance)
    found = []
    for most in (cells, 0):
        total = Total(int(counts.sum()) + 40, False)
        machine = HalvingMachine.of(tree, LearnedPrior(), middle, total, evidence, variance, plain=most)
        learned = machine.learn()
        found.append(
            (
                machine.sum_up(learned.state),
                learned,
                machine.draw(learned.gains, 60, np.random.default_rng(2), 0.5),
            )
        )
    (one, learned, drawn), (other, learned_2, drawn_2) = found
    assert one == pytest.approx(other, rel=1e-12)
    assert learned.chances == pytest.approx(learned_2.chances, abs=1e-9)
    assert learned.gains == pytest.approx(learned_2.gains, abs=1e-6)
    assert (drawn.tables == drawn_2.tables).all()


@pytest.mark.parametrize("observed", [[30, 24], [90, 25, 60], [22, 300, 40, 41, 75]])
def test_how_well_filled_parts_are_halved_says_nothing_of_their_sum(observed: list[int]) -> None:
    """The sum has the law that the noise of its cells has, whatever the halves are taken for."""
    cells, rate, most = len(observed), 0.6, 2 * sum(observed)
    evidence = [CellEvidence(np.array(observed), np.full(cells, rate), np.zeros(cells))]
    tree, variance = halving_tree((cells,)), 1 / evidence[0].precisions
    middle = centres(tree, (True,), np.array(observed, dtype=np.float64), variance)
    machine = HalvingMachine.of(tree, LearnedPrior(), middle, Total(most, False), evidence, variance)
    expected = np.ones(1)
    for one in observed:
        expected = np.convolve(expected, np.exp(-rate * np.abs(np.arange(2 * one + 1) - one)))
    expected /= expected.sum()

    def mean(state: np.ndarray) -> float:
        machine.sum_up(state)
        found, low = machine._top / machine._top.sum(), int(machine.nodes[-1, LOW])
        if machine.noise[-1, 3]:
            assert found == pytest.approx(expected[low : low + found.size], abs=1e-4)
        return float(found @ (low + np.arange(found.size)))

    for law in range(LearnedPrior().laws.shape[1]):
        assert mean(np.append(np.full(tree.groups, law), [0, 0])) == pytest.approx(sum(observed), abs=0.01)
    machine.noise[:, 3] = 0
    assert mean(np.append(np.full(tree.groups, 2), [0, 0])) < sum(observed) - 0.03


def test_tables_are_the_same_each_time() -> None:
    observed = np.random.default_rng(1).poisson(40 * np.exp(-np.arange(40) / 9)).tolist()
    one, other = (of(observed, 0.1, Total(2000, False), ordered=True) for _ in range(2))
    assert (one.tables == other.tables).all()
    drawn = one.draws(600, np.random.default_rng(5))
    assert drawn.mean(axis=0) == pytest.approx(one.mean, abs=4 * float(one.stddev.max()) / 600**0.5)


def test_tails_of_a_heavy_column_are_held_and_a_fixed_prior_loses_them() -> None:
    """60 ordered cells, most nearly empty, epsilon 0.1: 90% intervals of tail sums, 24 releases."""
    rng = np.random.default_rng(8)
    cells, rate, n = 60, 0.1, 20_000
    shape = np.exp(-((np.arange(cells) - 14) ** 2) / 90) + 0.02 * np.exp(-np.arange(cells) / 12)
    table = rng.multinomial(n, shape / shape.sum())
    edges = [24, 30, 36]
    held = np.zeros((2, len(edges)))
    releases = 24
    for _ in range(releases):
        noise = rng.geometric(1 - math.exp(-rate), cells) - rng.geometric(1 - math.exp(-rate), cells)
        evidence = [CellEvidence(table + noise, np.full(cells, rate), np.zeros(cells))]
        total = Total(n, True)
        learned = halved_counts(evidence, (cells,), (True,), LearnedPrior(), total).tables
        fixed = latent_counts(evidence, np.ones(cells), total).draws(500, np.random.default_rng(0))
        for way, tables in enumerate((learned, fixed)):
            for place, edge in enumerate(edges):
                low, high = np.quantile(tables[:, edge:].sum(axis=1), [0.05, 0.95])
                held[way, place] += low <= table[edge:].sum() <= high
    assert (held[0] >= 0.75 * releases).all()
    assert held[0].sum() >= 0.85 * releases * len(edges)
    assert held[1].sum() < 0.6 * releases * len(edges)


def test_a_heap_behind_an_empty_stretch_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty filled levels, 43 without records, a heap at the last: its tail, in 24 releases at epsilon 0.1.

    Nothing tells the stretch from one that holds a little in many cells: taken for that, it is drawn up.
    """
    rng, cells, rate = np.random.default_rng(5), 64, 0.1
    table = np.zeros(cells, dtype=np.int64)
    table[:20], table[-1] = rng.multinomial(19_400, np.full(20, 0.05)), 600
    seen = []
    for _ in range(24):
        noise = rng.geometric(1 - math.exp(-rate), cells) - rng.geometric(1 - math.exp(-rate), cells)
        seen.append([CellEvidence(table + noise, np.full(cells, rate), np.zeros(cells))])

    def held(evidence: list[CellEvidence]) -> bool:
        tables = halved_counts(evidence, (cells,), (True,), LearnedPrior(), Total(40_000, False)).tables
        low, high = np.quantile(tables[:, 20:].sum(axis=1), [0.05, 0.95])
        return bool(low <= 600 <= high)

    missed = sum(not held(evidence) for evidence in seen)
    assert missed <= 4
    name = "privior.posterior.counts.halved_counts.nothing_chance"
    monkeypatch.setattr(name, lambda seen, variance: 0.0)
    lost = (one for one in seen if not held(one))
    assert len(list(islice(lost, missed + 1))) > missed  # no more of them need be inferred


def test_cells_hold_nothing_as_far_as_their_sum_says() -> None:
    """Bayes' rule, summed over what the cells may hold; no cells are nothing to speak of."""
    held = np.linspace(0, 4, 4001)
    for seen in (-9.0, -3.0, -0.5, 0.0, 1.2, 2.5, 4.5, 7.0, 10.0, 13.0, 20.0):
        some = np.exp(-((seen - held) ** 2) / 2).mean()
        none = 3 * math.exp(-(seen**2) / 2)
        assert nothing_chance(10 * seen, 100.0) == pytest.approx(none / (none + some), abs=1e-3)
    assert [nothing_chance(seen, 1.0) for seen in (9.0, 15.0, 30.0, 45.0)] == pytest.approx(4 * [0], abs=1e-9)
    assert nothing_chance(0.0, 0.0) == 0
    assert nothing_chance(-1e6, 1.0) == 1
    assert nothing_chance(1e6, 1.0) == 0


def test_a_prior_that_is_not_said_is_learned() -> None:
    schema = pv.Schema({"x": pv.Integer(0, 9)}, population="p", unit="person")
    model = pv.DirichletCategorical("x")
    assert model.to_document()["prior"] == "learned"
    assert model == pv.DirichletCategorical("x", prior=pv.LearnedPrior())
    plan = pv.plan(model, schema, records=500, epsilon="0.5")
    assert "prior 1" in str(plan)
    assert plan.forecast.width > 0
    for mechanism in (pv.DirichletDraw, pv.VirtualRecords, pv.EHD):
        with pytest.raises(pv.PlanError, match="prior in numbers"):
            pv.plan(model, schema, records=500, epsilon=1, delta="1e-6", mechanism=mechanism)


def test_chances_of_cells_follow_from_a_table_as_the_prior_has_it() -> None:
    """Two cells, the table known: their chances mix all concentrations, as the table weighs them.

    They were drawn with the concentrations of the likeliest state alone, whatever the table: too narrow.
    """
    counts, prior = np.array([12, 2]), LearnedPrior()
    evidence = [CellEvidence(counts, np.full(2, 25.0), np.zeros(2))]
    found = halved_counts(evidence, (2,), (False,), prior, Total(14, known=True))
    assert (found.tables == counts).all()
    drawn = np.exp(found.log_draws(20_000, np.random.default_rng(2), np.random.default_rng(3)))[:, 0]
    a = prior.concentrations

    def moments(laws: np.ndarray) -> np.ndarray:
        """The mean and the mean square, for the weights of concentrations."""
        weights = laws * np.exp([_log_beta(12 + one, 2 + one) - _log_beta(one, one) for one in a.tolist()])
        weights /= weights.sum()
        squares = (12 + a) * (13 + a) / ((14 + 2 * a) * (15 + 2 * a))
        return np.array([weights @ ((12 + a) / (14 + 2 * a)), weights @ squares])

    plain = moments(prior.laws[0, 2])
    mean, square = (1 - _PLAIN) * moments(prior.laws.mean(axis=(0, 1))) + _PLAIN * plain
    assert drawn.mean() == pytest.approx(mean, abs=0.008)
    assert drawn.std() == pytest.approx(math.sqrt(square - mean**2), rel=0.05)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


@pytest.mark.parametrize("known", [True, False])
def test_leaning_towards_a_total_changes_no_law(known: bool) -> None:
    """e^(θ count) in each cell is divided out again: evidence and draws of the total are the same."""
    observed = [9, 1, 3, 14, 6]
    evidence = [CellEvidence(np.array(observed), np.full(5, 0.6), np.zeros(5))]
    tree, variance = halving_tree((5,)), np.full(5, 5.5)
    middle = centres(tree, (True,), np.array(observed, dtype=np.float64), variance)
    found = []
    for by in (0.0, 0.12, -0.12):
        machine = HalvingMachine.of(tree, LearnedPrior(), middle, Total(36, known), evidence, variance)
        machine.lean(by)
        state = np.append(np.full(tree.groups, 3), [1, 0])
        log_evidence, chances = machine.sum_up(state), machine.seen(state)
        found.append(np.append(chances.ravel(), log_evidence))
    assert found[1] == pytest.approx(found[0], abs=2e-3)
    assert found[2] == pytest.approx(found[0], abs=2e-3)


@pytest.mark.parametrize("stated", [18_500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_public_total_far_from_what_many_cells_suggest_is_believed(stated: int) -> None:
    """Ten thousand nearly empty cells: the prior's sum lay many deviations above the stated total."""
    rng = np.random.default_rng(8)
    table = rng.multinomial(20_000, 1 / np.arange(1, 10_001) / (1 / np.arange(1, 10_001)).sum())
    noisy = table + rng.geometric(0.22, 10_000) - rng.geometric(0.22, 10_000)
    found = of(noisy.tolist(), 0.25, Total(stated, known=True), ordered=True)
    assert set(found.kept.sum(axis=1)) == {stated}
    assert (found.mean >= 0).all()
    assert found.mean[:50].sum() == pytest.approx(table[:50].sum(), rel=0.03)


def test_more_noisy_records_than_are_stated_are_refused() -> None:
    """The sums were cut where a possible total would have been: all records fell on the first halves."""
    with pytest.raises(pv.InferenceError, match="contradict the stated number"):
        of([400, 300, 200, 100], 1.0, Total(500, known=False))
    for noisy in ([500, 500, 500, 500], [0, 0, 0, 0]):
        with pytest.raises(pv.InferenceError, match="contradict the stated number"):
            of(noisy, 1 / 3, Total(1000, known=True), ordered=True)


@pytest.mark.parametrize("known", [True, False])
def test_both_halves_of_a_part_are_rounded_alike(known: bool) -> None:
    """All counts equal, units of several records: every second cell together has half of the records."""
    for cells in (16, 64):
        found = of([100] * cells, 0.05, Total(100 * cells * (1 if known else 2), known), ordered=True)
        even = found.kept[:, ::2].sum(axis=1) - found.kept.sum(axis=1) / 2
        assert abs(even.mean()) < 5 * even.std() / math.sqrt(len(even)) + 0.02 * even.std()


def test_log_gammas_are_those_of_the_library() -> None:
    z = np.concatenate([np.geomspace(1e-6, 1e9, 400), [1.0, 2.0, 9.999999, 10.0]]).reshape(2, -1)
    expected = np.array([math.lgamma(one) for one in z.ravel().tolist()]).reshape(z.shape)
    assert log_gamma(z) == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("as_seen", [True, False], ids=["as it is", "planted fault"])
def test_sums_of_many_nearly_empty_cells_are_as_seen(monkeypatch: pytest.MonkeyPatch, as_seen: bool) -> None:
    """A long tail with a record in fifty cells: little too much in each is far too much in all of them."""
    if not as_seen:
        monkeypatch.setattr("privior.posterior.counts.halving_machine._SEVERAL", 10_000)
    cells, tail, away = 3000, slice(1000, None), []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        true = rng.poisson(np.where(np.arange(cells) < 1000, 40 * np.exp(-np.arange(cells) / 250), 0.02))
        noisy = true + np.rint(rng.laplace(scale=10, size=cells)).astype(int)
        drawn = of(noisy.tolist(), 0.1, Total(2 * int(true.sum()), known=False), ordered=True).tables
        sums = drawn[:, tail].sum(axis=1)
        away.append((np.median(sums) - max(noisy[tail].sum(), 0)) / (math.sqrt(200) * math.sqrt(2000)))
        if abs(away[-1]) >= 1.5:
            break  # one is enough to notice
    assert (abs(np.array(away)) < 1.5).all() == as_seen, away
