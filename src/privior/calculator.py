"""The calculator: what a mechanism or a posterior draw promises, from public facts that somebody types.

Every entry names what it needs, what it may take, and in which direction each parameter is safer, so that
any of them can be solved for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privior.errors import NumberError, PlanError, shown
from privior.exact import decimal, rational, round_down
from privior.mechanisms import MECHANISMS, ON_REQUEST, Mechanism, Prior, PublicFacts
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours
from privior.privacy import pairs as laws
from privior.privacy.calibration import largest, smallest
from privior.privacy.pairs import DominatingPair

Facts = Mapping[str, object]


@dataclass(frozen=True)
class Calculation:
    """What can be promised under some public facts.

    Attributes:
        name: of what was calculated
        about: in a few words
        facts: what was given, and what was solved for
        guarantee: the promise
        mechanism: the mechanism itself, where there is one
    """

    name: str
    about: str
    facts: Facts
    guarantee: Guarantee
    mechanism: Mechanism | None = None


@dataclass(frozen=True)
class Calculator:
    """One kind of release.

    Attributes:
        name: as people type it
        about: in a few words
        needs: the facts without which nothing is promised
        takes: further facts, with what they are if nothing is said
        pair: builds the pair from the facts
        reason: the theorem
        safer: which numbers are safer when they are larger (True) or smaller (False): those to be solved for
    """

    name: str
    about: str
    needs: tuple[str, ...]
    takes: Mapping[str, object]
    pair: Callable[[Facts], DominatingPair]
    reason: str
    safer: Mapping[str, bool]

    def checked(self, given: Facts) -> Facts:
        """Refuse facts that are missing or play no part."""
        known = (*self.needs, *self.takes)
        strange = sorted(set(given) - set(known))
        absent = [name for name in self.needs if name not in given]
        if strange or absent:
            raise PlanError(
                "a fact is missing" if absent else "a fact plays no part here",
                where=self.name,
                asked=", ".join(absent or strange),
                allowed=", ".join(known),
            )
        return {**self.takes, **given}

    def promised(self, given: Facts, epsilon: object = None, delta: object = None) -> Calculation:
        """Return the promise, at this epsilon or at this delta; a pure one needs neither."""
        facts = self.checked(given)
        pair, relation = self.pair(facts), Neighbours.of(str(facts.get("neighbours", REPLACE_ONE.value)))
        promise = Guarantee.on_curve(pair, relation, self.reason, epsilon=epsilon, delta=delta)
        return Calculation(self.name, self.about, facts, promise)

    def solved(
        self, parameter: str, given: Facts, epsilon: object, delta: object = 0, order: float | None = None
    ) -> Calculation:
        """Find the least safe value of a parameter that keeps a promise.

        Args:
            parameter: which fact to find; what is given for it is not used
            given: the other facts
            epsilon: of the promise
            delta: likewise; 0 for a pure one
            order: promise a Renyi divergence of this order of at most epsilon instead
        """
        if parameter not in self.safer:
            raise PlanError(
                "cannot be solved for", where=self.name, asked=shown(parameter), allowed=", ".join(self.safer)
            )
        others = {name: value for name, value in given.items() if name != parameter}
        target = Budget.of(epsilon, delta or 0)

        def holds(value: Fraction) -> bool:
            pair = self.pair(self.checked({**others, parameter: value}))
            promise = Guarantee(pair, REPLACE_ONE, target, self.reason)
            if order is not None:
                return (
                    Fraction(promise.renyi(order)) <= target.epsilon
                    if promise.renyi(order) < 1e300
                    else False
                )
            if target.delta == 0:
                return promise.pure is not None and promise.pure <= target.epsilon
            return Fraction(promise.delta(round_down(target.epsilon))) <= target.delta

        found = (smallest if self.safer[parameter] else largest)(holds)
        if found is None:
            never = (
                " is never pure: give delta > 0, or truncate" if target.delta == 0 and order is None else ""
            )
            raise PlanError(
                f"no {parameter} keeps this promise" + (f": a {self.name}{never}" if never else ""),
                where=self.name,
                asked=str(target),
            )
        facts = {**others, parameter: found}
        made = self.promised(facts, epsilon=target.epsilon)
        return Calculation(self.name, self.about, {**facts, parameter: decimal(found)}, made.guarantee)


def _cells(facts: Facts) -> list[object]:
    """One number stands for every level of a table of three or more."""
    prior = facts["prior"]
    if isinstance(prior, (str, Fraction, int)):
        listed: Sequence[object] = str(prior).split(",") if isinstance(prior, str) else [prior]
    else:
        listed = list(prior)  # type: ignore[call-overload]
    return list(listed) * 3 if len(listed) == 1 else list(listed)


def _number(facts: Facts, name: str) -> Fraction:
    return rational(facts[name], name)


def _count(facts: Facts, name: str) -> int:
    number = _number(facts, name)
    if number.denominator != 1:
        raise NumberError(f"{name} is not a whole number", asked=shown(facts[name]))
    return int(number)


def _dirichlet(facts: Facts) -> DominatingPair:
    records = None if facts["records"] is None else _count(facts, "records")
    return laws.dirichlet_draw(_cells(facts), facts["rate"], str(facts["neighbours"]), records)


def _bernoulli(facts: Facts) -> DominatingPair:
    floor = _number(facts, "floor")
    cells = [rational(cell, "prior") for cell in _cells(facts)][:2]
    if facts["records"] is None:
        family = laws.TruncatedBernoulli(floor, 1 - floor, 1, *cells)
        return laws.SignedSteps(family.oscillation)
    return laws.TruncatedBernoulli(floor, 1 - floor, _count(facts, "records"), *cells).pair


def _truncated_exponential(facts: Facts) -> DominatingPair:
    names = ("lower", "upper", "data_lower", "data_upper", "rate")
    low, high, least, most, prior = (_number(facts, name) for name in names)
    return laws.TruncatedExponential(low, high, _count(facts, "records"), least, most, prior).pair


def _rate_draw(draw: Callable[..., DominatingPair]) -> Callable[[Facts], DominatingPair]:
    def built(facts: Facts) -> DominatingPair:
        return draw(
            facts["shape"],
            facts["rate"],
            _count(facts, "records"),
            facts["lower"],
            facts["upper"],
            draws=_count(facts, "draws"),
        )

    return built


def _normal(facts: Facts) -> DominatingPair:
    stddev, prior = _number(facts, "stddev"), _number(facts, "prior_stddev")
    records, draws = _count(facts, "records"), _count(facts, "draws")
    return laws.normal_mean_draw(stddev**2, prior**2, records, facts["diameter"], draws=draws)


def _gibbs(facts: Facts) -> DominatingPair:
    both = 2 if Neighbours.of(str(facts["neighbours"])) is REPLACE_ONE else 1
    shift = both * _number(facts, "temperature") * _number(facts, "lipschitz")
    return laws.GaussianPair(_count(facts, "draws") * shift**2 / _number(facts, "strong_convexity"))


_RELATION = {"neighbours": REPLACE_ONE.value}
_DIRICHLET = "Beta or Gamma pair of a Dirichlet draw, exact (proof: docs/guarantees.md)"

CALCULATORS: dict[str, Calculator] = {
    calculator.name: calculator
    for calculator in (
        Calculator(
            "dirichlet-draw",
            "one draw from a Dirichlet posterior",
            ("prior",),
            {"rate": 1, "records": None, **_RELATION},
            _dirichlet,
            _DIRICHLET,
            {"prior": True, "rate": False},
        ),
        Calculator(
            "poisson-draw",
            "one draw of a Poisson rate, counts bounded",
            ("shape", "bound"),
            {"rate": 1},
            lambda facts: laws.poisson_draw(facts["shape"], facts["bound"], facts["rate"]),
            "Gamma pair of a Poisson-Gamma draw, exact (proof: docs/guarantees.md)",
            {"shape": True, "bound": False, "rate": False},
        ),
        Calculator(
            "exponential-draw",
            "draws of an exponential rate, data bounded",
            ("shape", "rate", "records", "lower", "upper"),
            {"draws": 1},
            _rate_draw(laws.exponential_draw),
            "Gamma scale pair, exact (proof: docs/guarantees.md)",
            {"rate": True, "upper": False},
        ),
        Calculator(
            "precision-draw",
            "draws of a normal precision, squared data bounded",
            ("shape", "rate", "records", "lower", "upper"),
            {"draws": 1},
            _rate_draw(laws.precision_draw),
            "Gamma scale pair, exact (proof: docs/guarantees.md)",
            {"rate": True, "upper": False},
        ),
        Calculator(
            "normal-mean-draw",
            "draws of a normal mean, data bounded",
            ("diameter", "stddev", "prior_stddev", "records"),
            {"draws": 1},
            _normal,
            "Gaussian pair, exact (proof: docs/guarantees.md)",
            {"diameter": False, "prior_stddev": False, "stddev": True},
        ),
        Calculator(
            "truncated-bernoulli",
            "one draw of a chance kept away from 0 and 1",
            ("floor",),
            {"prior": "1,1", "records": None},
            _bernoulli,
            "truncated one-parameter family, pure (proof: docs/guarantees.md)",
            {"floor": True},
        ),
        Calculator(
            "truncated-exponential",
            "one draw of an exponential rate in an interval",
            ("lower", "upper", "data_lower", "data_upper", "records"),
            {"rate": 1},
            _truncated_exponential,
            "truncated one-parameter family, pure (proof: docs/guarantees.md)",
            {"upper": False, "data_upper": False},
        ),
        Calculator(
            "bounded-range",
            "one draw whose log likelihood ratio varies by eta at most",
            ("eta",),
            {},
            lambda facts: laws.BoundedRangePair(_number(facts, "eta")),
            "oscillation of the likelihood ratio (proof: docs/guarantees.md)",
            {"eta": False},
        ),
        Calculator(
            "virtual-records",
            "counts of records drawn from one Dirichlet draw",
            ("prior", "drawn"),
            {"rate": 1, **_RELATION},
            lambda facts: laws.virtual_records_draw(
                _cells(facts), _count(facts, "drawn"), facts["rate"], str(facts["neighbours"])
            ),
            "Polya urn, pure (proof: docs/guarantees.md)",
            {"prior": True, "rate": False},
        ),
        Calculator(
            "gibbs",
            "draws from a Gibbs posterior of Lipschitz losses",
            ("temperature", "lipschitz", "strong_convexity"),
            {"draws": 1, **_RELATION},
            _gibbs,
            "mu-GDP, mu = 2 temperature L / sqrt(m) (Gopi, Lee, Liu 2022)",
            {"temperature": False, "lipschitz": False, "strong_convexity": True},
        ),
    )
}


def names() -> list[str]:
    """Return everything that can be calculated."""
    return [*CALCULATORS, *(kind.name for kind in (*MECHANISMS, *ON_REQUEST))]


def of_mechanism(
    kind: type[Mechanism],
    levels: int,
    records: int,
    max_rows: int,
    neighbours: str,
    budget: Budget,
    prior: Prior = Fraction(1),
) -> Calculation:
    """Return what a mechanism for tables of counts promises."""
    relation = Neighbours.of(neighbours)
    built = kind.for_facts(PublicFacts(levels, records, max_rows, relation, budget, prior))
    facts = {"levels": levels, "neighbours": relation.value}
    return Calculation(kind.name, kind.about, facts, built.guarantee, built)
