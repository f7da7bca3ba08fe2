"""T48: the rounded minimiser is a function of the exact one, and its certificate is never too narrow."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from privior.randomness import Bits, IdealDraw, NormalLaw, Objective, perturbed_minimum, rounded_minimum

F = Fraction


def objective(records: int, size: int, ridge: Fraction, seed: int, spread: float = 1.0) -> Objective:
    rng = np.random.default_rng([seed, records, size])
    whole = rng.integers(-100, 101, size=(records, size))
    whole[:, :1] = 100
    signs = np.where(rng.random(records) < 1 / (1 + np.exp(-spread * whole.sum(axis=1) / 100)), 1, -1)
    rows = whole * signs[:, None]
    return Objective(lambda low, high: rows[low:high], records, (100,) * size, size, ridge)


def drawn(size: int) -> list[IdealDraw]:
    return [IdealDraw(NormalLaw(F(0), F(9)), Bits()) for _ in range(size)]


def truth(problem: Objective, draws: list[IdealDraw], bits: int = 300) -> list[Fraction]:
    """The minimiser to many digits: plain Newton steps in balls, with b to as many bits."""
    with flint.ctx.workprec(bits):
        rows = [
            [flint.arb(int(one)) / 100 for one in row] for row in problem.rows(0, problem.records).tolist()
        ]
        b = [flint.arb(flint.fmpq(draw.cell(bits), 1)) / flint.arb(2) ** bits for draw in draws]
        lam = flint.arb(flint.fmpq(problem.ridge.numerator, problem.ridge.denominator))
        theta, size = [flint.arb(0)] * len(b), len(b)
        for _ in range(60):
            gradient = [lam * at + term for at, term in zip(theta, b, strict=True)]
            hessian = [[lam if i == j else flint.arb(0) for j in range(size)] for i in range(size)]
            for row in rows:
                x = sum((one * at for one, at in zip(row, theta, strict=True)), start=flint.arb(0))
                q = 1 / (1 + x.exp())
                for i in range(size):
                    gradient[i] -= q * row[i]
                    for j in range(size):
                        hessian[i][j] += q * (1 - q) * row[i] * row[j]
            step = flint.arb_mat(hessian).solve(flint.arb_mat([[one] for one in gradient]))
            long = max(float(abs(step[i, 0]).upper()) for i in range(size))
            slow = max(1.0, long)
            theta = [(at - step[i, 0] / slow).mid() for i, at in enumerate(theta)]
            if long < 2.0 ** -(bits // 2):
                break
        return [_fraction(at) for at in theta]


def _fraction(number: Any) -> Fraction:
    mantissa, exponent = number.mid().man_exp()
    return F(int(mantissa)) * F(2) ** int(exponent)


@pytest.mark.parametrize(("records", "size"), [(0, 2), (1, 1), (6, 2), (40, 3)])
@pytest.mark.parametrize("places", [3, 20, 60])
def test_every_grid_point_is_the_rounded_minimiser(records: int, size: int, places: int) -> None:
    """Also on grids so fine that no float decides: a solver that stops at a tolerance is wrong there."""
    problem, draws = objective(records, size, F(1, 3), 1), drawn(size)
    exact = truth(problem, draws)
    found = perturbed_minimum._rounded(problem, draws, places)
    assert found == [math.floor(one * 2**places + F(1, 2)) for one in exact]


@pytest.mark.parametrize(
    ("records", "size", "spread", "scale"),
    [(1, 1, 1.0, 1.0), (300, 4, 1.0, 3.0), (700, 9, 6.0, 30.0), (2000, 3, 20.0, 200.0)],
)
def test_errors_of_floats_are_within_their_bounds(
    records: int, size: int, spread: float, scale: float
) -> None:
    problem = objective(records, size, F(2), 2, spread)
    theta = scale * np.random.default_rng(3).standard_normal(size)
    look = perturbed_minimum._look(problem, theta)
    balls = perturbed_minimum._enclosed(problem, [F(one) for one in theta], [F(0)] * size, F(0), 200)
    away = [
        float(abs(ball - flint.arb(float(sums)) - 2 * flint.arb(float(at))).upper())
        for ball, sums, at in zip(balls, look.sums, theta, strict=True)
    ]
    assert 0 < math.hypot(*away) <= look.off
    radius = look.radius([F(0)] * size, F(0))
    assert radius is not None
    draws = [_Fixed() for _ in range(size)]
    exact = truth(problem, draws, 200) if records <= 300 else None  # type: ignore[arg-type]
    if exact is not None:
        distance = math.sqrt(sum(float(one - F(at)) ** 2 for one, at in zip(exact, theta, strict=True)))
        assert distance <= float(radius)


class _Fixed:
    """b = 0."""

    def cell(self, places: int) -> int:
        return 0


def test_the_exponential_is_as_close_as_is_proved() -> None:
    x = np.concatenate([np.linspace(0, 700, 1501), np.log(2) * np.arange(0.5, 900) % 700, [0.0, 1e-300]])
    with flint.ctx.workprec(150):
        for at, found in zip(x.tolist(), perturbed_minimum._exponential(x).tolist(), strict=True):
            error = flint.arb(found) / (-flint.arb(at)).exp() - 1
            assert abs(float(error)) < 16 * 2.0**-53


def test_more_curvature_is_certified_or_not_taken() -> None:
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert perturbed_minimum._positive(matrix, F(999, 1000))
    assert not perturbed_minimum._positive(matrix, F(1001, 1000))
    assert not perturbed_minimum._positive(matrix, F(1))


def test_the_minimiser_of_no_records_is_the_noise_over_the_penalty() -> None:
    """A table without a record is released like any other: 2000 draws of variance 9 / 4."""
    problem = objective(0, 1, F(2), 0)
    found = np.array([rounded_minimum(problem, F(9), 6, Bits())[0] for _ in range(2000)]) / 2**6
    assert abs(found.std() / 1.5 - 1) < 6 / math.sqrt(4000)
    assert abs(found.mean()) < 6 * 1.5 / math.sqrt(2000)


@pytest.mark.parametrize("far", [15.1234, 36.734])
def test_curvature_far_from_the_middle_is_known_as_well_as_is_said(far: float) -> None:
    """q (1 - q) where 1 - q is next to nothing: a difference would be known only absolutely."""
    ones = np.full((1000, 1), -1)
    problem = Objective(lambda start, stop: ones[start:stop], 1000, (1,), 1, Fraction(1))
    look = perturbed_minimum._look(problem, np.array([far]))
    with flint.ctx.workprec(200):
        away = flint.arb(-far).exp()
        true = 1000 * away / (1 + away) ** 2
        assert abs(flint.arb(float(look.hessian[0, 0])) - true) <= flint.arb(look.hessian_off)
