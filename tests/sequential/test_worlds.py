"""Worlds, planning, latent counts and learners, each against something that shares no formula with it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from privior.errors import PlanError
from privior.sequential import (
    RIVER_SWIM,
    BoundedRewards,
    CategoricalBandit,
    Doubling,
    Episodes,
    Every,
    FiniteChain,
    Noise,
    NoisyCounts,
    NormalRewards,
    RewardBandit,
    RowDraws,
    SeededSource,
    Step,
    Unprotected,
    World,
    arms,
    register_environments,
    river_swim,
    simulate,
)
from privior.sequential.latent_counts import LatentCells, sums_within
from privior.sequential.noisy_prefix import NoisyPrefix, pieces_with_one
from privior.sequential.planning import best_actions, best_value


def test_river_swim_has_the_known_best_reward() -> None:
    assert 3000 * river_swim().best(30) == pytest.approx(22562, abs=1)


def test_value_iteration_against_all_policies() -> None:
    draw = np.random.default_rng(3)
    chances, rewards = draw.dirichlet(np.ones(2), (2, 2)), draw.random((2, 2))
    best = -1.0
    for choice in itertools.product(range(2), repeat=6):  # three steps, two states
        policy = np.array(choice).reshape(3, 2)
        at, total = np.array([1.0, 0.0]), 0.0
        for step in range(3):
            total += sum(at[s] * rewards[s, policy[step, s]] for s in range(2))
            at = sum(at[s] * chances[s, policy[step, s]] for s in range(2))
        best = max(best, total)
    assert best_value(chances, rewards, 3, 0) == pytest.approx(best)
    many = best_actions(np.stack([chances] * 3), np.stack([rewards] * 3), 3)
    assert many.shape == (3, 3, 2)
    assert (many[0] == many[2]).all()


@pytest.mark.parametrize(("noisy", "prior"), [(4.0, 1.0), (-3.0, 0.5), (0.0, 1 / 6), (25.0, 2.0)])
def test_latent_counts_against_enumeration(noisy: float, prior: float) -> None:
    variance = 9.0
    counts = np.arange(200)
    logs = np.array([math.lgamma(c + prior) - math.lgamma(c + 1) - (c - noisy) ** 2 / 18 for c in counts])
    weights = np.exp(logs - logs.max())
    mean = float((weights * counts).sum() / weights.sum())
    latent = LatentCells.of(np.full((20_000,), noisy), variance, prior)
    drawn = latent.draw(np.random.default_rng(1))
    assert drawn.min() >= 0
    assert drawn.mean() == pytest.approx(mean, abs=5 * drawn.std() / math.sqrt(20_000) + 1e-3)


def test_sums_stay_where_they_can_be() -> None:
    drawn = sums_within(
        np.array([-50.0, 5.0, 90.0]), 3.0, np.array([10.0, 10.0, 10.0]), np.random.default_rng(0)
    )
    assert drawn.tolist()[0] == 0.0
    assert drawn.tolist()[2] == 10.0
    assert 0 < drawn[1] < 10


@pytest.mark.parametrize("tree", [False, True])
def test_pieces_add_up_and_hold_a_step_as_often_as_is_paid(tree: bool) -> None:
    prefix = NoisyPrefix((1, 1), tree=tree)
    held: dict[int, int] = {}
    for time in range(1, 14):
        prefix.pending += 10**time  # a mark of its own
        piece = int(prefix.publish(lambda shape: np.zeros(shape, dtype=np.int64))[0, 0])
        for mark in range(1, 14):
            held[mark] = held.get(mark, 0) + (str(piece)[::-1] + "0" * 20)[mark].count("1")
        assert int(prefix.estimate[0, 0]) == sum(10**m for m in range(1, time + 1))
        assert prefix.pieces == (bin(time).count("1") if tree else time)
    assert max(held.values()) == pieces_with_one(13, tree=tree)


@pytest.mark.parametrize(
    "problem",
    [
        CategoricalBandit(3, batch=10),
        RewardBandit(3, BoundedRewards(), batch=10),
        RewardBandit(3, NormalRewards(units=10), batch=10),
    ],
    ids=["clicks", "bounded", "normal"],
)
def test_bandits_find_the_best_arm(problem: CategoricalBandit | RewardBandit) -> None:
    world = arms([0.1, 0.8, 0.3])
    for mechanism in (Unprotected(), NoisyCounts(Noise(5))):
        found = simulate(problem, mechanism, Doubling(4), world, episodes=120, copies=8, seed=3)
        uniform = 120 * 10 * (0.8 - 0.4)
        assert found.regrets.mean() < 0.4 * uniform


def test_more_noise_loses_more_and_copies_are_reproduced() -> None:
    chain = FiniteChain(6, 2, 10, BoundedRewards(), prior="1/6")
    ways = (Unprotected(), NoisyCounts(Noise(10**5)))
    free, noisy = (
        simulate(chain, way, Every(20), river_swim(), episodes=200, copies=4, seed=2) for way in ways
    )
    assert free.totals.mean() > 2 * noisy.totals.mean()
    again = simulate(chain, ways[0], Every(20), river_swim(), episodes=200, copies=4, seed=2)
    assert (again.rewards == free.rewards).all()


def test_seeded_noise_has_the_law_of_the_exact_one() -> None:
    from fractions import Fraction

    source = SeededSource(np.random.default_rng(4), 1)
    z = np.arange(-40, 41)
    for drawn, law in (
        (source.gaussian((50_000,), Fraction(3)), np.exp(-(z**2) / 18)),
        (source.laplace((50_000,), Fraction(3)), np.exp(-np.abs(z) / 3)),
    ):
        law = law / law.sum()
        seen = np.array([(drawn == k).mean() for k in z])
        assert np.abs(seen - law).max() < 5 * math.sqrt(0.25 / 50_000)
        assert drawn.std() == pytest.approx(math.sqrt((law * z**2).sum()), rel=0.03)


def test_worlds_and_draws_that_do_not_fit_are_refused() -> None:
    with pytest.raises(PlanError, match="chances"):
        World(np.ones((2, 1, 2)), np.ones((2, 1)))
    with pytest.raises(PlanError, match="another size"):
        simulate(CategoricalBandit(2), Unprotected(), Every(), river_swim(), episodes=2)
    with pytest.raises(PlanError, match="by noise"):
        RowDraws(1).parts(RewardBandit(2, "bounded"), Step(), Every(), 4)


def test_episodes_have_the_interface_of_gymnasium() -> None:
    episodes = Episodes(steps=5)
    state, _ = episodes.reset(seed=1)
    ends = [episodes.step(0)[3] for _ in range(5)]
    assert state == 0
    assert ends == [False] * 4 + [True]


def test_river_swim_is_registered_with_gymnasium() -> None:
    import gymnasium

    register_environments()
    register_environments()  # once more is no fault
    made = gymnasium.make(RIVER_SWIM, disable_env_checker=True)
    state, _ = made.reset(seed=2)
    assert made.action_space.n == 2
    assert made.observation_space.contains(state)
    assert len(made.step(1)) == 5
