"""Mixtures: the piece has exactly its weight, the number is an exact rounding, and nothing overflows."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy.special import gammainc, ndtr

from chi_square import fits
from digits import Digits
from privior.randomness import (
    Bits,
    GammaLaw,
    NormalLaw,
    TruncatedLaw,
    WeightedLaw,
    draw_mixture,
    draw_weighted,
)

Real = Callable[[], flint.arb]


def log_of(weight: int, plus: int = 0) -> Real:
    """Enclose log(weight) + plus at the working precision."""
    return lambda: flint.arb(weight).log() + plus


@pytest.mark.parametrize("plus", [0, 10**12, -(10**12)])
def test_every_uniform_number_goes_to_its_index(plus: int) -> None:
    """Weights 3, 1, 3 times e^plus: the borders are 3/7 and 4/7."""
    logs = [log_of(weight, plus) for weight in (3, 1, 3)]
    for string in range(2**6):
        uniform = Fraction(2 * string + 1, 2**7)
        expected = (uniform > Fraction(3, 7)) + (uniform > Fraction(4, 7))
        assert draw_weighted(logs, Digits(uniform)) == expected


@pytest.mark.parametrize("depth", [70, 300])
def test_only_the_bits_that_matter_decide(depth: int) -> None:
    logs = [log_of(weight) for weight in (3, 1, 3)]
    for index, border in enumerate([Fraction(3, 7), Fraction(4, 7)]):
        for side in (-1, 1):
            digits = Digits(border + side * Fraction(1, 2**depth))
            assert draw_weighted(logs, digits) == index + (side > 0)
            assert depth - 2 <= digits.taken <= 4 * depth


def test_wide_enclosures_get_more_bits_of_the_same_number() -> None:
    def coarse() -> flint.arb:
        return flint.arb(3).log() + (flint.arb(0, 1) if flint.ctx.prec < 600 else 0)

    logs, wide = [log_of(3), log_of(1)], [coarse, log_of(1)]
    for uniform in (Fraction(1, 3), Fraction(4, 5)):
        first, later = Digits(uniform), Digits(uniform)
        assert draw_weighted(logs, first) == draw_weighted(wide, later) == (uniform > Fraction(3, 4))
        assert first.taken == 64
        assert later.taken >= 500


def test_weights_of_nothing_and_of_next_to_nothing() -> None:
    def nothing() -> flint.arb:
        return flint.arb("-inf")

    bits = Bits()
    assert {draw_weighted([nothing, log_of(1, -(10**9)), nothing], bits) for _ in range(50)} == {1}
    assert {draw_weighted([log_of(1), log_of(1, -(10**9))], bits) for _ in range(50)} == {0}
    with pytest.raises(ValueError, match="no index"):
        draw_weighted([], bits)


def test_an_index_follows_its_weights_and_no_others() -> None:
    """A posterior on a grid of parameters: 7 successes, 13 failures, p = 1/12, ..., 11/12."""
    grid = [Fraction(k, 12) for k in range(1, 12)]

    def log_weight(p: Fraction) -> Real:
        return lambda: (
            7 * flint.arb(flint.fmpq(p.numerator, p.denominator)).log()
            + 13 * (flint.arb(flint.fmpq((1 - p).numerator, p.denominator)).log())
        )

    def law(successes: float, failures: float) -> dict[int, float]:
        weights = [float(p) ** successes * float(1 - p) ** failures for p in grid]
        return {index: weight / sum(weights) for index, weight in enumerate(weights)}

    bits = Bits()
    sample = [draw_weighted([log_weight(p) for p in grid], bits) for _ in range(3000)]
    assert fits(sample, law(7, 13))
    assert not fits(sample, law(8, 12))


def test_a_mixture_follows_its_law_and_no_other() -> None:
    """One third Gamma(5, 2), two thirds Normal(4, 1) above 4."""
    pieces = [
        WeightedLaw(log_of(1, 10**6), GammaLaw(Fraction(5), Fraction(2))),
        WeightedLaw(log_of(2, 10**6), TruncatedLaw(NormalLaw(Fraction(4), Fraction(1)), Fraction(4), None)),
    ]

    def law(first: float) -> dict[int, float]:
        cells = np.arange(0, 60)
        ends = np.maximum((np.append(cells, 60) - 0.5) / 2, 0)
        gamma = np.diff(gammainc(5, 2 * ends))
        normal = np.diff(2 * np.maximum(ndtr(ends - 4) - 0.5, 0))
        return dict(zip(cells.tolist(), (first * gamma + (1 - first) * normal).tolist(), strict=True))

    bits = Bits()
    sample = [draw_mixture(pieces, 1, bits) for _ in range(2500)]
    assert fits(sample, law(1 / 3))
    assert not fits(sample, law(0.55))


def test_pieces_may_be_chances_of_tails() -> None:
    """Two pieces, both far from where the law is: their weights are chances of 1e-198 and 1e-350."""
    law = NormalLaw(Fraction(0), Fraction(1))
    low, high = Fraction(-30), Fraction(40)
    pieces = [
        WeightedLaw(lambda: law.mass(None, low).log(), TruncatedLaw(law, None, low)),
        WeightedLaw(lambda: law.mass(high, None).log(), TruncatedLaw(law, high, None)),
    ]
    bits = Bits()
    sample = [draw_mixture(pieces, 10, bits) / 2**10 for _ in range(50)]
    assert all(-32 < x < -29.9 for x in sample)
    assert math.isclose(float(pieces[0].log_weight()), -454.3212, abs_tol=1e-3)
