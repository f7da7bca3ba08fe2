"""What papers state about what the calculator promises: one entry for each kind that they speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from privior.calculator import Calculation
from privior.calculator.draws import bernoulli_family, exponential_family, raised, replacing
from privior.calculator.facts import Facts, cells, count, number
from privior.exact import rational
from privior.mechanisms import PublishedLaplace
from privior.papers.published import Published, dirichlet, gibbs, gibbs_strong, hellinger, posterior_sampling
from privior.privacy import Budget

#: what papers state about facts, at epsilon and delta, if that is above 0, and at an order if there is one
Statements = Callable[[Facts, Budget, float | None], Sequence[Published]]


def statements(made: Calculation, order: float | None = None) -> Sequence[Published]:
    """Return what papers state about the same facts, at the epsilon of the promise and at this order."""
    cost = made.guarantee.cost
    if isinstance(kind := made.mechanism, PublishedLaplace):
        return [hellinger.theorem_3_1_laplace(kind.epsilon, kind.cells, type(kind).__name__)]
    stated = _DRAWS.get(made.name)
    return () if stated is None else stated(made.facts, cost, order)


def _dirichlet(facts: Facts, cost: Budget, order: float | None) -> Sequence[Published]:
    rows = count(facts, "max_rows")
    squared = (2 if replacing(facts) else 1) * rows**2
    draw = dirichlet.PublishedDraw.of(min(raised(facts)), facts["rate"], squared, rows)
    return _of_the_paper(facts, draw, cost, order)


def _statistics(facts: Facts, cost: Budget, order: float | None) -> Sequence[Published]:
    smallest = min(rational(cell, "prior") for cell in cells(facts))
    draw = dirichlet.PublishedDraw.of(smallest, facts["rate"], facts["squared"], facts["largest"])
    return _of_the_paper(facts, draw, cost, order)


def _of_the_paper(
    facts: Facts, draw: dirichlet.PublishedDraw, cost: Budget, order: float | None
) -> Sequence[Published]:
    found = []
    if count(facts, "draws") == 1 and cost.epsilon and cost.delta:
        found.append(dirichlet.theorem_4(draw, cost.epsilon))
    if order is not None and order > 1:
        found += [dirichlet.theorem_2(draw, order), dirichlet.equation_6(draw, order)]
    return found


def _bernoulli(facts: Facts, cost: Budget, order: float | None) -> Sequence[Published]:
    slope = posterior_sampling.bernoulli_lipschitz(number(facts, "floor"))
    family = None if facts["records"] is None else bernoulli_family(facts)
    return [posterior_sampling.theorem_8_lipschitz(slope, 1, family, count(facts, "draws"))]


def _exponential(facts: Facts, cost: Budget, order: float | None) -> Sequence[Published]:
    """L is printed as the largest rate."""
    apart = number(facts, "data_upper") - number(facts, "data_lower")
    family, draws = exponential_family(facts), count(facts, "draws")
    return [posterior_sampling.theorem_8_lipschitz(number(facts, "upper"), apart, family, draws)]


def _gibbs(facts: Facts, cost: Budget, order: float | None) -> Sequence[Published]:
    if not (cost.epsilon and cost.delta) or count(facts, "draws") > 1 or not replacing(facts):
        return []
    temperature, slope, convexity = (facts[name] for name in ("temperature", "lipschitz", "strong_convexity"))
    if own := number(facts, "loss_convexity"):
        known = slope, convexity, count(facts, "records"), own
        return [
            gibbs_strong.theorem_10(temperature, *known, cost.epsilon),
            gibbs_strong.corollary_11(cost.epsilon, cost.delta, *known),
        ]
    return [gibbs.theorem_7(temperature, slope, convexity, cost.epsilon)]


_DRAWS: dict[str, Statements] = {
    "dirichlet-draw": _dirichlet,
    "statistics-draw": _statistics,
    "truncated-bernoulli": _bernoulli,
    "truncated-exponential": _exponential,
    "gibbs": _gibbs,
}
