"""Closed forms: which ordered pairs compose to one pair of the same kind, exactly."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from privior.privacy.pairs import DominatingPair


def closed_forms(counts: dict[DominatingPair, int]) -> dict[DominatingPair, int]:
    """Add up what adds up: mu^2, rho, equal steps, Gammas of one ratio, moves of shapes of one kind.

    Sums come last, in the order of their kinds' names, so that the order of the parts hardly matters.
    """
    sums: dict[tuple[str, Hashable], tuple[DominatingPair, Fraction]] = {}
    left: dict[DominatingPair, int] = {}
    for pair, times in counts.items():
        found = pair.adds_up
        if found is None:
            left[pair] = times
            continue
        kind, alike, amount = found
        _, before = sums.get((kind, alike), (pair, Fraction(0)))
        sums[kind, alike] = pair, before + times * amount
    for _, (pair, amount) in sorted(sums.items(), key=lambda item: item[0][0]):
        if amount:
            one, often = pair.of_amount(amount)
            left[one] = often
    return left
