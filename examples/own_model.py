"""A model and a mechanism of one's own, outside privior: geometric waiting times, and noise in steps.

Run it: `python examples/own_model.py`. It writes a table, plans, releases, infers, asks, reports, decides and
reviews. On the command line the same kinds are had by `privior --extension examples/own_model.py ...`, or,
once they are in an installed package, by its entry point in the group `privior`.
"""

from __future__ import annotations

import math
import random
import secrets
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

import privior as pv
from privior.extend import (
    MECHANISMS,
    MODELS,
    Asked,
    Conjugate,
    DominatingPair,
    ExactStatistics,
    Factor,
    Family,
    Law,
    Layout,
    ModelError,
    Observed,
    PlanError,
    Schema,
    SignedSteps,
    Summand,
    SumNoise,
)

Floats = NDArray[np.float64]


@MODELS.register
@dataclass(frozen=True)
class BetaGeometric(Family):
    """x failures before the first success, P(x) = theta (1-theta)^x, theta ~ Beta(a, b).

    log p(x | theta) = x log(1-theta) + log theta, so that theta | x ~ Beta(a + n, b + sum x).
    """

    column: str
    prior: Law
    family: ClassVar[str] = "beta-geometric"
    parameter: ClassVar[str] = "chance of success"
    conjugate: ClassVar[type[Conjugate]] = pv.Beta

    def __init__(self, column: str, prior: object = pv.Beta(1, 1)) -> None:
        self._set(column, prior)

    def summand(self, schema: Schema) -> Summand:
        """The waiting time, which is the column's own code if it starts at 0."""
        column = schema.column(self.column)
        if not isinstance(column, pv.Integer) or column.lower != 0:
            raise ModelError(
                "waiting times are whole numbers from 0", where=self.column, allowed="integer, lower 0"
            )
        return Summand((Factor(self.column),))

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """A code is a waiting time."""
        return Fraction(0), Fraction(1)

    def update(self, law: Any, records: Fraction, total: Fraction) -> Conjugate:
        """Add the successes, one a record, and the failures."""
        return pv.Beta(law.first + records, law.second + total)

    def updated(self, records: float, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Add them in floating point; the prior's own power of theta is its first parameter."""
        law: Any = self.law
        return np.full_like(totals, float(law.first) + records), float(law.second) + totals, 0 * totals

    def natural(self, theta: Floats) -> Floats:
        """Return log(1 - theta)."""
        return np.asarray(np.log1p(-theta))

    def partition(self, theta: Floats) -> Floats:
        """Return -log theta."""
        return np.asarray(-np.log(theta))

    def log_measure(self, records: Floats, totals: Floats, unit: float) -> Floats:
        """Return the log of the number of ways in which n waiting times add up to T."""
        from scipy.special import gammaln

        safe = np.maximum(totals, 0.0)
        ways = gammaln(records + safe) - gammaln(records) - gammaln(safe + 1)
        return np.asarray(np.where(totals >= 0, ways, -np.inf))

    def mean_of(self, theta: Floats) -> Floats:
        """Return the expected waiting time."""
        return np.asarray((1 - theta) / theta)

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the chance of waiting no longer than this."""
        return np.asarray(1 - (1 - theta) ** (math.floor(value) + 1))

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """No draws are released: nothing is proved about them here."""
        raise ModelError("no privacy is proved for draws from this posterior", where=self.family)


@MECHANISMS.register
@dataclass(frozen=True)
class StepNoise(SumNoise):
    """Noise on one sum, P(z) proportional to q^ceil(|z| / d), d what one record moves the sum by.

    Moving z by d or less moves ceil(|z| / d) by at most 1, so the loss is at most log(1/q). q is a rational
    number just above e^-epsilon, and a draw takes whole numbers alone.
    """

    move: int
    epsilon: Fraction
    name: ClassVar[str] = "step-noise"
    about: ClassVar[str] = "noise in steps as wide as one record's move"
    randomness: ClassVar[str] = "the operating system, by `secrets`"

    def __init__(self, move: int, epsilon: object) -> None:
        if not isinstance(move, int) or move < 1:
            raise PlanError("not what one record moves a sum by", where=self.name)
        object.__setattr__(self, "move", move)
        object.__setattr__(self, "epsilon", pv.Budget.of(epsilon).epsilon)
        if self.ratio >= 1:
            raise PlanError("epsilon is too small for this noise", where=self.name)

    @property
    def ratio(self) -> Fraction:
        """q: e^-epsilon, rounded up."""
        return Fraction(math.ceil(math.exp(-float(self.epsilon)) * 2**40 * (1 + 2**-50)), 2**40)

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Build it where the number of records is public, so that one sum is all there is."""
        summands = asked.model.summands(asked.schema, asked.neighbours)
        if asked.neighbours is not pv.REPLACE_ONE or len(summands) > 1:
            raise PlanError("is for one sum of a public number of records", where=cls.name)
        low, high = summands[0].bounds(asked.schema)
        return cls(high - low, asked.budget.epsilon)

    def check(self, asked: Asked) -> None:
        """Refuse another sum."""
        if self.built(asked).move != self.move:
            raise PlanError("the mechanism is for another sum", where=self.name)

    @property
    def sensitivity(self) -> pv.Sensitivity:
        """One record moves the sum by so much."""
        return pv.Sensitivity.of_sums([(0, self.move)], pv.REPLACE_ONE)

    @property
    def guarantee(self) -> pv.Guarantee:
        """Pure epsilon: randomised response dominates every loss that is bounded by it."""
        reason = "steps of noise as wide as one record's move (proof: StepNoise)"
        return pv.Guarantee(
            SignedSteps(self.epsilon), pv.REPLACE_ONE, pv.Budget(self.epsilon, Fraction(0)), reason
        )

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The noisy sum."""
        return (Layout("counts", (1,)),)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw zero or a sign, a step and a place in it, each exactly."""
        whole, up = self.ratio.denominator, self.ratio.numerator
        noise = 0
        if secrets.randbelow(whole - up + 2 * self.move * up) >= whole - up:
            steps = 0
            while secrets.randbelow(whole) < up:
                steps += 1
            noise = steps * self.move + 1 + secrets.randbelow(self.move)
            noise = -noise if secrets.randbelow(2) else noise
        return Observed.of([int(statistics.counts[0]) + noise])

    def log_likelihoods(self, observed: Observed, sums: NDArray[np.int64]) -> Floats:
        """Return the log probability of the noise that leads from each possible sum to this."""
        steps = -(-np.abs(observed.counts[0] - sums[0]) // self.move)
        ratio = float(self.ratio)
        whole = 1 + 2 * self.move * ratio / (1 - ratio)
        return np.asarray(steps * math.log(ratio) - math.log(whole))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return it for the true sum."""
        return float(self.log_likelihoods(observed, statistics.counts[:, np.newaxis])[0])

    def count_log_likelihoods(self, observed: Observed, numbers: NDArray[np.int64]) -> Floats:
        """The number of records is public."""
        return np.zeros(numbers.shape)

    @property
    def variances(self) -> tuple[float, ...]:
        """Of the noise, by summing what matters of it."""
        far = np.arange(1, self.move * math.ceil(40 / -math.log(float(self.ratio))) + 1)
        chances = np.exp(self.log_likelihoods(Observed.of([0]), far[np.newaxis]))
        return (float(2 * (chances * far.astype(float) ** 2).sum()),)

    def admits(self, observed: Observed, records: int) -> bool:
        """Any whole number is possible."""
        return True

    def to_document(self) -> dict[str, object]:
        """Write the mechanism as plain values."""
        return {"name": self.name, "move": self.move, "epsilon": str(self.epsilon)}


def main(folder: Path) -> None:
    """Go the whole way, from a CSV file to a signed release."""
    table = folder / "waits.csv"
    draw = random.Random(1)  # noqa: S311 - made-up data
    waits = [min(int(math.log(1 - draw.random()) / math.log(0.75)), 30) for _ in range(2000)]
    table.write_text("wait\n" + "\n".join(map(str, waits)) + "\n")
    schema = pv.Schema({"wait": pv.Integer(0, 30)}, population="callers", unit="person")
    model = BetaGeometric("wait", pv.Beta(1, 2))

    plan = pv.plan(model, schema, records=2000, epsilon="0.5", mechanism=StepNoise)
    print(plan)
    ledger = pv.Ledger.create(
        folder / "callers.ledger", population="callers", epsilon=2, accept_declared=True
    )
    release = pv.measure(plan, str(table), ledger=ledger, output=folder / "waits.json")
    posterior = pv.infer(folder / "waits.json")
    print(posterior)
    for question in (model.first_question, "mean(wait)", "P(wait >= 10)"):
        print(pv.ask(posterior, question))
    pv.write_report(release, folder / "waits.html")
    print(pv.Decision("mean(wait)", pv.SquaredError()).decide(posterior))
    print(pv.review(release, ledger))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(made))
