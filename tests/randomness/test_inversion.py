"""Index inversion: every uniform number goes to the index that the exact cumulative sums demand."""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import pytest

from chi_square import fits
from digits import Digits
from privior.randomness.entropy import Bits
from privior.randomness.inversion import NextRatio, draw_index

_NO_DECAY = Fraction(0)


def _ratio(weights: list[int]) -> NextRatio:
    return lambda index: (weights[index + 1], weights[index])


def _bounds(weights: list[int]) -> list[Fraction]:
    return [Fraction(part, sum(weights)) for part in accumulate(weights)]


WEIGHTS = [
    [1, 2],
    [3, 1, 3],
    [5, 1, 1, 4, 2],
    [1, 10**30, 1],
    [10**30, 7, 10**40],
    [math.comb(13, i) ** 2 for i in range(14)],
]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_short_bit_string_goes_to_its_index(weights: list[int]) -> None:
    """All strings of 10 bits, continued with zeros, and with ones for 200 bits."""
    bounds = _bounds(weights)
    for string in range(2**10):
        for uniform in (Fraction(string, 2**10), Fraction(string + 1, 2**10) - Fraction(1, 2**200)):
            drawn = draw_index(len(weights), _ratio(weights), _NO_DECAY, Digits(uniform))
            assert drawn == bisect_right(bounds, uniform)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("depth", [70, 200, 2_000])
def test_a_uniform_number_next_to_a_bound_goes_to_its_index(weights: list[int], depth: int) -> None:
    bounds = _bounds(weights)
    for bound in bounds:
        for side in (-1, 1):
            uniform = bound + side * Fraction(1, 2**depth)
            if 0 <= uniform < 1:
                drawn = draw_index(len(weights), _ratio(weights), _NO_DECAY, Digits(uniform))
                assert drawn == bisect_right(bounds, uniform)


@pytest.mark.parametrize("depth", [70, 200, 2_000])
def test_only_the_bits_that_matter_decide(depth: int) -> None:
    """The first `depth` bits are those of the bounds 3/7 and 4/7: no answer may come before them."""
    for index, bound in enumerate([Fraction(3, 7), Fraction(4, 7)]):
        for side in (-1, 1):
            digits = Digits(bound + side * Fraction(1, 2**depth))
            assert draw_index(3, _ratio([3, 1, 3]), _NO_DECAY, digits) == index + (side > 0)
            assert depth - 2 <= digits.taken <= 4 * depth


def test_the_ends_need_no_more_bits() -> None:
    first, last = Digits(Fraction(0)), Digits(Fraction(1))
    assert draw_index(3, _ratio([1, 1, 1]), _NO_DECAY, first) == 0
    assert draw_index(3, _ratio([1, 1, 1]), _NO_DECAY, last) == 2
    assert first.taken == last.taken == 64


def test_a_real_bound_is_decided_by_its_later_bits() -> None:
    """Two weights 1 and exp(-1): the bound is 1 / (1 + 1/e), here to more than 2,000 bits by its series."""
    e = sum((Fraction(1, math.factorial(n)) for n in range(400)), Fraction(0))
    bound = e / (e + 1)
    for side, expected in ((-1, 0), (1, 1)):
        digits = Digits(bound + side * Fraction(1, 2**1_500))
        assert draw_index(2, lambda _: (1, 1), Fraction(1), digits) == expected
        assert digits.taken >= 1_500


def test_the_precision_of_others_is_left_alone() -> None:
    import flint

    before = flint.ctx.prec
    draw_index(5, _ratio([1, 2, 3, 4, 5]), Fraction(1), Bits())
    assert flint.ctx.prec == before


def test_law_by_sample() -> None:
    epsilon = 0.5
    weights = [math.comb(6, j) ** 2 * math.exp(-epsilon * j) for j in range(7)]
    law = {j: weight / sum(weights) for j, weight in enumerate(weights)}
    bits = Bits()
    ratio = _ratio([math.comb(6, j) ** 2 for j in range(7)])
    sample = [draw_index(7, ratio, Fraction(1, 2), bits) for _ in range(20_000)]
    assert fits(sample, law)
    shifted = [math.comb(6, j) ** 2 * math.exp(-1.3 * epsilon * j) for j in range(7)]
    assert not fits(sample, {j: weight / sum(shifted) for j, weight in enumerate(shifted)})


def test_one_index_needs_no_bits_and_none_is_refused() -> None:
    digits = Digits(Fraction(1, 3))
    assert draw_index(1, _ratio([1]), _NO_DECAY, digits) == 0
    assert digits.taken == 0
    with pytest.raises(ValueError, match="no index"):
        draw_index(0, _ratio([1]), _NO_DECAY, digits)
