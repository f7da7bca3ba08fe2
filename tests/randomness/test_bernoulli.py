"""Coins and the geometric law: their probability trees, added up exactly, and samples."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction

import pytest

from chi_square import fits
from privior.randomness.bernoulli import bernoulli_exp, geometric
from privior.randomness.entropy import Bits


class _MoreNeededError(Exception):
    def __init__(self, upper: int) -> None:
        self.upper = upper


class _Script(Bits):
    """Bits that answer from a list, and say so when it ends."""

    def __init__(self, answers: tuple[int, ...]) -> None:
        self._answers = list(answers)

    def below(self, upper: int) -> int:
        if not self._answers:
            raise _MoreNeededError(upper)
        return self._answers.pop(0)


def _tree(sampler: Callable[[Bits], int], least: Fraction) -> tuple[dict[int, Fraction], Fraction]:
    """Add up the exact probability of each result over all draws likelier than `least`; and what is left."""
    law: dict[int, Fraction] = defaultdict(Fraction)
    left = Fraction(0)
    todo: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while todo:
        answers, chance = todo.pop()
        try:
            law[sampler(_Script(answers))] += chance
        except _MoreNeededError as more:
            if chance < least:
                left += chance
            else:
                todo += [((*answers, answer), chance / more.upper) for answer in range(more.upper)]
    return law, left


@pytest.mark.parametrize(
    ("numerator", "denominator"), [(0, 1), (1, 1), (1, 2), (2, 3), (5, 7), (3, 2), (5, 2), (4, 1)]
)
def test_exponential_coin_is_exact(numerator: int, denominator: int) -> None:
    law, left = _tree(lambda bits: bernoulli_exp(numerator, denominator, bits), Fraction(1, 10**6))
    assert sum(law.values()) + left == 1
    assert law[True] <= math.exp(-numerator / denominator) <= law[True] + left
    assert left < Fraction(1, 100)


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 1), (2, 1), (1, 3), (2, 3), (5, 2)])
def test_geometric_is_exact(numerator: int, denominator: int) -> None:
    law, left = _tree(lambda bits: geometric(numerator, denominator, bits), Fraction(1, 10**6))
    ratio = math.exp(-numerator / denominator)
    assert sum(law.values()) + left == 1
    for result in range(4):
        truth = (1 - ratio) * ratio**result
        assert law[result] <= truth <= law[result] + left
    assert left < Fraction(1, 20)


#: of others the law is computed above, and what is drawn is compared with it by `make evidence`
@pytest.mark.parametrize(
    "gamma",
    [
        Fraction(1, 2),
        *(pytest.param(Fraction(one), marks=pytest.mark.slow) for one in ("1/10", "1", "4/3")),
    ],
)
def test_exponential_coin_by_sample(gamma: Fraction) -> None:
    bits = Bits()
    sample = [bernoulli_exp(gamma.numerator, gamma.denominator, bits) for _ in range(300_000)]
    chance = math.exp(-gamma)
    assert fits(sample, {True: chance, False: 1 - chance})
    wrong = chance * (0.95 if gamma < 1 else 1.05)
    assert not fits(sample, {True: wrong, False: 1 - wrong})


@pytest.mark.parametrize(
    "exponent",
    [Fraction(13, 17), *(pytest.param(Fraction(one), marks=pytest.mark.slow) for one in ("1/100", "3"))],
)
def test_geometric_by_sample(exponent: Fraction) -> None:
    bits = Bits()
    sample = [geometric(exponent.numerator, exponent.denominator, bits) for _ in range(40_000)]

    def law(rate: float) -> dict[int, float]:
        return {g: -math.expm1(-rate) * math.exp(-rate * g) for g in range(2_000)}

    assert fits(sample, law(float(exponent)))
    assert not fits(sample, law(1.3 * float(exponent)))


@pytest.mark.parametrize(
    "exponent", [Fraction(1, 10**300), Fraction(1, 10**9), Fraction(10**9), Fraction(10**300)]
)
def test_t10_extreme_exponents_end(exponent: Fraction) -> None:
    bits = Bits()
    draws = [geometric(exponent.numerator, exponent.denominator, bits) for _ in range(1_000)]
    assert min(draws) >= 0
    assert (max(draws) == 0) == (exponent > 1)
    assert not all(bernoulli_exp(10**300, 1, bits) for _ in range(10))


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        geometric(0, 1, Bits())
    with pytest.raises(ValueError, match="negative"):
        bernoulli_exp(-1, 2, Bits())
