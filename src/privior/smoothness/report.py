"""What the analysis of a model found: as named facts, as a document and as pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privior.exact import rational
from privior.pictures import ErrorCurve, listing, markup
from privior.privacy.curve import Curve
from privior.privacy.pairs import both_orders
from privior.privacy.published import Published, Verdict
from privior.smoothness.findings import Findings

#: the delta at which an unbounded loss is told
_DELTA = "1e-6"


@dataclass(frozen=True)
class ModelAnalysis(Findings):
    """A model, its prior and a distance of records, analysed for n records and N posterior draws."""

    def facts(self) -> list[tuple[str, str]]:
        """Say what was found, as named facts."""
        distance = self.subject.distance
        found = [
            ("model", self.subject.words),
            ("records", f"{self.records}, their number public; one is replaced"),
            ("draws", f"{self.draws} from the posterior"),
            (
                "distance",
                f"{distance.name}; one replaced record moves the data by {distance.reach:.6g} at most",
            ),
            ("computed", self.subject.computed),
            ("guarantee", self._guarantee_in_words()),
            ("Assumption 1", self._assumption_1()),
            ("Assumption 2", self._assumption_2()),
            ("Lemma 5", self._lifting()),
            ("Theorem 6", self._necessary()),
            ("C", self._ratio_in_words()),
            ("Theorem 7", self._robust()),
            ("Theorem 8", self._variation_in_words()),
            ("Corollary 9", self._corollary()),
            ("best test", self._test_in_words()),
            ("Lemma 12", self._lemma_12()),
            ("Theorem 13", self._theorem_13()),
            ("Le Cam", self._le_cam()),
        ]
        return [*found, ("Theorem 17", self._utility())]

    def _guarantee_in_words(self) -> str:
        if self.pair is None:
            return "none is proved for draws from this posterior; release noisy statistics"
        guess = f"the best guess is right with probability at most {_shown((1 + self.delta(0.0)) / 2)}"
        if refusal := self.subject.refused(self.records):
            guess = f"{guess}. But privior releases no such draws: {refusal}"
        if self.epsilon < math.inf:
            return f"epsilon {_shown(self.epsilon)} (pure); {guess}"
        epsilon = Curve(both_orders(self.pair)).epsilon(_DELTA)
        stated = "no epsilon" if math.isinf(epsilon) else f"epsilon {_shown(epsilon)}"
        return f"no pure one: the loss is unbounded; {stated} at delta {_DELTA}; {guess}"

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
        bounded = self.subject.mass_bounded
        how = "holds, by a bound of the mass," if bounded else "holds best"
        mean = f"{'at most ' if bounded else ''}{_shown(found.mean)}"
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
            f"L, c and L0 are the same for {_records(self.records)} under the sum of their distances; C is "
            "not: it is that of all records together"
        )

    def _necessary(self) -> str:
        if self.necessary is None:
            return "was not computed"
        if self.necessary <= 0:
            return "rules out no epsilon here"
        exact = (
            "the loss is unbounded"
            if math.isinf(self.epsilon)
            else f"proved {_shown(self.epsilon / self.draws / self.subject.distance.reach)}"
        )
        return (
            f"no draw is private at an epsilon below {_shown(self.necessary)} per unit of distance; "
            f"necessary, not enough: {exact}"
        )

    def _ratio_in_words(self) -> str:
        if self.log_ratio is None:
            return "was not computed"
        if math.isinf(self.log_ratio):
            return "infinite: a likelihood is unbounded"
        most = "at most " if self.subject.ratio_bounded else ""
        return f"{most}{_power(self.log_ratio)} for {_records(self.records)}"

    def _robust(self) -> str:
        printed, exact = self.divergence
        said = "says nothing, L is infinite" if math.isinf(printed) else f"KL <= 2 L rho = {_shown(printed)}"
        known = "it may be infinite" if math.isinf(exact) else f"it is at most {_shown(exact)}"
        return f"{said}; {known}"

    def _variation_in_words(self) -> str:
        claim, exact = self.variation, self.delta(0.0)
        if self.concentration is None:
            said = "vacuous: Assumption 2 does not hold"
        elif claim is None:
            said = "vacuous: C is infinite, unknown or beyond all numbers"
        elif (claim.better or 0.0) >= 1:
            said = f"vacuous: TV <= sqrt(C (L0 + 1/c) rho N)/2 is above 1 (as printed {_shown(claim.value)})"
        else:
            better, printed = _shown(claim.better or 0.0), _shown(claim.value)
            said = f"TV <= sqrt(C (L0 + 1/c) rho N)/2 = {better} (as printed {printed})"
        return f"{said}; it is at most {_shown(exact)}"

    def _corollary(self) -> str:
        level, holds = self.corollary_9
        if math.isinf(level):
            return "says nothing without Assumption 2"
        event = {
            True: "that is so, always",
            False: "that is not so: the event has probability 0",
            None: "whether that is so is not known",
        }[holds]
        instead = (
            " Cut the prior to the parameters of slope L instead: Theorem 17 below" if self.trade else ""
        )
        return (
            f"at L = {_shown(level)} it promises 2L-privacy but for a chance {self.failure} over the prior; "
            f"the event contains no parameter, and {event}. It does not mean that a draw is private with "
            f"that chance.{instead}"
        )

    def _test_in_words(self) -> str:
        accuracy = self.accuracy
        said = (
            f"sees {_draws(self.draws)} and is right with probability {_shown(accuracy.high)} at most (50:50)"
        )
        if not self.tests:
            return f"{said}; no posteriors are known, so that is what is proved and not what is reached"
        said += f", and {_shown(accuracy.low)} for the neighbours that are told apart best of those looked at"
        powers = "; ".join(f"{n}: {power}" for n, _, _, power in self.tests)
        return f"{said}; its power at 5% false alarms by number of draws, {self.tests[0][1]}: {powers}"

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
            f"whoever guesses the data from {_draws(self.draws)} is off by {_shown(off)} at least, on "
            f"average, for some data ({about})"
        )

    def _utility(self) -> str:
        if not self.trade:
            return "no cut of this prior has a proved epsilon"
        return "what cutting the prior costs and buys, by level and number of draws: see the table"

    def trades(self) -> tuple[list[str], list[list[str]]]:
        """Return a table: the prior cut at L, draws, epsilon, and what answers lose."""
        header = [
            "slope at most",
            "parameters kept",
            "prior lost",
            "draws",
            "epsilon",
            "2 L N rho",
            "utility lost",
        ]
        reach = self.subject.distance.reach
        rows = [
            [
                f"{cut.level:.4g}",
                cut.words,
                f"{cut.outside:.3g}",
                str(number),
                f"{epsilon:.4g}",
                f"{2 * cut.level * number * reach:.4g}",
                "vacuous" if lost >= 1 else f"{lost:.3g}",
            ]
            for cut, number, epsilon, lost in self.trade
        ]
        return header, rows

    def to_document(self) -> dict[str, object]:
        """Write what was found as plain values, for JSON; null is infinite or unknown."""
        found, (level, holds) = self.concentration, self.corollary_9
        claim, eighth = self.theorem_13, self.variation
        return {
            "model": self.subject.words,
            "records": self.records,
            "draws": self.draws,
            "failure": float(rational(self.failure, "failure")),
            "distance": {"name": self.subject.distance.name, "reach": self.subject.distance.reach},
            "computed": self.subject.computed,
            "guarantee": {
                "epsilon": _finite(self.epsilon),
                "total_variation": self.delta(0.0),
                "best_guess": (1 + self.delta(0.0)) / 2,
                "oscillation": _finite(self.subject.oscillation),
            },
            "assumption_1": {
                "holds": self.slope < math.inf,
                "L": _finite(self.slope),
                "epsilon": _finite(self.printed_epsilon),
            },
            "assumption_2": None
            if found is None
            else {
                "c": _finite(found.rate),
                "L0": found.start,
                "scale": found.scale,
                "mean": _finite(found.mean),
            },
            "mass": [
                {"L": at, "mass": mass, "promised": promised} for at, mass, promised in self.mass_rows()
            ],
            "mass_is_a_bound": self.subject.mass_bounded,
            "theorem_6": self.necessary,
            "log_C": None if self.log_ratio is None else _finite(self.log_ratio),
            "C_is_a_bound": self.subject.ratio_bounded,
            "theorem_7": {"bound": _finite(self.divergence[0]), "at_most": _finite(self.divergence[1])},
            "theorem_8": None
            if eighth is None
            else {
                "printed": eighth.value,
                "bound": eighth.better,
                "vacuous": (eighth.better or 0.0) >= 1,
                "at_most": self.delta(0.0),
            },
            "corollary_9": {"level": _finite(level), "holds": holds},
            "tests": [
                {
                    "draws": number,
                    "data": about,
                    "best_guess": [guess.low, guess.high],
                    "power_at_0.05": [power.low, power.high],
                }
                for number, about, guess, power in self.tests
            ],
            "lemma_12": _statement(self.lemma_12),
            "theorem_13": None if claim is None else _statement(claim),
            "le_cam": {"at_least": self.le_cam[0], "data": self.le_cam[1]},
            "theorem_17": [
                {
                    "level": cut.level,
                    "kept": cut.words,
                    "prior_lost": cut.outside,
                    "draws": number,
                    "epsilon": epsilon,
                    "utility_lost": lost,
                    "vacuous": lost >= 1,
                }
                for cut, number, epsilon, lost in self.trade
            ],
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
        found = [self.picture()]
        if len(self.tests) > 1:
            found.append(
                ErrorCurve(
                    [number for number, *_ in self.tests],
                    {
                        "power at 5% false alarms": [power.high for *_, power in self.tests],
                        "best guess right": [guess.high for _, _, guess, _ in self.tests],
                    },
                    title="What the best test can do with N draws",
                    y_label="probability",
                    x_label="draws",
                    note=f"{self.subject.words}; {self.tests[0][1]}",
                )
            )
        alone = [(cut, lost) for cut, number, _, lost in self.trade if number == 100]
        if len(alone) > 1:
            order = sorted({round(cut.epsilon, 12): lost for cut, lost in alone}.items())
            found.append(
                ErrorCurve(
                    [epsilon for epsilon, _ in order],
                    {"utility lost at most": [lost for _, lost in order]},
                    title="What a cut prior loses, 100 draws",
                    y_label="expected utility lost, on average over data",
                    x_label="epsilon of each draw",
                    note=self.subject.words,
                )
            )
        return found

    def __str__(self) -> str:
        lines = listing.facts(self.facts())
        return "\n".join([*lines, "", *listing.table(*self.trades())] if self.trade else lines)

    def _repr_html_(self) -> str:
        table = [markup.table(*self.trades())] if self.trade else []
        return markup.fragment(
            markup.facts(self.facts()), *table, *(picture.html() for picture in self.pictures())
        )


def _shown(number: float) -> str:
    return "infinite" if math.isinf(number) else f"{number:.6g}"


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number} records"


def _draws(number: int) -> str:
    return "1 draw" if number == 1 else f"{number} draws"


def _power(log: float) -> str:
    """Write e^log."""
    return f"{math.exp(log):.6g}" if log < 30 else f"10^{log / math.log(10):.1f}"


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _statement(claim: Published) -> dict[str, object]:
    return {
        "printed": claim.value,
        "verdict": claim.verdict.value,
        "vacuous": claim.verdict is Verdict.VACUOUS,
        "reason": claim.reason,
    }
