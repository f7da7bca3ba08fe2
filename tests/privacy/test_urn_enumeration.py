"""Virtual records: every neighbour of every table to n = 6 and k = 4, with probabilities in whole numbers.

Nothing is reduced. The counts x of M records drawn by an urn with parameters w have probability M! / prod
x_i! times prod_i w_i (w_i + 1) ... (w_i + x_i - 1) over W (W + 1) ... (W + M - 1), W the sum: multiplied by a
common denominator, these are whole numbers. `test_the_weights_are_those_of_the_urn` draws the records one by
one.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from neighbouring_tables import (
    PRIORS,
    RATES,
    RECORDS,
    Counts,
    F,
    Floats,
    Worst,
    complaints,
    plus,
    replaced,
    tables,
)

import privior as pv
from privior.privacy.pairs import (
    DominatingPair,
    SignedSteps,
    VirtualRecordsPair,
    both_orders,
    virtual_records_draw,
    virtual_records_epsilon,
)

Prior = tuple[Fraction, ...]
DRAWN = (*((rate, 4) for rate in RATES), (F(1), 1))


def name(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


@cache
def law(prior: Prior, rate: Fraction, counts: Counts, drawn: int) -> tuple[Fraction, ...]:
    """Probabilities of all outcomes."""
    unit = math.lcm(*(a.denominator for a in (*prior, rate)))
    w = [int(unit * (a + rate * c)) for a, c in zip(prior, counts, strict=True)]
    steps = [[math.prod(a + unit * t for t in range(x)) for x in range(drawn + 1)] for a in w]
    total = math.prod(sum(w) + unit * t for t in range(drawn))
    found = []
    for x in tables(drawn, len(prior)):
        ways = math.factorial(drawn) // math.prod(map(math.factorial, x))
        found.append(Fraction(ways * math.prod(step[c] for step, c in zip(steps, x, strict=True)), total))
    return tuple(found)


@cache
def floats(prior: Prior, rate: Fraction, counts: Counts, drawn: int) -> Floats:
    return np.array([float(p) for p in law(prior, rate, counts, drawn)])


def test_the_weights_are_those_of_the_urn() -> None:
    prior, rate, drawn = PRIORS[4], F(2, 5), 4
    for counts in tables(2, 4):
        parameters = [a + rate * c for a, c in zip(prior, counts, strict=True)]
        state: dict[Counts, Fraction] = {(0, 0, 0, 0): Fraction(1)}
        for step in range(drawn):
            after: dict[Counts, Fraction] = {}
            for x, chance in state.items():
                for cell, parameter in enumerate(parameters):
                    gain = chance * (parameter + x[cell]) / (sum(parameters) + step)
                    after[plus(x, cell)] = after.get(plus(x, cell), Fraction(0)) + gain
            state = after
        assert tuple(state[x] for x in tables(drawn, 4)) == law(prior, rate, counts, drawn)


@pytest.mark.parametrize(("rate", "drawn"), DRAWN, ids=name)
@pytest.mark.parametrize("prior", PRIORS, ids=name)
def test_replace_one(prior: Prior, rate: Fraction, drawn: int) -> None:
    """The largest loss is attained for every n; the curve for two levels and one record."""
    pair = virtual_records_draw(prior, drawn, rate)
    assert pair.pure == virtual_records_epsilon(drawn, min(prior), rate)
    for records in RECORDS:
        worst = Worst()
        for shared, i, j in replaced(records, len(prior)):
            worst.see_laws(
                floats(prior, rate, plus(shared, i), drawn), floats(prior, rate, plus(shared, j), drawn)
            )
        tight = len(prior) == 2 and records == 1
        assert complaints(pair, worst, tight=tight, attained=True) == []


@pytest.mark.parametrize(("rate", "drawn"), DRAWN, ids=name)
@pytest.mark.parametrize("prior", PRIORS, ids=name)
def test_add_or_remove_one(prior: Prior, rate: Fraction, drawn: int) -> None:
    """Never exceeded; the largest loss is approached as the other cells fill."""
    pair = virtual_records_draw(prior, drawn, rate, pv.ADD_OR_REMOVE_ONE)
    reached = []
    for records in RECORDS:
        worst = Worst()
        for shared, i in itertools.product(tables(records - 1, len(prior)), range(len(prior))):
            p, q = (floats(prior, rate, counts, drawn) for counts in (plus(shared, i), shared))
            worst.see_laws(p, q)
            worst.see_laws(q, p)
        assert complaints(pair, worst, tight=False) == []
        reached.append(worst.loss)
    assert reached == sorted(reached)
    first = min(range(len(prior)), key=lambda cell: prior[cell])
    many = tuple(0 if cell == first else 10**6 for cell in range(len(prior)))
    outcome = tables(drawn, len(prior)).index(tuple(drawn * (cell == first) for cell in range(len(prior))))
    up, without = (law(prior, rate, counts, drawn)[outcome] for counts in (plus(many, first), many))
    assert pair.pure is not None
    assert math.log(up / without) == pytest.approx(float(pair.pure), rel=1e-4)


def test_a_wrong_pair_is_noticed() -> None:
    prior, rate, drawn = PRIORS[0], F(2, 5), 4
    worst = Worst()
    for shared, i, j in replaced(1, 2):
        worst.see_laws(*(floats(prior, rate, plus(shared, cell), drawn) for cell in (i, j)))
    a, b = F(7, 10), F(2)
    assert complaints(both_orders(VirtualRecordsPair(drawn, a, b, rate)), worst, tight=True) == []
    wrong: list[DominatingPair] = [
        VirtualRecordsPair(drawn, a, b, rate),
        both_orders(VirtualRecordsPair(drawn + 1, a, b, rate)),
        both_orders(VirtualRecordsPair(drawn, a, b)),
        both_orders(VirtualRecordsPair(drawn, b, b, rate)),
        SignedSteps(virtual_records_epsilon(drawn, a, rate)),
    ]
    for pair in wrong:
        assert complaints(pair, worst, tight=True) != []
    assert complaints(SignedSteps(virtual_records_epsilon(drawn, b, rate)), worst, tight=False) != []
