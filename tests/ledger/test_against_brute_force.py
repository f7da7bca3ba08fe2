"""What a ledger has granted never exceeds what it promises, whatever was asked of it (T46).

The accountant here knows a mechanism by the parameters in its document alone and shares no formula with the
library: it lists the law of the privacy loss of the two worst neighbours, from probabilities, and convolves
the laws of all that was granted. Losses are rounded down to a grid, so that what it finds is too small if
anything: whatever exceeds the promise is a fault.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import privior as pv
from privior.plans import Plan
from privior.privacy import NOTHING, Accounting, Amount
from privior.privacy.pairs import DiscreteGaussianShift

STEP = 2.0**-12
REACH = 2**17  # losses from -32 to 32
SCHEMA = pv.Schema(
    {
        "wait": pv.Bounded(0, 60, grid="0.5"),
        "visits": pv.Integer(0, 12),
        "ill": pv.Boolean(),
        "ward": pv.Categorical(["east", "west", "north"]),
    },
    population="clinic",
    unit="patient",
)
ACCOUNTINGS = ("basic", "gaussian", "concentrated", "renyi")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LossLaw:
    """The law of the privacy loss under the first of two neighbours: losses and their chances."""

    losses: Floats
    chances: Floats

    def spectrum(self) -> NDArray[np.complex128]:
        """Its Fourier transform on the grid, losses rounded down."""
        places = np.floor(self.losses / STEP).astype(np.int64)
        assert abs(places).max() < REACH
        return np.fft.rfft(np.bincount(places % (2 * REACH), self.chances, minlength=2 * REACH))


def delta_at_least(laws: list[LossLaw], epsilon: float) -> float:
    """Bound delta of all releases together from below, but for the rounding of a Fourier transform."""
    spectrum = np.ones(REACH + 1, dtype=np.complex128)
    for law in laws:
        spectrum = spectrum * law.spectrum()
    chances = np.fft.irfft(spectrum, 2 * REACH)
    losses = np.arange(2 * REACH) * STEP
    losses[REACH:] -= 2 * REACH * STEP
    above = losses > epsilon
    return float((chances[above] * -np.expm1(epsilon - losses[above])).sum()) - 1e-12


def moved(log_weight: Callable[[Floats], Floats], width: int, moves: tuple[int, ...]) -> LossLaw:
    """The loss of independent noise with these weights on whole numbers, of which each moves."""
    losses, chances = np.zeros(1), np.ones(1)
    values = np.arange(-width, width + 1, dtype=np.float64)
    weights = np.exp(log_weight(values))
    for move in moves:
        one = log_weight(values) - log_weight(values - move)
        losses = (losses[:, np.newaxis] + one).ravel()
        chances = (chances[:, np.newaxis] * (weights / weights.sum())).ravel()
        kept = chances > 1e-18
        losses, chances = losses[kept], chances[kept]
    return LossLaw(np.clip(losses, -30, 30), chances)


def gaussian(stddev: float, *moves: int) -> LossLaw:
    return moved(lambda x: -(x**2) / (2 * stddev**2), math.ceil(10 * stddev) + max(map(abs, moves)), moves)


def laplace(scale: float, *moves: int) -> LossLaw:
    return moved(lambda x: -abs(x) / scale, math.ceil(40 * scale) + max(map(abs, moves)), moves)


def beta(a: float, b: float, rate: float) -> LossLaw:
    """A draw of a chance, for one record more of the first level against one more of the second."""
    first, second = stats.beta(a + rate, b), stats.beta(a, b + rate)
    middle = 1 / (1 + np.exp(-np.arange(-40, 40, STEP / rate / 4)))
    edges = np.concatenate([[0.0], middle, [1.0]])
    losses = first.logpdf(edges[:-1]) - second.logpdf(edges[:-1])
    losses[0] = -30.0
    return LossLaw(np.clip(losses, -30, 30), np.diff(first.cdf(edges)))


def law_of(plan: Plan) -> LossLaw:
    """The loss of a release under replace-one, from what the plan's document says."""
    document: dict[str, Any] = plan.mechanism.to_document()
    scale = float(Fraction(str(document.get("stddev", document.get("scale", 0)))))
    if document["name"] == "noisy-statistics":
        ((low, high),), (text,) = document["ranges"], document["scales"]
        kind = gaussian if document["delta"] != "0" else laplace
        return kind(float(Fraction(text)), high - low)
    if document["name"] == "gaussian-counts":
        return gaussian(scale, 1, -1)
    if document["name"] == "laplace-counts":
        return laplace(2 / float(Fraction(str(document["epsilon"]))), 1, -1)
    if document["name"] == "dirichlet-draw":
        return beta(1, 1, float(Fraction(str(document["rate"]))))
    assert document["name"] == "k-norm"
    assert document["levels"] == 2
    return laplace(1 / float(Fraction(str(document["epsilon"]))), 1)


def drawn_plans(draw: random.Random) -> list[Plan]:
    """Two plans of every kind, with budgets of any size."""
    gamma = pv.Gamma(3, 2)
    kinds: list[tuple[Any, Any, list[str]]] = [
        (pv.GammaExponential("wait", gamma), pv.NoisyStatistics, ["0", "1e-2", "1e-5"]),
        (pv.GammaPoisson("visits", gamma), pv.NoisyStatistics, ["0", "1e-3", "1e-7"]),
        (pv.DirichletCategorical("ward", prior=1), pv.GaussianCounts, ["1e-2", "1e-5"]),
        (pv.DirichletCategorical("ward", prior=1), pv.LaplaceCounts, ["0", "0"]),
        (pv.DirichletCategorical("ill", prior=1), pv.KNorm, ["0"]),
        (pv.DirichletCategorical("ward", prior=1), pv.DirichletDraw, ["1e-4", "1e-6"]),
    ]
    return [
        pv.plan(
            model,
            SCHEMA,
            records=200,
            epsilon=str(round(10 ** draw.uniform(-1.5, -0.5), 3)),
            delta=delta,
            mechanism=mechanism,
        )
        for model, mechanism, deltas in kinds
        for delta in deltas
    ]


@dataclass(frozen=True)
class Requests:
    """Plans with the laws of their losses, listed once."""

    plans: list[Plan]
    laws: dict[str, LossLaw]

    def delta_at_least(self, found: list[Plan], epsilon: Fraction) -> float:
        return delta_at_least([self.laws[plan.digest] for plan in found], math.nextafter(float(epsilon), 9e9))

    def granted(self, accounting: str, seed: int) -> tuple[pv.Ledger, list[Plan]]:
        """A new ledger, and what it granted until it refused each plan in turn."""
        aside = NOTHING if accounting == "basic" else pv.Budget.of("0.3", "1e-3")
        ledger = pv.Ledger.in_memory(
            population="clinic", epsilon="1.5", delta="2e-3", accounting=accounting, aside=aside
        )
        draw, left, found = random.Random(seed), list(self.plans), list[Plan]()
        while left and len(found) < 300:
            plan = draw.choice(left)
            try:
                ledger.spend(plan)
            except pv.LedgerError:
                left.remove(plan)
            else:
                found.append(plan)
        return ledger, found


@pytest.fixture(scope="module")
def requests() -> Requests:
    plans = drawn_plans(random.Random(15))
    return Requests(plans, {plan.digest: law_of(plan) for plan in plans})


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("accounting", ACCOUNTINGS)
def test_what_was_granted_keeps_the_promise(requests: Requests, accounting: str, seed: int) -> None:
    ledger, found = requests.granted(accounting, seed)
    assert len(found) >= 5
    assert requests.delta_at_least(found, ledger.cap.epsilon) <= ledger.cap.delta
    # requests here do not depend on answers: what is read as spent holds for them too
    assert requests.delta_at_least(found, ledger.spent.epsilon) <= ledger.spent.delta


def test_the_accountant_agrees_with_what_single_plans_state(requests: Requests) -> None:
    """So that it would find a ledger out: the laws that it lists are tight, but for the rounding."""
    for plan in requests.plans:
        exact = plan.guarantee.delta(plan.cost.epsilon)
        found = requests.delta_at_least([plan], plan.cost.epsilon)
        assert found <= exact
        if plan.cost.delta:
            assert found >= 0.9 * exact - 1e-9


def eighth(amount: Amount) -> Amount:
    return tuple(None if number is None else number / 8 for number in amount)


@pytest.mark.parametrize("accounting", ACCOUNTINGS)
def test_a_ledger_that_charges_an_eighth_is_found_out(
    requests: Requests, accounting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = Accounting._price
    monkeypatch.setattr(Accounting, "_price", lambda self, one: eighth(price(self, one)))
    ledger, found = requests.granted(accounting, 1)
    assert requests.delta_at_least(found, ledger.cap.epsilon) > ledger.cap.delta


def test_a_rho_that_forgets_the_shift_is_found_out(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = property(lambda self: Fraction(self.coordinates) / (2 * self.variance))
    monkeypatch.setattr(DiscreteGaussianShift, "rho", wrong)
    ledger, found = requests.granted("concentrated", 1)
    assert requests.delta_at_least(found, ledger.cap.epsilon) > 10 * ledger.cap.delta
