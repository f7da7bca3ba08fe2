"""The three ways of answering, Lemma 11's bound for draws, and what another prior loses."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import privior as pv
from privior.decisions.choice import choose
from privior.decisions.judging import CallableJudge, NamedJudge
from privior.decisions.reach import Reach
from privior.decisions.responses import ResponseInterval, responses_of
from privior.decisions.utility import Utility
from privior.errors import DecisionError, InferenceError, NumberError
from privior.papers.sampling_utility import lemma_11
from privior.posterior import GivenDraws
from privior.posterior.tables.mode import dirichlet_mode
from privior.theory.draw_divergence import divergence
from privior.theory.sampling_loss import expected_prior_loss, sampling_loss

Floats = np.ndarray[Any, np.dtype[np.float64]]
SMOKER, UNIT = "P(smoker=yes)", Reach(0, 1)


def test_the_draws_answer_by_themselves_alone(drawn: pv.Release) -> None:
    """PSAQR: the best response over the released draws, judged by the posterior."""
    theta = drawn.draws
    assert theta.shape == (40, 10)
    smokers = theta[:, 5:].sum(axis=1)
    ways = pv.Decision(SMOKER, pv.SquaredError()).compare(drawn)
    assert ways.draws.response == pytest.approx(smokers.mean())
    ages = (theta[:, 5:] @ np.arange(18, 23)) / smokers
    means = pv.Decision("mean(age | smoker=yes)", pv.AbsoluteError()).compare(drawn)
    assert means.draws.response == pytest.approx(np.median(ages))
    values = pv.infer(drawn).probability({"smoker": True}).values
    assert ways.expected.response == pytest.approx(values.mean())
    assert ways.draws.loss == pytest.approx((values.mean() - smokers.mean()) ** 2)
    assert ways.draws.expected_utility == pytest.approx(1 - ((values - smokers.mean()) ** 2).mean())
    assert (ways.expected.loss, ways.expected.loss_error) == (0, 0)
    assert [way.name for way in ways] == ["expected utility", "mode", "draws"]
    rate = float(drawn.plan.mechanism.rate)
    assert ("more diffuse" in ways.draws.note) == (rate < 1)


def test_the_bound_is_that_of_lemma_11(drawn: pv.Release) -> None:
    ways = pv.Decision(SMOKER, pv.SquaredError()).compare(drawn, failure="0.1")
    claim = lemma_11(40, "0.1", variation=1)
    assert (ways.bound, ways.printed, ways.failure) == (claim.better, claim.value, 0.1)
    two = pv.Decision(SMOKER, pv.Threshold("0.3")).compare(drawn)
    assert two.bound == sampling_loss(40, "0.05", responses=2)
    listed = pv.Decision(SMOKER, pv.ZeroOne("0.1"), [0.1, 0.2, 0.3]).compare(drawn)
    assert listed.bound == sampling_loss(40, "0.05", responses=3, variation=2)
    assert "0.95" in two.said

    def near(theta: Floats, query: object, response: object) -> object:
        return abs(theta[:, 0] - float(str(response))) < 0.1

    vacuous = pv.Decision(None, near, ResponseInterval(0, 1))
    said = vacuous.compare(drawn)
    assert said.bound == 1
    assert "vacuous" in str(said)


def test_psaqr_itself_needs_no_inference(drawn: pv.Release, people: pv.Release, tmp_path: Path) -> None:
    decision = pv.Decision(SMOKER, pv.QuantileLoss("0.9"))
    choice = decision.by_draws(drawn, failure="0.01")
    values = np.sort(drawn.draws[:, 5:].sum(axis=1))
    assert choice.response == pytest.approx(values[35], abs=1e-12)  # the 36th of 40
    assert choice.draws == 40
    assert (choice.shortfall, choice.failure) == (sampling_loss(40, "0.01", variation=1), 0.01)
    assert "probability 0.99" in str(choice)
    drawn.write(tmp_path / "drawn.json")
    assert decision.by_draws(tmp_path / "drawn.json").response == choice.response
    assert decision.by_draws(pv.infer(drawn)).response == choice.response
    assert decision.compare(drawn).draws.response == choice.response
    with pytest.raises(DecisionError, match="no posterior draws"):
        decision.by_draws(people)
    with pytest.raises(NumberError, match="failure"):
        decision.by_draws(drawn, failure=0)


def test_without_draws_that_way_is_closed(people: pv.Release) -> None:
    ways = pv.Decision(SMOKER, pv.SquaredError()).compare(people)
    assert ways.draws.response is ways.bound is None
    assert "no posterior draws" in str(ways)
    document = json.loads(json.dumps(ways.to_document(), allow_nan=False))
    assert document["ways"][2]["response"] is None
    assert document["ways"][0]["loss"] == 0
    assert "<table" in ways._repr_html_()


def test_the_mode_is_that_of_a_dirichlet() -> None:
    generator = np.random.default_rng(1)
    parameters = np.array([4.0, 2.0, 9.0])
    found = dirichlet_mode(generator.dirichlet(parameters, size=200_000))
    assert found == pytest.approx((parameters - 1) / (parameters - 1).sum(), abs=5e-3)
    empty = dirichlet_mode(generator.dirichlet([0.5, 5, 5], size=50_000))
    assert empty[0] == 0
    assert empty.sum() == pytest.approx(1)
    with pytest.raises(InferenceError, match="no mode"):
        dirichlet_mode(generator.dirichlet([0.3, 0.3], size=5000))
    with pytest.raises(InferenceError, match="no probabilities"):
        dirichlet_mode(generator.normal(size=(50, 3)))
    same = np.full((3, 4), 0.25)
    assert dirichlet_mode(same) == pytest.approx(same[0])


def test_the_mode_answers_as_if_it_were_the_truth_and_may_lose(people: pv.Release) -> None:
    """A miss costs a lot, so the expected utility acts on a chance that the mode does not see."""
    posterior = pv.infer(people)
    mode = posterior.mode()
    smokers = float(mode[5:].sum())
    ways = pv.Decision(SMOKER, pv.SquaredError()).compare(people)
    assert ways.mode.response == pytest.approx(smokers)
    just_above = pv.Decision(SMOKER, pv.Threshold(round(smokers + 0.02, 3), miss=50)).compare(people)
    assert (just_above.expected.response, just_above.mode.response) == ("act", "wait")
    assert just_above.mode.loss is not None
    assert just_above.mode.loss_error is not None
    assert just_above.mode.loss > 0.1 > 5 * just_above.mode.loss_error


def test_a_posterior_without_a_mode_leaves_that_way_closed(people: pv.Release) -> None:
    def first(theta: Floats, query: object, response: object) -> Floats:
        return np.asarray(theta[:, 0] if response == "yes" else 1 - theta[:, 0])

    corners = GivenDraws((people,), np.eye(10))
    ways = pv.Decision(None, first, ["yes", "no"]).compare(corners)
    assert ways.mode.response is None
    assert "not looked for" in str(ways)
    assert pv.Decision(None, first, ["yes", "no"]).compare(people).mode.response == "no"


def test_conditions_without_a_chance_in_a_draw_are_refused(people: pv.Release) -> None:
    given = GivenDraws((people,), np.eye(10))
    assert given.probability({"age": 20}).mean == pytest.approx(0.2)
    assert given.draws(12)[10:].tolist() == np.eye(10)[:2].tolist()
    with pytest.raises(InferenceError, match="no chance"):
        given.probability({"age": 20}, {"smoker": True})


@cache
def quantiles(first: float, second: float) -> Floats:
    """Return 4,000 quantiles of a Beta law, evenly spaced."""
    return np.asarray(beta.ppf((np.arange(4000) + 0.5) / 4000, first, second))


def _loss(utility: Utility, response: Any, best: Any, first: float, second: float) -> float:
    """The exact loss under a Beta law, by quantiles in place of draws."""
    values = quantiles(first, second)
    return float((utility.scores(values, best, UNIT) - utility.scores(values, response, UNIT)).mean())


CASES: list[tuple[Utility, Any]] = [
    (pv.Threshold("0.5"), None),
    (pv.Threshold("0.7", miss=3), None),
    (pv.SquaredError(), None),
    (pv.AbsoluteError(), None),
    (pv.QuantileLoss("0.8"), None),
    (pv.IntervalScore("0.5"), None),
    (pv.ZeroOne("0.2"), None),
    (pv.ZeroOne("0.05"), [i / 20 for i in range(21)]),
    (pv.ChoiceOfActions(["a", "b", "c"], [0, "0.5", "0.2"], [1, 0, "0.6"]), None),
]


@pytest.mark.parametrize(("utility", "responses"), CASES, ids=str)
@pytest.mark.parametrize("draws", [20, 100])
def test_lemma_11_covers(utility: Utility, responses: Any, draws: int) -> None:
    """200 samples from a wide law: the bound of failure 0.2 is exceeded no more often, at five errors."""
    generator, failure = np.random.default_rng(3), 0.2
    first, second = 0.8, 1.1
    exact = quantiles(first, second)
    given = responses_of(responses)
    best: Any = choose(NamedJudge.of(utility, exact, UNIT), given, "").response
    finite = len(responses) if responses else None if utility.actions is None else len(utility.actions)
    bound = sampling_loss(draws, failure, responses=finite, variation=utility.variation(UNIT))
    worth = utility.scores(exact, best, UNIT).mean()
    losses = []
    for _ in range(200):
        sample = NamedJudge.of(utility, generator.beta(first, second, draws), UNIT)
        answer: Any = choose(sample, given, "").response
        losses.append(worth - utility.scores(exact, answer, UNIT).mean())
    assert min(losses) > -1e-9  # the best response is the best
    assert np.mean(np.array(losses) > bound) <= failure + 5 * math.sqrt(failure * (1 - failure) / 200)
    assert max(losses) > bound / 100  # there is something to lose


def test_lemma_11_for_an_interval_of_responses_covers() -> None:
    """A callable that changes by at most 2 per unit of the response."""
    generator, draws, failure = np.random.default_rng(4), 200, 0.2

    def near(theta: Floats, query: object, response: object) -> Floats:
        assert isinstance(response, float)
        return np.clip(1 - 2 * abs(theta[:, 0] - response), 0, 1)

    among = ResponseInterval(0, 1, steepness=2)
    exact = beta.ppf((np.arange(4000) + 0.5) / 4000, 0.7, 0.7)[:, np.newaxis]
    judge = CallableJudge(near, None, exact)
    best = float(choose(judge, among, "").expected_utility)
    bound, exceeded = sampling_loss(draws, failure, travel=2), 0
    assert bound < 1
    for _ in range(40):
        sample = generator.beta(0.7, 0.7, (draws, 1))
        answer = choose(CallableJudge(near, None, sample), ResponseInterval(0, 1), "").response
        exceeded += best - float(judge.scores(answer).mean()) > bound
    assert exceeded <= 40 * failure + 5 * math.sqrt(40 * failure * (1 - failure))


def test_what_another_prior_loses(people: pv.Release) -> None:
    decision = pv.Decision(SMOKER, pv.SquaredError())
    lost = decision.prior_loss(people, prior=[1] * 5 + [30] * 5)
    hers, theirs = (
        pv.infer(people, prior=prior).probability({"smoker": True}).values
        for prior in ([1] * 5 + [30] * 5, None)
    )
    assert lost.own_response == pytest.approx(hers.mean())
    assert lost.given_response == pytest.approx(theirs.mean())
    assert lost.loss == pytest.approx((hers.mean() - theirs.mean()) ** 2)
    assert lost.own_utility - lost.given_utility == pytest.approx(lost.loss)
    assert lost.loss > 5 * lost.loss_error
    assert lost.eta == math.inf
    assert lost.expected_bound == 1
    assert "vacuous" in str(lost)
    document = json.loads(json.dumps(lost.to_document(), allow_nan=False))
    assert document["vacuous"] is True
    assert document["eta"] is None


def test_near_priors_have_a_bound_that_says_something(people: pv.Release) -> None:
    decision = pv.Decision(SMOKER, pv.Threshold("0.4"))
    lost = decision.prior_loss(people, prior="1.05")
    apart = divergence([0] * 10, ["1.05"] * 10, [1] * 10)
    assert lost.divergence == pytest.approx(apart)
    assert lost.expected_bound == pytest.approx(expected_prior_loss(apart))
    assert 0 < lost.expected_bound < 1
    assert lost.loss <= 1
    same = decision.prior_loss(people, prior=1)
    assert (same.loss, same.expected_bound, same.eta) == (0, 0, 0)
    assert "the same" in str(same)
    assert "<" in same._repr_html_()
    learned = decision.prior_loss(people, prior=pv.LearnedPrior())
    assert learned.divergence is learned.eta is None
    assert learned.expected_bound == 1


def test_the_bound_on_average_holds_for_data_that_her_prior_expects() -> None:
    """Her Beta prior, data from it, a posterior under another prior: the average loss over all data."""
    own, other, n = (1.0, 1.3), (1.4, 1.0), 3
    utility = pv.Threshold("0.5", miss=2)
    losses, weights = [], []
    for ones in range(n + 1):
        a, b = own[0] + ones, own[1] + n - ones
        weights.append(math.comb(n, ones) * math.exp(_log_beta(a, b) - _log_beta(*own)))
        answers = [utility.best(quantiles(p + ones, q + n - ones), UNIT, UNIT) for p, q in (own, other)]
        losses.append(_loss(utility, answers[1], answers[0], a, b))
    assert sum(weights) == pytest.approx(1)
    average = float(np.dot(losses, weights))
    bound = expected_prior_loss(divergence([0, 0], list(own), list(other)))
    assert 0 < average <= bound < 1


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
