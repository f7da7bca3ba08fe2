"""Corollaries 4.5.1 to 4.5.3 of "Differentially Private Bayesian Inference": when LSHist is better than EHD.

The corollaries are about numbers of records, printed as O(.); their proofs name the numbers that are
the values here. Whether the mechanism named is the better one is decided by the exact laws of `TwoLevels`.
"""

from __future__ import annotations

import math

from hellinger_accuracy import within_steps
from two_level_release import Mask, TwoLevels

from privior.checks import above_zero
from privior.errors import PlanError
from privior.papers.published import Published, Verdict
from privior.papers.published.hellinger import PAPER, printed_sensitivity


def corollary_4_5_1(case: TwoLevels, epsilon: object, distance: float) -> Published:
    """Corollary 4.5.1: with more than (2k+1) e^epsilon / (1 - e^(-k epsilon)) records LSHist is better.

    That is, nearer than t with a larger chance. It rests on the upper bound of Theorem 4.5, where
    e^epsilon should be e^(epsilon/(2 GS)), and on its first line, which counts steps
    upwards only: together they fail for a very large epsilon. k = 0 says nothing.
    """
    k, e = _steps(case, distance), float(above_zero(epsilon, "epsilon"))
    bound = (2 * k + 1) * math.exp(e) / -math.expm1(-k * e)
    formula = "N > (2k + 1) e^epsilon / (1 - e^(-k epsilon)): LSHist"
    near = case.distances < distance
    return _judged("Corollary 4.5.1", formula, bound, case, epsilon, near, above_it=True)


def corollary_4_5_2(case: TwoLevels, epsilon: object, distance: float) -> Published:
    """Corollary 4.5.2: with fewer than (2 k e^-epsilon + 1) / P records EHD is better.

    P = 1 - (e^(-k epsilon) + e^(-(k+1) epsilon))/2. Near an end clamping helps LSHist, and EHD has no
    candidates beyond it: both lines of Theorem 4.5 it rests on fail there.
    """
    k, e = _steps(case, distance), float(above_zero(epsilon, "epsilon"))
    bound = (2 * k * math.exp(-e) + 1) / within_steps(k, e)
    formula = "N < (2 k e^-epsilon + 1) / (1 - (e^(-k epsilon) + e^(-(k+1) epsilon))/2): EHD"
    near = case.distances < distance
    return _judged("Corollary 4.5.2", formula, bound, case, epsilon, near, above_it=False)


def corollary_4_5_3(case: TwoLevels, epsilon: object) -> Published:
    """Corollary 4.5.3: with more than 3 e^(epsilon/(2 GS)) / (1 - e^-epsilon) records LSHist is better.

    That is, within LS with a larger chance. True if the neighbours are the only candidates within LS:
    EHD then is there with a chance of at most 3/(N e^(-epsilon/(2 GS))), LSHist with 1 - e^-epsilon at least.
    A tiny prior beside a single record brings nearly every candidate within LS, and then EHD may be ahead.
    """
    e = float(above_zero(epsilon, "epsilon"))
    bound = 3 * math.exp(e / (2 * printed_sensitivity())) / -math.expm1(-e)
    formula = "N > 3 e^(epsilon/(2 GS)) / (1 - e^-epsilon): LSHist"
    return _judged("Corollary 4.5.3", formula, bound, case, epsilon, case.near_as_neighbours, above_it=True)


def _judged(
    place: str, formula: str, bound: float, case: TwoLevels, epsilon: object, near: Mask, *, above_it: bool
) -> Published:
    far = ~near  # what is missed is summed: chances near 1 would lose their digits
    laplace, exponential = (float(law[far].sum()) for law in (case.lshist(epsilon), case.ehd(epsilon)))
    found = f"LSHist misses with chance {laplace:.4g}, EHD with {exponential:.4g}"
    if (case.records > bound) is not above_it or case.records == bound:
        judged = Verdict.VACUOUS, f"it is about another number of records; {found}"
    elif (laplace < exponential) is above_it and laplace != exponential:
        judged = Verdict.LOOSE, f"it holds here: {found}"
    else:
        judged = Verdict.FALSE, found
    return PAPER.states(place, formula, "records", bound, judged)


def _steps(case: TwoLevels, distance: float) -> int:
    k = case.steps(distance)
    if k < 1:
        raise PlanError(
            "the corollary is for at least one step", asked=distance, advice="Take a larger distance."
        )
    return k
