"""Losses of answers from draws and from other priors: every bound against all outcomes of small families."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import binom

from privior.errors import NumberError
from privior.papers.published import Verdict
from privior.papers.sampling_utility import (
    chance_of_coins,
    corollary_16,
    lemma_11,
    lemma_14,
    lemma_15,
    own_prior_loss,
    theorem_17,
)
from privior.theory.sampling_loss import expected_prior_loss, sampling_loss

FAILURES = ("0.5", "0.2", "0.05", "0.01")


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def loss_law(utility: np.ndarray, chances: np.ndarray, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every loss of PSAQR with its chance, over all samples; of equal responses the worst is taken.

    utility[r, theta], chances[theta].
    """
    expected = utility @ chances
    losses, weights = [], []
    for counts in compositions(draws, chances.size):
        log = math.lgamma(draws + 1) - sum(math.lgamma(c + 1) for c in counts)
        weights.append(math.exp(log) * float(np.prod(chances ** np.array(counts))))
        scores = utility @ np.array(counts)
        losses.append(expected.max() - expected[scores >= scores.max() - 1e-9].min())
    return np.array(losses), np.array(weights)


def test_the_union_bound_holds_over_all_samples_and_is_not_empty() -> None:
    generator = np.random.default_rng(1)
    nearest = 0.0
    for responses, draws, trial in itertools.product((2, 3, 5), (4, 15, 40), range(25)):
        sharp = trial % 2 == 0
        utility = (
            generator.integers(0, 2, (responses, 3)).astype(float)
            if sharp
            else generator.random((responses, 3))
        )
        losses, weights = loss_law(utility, generator.dirichlet([1, 1, 1]), draws)
        assert weights.sum() == pytest.approx(1)
        for failure in FAILURES:
            bound = sampling_loss(draws, failure, responses=responses)
            exceeded = weights[losses > bound + 1e-12].sum()
            assert exceeded <= float(failure)
            half = weights[losses > bound / 2].sum()
            nearest = max(nearest, half / float(failure))
    assert nearest > 1  # half the bound would be wrong


def test_two_opposite_responses_come_close_to_the_bound() -> None:
    """The exponent is right: the loss of two responses of which always one is right."""
    for draws, failure in itertools.product((101, 1001), (0.05, 0.001)):
        bound = sampling_loss(draws, failure, responses=2)
        worst = max(
            loss / bound
            for loss in np.linspace(0.01, bound, 400)
            if float(binom.sf(draws / 2, draws, (1 - loss) / 2)) > failure
        )
        assert 0.5 < worst < 1


def test_the_bound_for_all_responses_holds_over_all_samples() -> None:
    """Utilities of one quantity with values 0 to 3 that vary by at most V: all steps and bumps at once."""
    generator = np.random.default_rng(2)
    steps = [np.r_[np.zeros(i), np.ones(4 - i)] for i in range(5)]
    single = [*steps, *(1 - step for step in steps)]
    bumps = [np.eye(4)[i] for i in range(4)]
    for utilities, variation in ((np.array(single), 1), (np.array(bumps), 2)):
        for draws in (5, 20, 30):
            losses, weights = loss_law(utilities, generator.dirichlet([1] * 4), draws)
            for failure in FAILURES:
                bound = sampling_loss(draws, failure, variation=variation)
                assert weights[losses > bound + 1e-12].sum() <= float(failure)


def test_adaptive_queries_cost_all_possible_ones() -> None:
    fixed, adaptive = (
        sampling_loss(10_000, "0.05", responses=4, queries=5, adaptive=how) for how in (False, True)
    )
    assert fixed == pytest.approx(math.sqrt(2 * math.log(15 / 0.05) / 10_000))
    assert adaptive == pytest.approx(math.sqrt(2 * math.log((4**5 - 1) / 0.05) / 10_000))
    one = sampling_loss(50, "0.1", responses=4)
    assert one == pytest.approx(sampling_loss(50, "0.1", responses=4, adaptive=True))
    # A second query that asks again what the first one got wrong, all samples of three parameters.
    generator = np.random.default_rng(5)
    chances, draws, failure = np.array([0.3, 0.3, 0.4]), 30, 0.2
    first = generator.integers(0, 2, (2, 3)).astype(float)
    later = generator.integers(0, 2, (2, 2, 3)).astype(float)
    bound, exceeded = sampling_loss(draws, failure, responses=2, queries=2, adaptive=True), 0.0
    for counts in compositions(draws, 3):
        log = math.lgamma(draws + 1) - sum(math.lgamma(c + 1) for c in counts)
        weight = math.exp(log) * float(np.prod(chances ** np.array(counts)))
        answer = int((first @ np.array(counts)).argmax())
        lost = [
            float((u @ chances).max() - (u @ chances)[int((u @ np.array(counts)).argmax())])
            for u in (first, later[answer])
        ]
        exceeded += weight * (max(lost) > bound)
    assert exceeded <= failure


def test_lemma_11_is_true_for_few_responses_and_for_one_quantity_and_false_in_general() -> None:
    assert lemma_11(1000, "0.05", responses=2).verdict is Verdict.LOOSE
    assert lemma_11(1000, "0.05", responses=3).verdict is Verdict.SOUND
    assert lemma_11(1000, "0.05", responses=4).verdict is Verdict.FALSE
    assert lemma_11(1000, "0.05", responses=10**6, variation=1).verdict is Verdict.SOUND
    assert lemma_11(1000, "0.05", variation="0.5").verdict is Verdict.LOOSE
    assert lemma_11(1000, "0.05", variation=2).verdict is Verdict.FALSE
    without = lemma_11(1000, "0.05")
    assert (without.verdict, without.better) == (Verdict.FALSE, 1.0)
    assert lemma_11(3, "0.05", responses=2).verdict is Verdict.VACUOUS
    claim = lemma_11(20, "0.5", responses=10_001)
    assert claim.verdict is Verdict.FALSE
    assert chance_of_coins(20, 10_001, claim.value) > 0.5
    assert claim.better is not None
    assert claim.better < 1
    assert chance_of_coins(500, 10_001, lemma_11(500, "0.5", responses=10_001).better) < 0.5


def test_the_chance_of_coins_is_that_of_simulated_coins() -> None:
    generator = np.random.default_rng(3)
    ones = generator.binomial(20, 0.5, size=(4000, 200)).max(axis=1)
    chance = chance_of_coins(20, 201, "0.2")
    assert (ones > 14).mean() == pytest.approx(chance, abs=5 * math.sqrt(chance * (1 - chance) / 4000))


def test_with_infinitely_many_responses_nothing_below_1_holds() -> None:
    """Responses are sets of points, right if the parameter is in them: the draws themselves seem best."""
    generator = np.random.default_rng(4)
    for draws in (1, 10, 1000):
        sample = generator.random(draws)
        seems, sure = np.isin(sample, sample).mean(), 0.99
        assert seems == 1 > sure  # and its expected utility is 0: 0.99 is lost, whatever N
        assert sampling_loss(draws, "0.5") == 1


def finite_family(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A prior, another one, and likelihoods [theta, x]."""
    parameters = int(generator.integers(2, 5))
    own, other = generator.dirichlet([1] * parameters), generator.dirichlet([1] * parameters)
    return own, other, generator.dirichlet([0.5] * 4, size=parameters)


def test_lemma_14_gives_away_a_factor_of_two() -> None:
    generator, largest = np.random.default_rng(6), 0.0
    for _ in range(3000):
        k = int(generator.integers(2, 5))
        own, other = generator.dirichlet([1] * k), generator.dirichlet([1] * k)
        utility = generator.integers(0, 2, (3, k)).astype(float)
        loss = (utility @ own).max() - (utility @ own)[(utility @ other).argmax()]
        distance = float(abs(own - other).sum())
        claim = lemma_14(distance)
        assert claim.better is not None
        assert loss <= claim.better + 1e-9
        assert claim.verdict is (Verdict.VACUOUS if claim.value >= 1 else Verdict.LOOSE)
        largest = max(largest, loss / min(1, distance))
    assert largest > 0.8
    own, other = np.array([0.6, 0.4]), np.array([0.5, 0.5])
    assert own[0] - own[1] == pytest.approx(
        lemma_14(float(abs(own - other).sum())).better
    )  # attained by a tie
    with pytest.raises(NumberError):
        lemma_14("2.1")


def test_lemma_15_and_the_loss_from_another_prior_on_finite_families() -> None:
    generator, nearest = np.random.default_rng(7), 0.0
    for _ in range(2000):
        own, other, likelihood = finite_family(generator)
        eta = float(abs(np.log(own / other)).max())
        claim = lemma_15(eta)
        assert claim.better is not None
        marginal = own @ likelihood
        posterior, private = ((prior[:, None] * likelihood) / (prior @ likelihood) for prior in (own, other))
        divergence = float((marginal * (posterior * np.log(posterior / private)).sum(axis=0)).sum())
        assert divergence <= float((own * np.log(own / other)).sum()) + 1e-9
        assert divergence <= claim.better + 1e-9 <= claim.value + 1e-9
        # for every data set: total variation, and what 0-1 responses lose
        assert (abs(posterior - private).sum(axis=0) / 2).max() <= math.tanh(eta / 2) + 1e-9
        utility = generator.integers(0, 2, (4, own.size)).astype(float)
        scores = utility @ posterior
        taken = (utility @ private).argmax(axis=0)
        losses = scores.max(axis=0) - scores[taken, np.arange(4)]
        assert losses.max() <= own_prior_loss(eta) + 1e-9
        bound = expected_prior_loss(float((own * np.log(own / other)).sum()))
        assert float(marginal @ losses) <= bound + 1e-9
        nearest = max(nearest, float(marginal @ losses) / bound)
    assert nearest > 0.3
    eta = 0.7  # attained by two parameters and data that say nothing
    first = 1 / (1 + math.exp(-eta))
    own, other = np.array([first, 1 - first]), np.array([1 - first, first])
    assert float((own * np.log(own / other)).sum()) == pytest.approx(lemma_15(eta).better)
    assert abs(own - other).sum() / 2 == pytest.approx(math.tanh(eta / 2))


def test_lemmas_14_and_15_together_do_not_give_corollary_16() -> None:
    """They give 4 sqrt(eta), on average; directly it is 2 tanh(eta/2), for every data set."""
    eta = 1e-4
    from_lemmas = 2 * math.sqrt(2 * lemma_15(eta).value)
    assert from_lemmas > 300 * own_prior_loss(eta)
    claim = corollary_16(eta, 10**6, "0.05", responses=2)
    assert claim.verdict is Verdict.LOOSE
    assert claim.better == pytest.approx(own_prior_loss(eta) + sampling_loss(10**6, "0.05", responses=2))
    assert corollary_16("0.1", 10**6, "0.05").verdict is Verdict.FALSE
    assert corollary_16(1, 10**6, "0.05", responses=2).verdict is Verdict.VACUOUS


def test_corollary_16_holds_over_all_samples() -> None:
    generator = np.random.default_rng(8)
    for _ in range(30):
        own, other, likelihood = finite_family(generator)
        eta = float(abs(np.log(own / other)).max())
        posterior, private = (prior * likelihood[:, 0] / (prior @ likelihood[:, 0]) for prior in (own, other))
        utility = generator.integers(0, 2, (3, own.size)).astype(float)
        for counts, failure in itertools.product((30,), ("0.3", "0.05")):
            scores, exceeded = utility @ posterior, 0.0
            bound = corollary_16(eta, counts, failure, responses=3).better
            assert bound is not None
            for sample in compositions(counts, own.size) if own.size < 4 else ():
                log = math.lgamma(counts + 1) - sum(math.lgamma(c + 1) for c in sample)
                weight = math.exp(log) * float(np.prod(private ** np.array(sample)))
                answer = int((utility @ np.array(sample)).argmax())
                exceeded += weight * (scores.max() - scores[answer] > bound + 1e-9)
            assert exceeded <= float(failure)


def test_theorem_17_fails_for_given_data_and_holds_on_average() -> None:
    inside, chances = np.array([True, True, False]), np.array([0.4, 0.5, 0.999])
    prior = np.array([0.5, 0.49, 0.01])
    n = 30
    counts = np.arange(n + 1)
    likelihood = np.array([binom.pmf(counts, n, chance) for chance in chances])
    posterior = prior[:, None] * likelihood / (prior @ likelihood)
    cut = np.where(inside, prior, 0)
    private = cut[:, None] * likelihood / (cut @ likelihood)
    utility = np.eye(3)
    scores = utility @ posterior
    losses = scores.max(axis=0) - scores[(utility @ private).argmax(axis=0), counts]
    outside = posterior[2]
    assert (losses <= outside + 1e-12).all()
    claim = theorem_17("0.01", 10**6, "0.05", responses=3, outside_given_data=float(outside[n]))
    assert claim.verdict is Verdict.FALSE
    assert losses[n] > 0.99 > claim.value  # thirty ones of thirty
    assert claim.better is not None
    assert losses[n] <= claim.better
    average = theorem_17("0.01", 10**6, "0.05", responses=3)
    assert average.verdict is Verdict.FALSE
    assert float((prior @ likelihood) @ losses) <= 0.01 <= (average.better or 0)
    few = theorem_17("0.01", 10**6, "0.05", responses=3, outside_given_data=float(outside[n // 2]))
    assert few.verdict is Verdict.LOOSE
    assert theorem_17("0.3", 10**6, "0.05", responses=3).verdict is Verdict.VACUOUS


def test_what_is_out_of_range_is_refused() -> None:
    for bad in (
        lambda: sampling_loss(0, "0.1"),
        lambda: sampling_loss(5, 0),
        lambda: sampling_loss(5, 1),
        lambda: sampling_loss(5, "0.1", responses=0),
        lambda: sampling_loss(5, "0.1", variation=-1),
        lambda: theorem_17("1.1", 5, "0.1"),
        lambda: expected_prior_loss(float("nan")),
        lambda: expected_prior_loss(-1.0),
        lambda: lemma_15(-1),
    ):
        with pytest.raises(NumberError):
            bad()
    assert sampling_loss(5, "0.1", responses=1) == 0
    assert expected_prior_loss(math.inf) == 1
