"""Dirichlet draws whose statistics move by more than one record: every two neighbours of small tables.

T05, T08. Tables are boxes of whole numbers; the truths come from the densities and normalisers alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from simplex_quadrature import SURE, deltas, renyi

import privior as pv
from privior.errors import NumberError
from privior.mechanisms import PosteriorRelease
from privior.models import ExactStatistics
from privior.papers.published import dirichlet
from privior.privacy.composition import compose_symmetric, unit_draw
from privior.privacy.composition.unit_draws import listed_moves
from privior.privacy.pairs import BetaPair, DominatingPair, both_orders, statistics_draw

F = Fraction
Table = tuple[int, ...]
ORDERS = (0.5, 1.2, 2.0, 3.0, 6.0)
EPSILONS = (-0.7, 0.0, 0.5, 1.5)


def pairs_in_a_box(cells: int, side: int, squared: int, largest: int) -> Iterator[tuple[Table, Table]]:
    every = list(itertools.product(range(side + 1), repeat=cells))
    for one, other in itertools.product(every, every):
        moves = [abs(x - y) for x, y in zip(one, other, strict=True)]
        if 0 < sum(move**2 for move in moves) <= squared and max(moves) <= largest:
            yield one, other


def parameters(prior: Fraction, rate: Fraction, table: Table) -> list[float]:
    return [float(prior + rate * count) for count in table]


def exceeded(bound: DominatingPair, prior: Fraction, rate: Fraction, box: tuple[int, int, int, int]) -> bool:
    """Whether some two neighbours in a box have a larger divergence than stated."""
    stated = {order: bound.renyi(order) for order in ORDERS}
    curve = [bound.delta(e) for e in EPSILONS]
    for one, other in pairs_in_a_box(*box):
        u, v = parameters(prior, rate, one), parameters(prior, rate, other)
        if any(renyi(u, v, order) > stated[order] * (1 + 1e-9) for order in ORDERS):
            return True
        if box[0] == 2 and any(
            true > claimed * (1 + SURE) for true, claimed in zip(deltas(u, v, EPSILONS), curve, strict=True)
        ):
            return True
    return False


BOXES = [(3, 3, 6, 2), (3, 2, 5, 2), (2, 3, 8, 2), (4, 2, 4, 1), (3, 3, 9, 3)]
#: every prior in every box, at one rate and the other in turn
PAIRED = [
    (prior, (F(1), F(2, 5))[(i + j) % 2], box)
    for i, box in enumerate(BOXES)
    for j, prior in enumerate([F(6, 5), F(5), F(20)])
]


@pytest.mark.parametrize(("prior", "rate", "box"), PAIRED, ids=str)
def test_declared_sensitivities_cover_every_two_neighbours(
    prior: Fraction, rate: Fraction, box: tuple[int, int, int, int]
) -> None:
    bound = statistics_draw([prior] * box[0], box[2], box[3], rate)
    assert bound.mirror == bound
    assert not exceeded(bound, prior, rate, box)


@pytest.mark.parametrize("fault", ["squared", "largest", "smallest"])
def test_a_bound_for_smaller_moves_is_noticed(fault: str) -> None:
    prior, box = F(4), (3, 3, 6, 2)
    bound = statistics_draw([prior] * 3, 6, 2)
    wrong = {"squared": bound.squared / 2, "largest": bound.largest / 4, "smallest": 2 * bound.smallest}[
        fault
    ]
    assert exceeded(replace(bound, **{fault: wrong}), prior, F(1), box)


@pytest.mark.parametrize("squared", [1, 2, 6])
def test_the_bound_is_never_above_the_published_one(squared: int) -> None:
    """Theorem 2 takes the curvature at the far end of the kernel; both end at the same order."""
    for smallest, order in itertools.product((F(3, 2), F(5), F(60)), (1.1, 1.7, 2.0, 3.5)):
        published = dirichlet.theorem_2(dirichlet.PublishedDraw.of(smallest, 1, squared, 1), order).value
        ours = statistics_draw([smallest] * 2, squared, 1).renyi(order)
        assert ours < published or ours == published == math.inf


def test_the_prior_floor_of_declared_sensitivities() -> None:
    """(1, 1e-6) for one record replaced: 60.7036 is published, 37.05412248 exact, the bound between them."""
    assert statistics_draw(["48.8"] * 3, 2, 1).delta(1.0) <= 1e-6
    assert statistics_draw(["60.7036"] * 3, 2, 1).delta(1.0) < 1e-7
    assert statistics_draw(["37.05412248"] * 3, 2, 1).delta(1.0) > 1e-6


def test_several_draws_add_up_and_no_entry_moves_farther_than_all() -> None:
    one = statistics_draw([20] * 3, 6, 2)
    assert compose_symmetric([(one, 5)]) == replace(one, squared=F(30))
    assert one.renyi(2.0) * 5 == pytest.approx(replace(one, squared=F(30)).renyi(2.0))
    assert statistics_draw([20] * 3, 4, 9).renyi(2.0) == pytest.approx(
        statistics_draw([20] * 3, 4, 2).renyi(2.0)
    )
    with pytest.raises(NumberError):
        statistics_draw([20] * 3, 0, 1)


# ---- units of several records ------------------------------------------------------------------------------


def contributions(rows: int, cells: int) -> list[Table]:
    return [part for part in itertools.product(range(rows + 1), repeat=cells) if sum(part) <= rows]


def unit_neighbours(shared: int, rows: int, cells: int, replacing: bool) -> Iterator[tuple[Table, Table]]:
    """Every table of up to so many records of others, and every two contributions of one unit to it."""
    parts = contributions(rows, cells)
    pairs = itertools.product(parts, parts) if replacing else ((part, (0,) * cells) for part in parts)
    changes = [(one, other) for one, other in pairs if one != other]
    for table in contributions(shared, cells):
        for one, other in changes:
            yield (
                tuple(x + y for x, y in zip(table, one, strict=True)),
                tuple(x + y for x, y in zip(table, other, strict=True)),
            )


def worst_of(
    prior: Fraction, rate: Fraction, rows: int, cells: int, replacing: bool, shared: int = 1
) -> list[float]:
    """The largest divergence of any two neighbours, in both orders."""
    seen, worst = set(), [0.0] * len(EPSILONS)
    for one, other in unit_neighbours(shared, rows, cells, replacing):
        laws = frozenset(
            [tuple(sorted(zip(one, other, strict=True))), tuple(sorted(zip(other, one, strict=True)))]
        )
        if laws in seen:
            continue
        seen.add(laws)
        for swapped in laws:
            u, v = (parameters(prior, rate, tuple(table)) for table in zip(*swapped, strict=True))
            worst = [max(pair) for pair in zip(worst, deltas(u, v, EPSILONS), strict=True)]
    return worst


#: every table with every prior, by one relation and the other in turn
UNITS = [
    ((pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)[(i + j) % 2], *size, *law)
    for i, size in enumerate([(2, 2), (2, 3), (3, 2)])
    for j, law in enumerate([(F(3, 4), F(1)), (F(6), F(1)), (F(1), F(1, 5))])
]


@pytest.mark.parametrize(("relation", "cells", "rows", "prior", "rate"), UNITS)
def test_a_unit_of_several_records(
    relation: pv.Neighbours, cells: int, rows: int, prior: Fraction, rate: Fraction
) -> None:
    """Never below the truth; attained where three cells exchange two records."""
    replacing = relation is pv.REPLACE_ONE
    truth = worst_of(prior, rate, rows, cells, replacing)
    claimed = both_orders(unit_draw([prior] * cells, rate, relation, rows))
    for e, true in zip(EPSILONS, truth, strict=True):
        assert true <= claimed.delta(e) * (1 + SURE)
    if replacing and cells == 3:
        at_one = claimed.delta(0.5)
        assert truth[2] == pytest.approx(at_one, rel=2 * SURE)


def test_all_records_in_one_cell_are_not_the_worst() -> None:
    """A planted fault: for small priors two cells that move by 1 tell more than one that moves by 2."""
    prior = F(1, 5)
    truth = worst_of(prior, F(1), 2, 3, replacing=True, shared=0)
    fault, claimed = BetaPair(prior, prior, F(2)), unit_draw([prior] * 3, F(1), pv.REPLACE_ONE, 2)
    assert any(true > fault.delta(e) * (1 + SURE) for e, true in zip(EPSILONS, truth, strict=True))
    for e, true in zip(EPSILONS, truth, strict=True):
        assert true == pytest.approx(claimed.delta(e), rel=SURE)


def test_too_few_records_charged_are_noticed() -> None:
    truth = worst_of(F(6), F(1), 2, 3, replacing=True)
    claimed = both_orders(unit_draw([F(6)] * 3, F(1), pv.REPLACE_ONE, 1))
    assert any(true > claimed.delta(e) * (1 + SURE) for e, true in zip(EPSILONS, truth, strict=True))


def test_listed_moves_cover_every_change_of_a_unit() -> None:
    """No cell of any change moves farther than its place, largest first, in a listed move or its mirror."""
    for rows, cells, replacing in itertools.product((2, 3, 4), (2, 3, 4), (True, False)):
        listed = listed_moves(rows, cells, replacing)
        listed = listed + [(other, one) for one, other in listed]
        for one, other in unit_neighbours(0, rows, cells, replacing):
            up = sorted((x - y for x, y in zip(one, other, strict=True) if x > y), reverse=True)
            down = sorted((y - x for x, y in zip(one, other, strict=True) if y > x), reverse=True)
            assert any(
                len(up) <= len(more)
                and len(down) <= len(less)
                and all(x <= y for x, y in zip(up, more, strict=False))
                and all(x <= y for x, y in zip(down, less, strict=False))
                for more, less in listed
            )


def test_many_records_fall_back_on_the_sensitivities() -> None:
    for relation, squared in ((pv.REPLACE_ONE, 98), (pv.ADD_OR_REMOVE_ONE, 49)):
        assert unit_draw([F(30)] * 3, F(1), relation, 7) == statistics_draw([30] * 3, squared, 7)
    with pytest.raises(NumberError, match="max_rows is out of range"):
        unit_draw([F(30)] * 3, F(1), pv.REPLACE_ONE, 0)


def reached(mechanism: pv.DirichletDraw, shared: int, epsilons: tuple[float, ...]) -> list[float]:
    """The largest divergence between the parameters that the mechanism takes from any two neighbours."""
    replacing, worst = mechanism.neighbours is pv.REPLACE_ONE, [0.0] * len(epsilons)
    seen = set()
    for pair in unit_neighbours(shared, mechanism.max_rows, mechanism.cells, replacing):
        u, v = (
            tuple(float(one) for one in mechanism.parameters(ExactStatistics(np.array(table))))
            for table in pair
        )
        for laws in ((u, v), (v, u)):
            if u != v and laws not in seen:
                seen.add(laws)
                worst = [max(pair) for pair in zip(worst, deltas(*laws, epsilons), strict=True)]
    return worst


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("least", [0, 2])
def test_a_draw_of_units_with_raised_counts(
    relation: pv.Neighbours, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the mechanism itself; charging the larger prior without raising is noticed."""
    epsilons = (0.0, 0.5, 1.0)
    made = pv.DirichletDraw(2, 1, 1, "0.01", neighbours=relation, records=8, max_rows=2, least=least)
    claimed = [made.guarantee.delta(e) for e in epsilons]
    for true, most in zip(reached(made, 4, epsilons), claimed, strict=True):
        assert true <= most * (1 + SURE)
    if least:
        monkeypatch.setattr(
            PosteriorRelease,
            "parameters",
            lambda self, statistics: [1 + self.rate * int(count) for count in statistics.counts],
        )
        assert any(true > 1.1 * most for true, most in zip(reached(made, 4, epsilons), claimed, strict=True))
