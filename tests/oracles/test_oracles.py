"""The library against every oracle: never below the truth, nor farther above it than the case allows."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from two_laws import Case, Points

import privior as pv
from privior.privacy.pairs import DiscreteGaussianShift, GaussianPair

ORACLES = sorted(path.stem for path in Path(__file__).parent.glob("*_oracle.py"))
CASES: dict[str, list[Case]] = {name: importlib.import_module(name).cases() for name in ORACLES}
EVERY = [(name, case) for name, found in CASES.items() for case in found]


@cache
def truth(name: str, place: int) -> Any:
    return CASES[name][place].truth()


def complaints(name: str, case: Case, pair: Any) -> Iterator[str]:
    """Where the pair states less than the truth, or too much more; rho and mu less than they bound."""
    known = truth(name, CASES[name].index(case))
    for one, exact in ((pair, known), (pair.mirror, known.swapped)):
        for what, places in (("delta", case.epsilons), ("renyi", case.orders)):
            for at in places:
                stated, true = getattr(one, what)(at), float(getattr(exact, what)(at))
                if stated < true * (1 - case.sure) * (1 - 1e-14):
                    yield f"{what}({at}) = {stated}, in truth {true}"
                if stated > true * (1 + case.above) + 1e-30:
                    yield f"{what}({at}) = {stated} is more than {true}"
        for order in case.orders:
            least = float(exact.renyi(order)) / max(order, 1)
            if one.rho is not None and float(one.rho) < least * (1 - 1e-9):
                yield f"rho is {float(one.rho)}"
        for epsilon in case.epsilons:
            square, least = one.mu_squared, float(exact.delta(epsilon))
            if square is not None and GaussianPair(square).delta(epsilon) < least * (1 - 1e-9):
                yield f"mu^2 is {float(square)}"


def test_every_oracle_has_cases() -> None:
    assert len(ORACLES) >= 7
    assert all(CASES.values())


@pytest.mark.parametrize(("name", "case"), EVERY, ids=str)
def test_what_is_stated_is_true(name: str, case: Case) -> None:
    assert list(complaints(name, case, case.pair())) == []


def test_a_wrong_pair_is_seen() -> None:
    name = "discrete_gaussian_oracle"
    case = CASES[name][0]
    right = case.pair()
    for wrong in (
        DiscreteGaussianShift(right.variance, 1),
        DiscreteGaussianShift(right.variance, 1, right.shift + 1),
        DiscreteGaussianShift(right.variance * 2, 1, right.shift),
        DiscreteGaussianShift(right.variance, 2),
    ):
        assert any(True for _ in complaints(name, case, wrong))


def test_a_truth_knows_two_laws() -> None:
    """By hand: chances 3/4 and 1/4 against 1/2 and 1/2."""
    laws = Points([0.75, 0.25], [0.5, 0.5])
    assert float(laws.delta(0.0)) == pytest.approx(0.25)
    assert float(laws.renyi(2.0)) == pytest.approx(math.log(0.75**2 / 0.5 + 0.25**2 / 0.5))
    assert float(laws.swapped.delta(math.log(2))) == pytest.approx(0, abs=1e-15)


def test_draws_of_a_dirichlet_by_monte_carlo() -> None:
    """A million draws of each of two neighbours' posteriors; five standard errors of a mean of at most 1.

    The posteriors' likelihood ratio is that of the odds of two cells: by symmetry it exceeds e^epsilon where
    the weighted log odds exceed epsilon.
    """
    mechanism = pv.DirichletDraw(3, 8, 1, "0.01", records=5)
    rate, size = float(mechanism.rate), 1_000_000
    rng = np.random.default_rng(7)
    here, there = np.array([8 + rate, 8, 8 + 4 * rate]), np.array([8, 8 + rate, 8 + 4 * rate])
    one, other = (rng.standard_gamma(shape, (size, 3))[:, :2] for shape in (here, there))
    losses = [rate * (np.log(draws[:, 0]) - np.log(draws[:, 1])) for draws in (one, other)]
    for epsilon in (0.0, 0.3):
        first, second = (float((loss > epsilon).mean()) for loss in losses)
        error = 5 * (1 + math.exp(epsilon)) * 0.5 / math.sqrt(size)
        found = first - math.exp(epsilon) * second
        assert found - error <= mechanism.guarantee.delta(epsilon) <= found + error
