"""Releases from the posterior: draws follow the stated law, the promise holds, refusals say why.

T01: what is published of a draw are whole numbers on a public grid. T08: what is drawn is what is charged.
"""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import betainc

import privior as pv
from chi_square import fits
from kinds import table_mechanism
from privior.mechanisms import PublicFacts
from privior.models import ExactStatistics, Observed
from privior.privacy.calibration import largest_within

BOTH = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
DRAW = pv.DirichletDraw(3, ["1", "2", "1/3"], 1, "1e-3", records=5)
SEVERAL = pv.DirichletDraw(3, 2, 1, "1e-3", draws=3, records=5, neighbours=pv.ADD_OR_REMOVE_ONE)
RECORDS = pv.VirtualRecords(3, ["1", "2", "1/3"], 4, rate="0.3", records=5)
ROWS = pv.DirichletDraw(3, 2, 1, "1e-3", records=5, max_rows=2)
EXAMPLES = [DRAW, SEVERAL, RECORDS, ROWS]
COUNTS = ExactStatistics(np.array([3, 0, 2]))


def virtual_law(mechanism: pv.VirtualRecords) -> dict[tuple[int, ...], float]:
    boxes = itertools.product(range(mechanism.drawn + 1), repeat=mechanism.cells)
    logs = {box: mechanism.log_likelihood(Observed.of(box), COUNTS) for box in boxes}
    return {box: math.exp(log) for box, log in logs.items() if log > -math.inf}


def test_virtual_records_follow_the_stated_law_and_no_other() -> None:
    law = virtual_law(RECORDS)
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    sample = [RECORDS.release(COUNTS).counts for _ in range(8000)]
    assert fits(sample, law)
    assert not fits(sample, virtual_law(pv.VirtualRecords(3, RECORDS.prior, 4, rate="0.45", records=5)))


def stick_law(mechanism: pv.DirichletDraw, stick: int, cells: int, factor: float) -> dict[int, float]:
    u = np.array([float(one) for one in mechanism.parameters(COUNTS)]) * factor
    ends = betainc(u[stick], u[stick + 1 :].sum(), np.linspace(0, 1, cells + 1))
    return dict(enumerate(np.diff(ends)))


@pytest.fixture(scope="module")
def draws() -> list[np.ndarray]:
    """The sticks of many releases, each drawn once."""
    return [DRAW.release(COUNTS).array()[0] for _ in range(4000)]


@pytest.mark.parametrize("stick", [0, 1])
def test_sticks_follow_the_posterior_and_no_other(stick: int, draws: list[np.ndarray]) -> None:
    cells = 16
    sample = [min(int(draw[stick]) * cells >> DRAW.places, cells - 1) for draw in draws]
    assert fits(sample, stick_law(DRAW, stick, cells, 1.0))
    assert not fits(sample, stick_law(DRAW, stick, cells, 1.7))


def test_the_density_is_that_of_the_sticks_cells() -> None:
    """Coarse grids: the cells' exact chances, ends too, against the stated ones."""
    mechanism = pv.DirichletDraw(2, ["1", "2"], 1, "1e-3", records=5, places=16)
    counts = ExactStatistics(np.array([4, 1]))
    a, b = (float(one) for one in mechanism.parameters(counts))
    for stick in (0, 2000, 30_000, 65_000, 2**16):
        low, high = (min(max((stick + side) / 2**16, 0), 1) for side in (-0.5, 0.5))
        chance = betainc(a, b, high) - betainc(a, b, low)
        stated = mechanism.log_likelihood(Observed.of((stick,), "draws", (1, 1), 16), counts)
        assert stated == pytest.approx(math.log(chance), abs=2e-3)


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=lambda one: f"{one.name}-{one.neighbours}")
def test_cell_gammas_are_the_likelihood_up_to_a_constant(mechanism: pv.DirichletDraw) -> None:
    observed = mechanism.release(COUNTS)
    gammas = mechanism.cell_gammas(observed)
    gaps = []
    for table in [(3, 0, 2), (5, 0, 0), (0, 0, 5), (1, 1, 1), (0, 0, 0), (40, 2, 9)]:
        c = np.array(table)
        found = float((gammas.slopes * c).sum())
        for shifts, weights in gammas.terms:
            found += sum(
                w * math.lgamma(p + gammas.rate * x + s)
                for w, p, x, s in zip(weights, gammas.prior, c, shifts, strict=True)
            )
        for shift, weight in gammas.totals:
            found += weight * math.lgamma(gammas.prior.sum() + gammas.rate * c.sum() + shift)
        gaps.append(mechanism.log_likelihood(observed, ExactStatistics(c)) - found)
    assert max(gaps) - min(gaps) < 1e-9


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=lambda one: f"{one.name}-{one.neighbours}")
def test_the_document_is_the_mechanism(mechanism: pv.DirichletDraw) -> None:
    again = table_mechanism(json.loads(json.dumps(mechanism.to_document())))
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert again.guarantee.cost == mechanism.guarantee.cost
    assert mechanism.guarantee.neighbours is mechanism.sensitivity.neighbours
    assert mechanism.admits(mechanism.release(COUNTS), 5)
    with pytest.raises(pv.PlanError, match="entries"):
        table_mechanism({**mechanism.to_document(), "seed": 1})


def test_known_rates_and_floors() -> None:
    """Known values: rate .08784758 at prior 1, (1, 1e-6); prior floor 37.05412248, or 24.14058908 by one."""
    assert pv.DirichletDraw(3, 1, 1, "1e-6", records=9).rate == Fraction("0.08784")
    assert pv.DirichletDraw(3, "37.0542", 1, "1e-6", records=9).rate == 1
    assert pv.DirichletDraw(3, "37.0541", 1, "1e-6", records=9).rate < 1
    removed = pv.ADD_OR_REMOVE_ONE
    assert pv.DirichletDraw(3, "24.1406", 1, "1e-6", records=9, neighbours=removed).rate == 1
    assert pv.DirichletDraw(3, "24.1405", 1, "1e-6", records=9, neighbours=removed).rate < 1


@pytest.mark.parametrize("relation", BOTH)
@pytest.mark.parametrize("levels", [2, 3])
def test_the_rate_is_the_largest_that_keeps_the_promise(relation: pv.Neighbours, levels: int) -> None:
    for draws in (1, 4):
        made = pv.DirichletDraw(levels, 1, 1, "1e-5", draws=draws, records=50, neighbours=relation)
        assert made.guarantee.delta(1) <= 1e-5
        assert made.guarantee.delta(1) / 1e-5 >= 0.98 or made.rate == 1
        with pytest.raises(pv.PlanError, match="does not give"):
            pv.DirichletDraw(
                levels, 1, 1, "1e-5", draws=draws, records=50, neighbours=relation, rate=made.rate * 101 / 100
            )


def test_two_levels_cost_less_than_three() -> None:
    two, three = (pv.DirichletDraw(levels, 1, 1, "1e-6", records=100).rate for levels in (2, 3))
    assert two > three


def test_a_composition_of_two_levels_bounds_every_split_of_the_common_records() -> None:
    """Four draws, n = 6: for each s the pair of the shared counts, composed, stays below the claim."""
    from privior.privacy.composition import compose_symmetric
    from privior.privacy.pairs import BetaPair

    made = pv.DirichletDraw(2, ["1", "2"], 1, "1e-4", records=6, draws=4)
    for s in range(6):
        pair = BetaPair(1 + made.rate * s, 2 + made.rate * (5 - s), made.rate)
        assert compose_symmetric([(pair, 4)]).delta(1.0) <= 1.001e-4


@pytest.mark.parametrize("relation", BOTH)
@pytest.mark.parametrize(
    ("levels", "drawn", "rate"), [(2, 6, "1"), (2, 5, "0.3"), (3, 4, "1"), (3, 3, "0.25")]
)
def test_enumeration_finds_no_more_than_is_claimed(
    relation: pv.Neighbours, levels: int, drawn: int, rate: str
) -> None:
    """T05: all neighbouring tables of up to 4 records; replacing one of three cells attains the claim."""
    made = pv.VirtualRecords(
        levels, ["1", "1.5", "2"][:levels], drawn, rate=rate, neighbours=relation, records=4
    )
    found = pv.audit(made, records=4)
    assert found.holds
    assert found.outside < 1e-9
    if relation is pv.REPLACE_ONE and levels == 3:
        assert found.largest_loss == pytest.approx(float(made.guarantee.cost.epsilon), rel=1e-6)


def test_a_planted_fault_is_found_by_the_same_enumeration() -> None:
    """Charging the second smallest prior parameter claims too little."""
    made = pv.VirtualRecords(3, ["1", "1.5", "2"], 4, records=4)
    cheaper = pv.VirtualRecords(3, ["1.5", "1.5", "2"], 4, records=4)
    object.__setattr__(made, "guarantee", cheaper.guarantee)
    assert not pv.audit(made, records=4).holds


def test_virtual_records_cost_the_formula() -> None:
    assert float(pv.VirtualRecords(4, 2, 10, records=9).guarantee.cost.epsilon) == pytest.approx(math.log(6))
    made = pv.VirtualRecords(4, 2, 10, rate="0.5", records=9)
    truth = math.lgamma(12.5) - math.lgamma(2.5) - math.lgamma(12) + math.lgamma(2)
    assert float(made.guarantee.cost.epsilon) == pytest.approx(truth)
    assert made.guarantee.cost.delta == 0
    assert pv.VirtualRecords(4, 2, 10, records=9, epsilon=2).guarantee.cost == pv.Budget.of(2)
    with pytest.raises(pv.PlanError, match="cost more than the stated epsilon"):
        pv.VirtualRecords(4, 2, 10, records=9, epsilon="1.79")


def test_refusals_say_why(schema: pv.Schema) -> None:
    model = pv.DirichletCategorical("fruit", prior=1)
    with pytest.raises(pv.PlanError, match="never pure DP: give delta > 0, or release virtual records"):
        pv.plan(model, schema, records=100, epsilon=1, mechanism=pv.DirichletDraw)
    with pytest.raises(pv.PlanError, match="never pure DP"):
        pv.DirichletDraw(3, 1, 1, 0, records=5)
    with pytest.raises(pv.PlanError, match=r"Say mechanism=pv\.DirichletDraw"):
        pv.plan(model, schema, records=100, epsilon=1, draws=3)
    with pytest.raises(pv.PlanError, match="one prior parameter per cell"):
        pv.DirichletDraw(3, [1, 1], 1, "1e-6", records=5)
    for bad in ({"draws": 0}, {"draws": 10**6}, {"places": 61}, {"draws": True}):
        with pytest.raises(pv.PlanError, match="out of range"):
            pv.DirichletDraw(3, 1, 1, "1e-6", records=5, **bad)
    with pytest.raises(pv.PlanError, match="drawn is out of range"):
        pv.VirtualRecords(3, 1, 0, records=5)
    facts = PublicFacts(3, 5, 2, pv.REPLACE_ONE, pv.Budget.of(1, "1e-6"))
    with pytest.raises(pv.PlanError, match="is for one row per unit"):
        pv.VirtualRecords.for_facts(facts)
    for bad_rows in (0, True, 10**7):
        with pytest.raises(pv.PlanError, match="max_rows is out of range"):
            pv.DirichletDraw(3, 1, 1, "1e-6", records=5, max_rows=bad_rows)
    with pytest.raises(pv.AuditError, match="too many outcomes"):
        pv.audit(DRAW, records=5, epsilons=(1.0,))


def test_a_plan_draws_from_its_own_models_posterior_only(schema: pv.Schema) -> None:
    other = pv.DirichletDraw(3, 2, 1, "1e-6", records=100)
    with pytest.raises(pv.PlanError, match="another prior"):
        pv.Plan(schema, pv.DirichletCategorical("fruit", prior=1), other, pv.REPLACE_ONE, 100)


@pytest.mark.parametrize("kind", [pv.DirichletDraw, pv.VirtualRecords])
def test_measured_written_read_and_inferred(
    kind: type[pv.DirichletDraw], schema: pv.Schema, table: Path, ledger: pv.Ledger, tmp_path: Path
) -> None:
    model = pv.DirichletCategorical("fruit", prior="1/2")
    plan = pv.plan(model, schema, records=100, epsilon=1, delta="1e-5", mechanism=kind)
    assert plan.at("0.5").mechanism.guarantee.cost.epsilon <= Fraction(1, 2)
    assert "this plan" in str(plan.budgets())
    path = tmp_path / "draws.json"
    release = pv.measure(plan, table, ledger=ledger, output=path)
    assert pv.Release.read(path) == release
    assert pv.infer(release).mean().sum() == pytest.approx(1)
    review = pv.review(release, ledger)
    assert review.passed
    assert ("largest loss" in str(review)) == (kind is not pv.DirichletDraw)
    page = tmp_path / "report.html"
    pv.write_report(release, page)  # with the picture of the plan
    assert "What epsilon buys" in page.read_text("utf-8")
    written = json.loads(path.read_text("utf-8"))
    if kind is pv.DirichletDraw:
        assert written["format"] == 4
        assert set(written["statistics"]) == {"draws", "places"}
        assert release.draws.shape == (1, 3)
        assert release.draws.sum() == pytest.approx(1)
    else:
        assert written["format"] == 4
        with pytest.raises(pv.ReleaseError, match="no posterior draws"):
            release.draws  # noqa: B018


@pytest.mark.parametrize(
    "statistics",
    [
        {"counts": [1, 2, 3]},
        {"places": 53, "draws": [[1]]},
        {"places": 53, "draws": [[1, 2], [3, 4]]},
        {"places": 53, "draws": [[1, 2**53 + 1]]},
        {"places": 53, "draws": [[1, -1]]},
        {"places": 53, "draws": [[1, 0.5]]},
        {"places": 53, "draws": [[1, True]]},
        {"places": 54, "draws": [[1, 2]]},
        {"places": "53", "draws": [[1, 2]]},
        {"places": 53, "draws": []},
        {"places": 53, "draws": [1, 2]},
        {"places": 53, "draws": [[1, 2]], "counts": [1]},
        {"places": 53, "draws": [[1, [2]]]},
    ],
)
def test_forged_draws_are_refused(
    statistics: dict[str, object], schema: pv.Schema, table: Path, ledger: pv.Ledger
) -> None:
    plan = pv.plan(
        pv.DirichletCategorical("fruit", prior=1),
        schema,
        records=100,
        epsilon=1,
        delta="1e-5",
        mechanism=pv.DirichletDraw,
    )
    written = json.loads(pv.measure(plan, table, ledger=ledger).to_json())
    assert pv.Release.from_json(json.dumps(written)).draws.shape == (1, 3)
    with pytest.raises(pv.ReleaseError):
        pv.Release.from_json(json.dumps({**written, "statistics": statistics}))


def test_the_bundled_table_of_two_hundred_cells() -> None:
    plan = pv.plan(
        pv.DirichletCategorical(("age", "sex"), prior=1),
        pv.acs_schema(),
        records=pv.ACS_RECORDS,
        epsilon=1,
        delta="1e-6",
        mechanism=pv.DirichletDraw,
    )
    release = pv.measure(plan, pv.acs_table(), ledger=pv.Ledger.in_memory(delta="1e-3"))
    assert release.draws.shape == (1, 200)
    share = release.draws.reshape(100, 2).sum(axis=0)
    assert np.abs(share - 0.5).max() < 0.15  # of 27,253 people at rate .09 the draw has a stddev of .01
    assert pv.infer(release).latent.exact


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-or-remove-one"])
def test_the_rate_of_several_draws_is_the_largest_of_four_digits(levels: int, neighbours: str) -> None:
    facts = {"draws": 7, "neighbours": neighbours, "records": 300}
    found = pv.DirichletDraw(levels, "0.4", 1, "1e-6", **facts)  # type: ignore[arg-type]
    assert found._delta_of(found._pair_at(found.rate, 7)) <= 1e-6
    digit = Fraction(10) ** (math.floor(math.log10(found.rate)) - 3)
    assert (found.rate / digit).denominator == 1
    assert found._delta_of(found._pair_at(found.rate + 3 * digit, 7)) > 1e-6


def test_secants_take_few_looks() -> None:
    """At a law like that of a delta, and where the guess or the law is far off."""
    for guess, power in ((0.5, 2), (1e-6, 2), (0.9, 1), (0.9, 4)):
        looks: list[Fraction] = []

        def delta(rate: Fraction, power: int = power, looks: list[Fraction] = looks) -> float:
            looks.append(rate)
            return math.exp(-0.1 / float(rate) ** power)

        found = largest_within(delta, 1e-6, Fraction(guess), Fraction(1), 4)
        assert found is not None
        exact = (0.1 / math.log(1e6)) ** (1 / power)
        assert 0 <= exact - found < exact * 3e-3
        assert len(looks) <= 16
    assert largest_within(lambda rate: 0.9, 1e-6, Fraction(1, 2), Fraction(1), 4) is None
    assert largest_within(lambda rate: 1e-9, 1e-6, Fraction(1, 2), Fraction(1), 4) == 1
