"""What draws from posteriors promise: one entry for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privior.calculator.calculator import Calculator
from privior.calculator.facts import Facts, cells, count, number, numbers, tables
from privior.errors import NumberError, shown
from privior.exact import rational
from privior.privacy import REPLACE_ONE, Neighbours, Sensitivity
from privior.privacy import pairs as laws
from privior.privacy.composition import MOST_LISTED, unit_draw
from privior.privacy.pairs import DominatingPair


def replacing(facts: Facts) -> bool:
    """Say whether neighbours differ by one record replaced."""
    return Neighbours.of(str(facts["neighbours"])) is REPLACE_ONE


def raised(facts: Facts) -> list[Fraction]:
    """The prior, larger by what a public minimum of the counts adds to every parameter."""
    least = number(facts, "least")
    if least < 0 or least.denominator != 1:
        raise NumberError("least is out of range", asked=shown(facts["least"]), allowed="0, 1, 2, ...")
    return [rational(cell, "prior") + number(facts, "rate") * least for cell in cells(facts)]


def _dirichlet(facts: Facts) -> list[DominatingPair]:
    relation, prior, rows = Neighbours.of(str(facts["neighbours"])), raised(facts), count(facts, "max_rows")
    if len(numbers(facts["prior"])) == 1:  # as many cells as a unit can move
        prior = prior[:1] * max(3, 2 * min(rows, MOST_LISTED))
    records = None if facts["records"] is None else count(facts, "records")
    if records is not None:
        records = max(1, records - len(prior) * count(facts, "least"))
    return [unit_draw(prior, number(facts, "rate"), relation, rows, records)]


def _dirichlet_reason(facts: Facts) -> str:
    rows = count(facts, "max_rows")
    if rows == 1:
        return f"Beta or Gamma pair of a Dirichlet draw, exact{_raising(facts)} {_PROOF}"
    kind = "worst pair of Gammas" if rows <= MOST_LISTED else "Renyi bound"
    return f"{kind} of a Dirichlet draw, {Sensitivity.unit(rows)}{_raising(facts)} {_PROOF}"


def _raising(facts: Facts) -> str:
    least = count(facts, "least")
    return f", counts raised to {least} at least" if least else ""


def _statistics(facts: Facts) -> list[DominatingPair]:
    return [laws.statistics_draw(cells(facts), facts["squared"], facts["largest"], facts["rate"])]


def _network(facts: Facts) -> Sequence[DominatingPair]:
    nodes = [[table if len(table) > 1 else [*table, *table]] for table in tables(facts)]
    return laws.network_draw(nodes, facts["rate"], str(facts["neighbours"]))


def bernoulli_family(facts: Facts) -> laws.TruncatedBernoulli:
    """Read a chance kept away from 0 and 1, its prior and the number of records."""
    floor = number(facts, "floor")
    first, second = [rational(cell, "prior") for cell in cells(facts)][:2]
    records = 1 if facts["records"] is None else count(facts, "records")
    return laws.TruncatedBernoulli(floor, 1 - floor, records, first, second)


def _bernoulli(facts: Facts) -> list[DominatingPair]:
    family = bernoulli_family(facts)
    return [laws.SignedSteps(family.oscillation) if facts["records"] is None else family.pair]


def exponential_family(facts: Facts) -> laws.TruncatedExponential:
    """Read a rate in an interval, the range of the data, the prior and the number of records."""
    names = ("lower", "upper", "data_lower", "data_upper", "rate")
    low, high, least, most, prior = (number(facts, name) for name in names)
    return laws.TruncatedExponential(low, high, count(facts, "records"), least, most, prior)


def _rate_draw(name: str, about: str, each: Fraction) -> Calculator:
    def built(facts: Facts) -> list[DominatingPair]:
        prior, ends = (facts["shape"], facts["rate"]), (facts["lower"], facts["upper"])
        return [laws.gamma_rate_draw(*prior, count(facts, "records"), *ends, each=each)]

    needs, reason = ("shape", "rate", "records", "lower", "upper"), f"Gamma scale pair, exact {_PROOF}"
    return Calculator(name, about, needs, {}, built, reason, {"rate": True, "upper": False})


def _normal(facts: Facts) -> list[DominatingPair]:
    stddev, prior = number(facts, "stddev"), number(facts, "prior_stddev")
    return [laws.normal_mean_draw(stddev**2, prior**2, count(facts, "records"), facts["diameter"])]


def _gibbs(facts: Facts) -> list[DominatingPair]:
    """mu = 2 beta L / sqrt(m), or half of it if a record is added or removed.

    Losses that are m_l-strongly convex themselves make both potentials (m + beta n m_l)-strongly convex. Of
    neighbours that differ in the number of records the smaller one is not public, so that nothing is gained.
    """
    beta, own = number(facts, "temperature"), number(facts, "loss_convexity")
    both = 2 if replacing(facts) else 1
    curved = number(facts, "strong_convexity")
    if own < 0:
        raise NumberError(
            "loss_convexity is out of range", asked=shown(facts["loss_convexity"]), allowed=">= 0"
        )
    if own:
        if not replacing(facts) or facts["records"] is None:
            raise NumberError(
                "the losses' own convexity counts for a public number of records only",
                asked=shown(facts["loss_convexity"]),
                advice="Say --records N and leave --neighbours replace-one.",
            )
        curved += beta * count(facts, "records") * own
    return [laws.GaussianPair((both * beta * number(facts, "lipschitz")) ** 2 / curved)]


def _gibbs_reason(facts: Facts) -> str:
    twice = "2 " if replacing(facts) else ""
    curved = "m + temperature n m_l" if number(facts, "loss_convexity") else "m"
    return f"mu-GDP, mu = {twice}temperature L / sqrt({curved}) (Gopi, Lee, Liu 2022)"


_RELATION = {"neighbours": REPLACE_ONE.value}
_PROOF = "(proof: docs/guarantees.md)"

CALCULATORS: dict[str, Calculator] = {
    calculator.name: calculator
    for calculator in (
        Calculator(
            "dirichlet-draw",
            "draws from a Dirichlet posterior",
            ("prior",),
            {"rate": 1, "records": None, "max_rows": 1, "least": 0, **_RELATION},
            _dirichlet,
            _dirichlet_reason,
            {"prior": True, "rate": False},
        ),
        Calculator(
            "statistics-draw",
            "draws from a Dirichlet posterior of statistics with declared sensitivities",
            ("prior", "squared", "largest"),
            {"rate": 1, **_RELATION},
            _statistics,
            f"Renyi bound from the sensitivities, both orders {_PROOF}",
            {"prior": True, "rate": False, "squared": False, "largest": False},
        ),
        Calculator(
            "network-draws",
            "draws of all conditional tables of a Bayesian network",
            ("nodes",),
            {"rate": 1, **_RELATION},
            _network,
            f"Beta or Gamma pair of each table, composed {_PROOF}",
            {"rate": False},
        ),
        Calculator(
            "poisson-draw",
            "draws of a Poisson rate, counts bounded",
            ("shape", "bound"),
            {"rate": 1},
            lambda facts: [laws.poisson_draw(facts["shape"], facts["bound"], facts["rate"])],
            f"Gamma pair of a Poisson-Gamma draw, exact {_PROOF}",
            {"shape": True, "bound": False, "rate": False},
        ),
        _rate_draw("exponential-draw", "draws of an exponential rate, data bounded", Fraction(1)),
        _rate_draw("precision-draw", "draws of a normal precision, squared data bounded", Fraction(1, 2)),
        Calculator(
            "normal-mean-draw",
            "draws of a normal mean, data bounded",
            ("diameter", "stddev", "prior_stddev", "records"),
            {},
            _normal,
            f"Gaussian pair, exact {_PROOF}",
            {"diameter": False, "prior_stddev": False, "stddev": True},
        ),
        Calculator(
            "truncated-bernoulli",
            "draws of a chance kept away from 0 and 1",
            ("floor",),
            {"prior": "1,1", "records": None},
            _bernoulli,
            f"truncated one-parameter family, pure {_PROOF}",
            {"floor": True},
        ),
        Calculator(
            "truncated-exponential",
            "draws of an exponential rate in an interval",
            ("lower", "upper", "data_lower", "data_upper", "records"),
            {"rate": 1},
            lambda facts: [exponential_family(facts).pair],
            f"truncated one-parameter family, pure {_PROOF}",
            {"upper": False, "data_upper": False},
        ),
        Calculator(
            "bounded-range",
            "draws whose log likelihood ratio varies by eta at most",
            ("eta",),
            {},
            lambda facts: [laws.BoundedRangePair(number(facts, "eta"))],
            f"oscillation of the likelihood ratio {_PROOF}",
            {"eta": False},
        ),
        Calculator(
            "virtual-records",
            "counts of records drawn from a Dirichlet draw",
            ("prior", "drawn"),
            {"rate": 1, "least": 0, **_RELATION},
            lambda facts: [
                laws.virtual_records_draw(
                    raised(facts), count(facts, "drawn"), facts["rate"], str(facts["neighbours"])
                )
            ],
            lambda facts: f"Polya urn, pure{_raising(facts)} {_PROOF}",
            {"prior": True, "rate": False, "drawn": False},
        ),
        Calculator(
            "gibbs",
            "draws from a Gibbs posterior of Lipschitz losses",
            ("temperature", "lipschitz", "strong_convexity"),
            {"records": None, "loss_convexity": 0, **_RELATION},
            _gibbs,
            _gibbs_reason,
            {"temperature": False, "lipschitz": False, "strong_convexity": True},
        ),
    )
}
