"""Which pair dominates one draw from a conjugate posterior, from public facts.

Replace-one answers are the worse of both orders at each epsilon, ready to be composed with others. The
add-or-remove answers are ordered, P the law with the record: its mirror is the removal, and both curves are
kept through all compositions, for "with the record" is the same side of every release.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from privior.checks import whole_number
from privior.errors import NumberError, shown
from privior.exact import positive, rational, round_up
from privior.privacy.neighbours import REPLACE_ONE, Neighbours
from privior.privacy.pairs.beta import BetaPair
from privior.privacy.pairs.contract import DominatingPair
from privior.privacy.pairs.gamma_scale import GammaScalePair
from privior.privacy.pairs.gamma_shape import GammaShapePair
from privior.privacy.pairs.gaussian import GaussianPair
from privior.privacy.pairs.shape_moves import ShapeMoves
from privior.privacy.pairs.signed_steps import SignedSteps
from privior.privacy.pairs.two_levels import TwoLevelsPair
from privior.privacy.pairs.virtual_records import VirtualRecordsPair, virtual_records_epsilon
from privior.privacy.pairs.worst import both_orders

_LEAST, _MOST = Fraction(1, 10**12), Fraction(10**15)
#: up to this many virtual records the exact pair is summed, above it randomised response at its epsilon
_MOST_SUMMED = 2000


def dirichlet_draw(
    prior: Sequence[object],
    rate: object = 1,
    neighbours: Neighbours | str = REPLACE_ONE,
    records: int | None = None,
) -> DominatingPair:
    """One draw from Dirichlet(prior + rate * counts).

    Args:
        prior: the prior parameter of each cell
        rate: the weight of one record in the posterior
        neighbours: replace-one, or add-or-remove-one (ordered: P has the record)
        records: their number if it is public; makes a difference for two cells under replace-one
    """
    cells = _cells(prior)
    step = _positive(rate, "rate")
    if Neighbours.of(neighbours) is not REPLACE_ONE:
        return GammaShapePair(cells[0], step)
    if len(cells) == 2 and records is not None:
        return TwoLevelsPair(cells[0], cells[1], step, whole_number(records, "records"))
    return both_orders(BetaPair(cells[0], cells[1], step))


def statistics_draw(
    prior: Sequence[object], squared: object, largest: object, rate: object = 1
) -> ShapeMoves:
    """One draw from Dirichlet(prior + rate * x), x any non-negative statistics of declared sensitivities.

    For whichever neighbours the sensitivities are declared, in both orders. No entry moves farther than all
    together, so `largest` beyond the root of `squared` is cut there.

    Args:
        prior: the prior parameter of each cell
        squared: the largest sum of squared changes of x between neighbours
        largest: the largest change of one entry of x
        rate: the weight of x in the posterior
    """
    smallest, step = _cells(prior)[0], _positive(rate, "rate")
    moved, farthest = _positive(squared, "squared"), _positive(largest, "largest")
    if moved < farthest**2:
        root = Fraction(math.nextafter(math.sqrt(round_up(moved)), math.inf))
        farthest = min(farthest, root)
    return ShapeMoves(smallest, step**2 * moved, step * farthest)


def network_draw(
    nodes: Sequence[Sequence[Sequence[object]]],
    rate: object = 1,
    neighbours: Neighbours | str = REPLACE_ONE,
    records: int | None = None,
) -> tuple[DominatingPair, ...]:
    """One draw of all conditional tables of a Bayesian network: a pair for each node, to be composed.

    A node is its rows, a row the prior parameters of its cells; a record counts once in each node, and
    replacing it moves one count between two cells of the table, of the same row or not. Independent Gammas
    of the two cells, of which the draw of the table is a function, have a likelihood ratio that depends on
    their proportion only: the Beta pair with the two smallest parameters among the cells of ALL rows.
    A root is one row, a table of its own.
    """
    found = []
    for rows in nodes:
        cells = [cell for row in rows for cell in row]
        found.append(dirichlet_draw(cells, rate, neighbours, records if len(rows) == 1 else None))
    return tuple(found)


def virtual_records_draw(
    prior: Sequence[object], drawn: int, rate: object = 1, neighbours: Neighbours | str = REPLACE_ONE
) -> DominatingPair:
    """The counts of `drawn` records from one draw of Dirichlet(prior + rate * counts): pure.

    Under replace-one the exact pair up to 2000 records, otherwise randomised response at the same epsilon.
    """
    cells = _cells(prior)
    step, many = _positive(rate, "rate"), whole_number(drawn, "drawn")
    if Neighbours.of(neighbours) is REPLACE_ONE and many <= _MOST_SUMMED:
        return both_orders(VirtualRecordsPair(many, cells[0], cells[1], step))
    return SignedSteps(virtual_records_epsilon(many, cells[0], step))


def poisson_draw(shape: object, bound: object, rate: object = 1) -> DominatingPair:
    """One draw from the Gamma posterior of Poisson counts in [0, bound]; one record replaced, n public."""
    step = _positive(rate, "rate") * _positive(bound, "bound")
    return both_orders(GammaShapePair(_positive(shape, "shape"), step))


def gamma_rate_draw(
    shape: object,
    prior_rate: object,
    records: int,
    least: object,
    most: object,
    rate: object = 1,
    draws: int = 1,
    each: Fraction = Fraction(1),
) -> DominatingPair:
    """Draws of a rate with prior Gamma(shape, prior_rate), to which records in [least, most] add, n public.

    A record adds `each` to the shape: 1 if it is Exponential, half if it is (x - mean)^2 / 2 of a Normal one,
    whose precision the rate is.
    """
    low, high = rational(least, "least"), rational(most, "most")
    if not 0 <= low < high:
        raise NumberError(
            "not a range", asked=f"{shown(least)} to {shown(most)}", allowed="0 <= least < most"
        )
    weight, n = _positive(rate, "rate"), whole_number(records, "records")
    alpha, beta = _positive(shape, "shape"), _positive(prior_rate, "prior_rate")
    total = whole_number(draws, "draws") * (alpha + each * weight * n)
    return both_orders(GammaScalePair(total, 1 + weight * (high - low) / (beta + weight * n * low)))


def normal_mean_draw(
    variance: object, prior_variance: object, records: int, diameter: object, rate: object = 1, draws: int = 1
) -> GaussianPair:
    """Draws of the mean of Normal records of known variance in a range of this diameter, n public.

    The posterior has precision 1/t^2 + r n/s^2 whatever the data, and one record moves its mean by at most
    r D/s^2 over that: exactly mu-GDP, mu^2 = N (r D/s^2)^2 / (1/t^2 + r n/s^2).
    """
    s2, t2 = _positive(variance, "variance"), _positive(prior_variance, "prior_variance")
    weight, span = _positive(rate, "rate"), _positive(diameter, "diameter")
    precision = 1 / t2 + weight * whole_number(records, "records") / s2
    return GaussianPair(whole_number(draws, "draws") * (weight * span / s2) ** 2 / precision)


def _cells(prior: Sequence[object]) -> list[Fraction]:
    """Read the prior parameters, smallest first."""
    cells = sorted(_positive(cell, "prior") for cell in prior)
    if len(cells) < 2:
        raise NumberError("a table has two cells at least", asked=shown(prior))
    return cells


def _positive(value: object, name: str) -> Fraction:
    return positive(value, name, least=_LEAST, most=_MOST)
