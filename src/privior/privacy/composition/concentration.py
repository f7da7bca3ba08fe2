"""Concentration: the smallest known rho of a pair, exactly."""

from __future__ import annotations

from fractions import Fraction

from privior.privacy.composition.composed import Composed
from privior.privacy.pairs import (
    BoundedRangePair,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    GaussianPair,
    SignedSteps,
    WorstOf,
)


def rho_of(pair: DominatingPair) -> Fraction | None:
    """Return rho with every Renyi divergence of order l at most l rho, in both orders; None if none is known.

    The largest of a worst-of, the sum of a composition; epsilon^2 / 2 if pure in both orders (Bun, Steinke
    2016, Proposition 1.4), and for each of several independent steps.
    """
    if isinstance(pair, WorstOf):
        found = [rho_of(one) for one in pair.pairs]
        return None if None in found else max(rho for rho in found if rho is not None)
    if isinstance(pair, Composed):
        parts = [(rho_of(one), times) for one, times in pair.parts]
        if any(rho is None for rho, _ in parts):
            return None
        return sum((times * rho for rho, times in parts if rho is not None), start=Fraction(0))
    if isinstance(pair, GaussianPair | Concentrated | BoundedRangePair):
        return pair.rho
    if isinstance(pair, DiscreteGaussianShift):
        return pair.coordinates * pair.shift**2 / (2 * pair.variance)
    if isinstance(pair, SignedSteps):
        return pair.times * pair.step**2 / 2
    one, other = pair.pure, pair.mirror.pure
    return None if one is None or other is None else max(one, other) ** 2 / 2
