"""Bounds of "Differentially Private Bayesian Inference" (mechanisms calibrated to a Hellinger distance).

k counts of n records, n public, one record replaced; prior Dirichlet(alpha). Theorem 3.1 says that LSDim,
LSHist, EHD and EHDS are epsilon-differentially private. EHDL is offered beside them without a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privior.checks import above_zero, whole_number
from privior.errors import NumberError, shown
from privior.exact import round_up
from privior.interval_arithmetic import arb, flint
from privior.papers.published.statement import Paper, Published, Verdict
from privior.privacy.hellinger import global_sensitivity_above
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.signed_steps import SignedSteps

PAPER = Paper("Differentially Private Bayesian Inference", year=2020)


def theorem_3_1_laplace(epsilon: object, levels: int, calibrated: str = "LSHist") -> Published:
    """Theorem 3.1 for LSHist and LSDim: Laplace noise on k-1 counts, the last by subtraction.

    One record moves min(2, k-1) of those counts by one, so noise of scale s costs min(2, k-1)/s, and clamping
    does not change that. LSHist has s = min(2, k-1)/epsilon. LSDim has s = k/epsilon: it pays for k moved
    counts and costs 2/k epsilon, or epsilon/2 for two levels.
    """
    nominal, k = above_zero(epsilon, "epsilon"), whole_number(levels, "levels", 2)
    moved = min(2, k - 1)
    if calibrated not in ("LSHist", "LSDim"):
        raise NumberError("no such mechanism", asked=shown(calibrated), allowed="LSHist, LSDim")
    pair = SignedSteps(nominal / (moved if calibrated == "LSHist" else k), moved)
    better = round_up(pair.pure)
    formula, place = "epsilon", f"Theorem 3.1 ({calibrated})"
    if pair.pure == nominal:
        judged = Verdict.SOUND, "the noise is that of the counts that one record moves"
    else:
        judged = Verdict.LOOSE, "the noise grows with the levels, while one record moves two counts"
    return PAPER.states(place, formula, "epsilon", round_up(nominal), judged, pair, better)


def theorem_3_1_exponential(epsilon: object, prior: Sequence[object], records: int) -> Published:
    """Theorem 3.1 for EHD: weight exp(-epsilon H / (2 GS)) on candidate posteriors, GS = sqrt(1 - pi/4).

    H is the Hellinger distance to the true posterior. The printed GS is its global sensitivity only where
    both smallest prior parameters are 1 (and k >= 3 or n = 1). With the true one, `hellinger_sensitivity`,
    EHD is epsilon-private by the exponential mechanism; with the printed one, epsilon GS_true / GS_printed.
    """
    nominal = above_zero(epsilon, "epsilon")
    true = Fraction(hellinger_sensitivity(prior, records))
    ratio = upper(lambda: ball(true) / _printed().sqrt())
    cost = nominal * Fraction(ratio)
    formula, place = "epsilon, with GS = sqrt(1 - pi/4)", "Theorem 3.1 (EHD)"
    if ratio > 1 + 1e-9:
        verdict = Verdict.FALSE
        reason = "the printed sensitivity is below the true one; for tiny priors the claim itself fails"
    else:
        verdict = Verdict.LOOSE
        reason = "it holds; wherever all candidates were enumerated, the cost is below two thirds of epsilon"
    pair = SignedSteps(cost)
    return PAPER.states(place, formula, "epsilon", round_up(nominal), (verdict, reason), pair, round_up(cost))


def theorem_3_1_smooth(epsilon: object, smoothing: object = 1) -> Published:
    """Theorem 3.1 for EHDS: weight exp(-epsilon H / (4 S)), S the gamma-smooth sensitivity.

    1/S changes by at most gamma between neighbours and H by at most LS <= S, where H <= 1: the exponent
    H/S changes by at most 1 + gamma, so the mechanism costs epsilon (1 + gamma) / 2. For gamma = 1 that is
    the claim; gamma < 1 costs less. For gamma > 1 this proof gives more than the claim, and rightly: as gamma
    grows, S becomes the local sensitivity and the mechanism EHDL at epsilon/2, which breaks it.
    """
    nominal, gamma = above_zero(epsilon, "epsilon"), above_zero(smoothing, "smoothing")
    cost = nominal * (1 + gamma) / 2
    place, formula = "Theorem 3.1 (EHDS)", "epsilon, weight exp(-epsilon H / (4 S))"
    if gamma > 1:
        judged = Verdict.FALSE, "the 4 is 2 (1 + gamma) at gamma = 1; a larger gamma needs more"
    elif gamma == 1:
        judged = Verdict.SOUND, "the 4 is 2 (1 + gamma) at gamma = 1"
    else:
        judged = Verdict.LOOSE, "2 (1 + gamma) in place of the 4 is enough"
    pair, better = SignedSteps(cost), round_up(cost)
    return PAPER.states(place, formula, "epsilon", round_up(nominal), judged, pair, better)


def hellinger_sensitivity(prior: Sequence[object], records: int) -> float:
    """Return the largest Hellinger distance of two neighbours' posteriors, rounded up.

    Between Dirichlet(w + e_i) and Dirichlet(w + e_j) its square is 1 - phi(w_i) phi(w_j), phi(t) =
    G(t + 1/2) / (G(t) sqrt t), which increases in t: largest where w is smallest.
    """
    cells, n = [above_zero(cell, "prior") for cell in prior], whole_number(records, "records")
    if len(cells) < 2:
        raise NumberError("a table has two cells at least", asked=shown(prior))
    return global_sensitivity_above(cells, n)


def printed_sensitivity() -> float:
    """Return sqrt(1 - pi/4), which the paper takes for the global sensitivity whatever the prior."""
    return upper(lambda: _printed().sqrt())


def _printed() -> arb:
    return 1 - flint.arb.pi() / 4
