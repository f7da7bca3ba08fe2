"""Bounds of "Differential Privacy for Bayesian Inference through Posterior Sampling", for an analysed model.

Each lemma and theorem beside what is exact. `theorems` takes what `analyse` found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

import privior.papers.normal_constants  # noqa: F401 - the families of several parameters register there
from privior.exact import rational
from privior.papers import constants
from privior.papers.distinguishing import le_cam, lemma_12, most_parts, theorem_13
from privior.papers.published import Published, Verdict
from privior.papers.published.posterior_sampling import theorem_8_stochastic
from privior.papers.stochastic_lipschitz import Concentration
from privior.pictures import ErrorCurve
from privior.privacy.pairs import both_orders
from privior.smoothness.distances import Replaced
from privior.smoothness.findings import COARSE, AnalysedModel, counted, finite
from privior.smoothness.findings import number_shown as _shown

#: a constant C beyond this, as a logarithm, is never put into a formula
_LARGEST_LOG = 300.0


def theorems(found: AnalysedModel) -> Theorems:
    """Return what the lemmas and theorems of the paper make of an analysed model."""
    return Theorems(found.subject, found.records, found.draws, found.failure)


@dataclass(frozen=True)
class Theorems(AnalysedModel):
    """What was found by analysing a model, and what the paper's lemmas and theorems make of it."""

    # The assumptions

    @cached_property
    def concentration(self) -> Concentration | None:
        """The best c and L0 of Assumption 2; None if no c does."""
        return constants.concentration(self.subject)

    @cached_property
    def log_ratio(self) -> float | None:
        """The natural logarithm of C, for all n records together; None if it was not computed."""
        return constants.log_ratio(self.subject, self.records)

    @cached_property
    def necessary(self) -> float | None:
        """Theorem 6 rules out every epsilon below this, per unit of distance."""
        return constants.necessary(self.subject, self.records)

    @property
    def _known(self) -> tuple[Concentration, float] | None:
        """The constants of Assumption 2 and C; None if they are not known or huge."""
        found, ratio = self.concentration, self.log_ratio
        if found is None or ratio is None or ratio > _LARGEST_LOG:
            return None
        return found, math.exp(ratio)

    # Robustness

    @property
    def printed_epsilon(self) -> float:
        """2 N L rho, Theorem 8(1)."""
        return 2 * self.draws * self.slope * self.subject.distance.reach

    @cached_property
    def divergence(self) -> tuple[float, float]:
        """Theorem 7(1), 2 L rho, and the Kullback-Leibler divergence of one draw at most."""
        exact = min((both_orders(pair).renyi(1.0) for pair in self.pairs(1)), default=math.inf)
        return 2 * self.slope * self.subject.distance.reach, exact

    @cached_property
    def variation(self) -> Published | None:
        """Theorem 8(2): as printed and as proved anew; None if its constants are not known or huge."""
        if self._known is None:
            return None
        found, ratio = self._known
        reach = Fraction(self.subject.distance.reach)
        c, base = Fraction(min(found.rate, 1e300)), Fraction(found.start)
        return theorem_8_stochastic(c, base, Fraction(ratio), reach, self.draws)

    @cached_property
    def corollary_9(self) -> tuple[float, bool | None]:
        """The level at which it promises 2L-privacy but for `failure`, and whether that is so, if known.

        It is so from L of Assumption 1 on. Below, what is proved may do, if all records are as far apart; it
        is not so where Theorem 6 rules it out, or where some neighbours reach what is proved.
        """
        found = self.concentration
        if found is None:
            return math.inf, None
        level = found.level(float(rational(self.failure, "failure")))
        promised = 2 * level * self.subject.distance.reach
        proved = self.largest_loss(self.pairs(1))
        alike = isinstance(self.subject.distance, Replaced)
        if level >= self.slope or (alike and proved <= promised):
            return level, True
        reached = proved > promised and constants.tight(self.subject, self.records)
        return level, False if reached or (self.necessary or 0.0) > 2 * level else None

    # Adversaries

    @cached_property
    def theorem_13(self) -> Published | None:
        """What Theorem 13 says of the worst neighbours; None if neither assumption gives a number."""
        steep = self.slope
        if math.isinf(steep):
            steep = 0.0 if self._known is None else self._known[1] * self._known[0].scale / 2
        if steep == 0:
            return None
        distance = Fraction(self.subject.distance.reach)
        return theorem_13(Fraction(steep), self.draws, self.failure, distance, self.accuracy.high)

    @property
    def lemma_12(self) -> Published:
        """Lemma 12 for as many parts as it allows, two at least."""
        return lemma_12(max(2, most_parts(self.failure)), self.draws, self.failure)

    @cached_property
    def le_cam(self) -> tuple[float, str]:
        """How far any guess of the data is off on average, for some data; and for which."""
        best = le_cam(Fraction(self.subject.distance.reach), self.delta(0.0)), "one record replaced"
        mirrored = {one.about: one for one in self.contrasts}  # alike: keep one
        for one in mirrored.values() if self.draws <= 1000 else ():
            apart = one.with_draws(self.draws, COARSE).total_variation.high
            found = le_cam(Fraction(one.distance), apart)
            if found > best[0]:
                best = found, one.about
        return best

    def mass_rows(self) -> list[tuple[float, float, float]]:
        """Return levels, the prior's mass of smoother parameters, and what (c, L0) promise of it."""
        one, found = self.subject, self.concentration
        top = one.roughest
        if math.isinf(top):
            top = constants.farthest(one) if found is None else found.start + 7 / found.rate
        levels = np.unique(np.linspace(max(one.smoothest, top / 50), top, 25))
        inside = 1 - one.outside(levels)
        return [
            (float(at), float(mass), 0.0 if found is None else found.inside(float(at)))
            for at, mass in zip(levels, inside, strict=True)
        ]

    # In words

    def facts(self) -> list[tuple[str, str]]:
        """Say what was found, as named facts: the guarantee, the best test and the cut first."""
        leading = self._leading_facts()
        return [
            *leading,
            ("Assumption 1", self._assumption_1()),
            ("Assumption 2", self._assumption_2()),
            ("Lemma 5", self._lifting()),
            ("Theorem 6", self._necessary()),
            ("C", self._ratio_in_words()),
            ("Theorem 7", self._robust()),
            ("Theorem 8", self._variation_in_words()),
            ("Corollary 9", self._corollary()),
            ("Lemma 12", self._lemma_12()),
            ("Theorem 13", self._theorem_13()),
            ("Le Cam", self._le_cam()),
            ("Theorem 17", leading[-1][1]),
        ]

    def _assumption_1(self) -> str:
        if math.isinf(self.slope):
            return f"does not hold: L is infinite ({self.subject.advice})"
        printed, eta = self.printed_epsilon, self.subject.oscillation
        return (
            f"holds with L = {_shown(self.slope)}: epsilon 2 N L rho = {_shown(printed)}; the log likelihood "
            f"ratio varies by {_shown(eta)} only, so N times that is enough; proved: {_shown(self.epsilon)}"
        )

    def _assumption_2(self) -> str:
        found = self.concentration
        if found is None:
            return "does not hold with any c above 0"
        how, most = "holds best", ""
        if self.subject.mass_bounded:
            how, most = "holds, by a bound of the mass,", "at most "
        mean = f"{most}{_shown(found.mean)}"
        if math.isinf(found.rate):
            return f"{how} with L0 = L = {_shown(found.start)} and any c; mean slope {mean}"
        return (
            f"{how} with c = {_shown(found.rate)}, L0 = {_shown(found.start)}: L0 + 1/c = "
            f"{_shown(found.scale)}, where the mean slope is {mean}"
        )

    def _lifting(self) -> str:
        if math.isinf(self.slope) and self.concentration is None:
            return "says nothing: neither assumption holds for one record"
        return (
            f"L, c and L0 are the same for {counted(self.records, 'record')} under the sum of their "
            "distances; C is not: it is that of all records together"
        )

    def _necessary(self) -> str:
        if self.necessary is None:
            return "was not computed"
        if self.necessary <= 0:
            return "rules out no epsilon here"
        exact = "the loss is unbounded"
        if math.isfinite(self.epsilon):
            exact = f"proved {_shown(self.epsilon / self.draws / self.subject.distance.reach)}"
        return (
            f"no draw is private at an epsilon below {_shown(self.necessary)} per unit of distance; "
            f"necessary, not enough: {exact}"
        )

    def _ratio_in_words(self) -> str:
        log = self.log_ratio
        if log is None:
            return "was not computed"
        if math.isinf(log):
            return "infinite: a likelihood is unbounded"
        most = "at most " if constants.ratio_bounded(self.subject) else ""
        value = f"{math.exp(log):.6g}" if log < 30 else f"10^{log / math.log(10):.1f}"
        return f"{most}{value} for {counted(self.records, 'record')}"

    def _robust(self) -> str:
        printed, exact = self.divergence
        said = "says nothing, L is infinite" if math.isinf(printed) else f"KL <= 2 L rho = {_shown(printed)}"
        known = "it may be infinite" if math.isinf(exact) else f"it is at most {_shown(exact)}"
        return f"{said}; {known}"

    def _variation_in_words(self) -> str:
        claim = self.variation
        if self.concentration is None:
            said = "vacuous: Assumption 2 does not hold"
        elif claim is None:
            said = "vacuous: C is infinite, unknown or beyond all numbers"
        else:
            better, bound = claim.better or 0.0, "TV <= sqrt(C (L0 + 1/c) rho N)/2"
            said = f"vacuous: {bound} is above 1" if better >= 1 else f"{bound} = {_shown(better)}"
            said += f" (as printed {_shown(claim.value)})"
        return f"{said}; it is at most {_shown(self.delta(0.0))}"

    def _corollary(self) -> str:
        level, holds = self.corollary_9
        if math.isinf(level):
            return "says nothing without Assumption 2"
        event = {
            True: "that is so, always",
            False: "that is not so: the event has probability 0",
            None: "whether that is so is not known",
        }[holds]
        instead = " Cut the prior to the parameters of slope L instead: Theorem 17 below" * bool(self.trade)
        return (
            f"at L = {_shown(level)} it promises 2L-privacy but for a chance {self.failure} over the prior; "
            f"the event contains no parameter, and {event}. It does not mean that a draw is private with "
            f"that chance.{instead}"
        )

    def _lemma_12(self) -> str:
        claim = self.lemma_12
        verdict = f"{claim.verdict.value}: {claim.reason}"
        return f"shares of the draws in few parts are within {_shown(claim.value)} ({verdict})"

    def _theorem_13(self) -> str:
        claim = self.theorem_13
        if claim is None:
            return "says nothing: neither assumption gives a number"
        return (
            f"a tester who compares shares needs rho >= {_shown(claim.value)}, which is necessary for it and "
            f'enough for nothing; read as "if", as printed: {claim.verdict.value}, {claim.reason}'
        )

    def _le_cam(self) -> str:
        off, about = self.le_cam
        return (
            f"whoever guesses the data from {counted(self.draws, 'draw')} is off by {_shown(off)} at least, "
            f"on average, for some data ({about})"
        )

    # As a document and as pictures

    def to_document(self) -> dict[str, object]:
        """Write what was found as plain values, for JSON; null is infinite or unknown."""
        found, (level, holds), eighth = self.concentration, self.corollary_9, self.variation
        return {
            **self._leading_document("theorem_17"),
            "assumption_1": {
                "holds": self.slope < math.inf,
                "L": finite(self.slope),
                "epsilon": finite(self.printed_epsilon),
            },
            "assumption_2": found
            and {
                "c": finite(found.rate),
                "L0": found.start,
                "scale": found.scale,
                "mean": finite(found.mean),
            },
            "mass": [
                {"L": at, "mass": mass, "promised": promised} for at, mass, promised in self.mass_rows()
            ],
            "mass_is_a_bound": self.subject.mass_bounded,
            "theorem_6": self.necessary,
            "log_C": finite(self.log_ratio),
            "C_is_a_bound": constants.ratio_bounded(self.subject),
            "theorem_7": {"bound": finite(self.divergence[0]), "at_most": finite(self.divergence[1])},
            "theorem_8": eighth
            and {
                "printed": eighth.value,
                "bound": eighth.better,
                "vacuous": (eighth.better or 0.0) >= 1,
                "at_most": self.delta(0.0),
            },
            "corollary_9": {"level": finite(level), "holds": holds},
            "lemma_12": _statement(self.lemma_12),
            "theorem_13": _statement(self.theorem_13),
            "le_cam": {"at_least": self.le_cam[0], "data": self.le_cam[1]},
        }

    def picture(self) -> ErrorCurve:
        """Draw the mass of L-Lipschitz parameters against L, and the best promise of Assumption 2."""
        rows = self.mass_rows()
        least = " at least" if self.subject.mass_bounded else ""
        return ErrorCurve(
            [at for at, _, _ in rows],
            {f"mass of smoother parameters{least}": [mass for _, mass, _ in rows]}
            | {"promised by the best c and L0": [promised for _, _, promised in rows]},
            title="How smooth the likelihood is under the prior",
            y_label="prior probability",
            x_label="slope L",
            note=self.subject.words,
        )

    def pictures(self) -> Sequence[ErrorCurve]:
        """Draw the mass, the best test by number of draws, and utility against privacy, if there are any."""
        return [self.picture(), *self._leading_pictures()]


def _statement(claim: Published | None) -> dict[str, object] | None:
    if claim is None:
        return None
    vacuous, verdict = claim.verdict is Verdict.VACUOUS, claim.verdict.value
    return {"printed": claim.value, "verdict": verdict, "vacuous": vacuous, "reason": claim.reason}
