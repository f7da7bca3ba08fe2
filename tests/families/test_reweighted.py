"""Re-weighted priors: the guarantee by brute force, exact draws, inference, files, and what is refused."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from family_cases import CASES, SCHEMA, Case
from reweighted_draws import DRAWN, Way, check_draws, family, reweighted
from scipy.integrate import quad

import privior as pv
from privior.models import Family
from privior.models.laws import Conjugate, Law, Reweighted, Truncated, to_law

CUTS = {"beta": ("0.2", "0.7"), "gamma": ("0.5", 2), "normal": (-1, "0.5")}
#: how a law is re-weighted: strength, coordinate, pivot
WAYS: dict[str, list[tuple[object, str | None, object]]] = {
    "beta": [("0.4", None, None), ("0.3", "logit", "0.9")],
    "gamma": [("0.4", None, None), ("0.3", "log", None), ("1.5", "value", "1")],
    "normal": [("0.7", None, None), (2, "value", "0.25")],
}
SMALL = [
    (case, way)
    for case in CASES
    for way in WAYS[case.small[0].law.name]
    if not (case.model.family == "beta-bernoulli" and case.model.column == "answer")
]


def named(one: object) -> str:
    return one.name if isinstance(one, Case) else "-".join(map(str, one)) if isinstance(one, tuple) else ""


def log_posterior(model: Family, records: int, total: float, weight: float) -> Callable[[float], float]:
    """The log density, normalised by quadrature: nothing of the closed forms is used."""
    low, high = (float(end) for end in model.prior.support if end is not None)
    prior = model.prior
    assert isinstance(prior, Reweighted)

    def log(theta: float) -> float:
        at = np.array([theta])
        inner = model.natural(at) * total - records * model.partition(at)
        return float((prior.log_density(at) + weight * inner)[0])

    top = max(log(theta) for theta in np.linspace(low, high, 101))
    corners = [float(prior.pivot)] if low < prior.pivot < high else None
    mass = quad(lambda t: math.exp(log(t) - top), low, high, points=corners, epsabs=0, epsrel=1e-11)[0]
    return lambda theta: log(theta) - top - math.log(mass)


@pytest.mark.parametrize(("case", "way"), SMALL, ids=named)
def test_the_guarantee_is_the_largest_loss(case: Case, way: Way) -> None:
    """Every table of a few records and every neighbour: the loss at the ends, and inside never more."""
    small, schema = case.small
    model = family(small, reweighted(Truncated(small.law, *CUTS[small.law.name]), way))
    weight = Fraction(7, 10)
    ends = [float(end) for end in model.prior.support if end is not None]
    size = schema.column(model.column).size
    for records in (1, 3, 5):
        largest = 0.0
        for shared in combinations_with_replacement(range(size), records - 1):
            laws = []
            for code in range(size):
                codes = np.array((*shared, code))
                summed = int(model.summand(schema).of({model.column: codes}).sum())
                total = float(model.total(schema, records, summed))
                laws.append(log_posterior(model, records, total, float(weight)))
            points = [*ends, *np.linspace(ends[0], ends[1], 7)[1:-1]]
            for one in laws:
                for other in laws:
                    largest = max(largest, *(one(point) - other(point) for point in points))
        pure = model.draw_pair(schema, records, weight, 1).pure
        assert pure is not None
        assert math.isclose(float(pure), largest, rel_tol=1e-8)


@pytest.mark.parametrize(("case", "way"), SMALL, ids=named)
def test_the_density_is_that_of_the_definition(case: Case, way: Way) -> None:
    """The closed forms of both sides against quadrature."""
    small, schema = case.small
    model = family(small, reweighted(Truncated(small.law, *CUTS[small.law.name]), way))
    low, high = model.bounds(schema)
    total = float(3 * low + 2 * high)
    law = log_posterior(model, 5, total, 0.7)
    first, last = (float(end) for end in model.prior.support if end is not None)
    for theta in np.linspace(first, last, 6)[1:-1]:
        found = model.log_posterior(float(theta), 5, np.array([total]), 0.7)[0]
        assert math.isclose(found, law(float(theta)), rel_tol=1e-8, abs_tol=1e-8)


@pytest.mark.parametrize(
    ("model", "law", "way", "summed", "draws", "weaker"), DRAWN, ids=lambda one: getattr(one, "family", "")
)
def test_draws_have_their_law_and_no_other(
    model: Family, law: Law, way: Way, summed: int, draws: int, weaker: Fraction | None
) -> None:
    """30 records; a law that is not re-weighted, or with a quarter of the strength, is noticed."""
    check_draws(model, law, way, summed, draws, weaker)


def told(case: Case) -> Any:
    """One family for each law on every commit, and a second one with a Gamma law, of a precision."""
    name = f"{case.name}-{case.model.column}"
    again = name in ("beta-binomial-hits", "gamma-poisson-events", "laplace-scale-error")
    return pytest.param(case, id=name, marks=[pytest.mark.slow] if again else [])


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("case", [told(case) for case in CASES])
def test_from_a_table_to_an_answer(case: Case) -> None:
    """Noise on any re-weighted prior, draws from one that is cut; the posterior knows the weights."""
    rng = np.random.default_rng(5)
    theta = 0.4 if isinstance(case.model, pv.BetaBinomial | pv.BetaBernoulli) else case.draw(rng)
    table = pa.table({case.model.column: case.cells(rng, theta, 400)})
    for model, mechanism, relation in (
        (case.model, pv.NoisyStatistics, pv.REPLACE_ONE),
        (case.cut, pv.NoisyStatistics, pv.ADD_OR_REMOVE_ONE),
        (case.cut, pv.PosteriorDraws, pv.REPLACE_ONE),
    ):
        own = family(model, reweighted(model.prior, ("0.5", None, None)))
        plan = pv.plan(own, SCHEMA, records=400, epsilon=5, mechanism=mechanism, neighbours=relation)
        assert pv.Plan.from_document(json.loads(json.dumps(plan.to_document()))) == plan
        release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="clinic", epsilon=9))
        posterior = pv.infer(release)
        low, high = posterior.interval(0.9999)
        assert low <= theta <= high
        assert "exp(-0.5" in str(plan.model)
        other = pv.infer(release, prior=reweighted(model.prior, ("1.5", None, None)))
        assert other.mean() != posterior.mean()


LAWS: list[Conjugate] = [pv.Beta("7/3", 2), pv.Gamma(3, "2.5"), pv.Normal(1, variance="1/3")]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_files(law: Conjugate) -> None:
    for base in (law, Truncated(law, "0.25", "0.75")):
        for strength, of, pivot in WAYS[law.name]:
            one = Reweighted(base, strength, of=of, pivot=pivot)
            assert to_law(json.loads(json.dumps(one.to_document()))) == one
            lines = [f"{name} = {json.dumps(value)}" for name, value in one.to_document().items()]
            assert to_law(tomllib.loads("\n".join(lines))) == one
            least = one.to_document()
            del least["of"], least["pivot"]
            assert to_law(least) == Reweighted(base, strength)


def test_less_mass_is_on_sensitive_parameters() -> None:
    """What re-weighting is for: the promise of a draw is stronger at the same number of records."""
    schema = pv.Schema({"x": pv.Boolean()}, population="p", unit="row")
    cut = pv.Truncated(pv.Beta(3, 3), "0.05", "0.95")
    losses = []
    for prior in (cut, pv.Reweighted(cut, 1), pv.Reweighted(cut, 2)):
        pure = pv.BetaBernoulli("x", prior).draw_pair(schema, 2, Fraction(1), 1).pure
        assert pure is not None
        losses.append(pure)
    assert losses[0] > losses[1] > losses[2]


def test_what_is_not_proved_is_refused() -> None:
    schema = pv.Schema({"x": pv.Boolean()}, population="p", unit="row")
    for law in (pv.Beta(3, 3), pv.Truncated(pv.Beta(3, 3), "0.1")):
        model = pv.BetaBernoulli("x", pv.Reweighted(law, 1))
        with pytest.raises(pv.PlanError, match="no privacy is proved") as caught:
            pv.PosteriorDraws(model, schema, 100, 1, "1e-6")
        assert "noisy statistics" in str(caught.value)
        plan = pv.plan(model, schema, records=100, epsilon=1, delta="1e-6")
        assert isinstance(plan.mechanism, pv.NoisyStatistics)


@pytest.mark.parametrize(
    ("law", "given", "says"),
    [
        (pv.Beta(2, 3), {"strength": 2}, "strength is not smaller"),
        (pv.Beta(2, 3), {"strength": 0}, "strength"),
        (pv.Beta(2, 3), {"strength": -1}, "strength"),
        (pv.Beta(2, 3), {"strength": "x"}, "strength"),
        (pv.Beta(2, 3), {"strength": math.nan}, "strength"),
        (pv.Beta(2, 3), {"strength": 1, "of": "log"}, "not a coordinate"),
        (pv.Beta(2, 3), {"strength": 1, "pivot": 1}, "pivot"),
        (pv.Gamma(2, 3), {"strength": 3, "pivot": 1}, "strength is not smaller"),
        (pv.Gamma(2, 3), {"strength": 1, "of": "log", "pivot": 0}, "pivot"),
        (pv.Normal(2, stddev=3), {"strength": 1, "of": "logit"}, "not a coordinate"),
        ("beta", {"strength": 1}, "not a law"),
        (pv.Reweighted(pv.Beta(2, 3), 1), {"strength": 1}, "not a law"),
    ],
)
def test_bad_input(law: Conjugate, given: dict[str, object], says: str) -> None:
    with pytest.raises(pv.ModelError, match=says):
        pv.Reweighted(law, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "entries",
    [
        {"pivot": "0.3"},
        {"strength": 1, "of": 3},
        {"strength": 1, "of": "x"},
        {"strength": [1]},
        {"weight": 1},
    ],
    ids=str,
)
def test_bad_files(entries: dict[str, object]) -> None:
    with pytest.raises(pv.ModelError):
        to_law({"law": "beta", "first": 2, "second": 3, **entries})
