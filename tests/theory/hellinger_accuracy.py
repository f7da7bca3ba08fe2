"""Section 4 of "Differentially Private Bayesian Inference": the accuracy of LSHist and EHD, two levels.

H is the Hellinger distance of the released posterior to the true one, LS the local sensitivity, and ELap the
distance that LSHist keeps but for a chance `failure`. The paper prints orders, O(.); where its proof names a
number, that is the value here. Each statement is compared with the exact laws of `TwoLevels`.
"""

from __future__ import annotations

import math

from two_level_release import TwoLevels

from privior.checks import above_zero, strictly_within, whole_number
from privior.errors import PlanError
from privior.papers.published import Published, Verdict
from privior.papers.published.hellinger import PAPER

#: ELap/LS is at most this times the number of steps, rounded up, wherever it was computed
_PER_STEP = 1.5


def theorem_4_1(case: TwoLevels, epsilon: object, failure: object) -> Published:
    """Theorem 4.1: ELap/(epsilon LS) is bounded in the number of records.

    True for a fixed epsilon and failure: the noise stays within K = ln(1/failure)/epsilon steps, and so many
    steps are at most 1.5 (K + 1) times LS long. The bound is of order K/epsilon, and says nothing of
    optimality: no lower bound is shown. The value is the exact ratio.
    """
    e, chance = above_zero(epsilon, "epsilon"), strictly_within(failure, "failure")
    value = case.laplace_error(e, float(chance)) / (float(e) * case.sensitivity)
    reason = "bounded in the records, by about ln(1/failure)/epsilon^2; that it is optimal is not shown"
    return PAPER.states("Theorem 4.1", "O(1)", "ELap/(epsilon LS)", value, (Verdict.SOUND, reason))


def theorem_4_2(case: TwoLevels, epsilon: object) -> Published:
    """Theorem 4.2: at failure e^-epsilon, ELap/(epsilon LS) is O(epsilon).

    Its proof ends with 1/epsilon, which is right as a bound, since ELap <= LS; as epsilon falls, the ratio
    grows.
    """
    e = float(above_zero(epsilon, "epsilon"))
    ratio = case.laplace_error(epsilon, math.exp(-e)) / (e * case.sensitivity)
    if ratio > e:
        judged = Verdict.FALSE, "the proof has 1/epsilon; the ratio grows as epsilon falls"
    else:
        judged = Verdict.LOOSE, "it holds for a large epsilon only"
    return PAPER.states("Theorem 4.2", "O(epsilon)", "ELap/(epsilon LS)", e, judged, better=ratio)


def theorem_4_3(case: TwoLevels, epsilon: object, failure: object) -> Published:
    """Theorem 4.3: ELap/LS is O(K), K = ln(1/failure)/epsilon.

    Rounding down makes one step even of little noise, so the ratio may be 1 however small K is. From K = 1
    on it is at most 1.5 (K + 1) <= 3 K wherever it was computed.
    """
    steps = math.log(1 / strictly_within(failure, "failure")) / float(above_zero(epsilon, "epsilon"))
    ratio = case.laplace_error(epsilon, float(strictly_within(failure, "failure"))) / case.sensitivity
    if ratio > 2 * _PER_STEP * steps:
        judged = Verdict.FALSE, "rounding makes a whole step of noise below one"
    else:
        judged = Verdict.SOUND, "up to a factor 3, as far as computed"
    return PAPER.states("Theorem 4.3", "O(K)", "ELap/LS", steps, judged, better=ratio)


def theorem_4_4(steps: int, epsilon: object) -> Published:
    """Theorem 4.4: for failure e^(-k epsilon), ln(1/failure)/epsilon is O(k).

    That is how the failure was chosen. (The exponent is printed without its sign.) The proof says that LSHist
    is within k steps with a chance of at most 1 - e^(-k epsilon); needed is at least, and so it is:
    1 - (e^(-k epsilon) + e^(-(k+1) epsilon))/2, which is `better`.
    """
    k, e = whole_number(steps, "steps"), float(above_zero(epsilon, "epsilon"))
    reason = "an identity; its proof bounds the chance on the wrong side"
    return PAPER.states(
        "Theorem 4.4",
        "P[within k steps] <= 1 - e^(-k epsilon)",
        "chance",
        -math.expm1(-k * e),
        (Verdict.VACUOUS, reason),
        better=within_steps(k, e),
    )


def corollary_4_4_1(case: TwoLevels, epsilon: object) -> Published:
    """Corollary 4.4.1: at failure (e^-epsilon + e^(-2 epsilon))/2, ELap/LS is below 2.

    The noise then is one step at most, so ELap <= LS.
    """
    e = float(above_zero(epsilon, "epsilon"))
    ratio = case.laplace_error(epsilon, 1 - within_steps(1, e)) / case.sensitivity
    reason = "with that chance LSHist moves one step at most, so 1 is enough"
    return PAPER.states("Corollary 4.4.1", "2", "ELap/LS", 2.0, (Verdict.LOOSE, reason), better=ratio)


def theorem_4_5_laplace(case: TwoLevels, epsilon: object, distance: float) -> Published:
    """Theorem 4.5, first line: P[H(LSHist) < t] = 1 - (e^(-k epsilon) + e^(-(k+1) epsilon))/2.

    k counts the steps upwards that are nearer than t. Downwards there may be fewer, and then the chance is
    less; clamping puts all noise beyond the end on it, and then it is more.
    """
    k, e = case.steps(_distance(distance)), float(above_zero(epsilon, "epsilon"))
    value = within_steps(k, e)
    chance = float(case.lshist(epsilon)[case.distances < distance].sum())
    if chance < value - 1e-12:
        judged = Verdict.FALSE, "fewer steps downwards than upwards are near"
    else:
        judged = Verdict.LOOSE, "at least that: clamping and shorter steps downwards help"
    formula = "1 - (e^(-k epsilon) + e^(-(k+1) epsilon))/2"
    return PAPER.states("Theorem 4.5 (LSHist)", formula, "chance", value, judged, better=chance)


def theorem_4_5_exponential(
    case: TwoLevels, epsilon: object, distance: float, *, upper: bool, local: bool = False
) -> Published:
    """Theorem 4.5, second and third line: (2 k f + 1)/N < P[H(EHD) < t] < (2 k + 1)/(N f).

    f = e^-epsilon, or e^(-epsilon/(2 LS)) with the local sensitivity. There are N + 1 candidates, not N, of
    which `near_bounds` counts the near ones on both sides; and e^-epsilon should be e^(-epsilon/(2 GS)),
    which is smaller. `better` is the exact chance.
    """
    e, k, n = float(above_zero(epsilon, "epsilon")), case.steps(_distance(distance)), case.records
    sensitivity = case.sensitivity if local else None
    factor = math.exp(-e / (2 * case.sensitivity)) if local else math.exp(-e)
    chance = float(case.ehd(epsilon, sensitivity)[case.distances < distance].sum())
    line = "EHDL" if local else "EHD"
    if upper:
        value = (2 * k + 1) / (n * factor) if factor > 0 else math.inf
        formula, holds = "(2k + 1)/(N f)", chance < value
        wrong = "more candidates are near, or the last step of its proof goes the wrong way"
    else:
        value = (2 * k * factor + 1) / n
        formula, holds = "(2 k f + 1)/N", chance > value
        wrong = "fewer candidates are near, and there are N + 1 of them, not N"
    verdict = Verdict.LOOSE if holds else Verdict.FALSE
    reason = "it holds here; the chance can be computed" if holds else wrong
    place = f"Theorem 4.5 ({line}, {'upper' if upper else 'lower'})"
    return PAPER.states(place, formula, "chance", value, (verdict, reason), better=chance)


def near_bounds(near: int, records: int, exponent: float) -> tuple[float, float]:
    """Return sound bounds of the chance that EHD is near: `near` candidates besides the true one are.

    All weights lie in [e^-s, 1], s = epsilon/(2 GS) or epsilon/(2 LS), and that of the truth is 1: with K
    near and N - K others, (1 + K e^-s)/(1 + K e^-s + N - K) and (1 + K)/(1 + K + (N - K) e^-s).
    """
    others, factor = whole_number(records, "records") - whole_number(near, "near", 0), math.exp(-exponent)
    if others < 0:
        raise PlanError("more candidates are near than there are", asked=near, allowed=records)
    low = 1 + near * factor
    return low / (low + others), (1 + near) / (1 + near + others * factor)


def within_steps(steps: int, epsilon: float) -> float:
    """Return P[-k <= floor(noise) <= k] for Laplace noise of scale 1/epsilon."""
    return 1 - (math.exp(-steps * epsilon) + math.exp(-(steps + 1) * epsilon)) / 2


def _distance(distance: float) -> float:
    if not 0 < distance <= 1:
        raise PlanError("a Hellinger distance is out of range", asked=distance, allowed="above 0, at most 1")
    return distance
