"""Closed forms: which ordered pairs compose to one pair of the same kind, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privior.privacy.pairs import (
    Concentrated,
    DominatingPair,
    FinitePair,
    GammaScalePair,
    GaussianPair,
    SignedSteps,
)

#: beyond these the sums of closed forms take longer than a transform
_MOST_SIGNS, _MOST_OUTCOMES = 300, 256


def closed_forms(counts: dict[DominatingPair, int]) -> dict[DominatingPair, int]:
    """Add up what adds up: mu^2, rho, equal steps, Gammas of one ratio, few exact outcomes."""
    squares = rhos = Fraction(0)
    signs: dict[Fraction, int] = {}
    shapes: dict[tuple[Fraction, bool], Fraction] = {}
    tables: list[tuple[FinitePair, int]] = []
    left: dict[DominatingPair, int] = {}
    for pair, times in counts.items():
        if isinstance(pair, GaussianPair):
            squares += times * pair.mu_squared
        elif isinstance(pair, Concentrated):
            rhos += times * pair.rho
        elif isinstance(pair, SignedSteps):
            signs[pair.step] = signs.get(pair.step, 0) + times * pair.times
        elif isinstance(pair, GammaScalePair):
            kind = pair.ratio, pair.steeper
            shapes[kind] = shapes.get(kind, Fraction(0)) + times * pair.shape
        elif isinstance(pair, FinitePair):
            tables.append((pair, times))
        else:
            left[pair] = times
    if squares:
        left[GaussianPair(squares)] = 1
    if rhos:
        left[Concentrated(rhos)] = 1
    for step, times in signs.items():
        few = times <= _MOST_SIGNS
        left[SignedSteps(step, times if few else 1)] = 1 if few else times
    for (ratio, steeper), shape in shapes.items():
        left[GammaScalePair(shape, ratio, steeper)] = 1
    left.update(_tabulated(tables))
    return left


def _tabulated(tables: Sequence[tuple[FinitePair, int]]) -> dict[DominatingPair, int]:
    """Multiply out exact laws, outcomes of the same ratio together, if few outcomes are left."""
    if not tables or sum(times for _, times in tables) > _MOST_OUTCOMES:
        return dict(tables)
    outcomes: dict[Fraction | None, tuple[Fraction, Fraction]] = {Fraction(1): (Fraction(1), Fraction(1))}
    for pair, times in tables:
        for _ in range(times):
            found: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
            for p, q in outcomes.values():
                for first, second in zip(pair.first, pair.second, strict=True):
                    one, other = p * first, q * second
                    ratio = one / other if other else None
                    before = found.get(ratio, (Fraction(0), Fraction(0)))
                    found[ratio] = before[0] + one, before[1] + other
            if len(found) > _MOST_OUTCOMES:
                return dict(tables)
            outcomes = found
    laws = tuple(zip(*outcomes.values(), strict=True))
    return {FinitePair(*laws): 1}
