"""What is lost by answering from N draws instead of the posterior, or by another prior: proved.

Utilities lie in [0, 1], so a loss is never above 1. What papers state about the same is in `papers`.

Notation: u(r) is the expected utility of the response r, D = u_theta(r*) - u_theta(r) lies in [-1, 1].
"""

from __future__ import annotations

import math

from privior.checks import strictly_within, whole_number, zero_or_above
from privior.errors import NumberError, shown


def sampling_loss(
    draws: int,
    failure: object,
    *,
    responses: int | None = None,
    variation: object = None,
    travel: object = None,
    queries: int = 1,
    adaptive: bool = False,
) -> float:
    """Return a proved bound of the loss from answering by N independent draws, but for a chance of `failure`.

    Finitely many responses m. A response r with E D = t > 0 is preferred to the best one r* only if the mean
    of N independent D is at most 0, which by Hoeffding's inequality has a chance of at most e^(-N t^2/2). So
    all of T queries lose at most t but for a chance K e^(-N t^2/2), with K = T (m-1) if the queries are fixed
    before the draws are seen, and K = m^T - 1 if each may depend on the answers before it, since there are
    m^(i-1) possible i-th queries.

    Any responses, also infinitely many, about one quantity. If its utility varies by V at most, up and down
    together, as the quantity runs through the numbers, then a mean over the draws is within V sup|F_N - F| of
    its expectation for all responses at once, and sup|F_N - F| <= sqrt(ln(2/failure)/(2N)) but for a chance
    of `failure` (Dvoretzky, Kiefer, Wolfowitz; constant by Massart). The loss is at most twice as much, for
    any queries about that quantity.

    Numbers of an interval as responses to one query. If the utility of a response changes by at most H as the
    response travels through the interval, in proportion to the way, take the middles of m equal parts: every
    response is within H/(2m) of one of them. So the best of these may be mistaken for one that is worse by
    t + 2H/m only if a mean of D, which expects t + H/m, is at most H/m: with a chance of (m-1) e^(-N t^2/2).

    Args:
        draws: N
        failure: the chance that the bound fails
        responses: m, of each query; None if they are infinitely many
        variation: V, of the utility as a function of one quantity; None if it has no bound
        travel: H, of the utility as a function of a response from an interval; None if it has no bound
        queries: T, how many are answered from the same draws
        adaptive: whether queries may depend on earlier answers

    Returns:
        the smallest of these bounds, at most 1, which is always true
    """
    n, chance = whole_number(draws, "draws"), float(strictly_within(failure, "failure"))
    asked = whole_number(queries, "queries")
    found = [1.0]
    if responses is not None:
        m = whole_number(responses, "responses")
        if m == 1:
            return 0.0
        every = asked * math.log(m)
        ways = every + math.log(-math.expm1(-every)) if adaptive else math.log(asked * (m - 1))
        found.append(math.sqrt(2 * max(0.0, ways - math.log(chance)) / n))
    if variation is not None:
        found.append(float(zero_or_above(variation, "variation")) * loss_per_variation(draws, failure))
    if travel is not None and asked == 1:
        way = float(zero_or_above(travel, "travel"))
        found += [
            math.sqrt(2 * math.log((2**places - 1) / chance) / n) + 2 * way / 2**places
            for places in range(1, 50)
        ]
    return min(found)


def loss_per_variation(draws: int, failure: object) -> float:
    """Return sqrt(2 ln(2/failure)/N): what a utility that varies by 1 loses; printed as Lemma 11 for all."""
    return math.sqrt(
        2 * math.log(2 / float(strictly_within(failure, "failure"))) / whole_number(draws, "draws")
    )


def expected_prior_loss(divergence: float) -> float:
    """Return what the prior xi instead of one's own xi* loses at most, on average over data expected by xi*.

    The expected divergence of the posteriors is at most that of the priors, d = KL(xi*, xi) (Lemma 15). Their
    distance is at most sqrt(2 d) (Pinsker) and 2 sqrt(1 - e^-d) (Bretagnolle, Huber), both concave in d, and
    the loss at most the distance (Lemma 14).

    Args:
        divergence: KL(xi*, xi), in nats; infinite if unknown

    Returns:
        at most 1, which is always true
    """
    if not divergence >= 0:
        raise NumberError("divergence is out of range", asked=shown(divergence), allowed="0 or more")
    return min(1.0, math.sqrt(2 * divergence), 2 * math.sqrt(-math.expm1(-divergence)))
