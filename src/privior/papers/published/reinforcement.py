"""Section 5 and Appendix A of "Differential Privacy of Dirichlet Posterior Sampling": agents, and slips of
a proof.
"""

from __future__ import annotations

import math
from fractions import Fraction

from privior.checks import above_zero
from privior.papers.published.dirichlet import PAPER, PublishedDraw
from privior.papers.published.statement import Published, Verdict
from privior.privacy.interactions import Moves, posterior_draws, together
from privior.privacy.pairs.balls import ball, upper


def exponential_mechanism(rate: object, smallest: object) -> Published:
    """Section 2.3: the exponential mechanism with score -KL(x, y) and the prior as base measure is
    Dirichlet(r x + a).

    The density is right: exp(-r KL(x, y)) is the product of y_i^(r x_i), up to what does not depend on y. But
    the score has no bounded sensitivity, as KL(x, y) is unbounded when y_i goes to 0: the theorem about
    exponential mechanisms gives epsilon = infinity, in agreement with Proposition 1 (a draw is never pure).
    """
    above_zero(rate, "rate")
    above_zero(smallest, "smallest")
    reason = "the density holds; the score has an infinite sensitivity, so that no privacy follows from it"
    formula = "exp(-r KL(x, y)) prod y_i^(a_i - 1) is the density of Dirichlet(r x + a)"
    return PAPER.states("Section 2.3", formula, "epsilon", math.inf, (Verdict.VACUOUS, reason))


def sensitivity_squared() -> Published:
    """Section 5: D2^2 = 4 of the counts of transitions, one state and action replaced. A self-loop makes
    it 6.
    """
    moves = Moves.of_transitions()
    reason = "two equal transitions (a self-loop with one action) become two others: (-2, 1, 1)"
    judged = Verdict.FALSE, reason
    return PAPER.states("Section 5", "D2^2 = 4", "squared move of the counts", 4, judged, None, moves.squared)


def sensitivity_largest() -> Published:
    """Section 5: Dinf = 1 of the same counts. A self-loop makes it 2."""
    moves = Moves.of_transitions()
    reason = "a self-loop with one action is counted twice, and both may be replaced"
    judged = Verdict.FALSE, reason
    return PAPER.states("Section 5", "Dinf = 1", "largest move of a count", 1, judged, None, moves.largest)


def per_episode(smallest: object, rate: object) -> Published:
    """Section 5: one draw of all rows at order 2, by Corollary 3 with D2^2 = 4 and Dinf = 1.

    The paper says that it solves (13), which is about (epsilon, delta); for a divergence of order 2 it can
    only have solved (10), with a = 10 and order 2. The true one is the worst of the patterns of a step.
    """
    draw = PublishedDraw.of(smallest, rate, 4, 1)
    value = upper(lambda: draw.bound(Fraction(2)))
    pair = together(posterior_draws(Moves.of_transitions(), draw.smallest, draw.rate, 1))
    better = pair.renyi(2.0)
    false = better > value
    reason = (
        "a step with a self-loop loses more than is claimed"
        if false
        else "here Corollary 3 gives away more than the sensitivity claims too little; elsewhere it fails"
    )
    verdict = Verdict.FALSE if false else Verdict.LOOSE
    formula = "D_2 <= r^2 4 psi'(a - r)"
    return PAPER.states(
        "Section 5, per episode",
        formula,
        "Renyi divergence of order 2",
        value,
        (verdict, reason),
        pair,
        better,
    )


def total(smallest: object, rate: object, episodes: int) -> Published:
    """Section 5: all draws together, episodes times one; rewards by "(infinity, .5)-RDP" noise are added
    to it.

    No Gaussian noise has a finite divergence of order infinity, so that the total of (2, e + .5) does not
    follow as it is said; noise with (2, .5) exists.
    """
    one = per_episode(smallest, rate)
    draw = PublishedDraw.of(smallest, rate, 4, 1)
    value = upper(lambda: ball(episodes) * draw.bound(Fraction(2)) + ball(Fraction(1, 2)))
    pair = together(posterior_draws(Moves.of_transitions(), draw.smallest, draw.rate, episodes))
    reason = "draws lose what their patterns do; (infinity, .5) is no property of Gaussian noise"
    formula = "D_2 <= T r^2 4 psi'(a - r) + 1/2"
    judged = Verdict.FALSE, reason
    better = pair.renyi(2.0) + 0.5 if one.better is not None else None
    return PAPER.states(
        "Section 5, total", formula, "Renyi divergence of order 2", value, judged, pair, better
    )


def appendix_a() -> tuple[Published, ...]:
    """Slips of Appendix A, none of which reaches Theorem 2: a sign, a word, and a strict inequality.

    "psi' is increasing": it decreases, and the bounds that follow use that. In the case x_i <= x'_i the
    difference is printed as (l - 1)(x'_i - x_i), which is not negative; it is (l - 1)(x_i - x'_i).
    "> a - g" is "=" when the largest move is reached.
    """
    slips = (
        ("psi' is increasing", "it is decreasing, and the argument uses that"),
        ("u_i + (l-1)(u_i - u'_i) = x_i + a_i + (l-1)(x'_i - x_i)", "the sign of the last term is wrong"),
        ("u_i + (l-1)(u_i - u'_i) > a - g(l)", "equality is reached at x_i = 0, x'_i = Dinf"),
    )
    return tuple(
        PAPER.states("Appendix A", formula, "slip", 0.0, (Verdict.FALSE, reason)) for formula, reason in slips
    )
