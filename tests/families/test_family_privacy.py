"""The guarantees of families against brute force: every table of up to six records, every neighbour.

A family's posterior densities have a monotone likelihood ratio, so the hockey-stick divergence of two of them
is that of a threshold, which is solved for; chances come from scipy's distribution functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from family_cases import CASES, Case
from scipy import special

import privior as pv
from privior.models import Family, to_model
from privior.models.laws import Beta, Conjugate, Gamma, Truncated
from privior.privacy.pairs import both_orders

EPSILONS = (0.0, 0.7, 2.0)
CUTS = {
    "beta": ("0.2", "0.7"),
    "gamma": ("0.5", 2),
    "normal": (-1, "0.5"),
}


class Law:
    """A conjugate law by scipy's functions."""

    cdf: Callable[[float], float]
    logpdf: Callable[[float], float]

    def __init__(self, law: Conjugate) -> None:
        match law:
            case Beta():
                a, b = float(law.first), float(law.second)
                self.cdf = lambda x: special.betainc(a, b, x)
                self.logpdf = lambda x: (
                    (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - special.betaln(a, b)
                )
            case Gamma():
                k, r = float(law.shape), float(law.rate)
                self.cdf = lambda x: special.gammainc(k, r * x)
                norm = k * math.log(r) - special.gammaln(k)
                self.logpdf = lambda x: (k - 1) * math.log(x) - r * x + norm
            case _:
                m, v = float(law.mean), float(law.variance)
                self.cdf = lambda x: special.ndtr((x - m) / math.sqrt(v))
                self.logpdf = lambda x: -((x - m) ** 2) / (2 * v) - math.log(2 * math.pi * v) / 2


class Posterior:
    """The posterior given some codes, cut where the prior is."""

    def __init__(self, model: Family, schema: pv.Schema, codes: tuple[int, ...], weight: Fraction) -> None:
        summed = int(model.summand(schema).of({model.column: np.array(codes)}).sum())
        self.total = float(model.total(schema, len(codes), summed))
        law = model.update(model.law, weight * len(codes), weight * model.total(schema, len(codes), summed))
        self.law, self.model = Law(law), model
        low, high = (None if end is None else float(end) for end in model.prior.support)
        self.ends = (-math.inf if low is None else low, math.inf if high is None else high)
        self.below = self.law.cdf(self.ends[0])
        self.mass = self.law.cdf(self.ends[1]) - self.below

    def above(self, point: float) -> float:
        point = min(max(point, self.ends[0]), self.ends[1])
        return float((self.law.cdf(self.ends[1]) - self.law.cdf(point)) / self.mass)

    def beneath(self, point: float) -> float:
        point = min(max(point, self.ends[0]), self.ends[1])
        return float((self.law.cdf(point) - self.below) / self.mass)

    def log_density(self, point: float) -> float:
        return float(self.law.logpdf(point) - math.log(self.mass))


def delta(one: Posterior, other: Posterior, epsilon: float) -> float:
    """P[loss > epsilon] - e^epsilon Q[loss > epsilon], the threshold found by bisection of the loss."""
    if one.total == other.total:
        return max(0.0, 1 - math.exp(epsilon))

    def loss(point: float) -> float:
        return one.log_density(point) - other.log_density(point)

    low, high = one.ends
    low = low if math.isfinite(low) else -60.0
    high = high if math.isfinite(high) else 200.0
    inside = (low + 1e-13 * (high - low), high - 1e-13 * (high - low))
    rising = loss(inside[1]) > loss(inside[0])
    below, after = inside
    for _ in range(70):
        middle = (below + after) / 2
        below, after = (middle, after) if (loss(middle) > epsilon) != rising else (below, middle)
    if rising:
        return max(0.0, one.above(after) - math.exp(epsilon) * other.above(after))
    return max(0.0, one.beneath(below) - math.exp(epsilon) * other.beneath(below))


def worst(model: Family, schema: pv.Schema, records: int, weight: Fraction) -> dict[float, float]:
    size = schema.column(model.column).size
    found = dict.fromkeys(EPSILONS, 0.0)
    for shared in combinations_with_replacement(range(size), records - 1):
        laws = [Posterior(model, schema, (*shared, code), weight) for code in range(size)]
        for one in laws:
            for other in laws:
                for epsilon in EPSILONS:
                    found[epsilon] = max(found[epsilon], delta(one, other, epsilon))
    return found


@pytest.mark.parametrize("weight", ["1", "0.4"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_draws(case: Case, weight: str) -> None:
    """One draw: the pair is never below any two neighbours, and attained where it is claimed to be."""
    model, schema = case.small
    heavy = Fraction(weight)
    for records in (1, 3):
        pair = both_orders(model.draw_pair(schema, records, heavy, 1))
        for epsilon, found in worst(model, schema, records, heavy).items():
            claimed = pair.delta(epsilon)
            assert found <= claimed + 1e-8, (records, epsilon)
            if case.tight or records == 1:
                assert claimed <= found + 1e-8, (records, epsilon)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_pure_draws(case: Case) -> None:
    """A law cut at both ends: the largest loss at the ends of the interval, over all neighbours."""
    small, schema = case.small
    ends = CUTS[small.law.name]
    document = {**small.to_document(), "prior": Truncated(small.law, *ends).to_document()}
    model = family_of(document)
    heavy = Fraction(7, 10)
    size = schema.column(model.column).size
    for records in (1, 3, 6):
        largest = 0.0
        for shared in combinations_with_replacement(range(size), records - 1):
            laws = [Posterior(model, schema, (*shared, code), heavy) for code in range(size)]
            for one in laws:
                for other in laws:
                    for end in one.ends:
                        largest = max(largest, one.log_density(end) - other.log_density(end))
        pure = model.draw_pair(schema, records, heavy, 1).pure
        assert pure is not None
        assert math.isclose(float(pure), largest, rel_tol=1e-8)


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE], ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_noisy_statistics(case: Case, relation: pv.Neighbours) -> None:
    """Laplace: the largest loss over outputs and neighbours is epsilon where one record reaches all moves.

    Gaussian: the exact curve of one sum is attained; the bound of two is not passed.
    """
    model, schema = case.small
    summands = model.summands(schema, relation)
    ranges = [one.bounds(schema) for one in summands]
    codes = np.arange(schema.column(model.column).size)
    adds = np.array([one.of({model.column: codes}) for one in summands]).T
    moves = (
        {tuple(one - other) for one in adds for other in adds}
        if relation is pv.REPLACE_ONE
        else {tuple(sign * one) for one in adds for sign in (1, -1)}
    )
    laplace = pv.NoisyStatistics(ranges, "0.8", neighbours=relation)
    rates = np.array([float(1 / scale) for scale in laplace.scales])
    largest = max(float(np.abs(move) @ rates) for move in map(np.array, moves))
    assert largest <= 0.8
    attained = relation is pv.REPLACE_ONE or 0 not in np.abs(adds).max(axis=0)
    assert not attained or math.isclose(largest, 0.8, rel_tol=1e-12)
    gaussian = pv.NoisyStatistics(ranges, "0.8", "0.01", neighbours=relation)
    found = max(gaussian_delta(np.array(move), gaussian, 0.8) for move in moves)
    assert found <= 0.01
    if len(ranges) == 1:
        assert math.isclose(found, gaussian.guarantee.delta(0.8), rel_tol=1e-7)


def gaussian_delta(move: np.ndarray, mechanism: pv.NoisyStatistics, epsilon: float) -> float:
    """Sum over outputs, one sum after the other."""
    grids = []
    for scale, step in zip(map(float, mechanism.scales), move.tolist(), strict=True):
        z = np.arange(-math.ceil(12 * scale) - abs(step), math.ceil(12 * scale) + abs(step) + 1)
        p = np.exp(-(z**2) / (2 * scale**2))
        q = np.exp(-((z - step) ** 2) / (2 * scale**2))
        grids.append((p / p.sum(), q / q.sum()))
    p, q = grids[0]
    for other_p, other_q in grids[1:]:
        p, q = np.outer(p, other_p).ravel(), np.outer(q, other_q).ravel()
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def test_a_wrong_move_is_noticed() -> None:
    """With half the move the noise is too small, and the sum over outputs says so."""
    half = pv.NoisyStatistics([(0, 5)], "0.8", "0.01")
    assert gaussian_delta(np.array([10]), half, 0.8) > 0.01
    assert gaussian_delta(np.array([5]), half, 0.8) <= 0.01


def family_of(document: dict[str, object]) -> Family:
    model = to_model(document)
    assert isinstance(model, Family)
    return model
