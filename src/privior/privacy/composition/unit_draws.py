"""Draws from a Dirichlet posterior of counts to which one unit contributes several records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from privior.checks import whole_number
from privior.privacy.composition.composing import compose_ordered
from privior.privacy.neighbours import REPLACE_ONE, Neighbours
from privior.privacy.pairs import (
    BetaPair,
    DominatingPair,
    GammaShapePair,
    WorstOf,
    both_orders,
    dirichlet_draw,
    statistics_draw,
)
from privior.privacy.sensitivity import MOST_ROWS, Sensitivity

#: a unit with more records than this has too many ways to move a table: its sensitivities alone are used
MOST_LISTED = 5

#: how many records enter each of some cells, and how many leave each of others
CountMoves = tuple[tuple[int, ...], tuple[int, ...]]


def unit_draw(
    prior: Sequence[Fraction],
    rate: Fraction,
    neighbours: Neighbours,
    max_rows: int = 1,
    records: int | None = None,
) -> DominatingPair:
    """One draw from Dirichlet(prior + rate * counts), a unit of up to `max_rows` = m records.

    Proof. The draw is a function of independent Gammas, one for each cell. A cell that a unit moves by d
    has Gamma(u) on one side and Gamma(u + r d) on the other, u at least the smallest prior parameter a;
    (Gamma(a + r d), Gamma(a)) dominates that (`GammaShapePair`), and more so the larger d is, since the
    likelihood ratio is monotone. Products of dominating pairs dominate products. So a move is covered by
    any in which no cell moves less; what is left are the ways to divide m records among cells, entering and,
    under replace-one, likewise leaving (or only entering, if that takes all cells). The worst of all of them
    is taken, of several draws after composing each. Not only the one in which all records share one cell:
    for small a two cells that move by 1 tell more than one that moves by 2.
    Attained under replace-one for equal prior parameters if there are cells enough: the likelihood ratio
    of Gammas whose moves sum to 0 depends on their proportions only. Up to five records; beyond, `ShapeMoves`
    from the sensitivities of such a unit.

    Args:
        prior: the prior parameter of each cell
        rate: the weight of one record
        neighbours: replace-one, or add-or-remove-one (ordered: P has the unit)
        max_rows: how many records one unit contributes at most
        records: their number if it is public; makes a difference for two cells and one record per unit
    """
    if whole_number(max_rows, "max_rows", 1, MOST_ROWS) == 1:
        return dirichlet_draw(prior, rate, neighbours, records)
    if max_rows > MOST_LISTED:
        moved = Sensitivity.of_counts(neighbours, max_rows).l2_squared
        return statistics_draw(prior, moved, max_rows, rate)
    replacing = neighbours is REPLACE_ONE
    cells = sorted(prior)
    found = [_moved(cells, rate, moves) for moves in listed_moves(max_rows, len(cells), replacing)]
    return both_orders(WorstOf(tuple(found))) if replacing else WorstOf(tuple(found))


def listed_moves(max_rows: int, levels: int, replacing: bool) -> list[CountMoves]:
    """Return the moves that cover all others, one of each two that are mirrored.

    >>> listed_moves(2, 3, True)
    [((2,), (2,)), ((1, 1), (2,))]
    >>> listed_moves(2, 3, False)
    [((2,), ()), ((1, 1), ())]
    """
    ways = [way for way in _divided(max_rows, max_rows) if len(way) <= levels]
    if not replacing:
        return [(way, ()) for way in ways]
    both = [
        (way, other)
        for place, way in enumerate(ways)
        for other in ways[: place + 1]
        if len(way) + len(other) <= levels
    ]
    return both + [(way, ()) for way in ways if len(way) == levels]


def _divided(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to divide a number into parts of at most so much, the largest first."""
    if total == 0:
        yield ()
    for first in range(min(total, most), 0, -1):
        for rest in _divided(total - first, first):
            yield (first, *rest)


def _moved(cells: Sequence[Fraction], rate: Fraction, moves: CountMoves) -> DominatingPair:
    """Return the pair of one move; two cells that exchange records are a Beta pair."""
    entering, leaving = moves
    if len(entering) == len(leaving) == 1:
        return BetaPair(cells[0], cells[1], rate * entering[0])
    more = [(GammaShapePair(cells[0], rate * step), 1) for step in entering]
    less = [(GammaShapePair(cells[0], rate * step, less=True), 1) for step in leaving]
    return compose_ordered([*more, *less])
