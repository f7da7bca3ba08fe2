"""Closed forms: which ordered pairs compose to one pair of the same kind, exactly."""

from __future__ import annotations

from fractions import Fraction

from privior.privacy.pairs import (
    Concentrated,
    DominatingPair,
    GammaScalePair,
    GaussianPair,
    ShapeMoves,
    SignedSteps,
)

#: beyond this the sum of a closed form takes longer than a transform
_MOST_SIGNS = 300


def closed_forms(counts: dict[DominatingPair, int]) -> dict[DominatingPair, int]:
    """Add up what adds up: mu^2, rho, equal steps, Gammas of one ratio, moves of shapes of one kind."""
    squares = rhos = Fraction(0)
    signs: dict[Fraction, int] = {}
    shapes: dict[tuple[Fraction, bool], Fraction] = {}
    moves: dict[tuple[Fraction, Fraction], Fraction] = {}
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
        elif isinstance(pair, ShapeMoves):
            ends = pair.smallest, pair.largest
            moves[ends] = moves.get(ends, Fraction(0)) + times * pair.squared
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
    for (smallest, largest), squared in moves.items():
        left[ShapeMoves(smallest, squared, largest)] = 1
    return left
