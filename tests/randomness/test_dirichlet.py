"""Dirichlet draws as sticks, and Polya urns: their laws, their speed, their extremes."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from itertools import product

import pytest

from chi_square import fits
from privior.randomness import dirichlet_sticks, virtual_counts


def urn_law(parameters: list[Fraction], drawn: int) -> dict[tuple[int, ...], float]:
    """The Dirichlet-multinomial law, by products of rational numbers."""
    total = sum(parameters, Fraction(0))

    def rising(start: Fraction, steps: int) -> Fraction:
        return math.prod((start + step for step in range(steps)), start=Fraction(1))

    law = {}
    for counts in product(range(drawn + 1), repeat=len(parameters)):
        if sum(counts) == drawn:
            ways = math.factorial(drawn) // math.prod(map(math.factorial, counts))
            tops = math.prod(rising(u, c) for u, c in zip(parameters, counts, strict=True))
            law[counts] = float(ways * tops / rising(total, drawn))
    return law


@pytest.mark.parametrize(
    "texts", [("1/3", "2"), ("0.01", "0.02", "0.03"), ("5", "1/7", "2.5"), ("1000000", "999999", "3")]
)
def test_urns_follow_the_dirichlet_multinomial_law_and_no_other(texts: tuple[str, ...]) -> None:
    parameters = [Fraction(text) for text in texts]
    sample = [virtual_counts(parameters, 6) for _ in range(8000)]
    assert fits(sample, urn_law(parameters, 6))
    assert not fits(sample, urn_law([parameters[0] * 3 / 2, *parameters[1:]], 6))


def test_sticks_are_the_parts_of_what_is_left() -> None:
    """On a coarse grid every vector of sticks is a cell, whose chance is a polynomial here."""
    sample = [dirichlet_sticks([Fraction(1), Fraction(2), Fraction(1)], 1) for _ in range(3000)]
    # X_1 ~ Beta(1, 3): 1 - (1-x)^3; X_2 ~ Beta(2, 1): x^2; the borders are 1/4 and 3/4
    first = [0.0, 1 - 0.75**3, 1 - 0.25**3, 1.0]
    second = [0.0, 1 / 16, 9 / 16, 1.0]
    law = {
        (i, j): (first[i + 1] - first[i]) * (second[j + 1] - second[j]) for i in range(3) for j in range(3)
    }
    assert fits(sample, law)
    swapped = {(i, j): law[(j, i)] for i, j in law}
    assert not fits(sample, swapped)


def test_a_thousand_levels_take_less_than_two_seconds() -> None:
    """Measured .3 to 1.2 seconds on one core; the test leaves room for a busy machine."""
    for count in (0, 10, 10**6):
        begin = time.process_time()
        sticks = dirichlet_sticks([Fraction(1, 2) + count] * 1000, 53)
        assert len(sticks) == 999
        assert time.process_time() - begin < 6


def test_extreme_parameters() -> None:
    extremes = [Fraction(1, 1000), Fraction(10**9), Fraction(1, 10**6), Fraction(10**12), Fraction(1, 3)]
    sticks = dirichlet_sticks(extremes, 53)
    assert all(0 <= stick <= 2**53 for stick in sticks)
    assert sum(virtual_counts(extremes, 500)) == 500


@pytest.mark.parametrize("bad", [[], [Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(-1), Fraction(2)]])
def test_what_is_no_dirichlet_law_is_refused(bad: list[Fraction]) -> None:
    for draw in (dirichlet_sticks, virtual_counts):
        with pytest.raises(ValueError, match="positive parameters"):
            draw(bad, 5)
