"""The chain over tables: its proposal is reversible, its states fit the enumeration, faults are caught."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from latent_enumeration import CASES, Case, Enumeration, case, enumerate_tables, release
from numpy.typing import NDArray

from chi_square import fits
from privior.posterior.counts import chain_counts as chains
from privior.posterior.counts.chain import log_uniform, walk
from privior.posterior.counts.chain_counts import chain_counts
from privior.posterior.counts.exact_counts import exact_counts
from privior.posterior.diagnostics import WORST_R_HAT, split_r_hat

CHAINED = [name for name in CASES if name != "one cell"]
#: every state of the chain is compared for all of these, and moments, which follow, for every second one
TOLD = [
    pytest.param(name, marks=[pytest.mark.slow] if place % 2 else []) for place, name in enumerate(CHAINED)
]


def law_of(truth: Enumeration) -> dict[tuple[int, ...], float]:
    return {tuple(table): weight for table, weight in zip(truth.tables.tolist(), truth.weights, strict=True)}


def states_of(one: Case, sweeps: int, moves: int, seed: int) -> list[tuple[int, ...]]:
    """Run the compiled chain and keep every sweep."""
    run = chains._CountChains(one.evidence, one.prior, one.total, seed)
    cells = one.prior.size
    states = np.empty((sweeps, cells), dtype=np.int64)
    walk(
        run.rngs[0],
        run.counts[0],
        run.cells,
        one.total.most,
        one.total.known,
        sweeps,
        moves,
        run.origin,
        np.zeros(cells),
        np.zeros(cells),
        states,
    )
    return [tuple(state) for state in states.tolist()]


def plain_states(
    truth: Enumeration, sweeps: int, moves: int, seed: int, *, capped: bool
) -> Iterator[tuple[int, ...]]:
    """A plain twin of the chain for a known total; `capped` plants a fault: d is capped by c_i, not T."""
    rng = np.random.default_rng(seed)
    weight = law_of(truth)
    precision = np.sum([e.precisions for e in truth.case.evidence], axis=0)
    state = list(truth.tables[truth.weights.argmax()].tolist())
    cells = len(state)
    for _ in range(sweeps):
        for _ in range(moves):
            i, j = rng.choice(cells, 2, replace=False)
            most = state[i] if capped else state[i] + state[j]
            if most == 0:
                continue
            reach = min(most, int(4 / math.sqrt(precision[i] + precision[j]) + 2))
            step = most if rng.random() < 0.1 else min(int((reach + 1) ** rng.random()), reach)
            if step > state[i]:
                continue
            new = list(state)
            new[i] -= step
            new[j] += step
            if rng.random() * weight[tuple(state)] < weight[tuple(new)]:
                state = new
        yield tuple(state)


def step_law(reach: int, everything: int) -> NDArray[np.float64]:
    """The law of d: log-uniform on 1..reach, or with probability 1/10 everything."""
    law = np.zeros(everything + 1)
    d = np.arange(1, reach + 1)
    law[1 : reach + 1] = 0.9 * np.log((d + 1) / d) / math.log(reach + 1)
    law[everything] += 0.1
    return law


def flow(truth: Enumeration, reach: int, *, capped: bool) -> NDArray[np.float64]:
    """The probability of each move between two different tables, at equilibrium, exactly."""
    index = {tuple(table): at for at, table in enumerate(truth.tables.tolist())}
    flows = np.zeros((len(index), len(index)))
    cells = truth.case.prior.size
    for table, at in index.items():
        for i in range(cells):
            for j in range(cells):
                most = table[i] if capped else table[i] + table[j]
                if i == j or not most:
                    continue
                law = step_law(min(most, reach), most)
                for step in range(1, table[i] + 1):
                    new = list(table)
                    new[i] -= step
                    new[j] += step
                    to = index[tuple(new)]
                    accept = min(1.0, truth.weights[to] / truth.weights[at])
                    flows[at, to] += truth.weights[at] * law[step] * accept / (cells * (cells - 1))
    return flows


@pytest.mark.parametrize("name", ["two releases", "weak prior", "nothing released"])
def test_the_proposal_is_reversible_and_a_capped_one_is_not(name: str) -> None:
    truth = enumerate_tables(CASES[name])
    right, wrong = (flow(truth, 3, capped=capped) for capped in (False, True))
    assert np.allclose(right, right.T, rtol=1e-12, atol=1e-300)
    assert np.abs(wrong - wrong.T).max() > 1e-4


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_steps_are_log_uniform(most: int) -> None:
    rng = np.random.default_rng(most)
    steps = [int(log_uniform(most, uniform)) for uniform in rng.random(20_000)]
    assert fits(steps, {d: math.log((d + 1) / d) / math.log(most + 1) for d in range(1, most + 1)})


@pytest.mark.parametrize("name", CHAINED)
def test_the_states_of_the_chain_fit_the_enumeration(name: str) -> None:
    truth = enumerate_tables(CASES[name])
    assert fits(states_of(CASES[name], 7000, 200, seed=7), law_of(truth))


def test_the_same_check_passes_a_plain_twin_and_catches_a_planted_fault() -> None:
    truth = enumerate_tables(CASES["two releases"])
    right, wrong = (list(plain_states(truth, 4000, 25, 3, capped=capped)) for capped in (False, True))
    assert fits(right, law_of(truth))
    assert not fits(wrong, law_of(truth))


@pytest.mark.parametrize("name", TOLD)
def test_means_and_deviations_of_the_chains_are_those_of_the_enumeration(name: str) -> None:
    one, truth = CASES[name], enumerate_tables(CASES[name])
    found = chain_counts(one.evidence, one.prior, one.total, seed=1)
    assert found.mean == pytest.approx(truth.mean, abs=0.1 * truth.stddev.max() + 1e-3)
    assert found.stddev == pytest.approx(truth.stddev, abs=0.1 * truth.stddev.max() + 1e-2)
    assert not found.exact
    assert found.diagnostics.r_hat is not None
    assert found.diagnostics.r_hat < WORST_R_HAT
    assert found.diagnostics.warning is None


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("rate", [0.5, 0.05])
def test_the_chains_agree_with_the_exact_sum_of_fifty_cells(rate: float, known: bool) -> None:
    rng = np.random.default_rng(8)
    counts = rng.multinomial(4000, rng.dirichlet(np.ones(50)))
    noisy = counts + np.rint(rng.laplace(0, 1 / rate, 50)).astype(int)
    one = case([release(noisy.tolist(), rate)], [0.5] * 50, 4000 if known else 9000, known=known)
    exact = exact_counts(one.evidence, one.prior, one.total)
    found = chain_counts(one.evidence, one.prior, one.total, seed=2)
    assert exact is not None
    assert np.abs((found.mean - exact.mean) / exact.stddev).max() < 0.2
    assert np.abs(found.stddev / exact.stddev - 1).max() < 0.25
    width = exact.interval(0.9)[:, 1] - exact.interval(0.9)[:, 0]
    assert np.abs((found.interval(0.9) - exact.interval(0.9)) / (width[:, None] + 10)).max() < 0.25
    assert found.diagnostics.misfit == pytest.approx(exact.diagnostics.misfit, rel=0.1)


def test_draws_are_stored_states_and_keep_the_total() -> None:
    one = CASES["unreleased"]
    found = chain_counts(one.evidence, one.prior, one.total, seed=3)
    drawn = found.draws(500, np.random.default_rng(0))
    assert (drawn.sum(axis=1) == one.total.most).all()
    assert {tuple(t) for t in drawn.tolist()} <= {tuple(t) for t in found.states.tolist()}
    again = chain_counts(one.evidence, one.prior, one.total, seed=3)
    assert (again.states == found.states).all()


def test_chains_that_disagree_say_so() -> None:
    # Half the records are unaccounted for: each chain would leave them where it started.
    one = case([release([10_000] * 50 + [0] * 50, 0.05)], [1e-3] * 100, 10**6)
    found = chain_counts(one.evidence, one.prior, one.total, most_moves=200_000)
    assert found.diagnostics.r_hat is not None
    assert found.diagnostics.r_hat > WORST_R_HAT
    assert found.diagnostics.warning is not None
    assert found.diagnostics.sweeps * 400 <= 200_000
    assert (found.states.sum(axis=1) == 10**6).all()


@pytest.mark.parametrize("known", [True, False])
def test_starts_are_tables(known: bool) -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        cells, most = int(rng.integers(2, 9)), int(10 ** rng.uniform(0, 10))
        rates = 10 ** rng.uniform(-6, 1.7, cells) * rng.integers(0, 2, cells)
        noisy = rng.integers(-most, 2 * most + 1, cells)
        one = case([release(noisy.tolist(), rates.tolist())], [0.3] * cells, most, known=known)
        for table in chains._CountChains(one.evidence, one.prior, one.total, 1).counts:
            assert (table >= 0).all()
            assert table.sum() == most if known else table.sum() <= most


def test_split_r_hat() -> None:
    rng = np.random.default_rng(0)
    same = rng.normal(size=(4, 400, 3))
    assert split_r_hat(same) < 1.02
    apart = same + np.arange(4)[:, None, None] * np.array([0, 0, 1.0])
    assert split_r_hat(apart) > 1.3
    drifting = same + np.linspace(0, 3, 400)[None, :, None]
    assert split_r_hat(drifting) > 1.2
    assert split_r_hat(np.ones((4, 100, 2))) == 1
    assert split_r_hat(np.ones((4, 100, 2)) * np.arange(4)[:, None, None]) == math.inf
    assert split_r_hat(np.ones((4, 3, 2))) == math.inf
