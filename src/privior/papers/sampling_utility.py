"""Sections 4.2 and 4.4 of "Differential Privacy for Bayesian Inference through Posterior Sampling".

What is lost by answering from N draws instead of the posterior (Lemma 11), from a posterior other than one's
own (Lemmas 14 and 15, Corollary 16), and from a prior that was cut down for privacy (Theorem 17). Utilities
lie in [0, 1], so a loss is never above 1, and a bound that is not below 1 is vacuous.

Notation: u(r) is the expected utility of the response r, D = u_theta(r*) - u_theta(r) lies in [-1, 1].
"""

from __future__ import annotations

import math

from privior.checks import strictly_within, whole_number, zero_or_above
from privior.errors import NumberError, shown
from privior.exact import rational
from privior.papers.published import Published, Verdict
from privior.papers.published.posterior_sampling import PAPER
from privior.theory.sampling_loss import loss_per_variation, sampling_loss

_LOSS = "loss of expected utility"


def lemma_11(
    draws: int,
    failure: object,
    *,
    responses: int | None = None,
    variation: object = None,
    travel: object = None,
    queries: int = 1,
    adaptive: bool = False,
) -> Published:
    """Lemma 11: answers from N draws lose at most sqrt(2 ln(2/failure)/N), for all queries and responses.

    The constant is that of the proof; the lemma has an order of magnitude. The proof applies Hoeffding's
    inequality to one response and then speaks of all of them. For up to three responses to one query the
    number holds nevertheless, and for utilities of one quantity that vary by at most 1 it holds for any
    responses (`sampling_loss`). In general it fails: see `chance_of_coins`; and with infinitely many
    responses no number below 1 holds.

    Args:
        draws: N
        failure: the chance that the bound fails
        responses: how many to each query; None if infinitely many
        variation: of the utility as a function of one quantity; None if it has no bound
        travel: of the utility as a function of a response from an interval; None if it has no bound
        queries: how many are answered from the same draws
        adaptive: whether queries may depend on earlier answers
    """
    value = loss_per_variation(draws, failure)
    better = sampling_loss(
        draws,
        failure,
        responses=responses,
        variation=variation,
        travel=travel,
        queries=queries,
        adaptive=adaptive,
    )
    if value >= 1:
        judged = Verdict.VACUOUS, "a loss of expected utility is never above 1"
    elif better < value:
        judged = Verdict.LOOSE, "few responses: only those worse than the best one can be mistaken for it"
    elif better <= value * (1 + 1e-12):
        judged = Verdict.SOUND, "it holds for all responses at once; the exponent is that of a fair coin"
    else:
        judged = Verdict.FALSE, "it takes a bound for one response as one for all of them"
    formula = "u(r*) - u(r) <= 2 sqrt(ln(2/failure) / (2N)), for all q"
    return PAPER.states("Lemma 11", formula, _LOSS, value, judged, better=better)


def chance_of_coins(draws: int, responses: int, loss: object) -> float:
    """Return the exact chance of losing `loss` where m - 1 responses are independent fair coins.

    One response is surely worth 1/2 + loss, each other one is 1 or 0 with the same chance, independently. A
    coin is answered if its share of ones among N draws exceeds 1/2 + loss.

    >>> round(chance_of_coins(20, 10_001, "0.3723"), 3)
    0.866
    """
    from scipy.stats import binom

    n, m = whole_number(draws, "draws"), whole_number(responses, "responses", 2)
    margin = strictly_within(loss, "loss") + strictly_within("1/2", "half")
    return float(-math.expm1((m - 1) * math.log1p(-float(binom.sf(math.floor(margin * n), n, 0.5)))))


def lemma_14(distance: object) -> Published:
    """Lemma 14: answering by xi instead of xi* loses at most 2 |xi - xi*|_1.

    Half of it is true, and sharp: E* D <= E* D - E D = integral of D d(xi* - xi) <= |xi - xi*|_1, as |D| <= 1
    and r is the best response under xi, so that E D <= 0. Two parameters with chances (1/2, 1/2) and
    (1/2 + t, 1/2 - t), and a response for each, attain 2t. (The printed proof bounds the loss under xi of
    the response that xi* prefers, which is the same with both exchanged.)

    Args:
        distance: |xi - xi*|_1 of the posteriors, from 0 to 2: twice their total variation
    """
    apart = zero_or_above(distance, "distance")
    if apart > 2:
        raise NumberError("distance is out of range", asked=shown(distance), allowed="0 to 2")
    value, better = 2 * float(apart), min(1.0, float(apart))
    reason = "half of it is attained, and no more is ever lost"
    return PAPER.states(
        "Lemma 14", "loss <= 2 |xi - xi*|_1", _LOSS, value, (_verdict(value), reason), better=better
    )


def lemma_15(eta: object) -> Published:
    """Lemma 15: if |ln xi*/xi| <= eta for the priors, the expected divergence of posteriors is at most 2 eta.

    By the chain rule that expectation is KL(xi*, xi) less the divergence of the data's marginal laws, at most
    KL(xi*, xi), and this at most eta tanh(eta/2), which two parameters and data that say nothing attain.
    Two Dirichlet priors that differ have no finite eta; their KL is finite (`draw_divergence`).

    Args:
        eta: the largest |ln xi*(theta) / xi(theta)|
    """
    size = float(zero_or_above(eta, "eta"))
    better = size * math.tanh(size / 2)
    reason = "the divergence of the priors bounds it, which is at most eta tanh(eta/2)"
    formula, quantity = "E KL(xi*(.|x), xi(.|x)) <= 2 eta", "expected Kullback-Leibler divergence"
    return PAPER.states("Lemma 15", formula, quantity, 2 * size, (Verdict.LOOSE, reason), better=better)


def corollary_16(
    eta: object,
    draws: int,
    failure: object,
    *,
    responses: int | None = None,
    variation: object = None,
) -> Published:
    """Corollary 16: who prefers xi* loses O(eta + sqrt(ln(1/failure)/N)) by answers from N draws of xi.

    Read with the constants 1 for eta and that of Lemma 11. It does not follow from Lemmas 14 and 15, which
    give the root of eta, and in expectation over the data only. But for every x the log ratio of both
    posteriors varies by at most 2 eta, so their total variation is at most tanh(eta/2): the loss is at most
    2 tanh(eta/2) <= eta more than that of the draws, whatever the data.

    Args:
        eta: the largest |ln xi*(theta) / xi(theta)| of the priors
        draws: N
        failure: the chance that the bound fails
        responses: how many; None if infinitely many
        variation: of the utility as a function of one quantity; None if it has no bound
    """
    size = float(zero_or_above(eta, "eta"))
    value = size + loss_per_variation(draws, failure)
    sampled = sampling_loss(draws, failure, responses=responses, variation=variation)
    better = min(1.0, own_prior_loss(eta) + sampled)
    formula = "loss <= eta + 2 sqrt(ln(2/failure) / (2N))"
    if value >= 1:
        judged = Verdict.VACUOUS, "a loss of expected utility is never above 1"
    elif better > value:
        judged = Verdict.FALSE, "its part from Lemma 11 takes a bound for one response as one for all"
    else:
        judged = Verdict.LOOSE, "for every data set the priors cost 2 tanh(eta/2), which is at most eta"
    return PAPER.states("Corollary 16", formula, _LOSS, value, judged, better=better)


def own_prior_loss(eta: object) -> float:
    """Return 2 tanh(eta/2), at most 1: what answering by another prior's posterior loses, for any data."""
    return min(1.0, 2 * math.tanh(float(zero_or_above(eta, "eta")) / 2))


def theorem_17(
    outside: object,
    draws: int,
    failure: object,
    *,
    responses: int | None = None,
    variation: object = None,
    outside_given_data: object = None,
) -> Published:
    """Theorem 17(b): a prior cut down to Theta_L loses O(1 - xi*(Theta_L) + sqrt(ln(1/failure)/N)).

    Read with the constants of the proof: 4 w + the bound of Lemma 11, w = 1 - xi*(Theta_L). False for given
    data: the proof puts the distance of the priors into Lemma 14, which is about posteriors, and data may
    move any mass out of Theta_L. Given x, with v = 1 - xi*(Theta_L | x), the posterior xi*(.|x) is (1-v)
    xi(.|x) and v times another law, so the loss is at most v + (1-v) t, t that of the draws; and this is
    sharp. v is w on average over the data that xi* expects, above w/c with a chance below c only (Markov).

    Args:
        outside: w, the chance of the prior xi* outside of Theta_L
        draws: N
        failure: the chance that the bound fails
        responses: how many; None if infinitely many
        variation: of the utility as a function of one quantity; None if it has no bound
        outside_given_data: v, if the data are given; else `better` is about the average over them
    """
    w = _share(outside, "outside")
    v = w if outside_given_data is None else _share(outside_given_data, "outside_given_data")
    value = 4 * w + loss_per_variation(draws, failure)
    sampled = sampling_loss(draws, failure, responses=responses, variation=variation)
    better = v + (1 - v) * sampled
    if value >= 1:
        judged = Verdict.VACUOUS, "a loss of expected utility is never above 1"
    elif better <= value and (w == 0 or outside_given_data is not None):
        judged = Verdict.LOOSE, "with these data little of the posterior lies outside of Theta_L"
    else:
        judged = Verdict.FALSE, "it takes the distance of the priors for that of the posteriors"
    formula = "loss <= 4 (1 - xi*(Theta_L)) + 2 sqrt(ln(2/failure) / (2N))"
    return PAPER.states("Theorem 17(b)", formula, _LOSS, value, judged, better=better)


def _verdict(value: float) -> Verdict:
    return Verdict.VACUOUS if value >= 1 else Verdict.LOOSE


def _share(value: object, name: str) -> float:
    number = rational(value, name)
    if not 0 <= number <= 1:
        raise NumberError(f"{name} is out of range", asked=shown(value), allowed="0 to 1")
    return float(number)
