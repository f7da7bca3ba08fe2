"""Concentrated divergence against the conversion in 60 digits and against laws that have it; then faults.

What it states is a bound for all pairs with D_a <= a rho, so it is compared with the smallest value over the
order of the conversion (Canonne, Kamath, Steinke 2020), found here from the privacy loss and not from its
closed form: E[max(0, 1 - e^(epsilon - loss))] <= c E[e^((a-1) loss)], c the smallest factor for which that
holds pointwise.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
from counts_oracle import signs
from discrete_gaussian_oracle import lattice_gaussian
from gaussian_oracle import normal_line
from mpmath import mp
from test_pair_contract import lies, off
from two_laws import DIGITS, Number, number

from privior.privacy.pairs import Concentrated, concentrated

F = Fraction
RHOS = (F(1, 10), F(1, 2), F(3))
EPSILONS = (-1.0, -0.2, 0.0, 0.3, 1.0, 2.5, 9.0)
ORDERS = (0.5, 1.0, 1.25, 2.0, 7.0)


def smallest(function: Any, low: Number, high: Number) -> Number:
    """The minimum of a function that falls and then rises, by thirds."""
    for _ in range(240):
        third = (high - low) / 3
        low, high = (
            (low, high - third) if function(low + third) < function(high - third) else (low + third, high)
        )
    return function((low + high) / 2)


def factor(order: Number, epsilon: Number) -> Number:
    """The largest of (1 - e^(epsilon - x)) e^(-(order-1) x) over x > epsilon."""
    excess = order - 1
    # x = epsilon + y: the largest of (1 - e^-y) e^(-excess y), where the derivative vanishes
    y = mp.findroot(lambda t: mp.exp(-t) - excess * (1 - mp.exp(-t)), mp.log1p(1 / excess), tol=1e-45)
    return (1 - mp.exp(-y)) * mp.exp(-excess * (y + epsilon))


@cache
def converted(rho: Fraction, epsilon: float) -> Number:
    """Minimise over the order, whose excess is e^t."""
    with mp.workdps(DIGITS):
        r, e = number(rho), number(epsilon)

        def log_bound(t: Number) -> Number:
            order = 1 + mp.exp(t)
            return (order - 1) * order * r + mp.log(factor(order, e))

        return mp.exp(smallest(log_bound, mp.mpf(-12), mp.mpf(12)))


@cache
def reached(rho: Fraction) -> tuple[tuple[Number, ...], ...]:
    """Curves of laws concentrated with this rho: a Gaussian of mu^2 = 2 rho, one on a lattice, a sign."""
    gaussian = normal_line(2 * rho, 24, parts=32)
    noise = lattice_gaussian(1 / (2 * rho), 1)
    answer = signs(F(math.isqrt(int(2 * rho * 10**12)), 10**6), 1)  # epsilon^2 / 2 is concentrated
    return tuple(tuple(law.delta(e) for e in EPSILONS) for law in (gaussian, noise, answer))


def complaints(rho: Fraction, pair: Any) -> Iterator[str]:
    if pair.pure is not None:
        yield "the loss has no bound"
    for one in (pair, pair.mirror):
        deltas = [one.delta(e) for e in EPSILONS]
        for e, stated in zip(EPSILONS, deltas, strict=True):
            if off(stated, converted(rho, e)):
                yield f"delta({e}) = {stated}, the conversion is {converted(rho, e)}"
        if any(later > earlier for earlier, later in pairwise(deltas)):
            yield "delta increases"
        for law in reached(rho):
            if any(stated < truth for stated, truth in zip(deltas, law, strict=True)):
                yield "a concentrated law is above"
        for order in ORDERS:
            if off(one.renyi(order), number(rho) * max(1, number(order))):
                yield f"renyi({order}) = {one.renyi(order)}"


@pytest.mark.parametrize(
    "rho", [pytest.param(rho, marks=[] if rho == F(1, 2) else [pytest.mark.slow]) for rho in RHOS], ids=str
)
def test_it_is_the_conversion(rho: Fraction) -> None:
    assert list(complaints(rho, Concentrated(rho))) == []


@pytest.mark.parametrize("rho", RHOS, ids=str)
def test_planted_faults_are_noticed(rho: Fraction) -> None:
    """The faults that any pair may have."""
    planted = list(lies(Concentrated(rho)))
    assert len(planted) >= 8
    assert [name for name, lie in planted if not any(True for _ in complaints(rho, lie))] == []


MUTANTS = (
    ("above * (a * r - e)", "above * (a * r + e)", "the sign of epsilon"),
    ("above * (a * r - e)", "above * (r - e)", "rho instead of a rho"),
    ("above * (a * r - e)", "above * (a * r / 2 - e)", "half of rho"),
    ("above * (a * r - e)", "above * (above * r - e)", "the order less one"),
    ("above * (a * r - e)", "a * (a * r - e)", "the order one more"),
    ("above * (a * r - e)", "a * (above * r - e)", "order and excess swapped"),
    ("+ a * (1 - 1 / a).log()", "- a * (1 - 1 / a).log()", "the sign of the factor"),
    ("+ a * (1 - 1 / a).log()", "", "the older conversion, without the factor"),
    ("+ a * (1 - 1 / a).log()", "+ above * (1 - 1 / a).log()", "the power one less"),
    (".exp() / above", ".exp()", "not divided by the excess"),
    (".exp() / above", ".exp() / a", "divided by the order"),
    ("(a - 1) * (a * rho - epsilon)", "(a - 1) * (rho - epsilon)", "a search for another order"),
    ("(a - 1) * (a * rho - epsilon)", "(a - 1) * (a * rho + epsilon)", "a search with the wrong sign"),
    (
        "if log_bound(left) < log_bound(right)",
        "if log_bound(left) > log_bound(right)",
        "a search for the largest",
    ),
    ("range(200)", "range(9)", "a search that stops early"),
    ("- log_excess", "+ log_excess", "a search with the divisor as a factor"),
    ("min(1.0, upper(formula))", "upper(formula) / 2", "half of delta"),
    (
        "max(Fraction(order), Fraction(1)) * self.rho",
        "max(Fraction(order), Fraction(1)) * 2 * self.rho",
        "2 rho",
    ),
    ("max(Fraction(order), Fraction(1)) * self.rho", "self.rho", "the order forgotten"),
    ("max(Fraction(order), Fraction(1)) * self.rho", "Fraction(order) * self.rho", "below order 1"),
    (
        "max(Fraction(order), Fraction(1)) * self.rho",
        "min(Fraction(order), Fraction(1)) * self.rho",
        "min for max",
    ),
    (
        "max(Fraction(order), Fraction(1)) * self.rho",
        "max(Fraction(order), Fraction(1)) / self.rho",
        "over rho",
    ),
    (
        "max(Fraction(order), Fraction(1)) * self.rho",
        "max(Fraction(order) - 1, Fraction(1)) * self.rho",
        "a - 1",
    ),
    (
        "    def grouped(self, size",
        "    @property\n    def pure(self) -> Fraction:\n        return 8 * self.rho\n\n"
        "    def grouped(self, size",
        "a largest loss",
    ),
)


def mutant(before: str, after: str) -> Any:
    """The module with one expression replaced, and its class."""
    source = inspect.getsource(concentrated)
    assert source.count(before) == 1, before
    module = ModuleType("mutant")
    vars(module)["__name__"] = "privior.privacy.pairs.concentrated"
    exec(compile(source.replace(before, after), "mutant", "exec"), vars(module))
    return module.Concentrated


@pytest.mark.parametrize(("before", "after", "why"), MUTANTS, ids=[mutation[2] for mutation in MUTANTS])
def test_mutants_of_the_code_are_noticed(before: str, after: str, why: str) -> None:
    kind = mutant(before, after)
    assert any(True for rho in RHOS for _ in complaints(rho, kind(rho)))


def test_the_same_code_unchanged_is_not() -> None:
    kind = mutant("range(200)", "range(200)")
    assert kind is not Concentrated
    assert list(complaints(F(1, 2), kind(F(1, 2)))) == []
