"""Released draws from posteriors of re-weighted priors: few draws in the suite, many in evidence/."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from family_cases import SCHEMA

import privior as pv
from chi_square import fits
from privior.models import ExactStatistics, Family, to_model
from privior.models.laws import Law, Reweighted

#: how a law is re-weighted: strength, coordinate, pivot
Way = tuple[object, str | None, object]
QUARTER = Fraction(1, 4)
#: draws of one release, which glues its law together once
TOGETHER = 10

#: a family, its prior, how that is re-weighted, the sum of the records, and how many draws the suite takes:
#: so many that a law without weights is rejected by six standard deviations, and one of the given share of
#: the strength; None where that takes more draws, 3,500, which evidence/ takes
DRAWN: list[tuple[Family, Law, Way, int, int, Fraction | None]] = [
    (
        pv.BetaBernoulli("sick"),
        pv.Truncated(pv.Beta(3, 3), "0.1", "0.9"),
        ("2.5", None, "0.45"),
        13,
        1700,
        None,
    ),
    (pv.GammaPoisson("events"), pv.Truncated(pv.Gamma(8, 4), "0.5", 4), (7, "log", 2), 60, 1700, None),
    (
        pv.GammaExponential("wait"),
        pv.Truncated(pv.Gamma(20, 20), "0.4", 3),
        (15, "value", 1),
        300,
        800,
        QUARTER,
    ),
    (
        pv.NormalMean("pressure", pv.Normal(125, stddev=8), stddev=12),
        pv.Truncated(pv.Normal(125, stddev=8), 90, 160),
        (1, None, 124),
        -900,
        400,
        QUARTER,
    ),
]


def reweighted(law: Law, way: Way) -> Reweighted:
    assert not isinstance(law, Reweighted)
    return Reweighted(law, way[0], of=way[1], pivot=way[2])


def family(model: Family, prior: Law) -> Family:
    found = to_model({**model.to_document(), "prior": prior.to_document()})
    assert isinstance(found, Family)
    return found


def check_draws(model: Family, law: Law, way: Way, summed: int, draws: int, weaker: Fraction | None) -> None:
    """Draw given 30 records; compare with the law, that without weights, and one of less strength."""
    own = family(model, reweighted(law, way))
    mechanism = pv.PosteriorDraws(own, SCHEMA, 30, 1000 * TOGETHER, draws=TOGETHER)
    assert mechanism.weight == 1
    exact = ExactStatistics(np.array([summed]))
    releases = (mechanism.release(exact) for _ in range(draws // TOGETHER))
    drawn = [float(one) for release in releases for one in release.values()]
    assert len(drawn) == draws
    total = float(own.total(SCHEMA, 30, summed))
    low, high = (float(end) for end in own.prior.support if end is not None)
    points = np.linspace(low, high, 200_001)[1:-1]

    def cells(prior: Law) -> list[int]:
        logs = prior.log_density(points) + own.natural(points) * total - own.partition(points) * 30
        below = np.cumsum(np.exp(logs - logs.max()))
        edges = np.interp(np.arange(1, 12) / 12, below / below[-1], points)
        return [int(one) for one in np.searchsorted(edges, drawn)]

    chances = dict.fromkeys(range(12), 1 / 12)
    assert fits(cells(own.prior), chances)
    assert not fits(cells(law), chances)
    if weaker is not None:
        assert not fits(cells(reweighted(law, (Fraction(str(way[0])) * weaker, *way[1:]))), chances)
