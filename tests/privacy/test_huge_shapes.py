"""Beta laws of huge shapes: their tails are found soon, and are the limits of those of smaller ones. T40."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from mutated_releases import within

from privior.privacy.pairs import beta, incomplete
from privior.privacy.pairs.balls import LEAST
from privior.privacy.pairs.beta import BetaPair


@pytest.mark.parametrize("first", [1, 40, 1000, 10**6])
@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(3)])
def test_tails_of_huge_shapes_are_found_soon(first: int, rate: Fraction) -> None:
    """With the second shape b the law of b y tends to a Gamma law, within about first / b."""
    with within(20):
        here, there = (BetaPair(Fraction(first), Fraction(b), rate).delta(2.0) for b in (10**16, 10**18))
    assert here == pytest.approx(there, rel=1e-3)


def test_what_is_called_nothing_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked for, the tails are what is said without looking; a bound that is too small is found."""
    draw = random.Random(3)
    pairs = [
        BetaPair(
            Fraction(draw.choice((1, 5, 60, 900))), Fraction(draw.choice((1, 7, 80, 2000))), Fraction(rate, 9)
        )
        for rate in range(1, 61)
    ]
    epsilons = [draw.choice((0.1, 1.0, 3.0)) for _ in pairs]
    said = [pair.delta(epsilon) for pair, epsilon in zip(pairs, epsilons, strict=True)]
    assert LEAST in said
    monkeypatch.setattr(beta, "is_nothing", lambda _: False)
    looked = [pair.delta(epsilon) for pair, epsilon in zip(pairs, epsilons, strict=True)]
    assert said == looked
    monkeypatch.setattr(beta, "is_nothing", lambda log_bound: log_bound() < -5)  # the planted fault
    assert [pair.delta(epsilon) for pair, epsilon in zip(pairs, epsilons, strict=True)] != looked


def test_both_ways_to_a_tail_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [BetaPair(Fraction(first), Fraction(900), Fraction(1)) for first in (1, 3, 20)]
    usual = [pair.delta(1.0) for pair in pairs]
    monkeypatch.setattr(incomplete, "_ENDLESS", 0.0)
    assert [pair.delta(1.0) for pair in pairs] == pytest.approx(usual, rel=1e-12)
