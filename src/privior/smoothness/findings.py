"""What is found by analysing a model: guarantee, best test and cuts, as numbers, in words and as pictures."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.exact import rational
from privior.pictures import ErrorCurve, listing, markup
from privior.privacy.curve import Curve
from privior.privacy.pairs import DominatingPair, both_orders
from privior.smoothness.subject import Contrast, Cut, Subject
from privior.theory.likelihood_ratio import Bounds
from privior.theory.sampling_loss import sampling_loss

#: the delta at which an unbounded loss is told
_DELTA = "1e-6"
_FALSE_ALARM = 0.05
#: points of a grid on which tests are compared
COARSE = 1 << 12


@dataclass(frozen=True)
class AnalysedModel(ABC):
    """A model, its prior and a distance of records, analysed for n records and N posterior draws.

    Attributes:
        subject: what the model says of itself
        records: n, public
        draws: N
        failure: the chance that bounds about draws may fail
    """

    subject: Subject
    records: int
    draws: int
    failure: str

    @abstractmethod
    def facts(self) -> list[tuple[str, str]]:
        """Say what was found, as named facts."""

    @abstractmethod
    def to_document(self) -> dict[str, object]:
        """Write what was found as plain values, for JSON; null is infinite or unknown."""

    @abstractmethod
    def pictures(self) -> Sequence[ErrorCurve]:
        """Draw what was found, the most telling picture first."""

    # Smoothness

    @property
    def slope(self) -> float:
        """L, the largest slope of the log likelihood in the prior's support; infinite if there is none."""
        return self.subject.roughest

    def mass(self, level: float) -> float:
        """Return the prior's chance of parameters of slope at most `level`."""
        return 1 - float(self.subject.outside(np.array([float(level)]))[0])

    # The guarantee

    def pairs(self, draws: int) -> list[DominatingPair]:
        """Return what dominates so many draws: the model's pair, and that of the oscillation."""
        found = self.subject.pair(self.records, draws), self.subject.ranges(draws)
        return [pair for pair in found if pair is not None]

    @cached_property
    def _pairs(self) -> list[DominatingPair]:
        return self.pairs(self.draws)

    @property
    def epsilon(self) -> float:
        """The largest loss of N draws that is proved, rounded up; infinite if it has no bound."""
        return self.largest_loss(self._pairs)

    @staticmethod
    def largest_loss(pairs: Sequence[DominatingPair]) -> float:
        """Return the least of the pairs' largest losses, rounded up; infinite if none has a bound."""
        pures = [float(pair.pure) for pair in pairs if pair.pure is not None]
        return math.nextafter(min(pures), math.inf) if pures else math.inf

    def delta(self, epsilon: float = 0.0) -> float:
        """Return delta at an epsilon, the least that is proved; at 0 it is the total variation."""
        return min((both_orders(pair).delta(epsilon) for pair in self._pairs), default=1.0)

    # The best test

    @cached_property
    def contrasts(self) -> list[Contrast]:
        """Data sets that somebody may want to tell apart."""
        return list(self.subject.contrasts(self.records))

    @cached_property
    def worst(self) -> Contrast | None:
        """The neighbours that are told apart best."""

        def told_apart(one: Contrast) -> tuple[float, float]:
            test = one.with_draws(1, COARSE)
            return -round(test.total_variation.low, 4), -test.power(_FALSE_ALARM).low

        return min((one for one in self.contrasts if one.replaced == 1), key=told_apart, default=None)

    @cached_property
    def tests(self) -> list[tuple[int, str, Bounds, Bounds]]:
        """For several N: the neighbours, how often the best guess is right, and the power at 5%."""
        if (worst := self.worst) is None:
            return []
        numbers = sorted({1, *(n for n in (2, 5, 10, 20, 50, 100) if n <= max(self.draws, 10)), self.draws})
        tests = [(number, worst.with_draws(number)) for number in numbers[:8]]
        return [(number, worst.about, test.accuracy, test.power(_FALSE_ALARM)) for number, test in tests]

    @cached_property
    def accuracy(self) -> Bounds:
        """How often the best guess between the worst neighbours is right, given N draws."""
        low = 0.5 if self.worst is None else self.worst.with_draws(self.draws).accuracy.low
        high = (1 + self.delta(0.0)) / 2
        return Bounds(min(low, high), high)

    # Utility against privacy

    @cached_property
    def trade(self) -> list[tuple[Cut, int, float, float]]:
        """For each cut of the prior and number of draws: the loss of privacy and of expected utility.

        The loss of utility is on average over the data that the uncut prior expects, for utilities of one
        quantity that vary by 1 at most, but for a chance of `failure`: what is cut off, and of the rest what
        the draws lose.
        """
        lost = {
            number: sampling_loss(number, self.failure, variation=1)
            for number in sorted({1, 10, 100, self.draws})
        }
        return [
            (cut, number, number * cut.epsilon, outside + (1 - outside) * loss)
            for cut in self.subject.cuts(self.records)
            for outside in [min(1.0, cut.outside)]
            for number, loss in lost.items()
        ]

    def trades(self) -> tuple[list[str], list[list[str]]]:
        """Return a table: the prior cut at L, draws, epsilon, and what answers lose."""
        header = ["slope at most", "parameters kept", "prior lost", "draws", "epsilon", "2 L N rho"]
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
        return [*header, "utility lost"], rows

    # In words, as a document and as pictures

    def _leading_facts(self) -> list[tuple[str, str]]:
        distance = self.subject.distance
        moved = f"one replaced record moves the data by {distance.reach:.6g} at most"
        return [
            ("model", self.subject.words),
            ("records", f"{self.records}, their number public; one is replaced"),
            ("draws", f"{self.draws} from the posterior"),
            ("distance", f"{distance.name}; {moved}"),
            ("computed", self.subject.computed),
            ("guarantee", self._guarantee_in_words()),
            ("best test", self._test_in_words()),
            ("cut", f"what cutting the prior costs and buys, {_TABLE}" if self.trade else _UNCUT),
        ]

    def _guarantee_in_words(self) -> str:
        if (pair := self.subject.pair(self.records, self.draws)) is None:
            return "none is proved for draws from this posterior; release noisy statistics"
        guess = f"the best guess is right with probability at most {number_shown((1 + self.delta(0.0)) / 2)}"
        if refusal := self.subject.refused(self.records):
            guess = f"{guess}. But privior releases no such draws: {refusal}"
        if self.epsilon < math.inf:
            return f"epsilon {number_shown(self.epsilon)} (pure); {guess}"
        epsilon = Curve(both_orders(pair)).epsilon(_DELTA)
        stated = "no epsilon" if math.isinf(epsilon) else f"epsilon {number_shown(epsilon)}"
        return f"no pure one: the loss is unbounded; {stated} at delta {_DELTA}; {guess}"

    def _test_in_words(self) -> str:
        most, least = (number_shown(end) for end in (self.accuracy.high, self.accuracy.low))
        said = f"sees {counted(self.draws, 'draw')} and is right with probability {most} at most (50:50)"
        if not self.tests:
            return f"{said}; no posteriors are known, so that is what is proved and not what is reached"
        said += f", and {least} for the neighbours that are told apart best of those looked at"
        powers = "; ".join(f"{n}: {power}" for n, _, _, power in self.tests)
        return f"{said}; its power at 5% false alarms by number of draws, {self.tests[0][1]}: {powers}"

    def _leading_document(self, cuts: str) -> dict[str, object]:
        distance = self.subject.distance
        return {
            "model": self.subject.words,
            "records": self.records,
            "draws": self.draws,
            "failure": float(rational(self.failure, "failure")),
            "distance": {"name": distance.name, "reach": distance.reach},
            "computed": self.subject.computed,
            "guarantee": {
                "epsilon": finite(self.epsilon),
                "total_variation": self.delta(0.0),
                "best_guess": (1 + self.delta(0.0)) / 2,
                "oscillation": finite(self.subject.oscillation),
            },
            "tests": [
                {
                    "draws": number,
                    "data": about,
                    "best_guess": [guess.low, guess.high],
                    "power_at_0.05": [power.low, power.high],
                }
                for number, about, guess, power in self.tests
            ],
            cuts: [
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

    def _leading_pictures(self) -> list[ErrorCurve]:
        """The best test by number of draws, and utility against privacy, if there are any."""
        found = []
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
        alone = {round(cut.epsilon, 12): lost for cut, number, _, lost in self.trade if number == 100}
        if sum(number == 100 for _, number, *_ in self.trade) > 1:
            order = sorted(alone.items())
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


_TABLE, _UNCUT = "by level and number of draws: see the table", "no cut of this prior has a proved epsilon"


@dataclass(frozen=True)
class ModelAnalysis(AnalysedModel):
    """What draws of a model reveal: the guarantee, the best test, and what a cut prior costs and buys."""

    def facts(self) -> list[tuple[str, str]]:
        """Say what was found, as named facts."""
        return self._leading_facts()

    def to_document(self) -> dict[str, object]:
        """Write what was found as plain values, for JSON; null is infinite or unknown."""
        return self._leading_document("cuts")

    def pictures(self) -> Sequence[ErrorCurve]:
        """Draw the best test by number of draws, and utility against privacy, if there are any."""
        return self._leading_pictures()


def number_shown(number: float) -> str:
    """Write a number to six digits."""
    return "infinite" if math.isinf(number) else f"{number:.6g}"


def counted(number: int, noun: str) -> str:
    """Write how many there are.

    >>> counted(1, "draw"), counted(3, "draw")
    ('1 draw', '3 draws')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def finite(number: float | None) -> float | None:
    """Return a number for JSON, which has none that is infinite."""
    return number if number is not None and math.isfinite(number) else None
