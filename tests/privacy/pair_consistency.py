"""What the answers of one pair must say of each other, whatever its laws: no truth is needed to see a lie.

delta, Renyi, rho, mu, pure, the mirror, groups, compositions, `Within` and `Guarantee` are different views of
the same two laws. Where one of them forgets a field of the pair, it no longer agrees with the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np

from privior.errors import NumberError, PlanError
from privior.exact import round_up
from privior.privacy import ADD_OR_REMOVE_ONE, NOTHING, REPLACE_ONE, Budget, Guarantee
from privior.privacy.composition import Composed, TwoLevelsDraws, compose_ordered, compose_symmetric
from privior.privacy.filters import BasicFilter, ConcentratedFilter, GaussianFilter
from privior.privacy.pairs import (
    ApproximatePair,
    BetaPair,
    BoundedRangePair,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    FinitePair,
    GammaScalePair,
    GammaShapePair,
    GaussianPair,
    GroupPair,
    KNormPair,
    ObjectivePair,
    ReplacedObjectivePair,
    ShapeMoves,
    SignedSteps,
    TwoLevelsPair,
    VirtualRecordsPair,
    Within,
    WorstOf,
    both_orders,
)
from privior.privacy.pairs.group import group

F = Fraction
ORDERS = (0.5, 1.0, 1.125, 1.5, 2.0, 3.0, 7.0, 40.0)
EPSILONS = (-1.5, -0.3, 0.0, 0.2, 0.8, 2.0, 5.0)
#: more than all roundings, far less than any omission
SAME = 1e-7
#: what of a curve's own view of itself is a bound, not the curve of two laws: delta and Renyi stated apart
BOUNDS: tuple[type[DominatingPair], ...] = (
    GroupPair,
    Within,
    BoundedRangePair,
    Concentrated,
    ShapeMoves,
    WorstOf,
    TwoLevelsPair,
)
BOUNDS += (ObjectivePair, ReplacedObjectivePair)
INEXACT: tuple[type[DominatingPair], ...] = (*BOUNDS, Composed, TwoLevelsDraws)


def drawn(rng: Random, low: float, high: float) -> Fraction:
    """A number between both, on a scale of its logarithm."""
    return F(round(math.exp(rng.uniform(math.log(low), math.log(high))) * 1000) or 1, 1000)


def _law(rng: Random) -> tuple[Fraction, ...]:
    weights = [rng.randint(1, 20) for _ in range(4)]
    return tuple(F(weight, sum(weights)) for weight in weights)


#: how each class of pairs is drawn; one that is missing here fails a test
DRAWN: dict[type[DominatingPair], Callable[[Random], DominatingPair]] = {
    ApproximatePair: lambda r: ApproximatePair(drawn(r, 0.1, 3), r.choice([F(0), F(1, 100), F(1, 7)])),
    BetaPair: lambda r: BetaPair(drawn(r, 2, 30), drawn(r, 2, 30), drawn(r, 0.2, 1.5)),
    BoundedRangePair: lambda r: BoundedRangePair(drawn(r, 0.1, 4)),
    Concentrated: lambda r: Concentrated(drawn(r, 0.02, 2)),
    DiscreteGaussianShift: lambda r: r.choice(
        [
            DiscreteGaussianShift(drawn(r, 0.3, 40), 2),
            DiscreteGaussianShift(drawn(r, 20, 300), 1, r.randint(2, 12)),
            DiscreteGaussianShift(drawn(r, 0.3, 40), 1),
        ]
    ),
    FinitePair: lambda r: FinitePair(_law(r), _law(r)),
    GammaScalePair: lambda r: GammaScalePair(drawn(r, 0.5, 20), 1 + drawn(r, 0.05, 1), r.random() < 0.5),
    GammaShapePair: lambda r: GammaShapePair(drawn(r, 2, 30), drawn(r, 0.2, 2), r.random() < 0.5),
    GaussianPair: lambda r: GaussianPair(drawn(r, 0.05, 4)),
    GroupPair: lambda r: GroupPair(
        r.choice([KNormPair(3, drawn(r, 0.2, 1)), BetaPair(drawn(r, 40, 90), drawn(r, 40, 90))]),
        r.randint(2, 4),
    ),
    KNormPair: lambda r: KNormPair(r.randint(2, 9), drawn(r, 0.2, 3)),
    ObjectivePair: lambda r: ObjectivePair(drawn(r, 0.01, 2), drawn(r, 0.05, 4), r.random() < 0.5),
    ReplacedObjectivePair: lambda r: ReplacedObjectivePair(drawn(r, 0.01, 1), drawn(r, 0.05, 4)),
    ShapeMoves: lambda r: ShapeMoves(drawn(r, 10, 60), drawn(r, 1, 6), drawn(r, 0.5, 2)),
    SignedSteps: lambda r: SignedSteps(drawn(r, 0.1, 2), r.randint(1, 5)),
    TwoLevelsPair: lambda r: TwoLevelsPair(drawn(r, 2, 9), drawn(r, 2, 9), drawn(r, 0.3, 1), r.randint(2, 9)),
    VirtualRecordsPair: lambda r: VirtualRecordsPair(
        r.randint(2, 12), drawn(r, 0.5, 9), drawn(r, 0.5, 9), drawn(r, 0.3, 2)
    ),
    Within: lambda r: Within(
        r.choice([GaussianPair(drawn(r, 0.05, 2)), SignedSteps(drawn(r, 0.1, 2)), BetaPair(F(5), F(9))]),
        drawn(r, 0.001, 0.05),
    ),
    WorstOf: lambda r: r.choice(
        [
            both_orders(BetaPair(drawn(r, 2, 5), drawn(r, 8, 30))),
            WorstOf((GaussianPair(drawn(r, 0.05, 0.2)), GaussianPair(drawn(r, 0.5, 2)))),
            WorstOf((SignedSteps(drawn(r, 0.1, 0.3)), FinitePair(_law(r), _law(r)))),
        ]
    ),
    Composed: lambda r: Composed(
        (
            (r.choice([KNormPair(4, drawn(r, 0.2, 1)), BetaPair(drawn(r, 20, 60), F(30))]), r.randint(2, 4)),
            (DiscreteGaussianShift(drawn(r, 200, 900), 1, r.randint(2, 9)), r.randint(1, 3)),
        )
    ),
    TwoLevelsDraws: lambda r: TwoLevelsDraws(
        TwoLevelsPair(drawn(r, 6, 9), drawn(r, 6, 9), F(1, 2), r.randint(2, 4)), r.randint(2, 3)
    ),
}


def pairs_of(kind: type[DominatingPair], number: int = 2) -> list[DominatingPair]:
    """The same ones on every day."""
    rng = Random(kind.__name__)
    return [DRAWN[kind](rng) for _ in range(1 if kind is ShapeMoves else number)]  # its search is slow


def more(larger: float, smaller: float) -> bool:
    """Whether a number is not below another."""
    return larger >= smaller * (1 - 1e-12) - 1e-290


def equal(one: Any, other: Any) -> bool:
    return bool(one == other) or (
        one is not None and other is not None and math.isclose(float(one), float(other), rel_tol=SAME)
    )


def complaints(pair: DominatingPair) -> Iterator[str]:
    """Everything about this pair that contradicts something else about it."""
    for one, other in ((pair, pair.mirror), (pair.mirror, pair)):
        yield from _curve(one)
        yield from _sums(one, other)
    yield from _orders(pair)
    yield from _promises(pair)
    yield from _groups(pair)
    yield from _compositions(pair)


def _curve(pair: DominatingPair) -> Iterator[str]:
    """delta and Renyi of one order, and the largest loss."""
    deltas, divergences = [pair.delta(e) for e in EPSILONS], [pair.renyi(order) for order in ORDERS]
    rises = any(later > earlier for earlier, later in pairwise(deltas))
    if rises and not isinstance(pair, GroupPair):  # a bound at each epsilon by itself
        yield "delta increases"
    if any(later < earlier * (1 - 1e-12) for earlier, later in pairwise(divergences)):
        yield "Renyi divergences decrease"
    rare = 1e-17 if isinstance(pair, Composed) else 0.0  # losses that count as infinite
    if not isinstance(pair, BOUNDS):
        # a composition of bounds is one where nothing is promised; at 0 and above it is held to the same
        apart = isinstance(pair, Composed) and any(isinstance(one, BOUNDS) for one, _ in pair.parts)
        for e, delta in zip(EPSILONS, deltas, strict=True):
            if apart and e < 0:
                continue
            for order, divergence in zip(ORDERS, divergences, strict=True):
                if order > 1 and not more(_converted(divergence, order, e) * (1 + 1e-9) + rare, delta):
                    yield f"delta({e}) is above what the divergence of order {order} allows"
    pure = pair.pure
    if pure is not None:
        if pair.delta(math.nextafter(float(pure), math.inf)) != 0:
            yield "there is a loss above the largest"
        if not more(float(pure), pair.renyi(1e7)):
            yield "the divergence of a high order exceeds the largest loss"
        if not isinstance(pair, INEXACT) and pair.delta(float(pure) * 0.999) <= 0:
            yield "the largest loss is not attained"
    elif math.isfinite(pair.renyi(1e7)) and pair.renyi(1e7) < 1:
        yield "bounded at every order, but no largest loss"


def _converted(divergence: float, order: float, epsilon: float) -> float:
    gap = (order - 1) * (min(divergence, 1e6) - epsilon)
    return float(math.exp(min(gap, 700.0)) / order * (1 - 1 / order) ** (order - 1))


def _orders(pair: DominatingPair) -> Iterator[str]:
    """Both orders: a curve at -epsilon is the other one at epsilon, and both have one Bhattacharyya sum."""
    mirror = pair.mirror
    if mirror.mirror != pair:
        yield "the mirror of the mirror is another pair"
    if isinstance(pair, INEXACT):
        return
    for e in EPSILONS:
        swapped = 1 - math.exp(e) + math.exp(e) * mirror.delta(-e)
        if abs(pair.delta(e) - swapped) > 1e-9 * (1 + math.exp(e)):
            yield f"the mirror is not the other order at {e}"
    # e^(-D/2) = 1 - 1/4 integral of e^(-epsilon/2) (delta + mirrored delta) over epsilon > 0, D of order 1/2:
    # between the sums of rectangles, for curves fall
    nodes = np.concatenate([[0.0], np.geomspace(1e-2, 8.0, 48)])
    curve = np.array([pair.delta(e) + mirror.delta(e) for e in nodes.tolist()])
    widths = 2 * (np.exp(-nodes[:-1] / 2) - np.exp(-nodes[1:] / 2))
    farther = 2 * math.exp(-float(nodes[-1]) / 2) * float(curve[-1])
    least, most = float(widths @ curve[1:]), float(widths @ curve[:-1]) + farther
    for one in (pair, mirror):
        if not least * (1 - 1e-9) <= 4 * -math.expm1(-one.renyi(0.5) / 2) <= most * (1 + 1e-9):
            yield "delta and the divergence of order 1/2 are of different laws"


def _sums(pair: DominatingPair, mirror: DominatingPair) -> Iterator[str]:
    """rho and mu: for both orders, above everything that they bound, and known wherever pure is."""
    rho, square, loss = pair.rho, pair.mu_squared, pair.largest_loss
    if not equal(rho, mirror.rho) or not equal(square, mirror.mu_squared):
        yield "rho and mu depend on the order"
    if loss is not None and (pair.pure is None or mirror.pure is None or loss < max(pair.pure, mirror.pure)):
        yield "the largest loss of both orders is too small"
    if loss is not None and (rho is None or square is None):
        yield "pure, but rho or mu is not known"
    if rho is not None:
        for order in ORDERS if not isinstance(pair, GroupPair) else ():  # its divergences are looser
            if not more(max(order, 1.0) * float(rho) * (1 + 1e-12), pair.renyi(order)):
                yield f"rho is below the divergence of order {order}"
        for e in EPSILONS:
            bound = Concentrated(rho).delta(e) * 1.001 + 1e-17  # losses so rare may count as infinite
            if not isinstance(pair, BOUNDS) and not more(bound, pair.delta(e)):
                yield f"the curve of rho is below that of the pair at {e}"
    if square is not None:
        for e in EPSILONS:
            if not more(
                GaussianPair(square).delta(e), pair.delta(e) * (1 - 2e-3 * isinstance(pair, Composed))
            ):
                yield f"the curve of mu is below that of the pair at {e}"
    for filtered, cost in (
        (ConcentratedFilter.of(1, "1e-6"), rho),
        (GaussianFilter.of(1, "1e-6"), square),
    ):
        try:
            charged: Fraction | None = filtered.add(F(1), pair) - 1
        except PlanError:
            charged = None
        if charged != cost:
            yield "a filter charges something else"
    try:
        epsilon: Fraction | None = BasicFilter(Budget.of(1)).add(NOTHING, pair).epsilon
    except PlanError:
        epsilon = None
    if epsilon != loss:
        yield "a sum of epsilons charges something else"


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except NumberError:
        return None


def _promises(pair: DominatingPair) -> Iterator[str]:
    """What a guarantee says of the pair: both orders, and no rho or mu under a sampler error."""
    made = Guarantee(pair, ADD_OR_REMOVE_ONE, Budget.of(1), "")
    far = replace(made, sampler_error=F(1, 100))
    if _answer(lambda: made.zcdp) != pair.rho:
        yield "the guarantee has another rho"
    mu = _answer(lambda: made.gdp)
    if mu is not None and not equal(mu**2, pair.mu_squared):
        yield "the guarantee has another mu"
    for one in (pair, pair.mirror):
        for e in EPSILONS[2:]:
            if not more(made.delta(e), one.delta(e)):
                yield "the guarantee forgets an order"
        for order in ORDERS:
            if not more(made.renyi(order), one.renyi(order)):
                yield "the guarantee forgets a divergence"
    if _answer(lambda: far.zcdp) is not None or _answer(lambda: far.gdp) is not None or far.pure is not None:
        yield "the guarantee forgets the sampler error"
    yield from _near(pair, far.worst)


def _near(pair: DominatingPair, away: DominatingPair) -> Iterator[str]:
    """`Within`: everything known at distance 0, nothing but a raised curve beyond."""
    here = Within(pair, F(0))
    if (here.rho, here.mu_squared, here.pure) != (pair.rho, pair.mu_squared, pair.pure):
        yield "within nothing is another pair"
    if (away.rho, away.mu_squared, away.pure, away.mu) != (None,) * 4:
        yield "near a pair something of it is left"
    if any(math.isfinite(away.renyi(order)) for order in ORDERS):
        yield "near a pair a divergence is bounded"
    for e in (0.0, 0.2):
        if away.delta(e) < min(1.0, pair.delta(e) + 0.01) or here.delta(e) != pair.delta(e):
            yield "the distance is not added"
    if away.delta(0.0) < min(1.0, pair.delta(0.0) + 0.02):
        yield "the distance is not added on both sides"


def _groups(pair: DominatingPair) -> Iterator[str]:
    """More records tell more, each of them as the laws say."""
    before = pair
    for size in (2, 3):
        made = group(pair, size)
        if made.pure != (None if pair.pure is None else size * pair.pure):
            yield "the largest loss of a group is not the sum"
        if made.mirror != group(pair.mirror, size):
            yield "the mirror of a group is not the group of the mirror"
        if made.certain < min(F(1), size * pair.certain) and not isinstance(made, GroupPair):
            yield "what a group tells for certain is too little"
        if made.rho is not None and (pair.rho is None or made.rho < size**2 * pair.rho):
            yield "rho of a group is too small"
        if made.mu_squared is not None and (pair.mu_squared is None or made.mu_squared <= pair.mu_squared):
            yield "mu of a group is too small"
        if pair.mu is not None and (made.mu is None or not equal(made.mu, size * pair.mu)):
            yield "mu of a group of a Gaussian pair is not so many times as large"
        for e in (0.2, 0.8):
            here, there = before.delta(e), made.delta(e)
            if there < here or (there == here and 0 < here < 1):
                yield f"a group of {size} tells no more at {e}"
        for order in (1.5, 2.0):
            here, there = before.renyi(order), made.renyi(order)
            if there < here or (there == here and math.isfinite(here) and made.renyi(1e7) > here):
                yield f"a group of {size} has no larger divergence of order {order}"
        if not isinstance(made, GroupPair):
            yield from _curve(made)
            yield from _sums(made, made.mirror)
        before = made


def _compositions(pair: DominatingPair) -> Iterator[str]:
    """Losses, divergences, rho and mu add up, each as often as there are releases."""
    other = KNormPair(3, F(1, 5))
    for compose, orders in ((compose_ordered, (pair,)), (compose_symmetric, (pair, pair.mirror))):
        for parts in ([(pair, 3)], [(pair, 2), (other, 4)]):
            made = compose(parts)
            yield from _added(made, parts, ordered=compose is compose_ordered)
            for one in orders:
                for order in ORDERS:
                    total = parts[0][1] * one.renyi(order) + sum(n * p.renyi(order) for p, n in parts[1:])
                    if not more(made.renyi(order) * (1 + SAME), total):
                        yield f"divergences of order {order} do not add up"
    doubled = compose_ordered([(pair, 2)])
    for one, two in ((pair, doubled), (pair.mirror, doubled.mirror)):
        for e in (0.2, 0.8):
            here, there = one.delta(e), two.delta(e)
            if there < here * 0.999 or (0 < here < 0.9 and there < here * 1.0001):
                yield f"two releases tell no more than one at {e}"
            rho = two.rho
            exact = not isinstance(one, BOUNDS)
            if rho is not None and exact and not more(Concentrated(rho).delta(e) * 1.001 + 1e-17, there):
                yield "the curve of two releases is above that of their rho"
        if not isinstance(one, INEXACT):
            for e in (0.8, 2.0):
                if there > 0 and not more(_converted(two.renyi(2.0), 2.0, e) * 1.001, two.delta(e)):
                    yield "the curve of two releases is above what their divergences allow"


def _added(made: DominatingPair, parts: list[tuple[DominatingPair, int]], ordered: bool) -> Iterator[str]:
    loss = "pure" if ordered else "largest_loss"
    for name, exact in ((loss, False), ("rho", True), ("mu_squared", False)):
        costs = [(getattr(one, name), times) for one, times in parts]
        found = getattr(made, name)
        if any(cost is None for cost, _ in costs):
            if found is not None:
                yield f"{name} of a composition is known, of a part it is not"
            continue
        total = sum(times * cost for cost, times in costs)
        if found is None or found < total * (1 - F(1, 10**9)):
            yield f"{name} does not add up"
        elif exact and found > total:
            yield f"{name} adds up to too much"


def guarantee_complaints(made: Guarantee) -> Iterator[str]:
    """What a mechanism promises: its cost on its curve, and everything for larger units and several of it."""
    yield from complaints(made.worst)
    if not more(float(made.cost.delta), made.delta(round_up(made.cost.epsilon)) * (1 - 1e-9)):
        yield "the cost is not on the curve"
    twice, units = made * 2, made.for_units("family", 2)
    rho = _answer(lambda: made.zcdp)
    if rho != made.worst.rho or _answer(lambda: made.gdp) != made.worst.mu:
        yield "the guarantee and its pair have different rho or mu"
    if rho is not None:
        for several, factor in ((twice, 2), (units, 4)):
            found = several.worst.rho
            if found is not None and found < factor * rho:
                yield "rho of several is too small"
        if _answer(lambda: twice.zcdp) is None:
            yield "two have no rho, one has"
    for several in (twice, units, *((made.replacing(),) if made.neighbours is not REPLACE_ONE else ())):
        for e in (0.2, 0.8):
            if several.delta(e) < made.delta(e) * 0.999:
                yield "several tell less than one"
