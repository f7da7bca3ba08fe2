"""EHD, EHDS and EHDL: true costs against claims, refusals by public facts, and the way to a posterior."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hellinger_laws import largest_loss

import privior as pv
from kinds import COMPARED, table_mechanism
from privior.forecasting import squared_error
from privior.mechanisms import HellingerMechanism, PublicFacts
from privior.mechanisms.hellinger.hellinger import global_sensitivity, smooth_sensitivity
from privior.models import ExactStatistics, Observed
from privior.privacy.hellinger import MOST_LISTED, all_tables

F = Fraction


def true_epsilon(
    mechanism: HellingerMechanism, pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] | None = None
) -> float:
    """The largest loss between neighbours, every output listed."""

    def rate(counts: tuple[int, ...]) -> float:
        return float(mechanism.temperatures(np.array([counts]))[0])

    prior = tuple(float(a) for a in mechanism.parameters)
    return largest_loss(mechanism.records, prior, rate, pairs)


SMALL = [(2, 10, "1"), (2, 50, "1"), (2, 40, "0.01"), (3, 10, "1"), (3, 12, "0.5"), (4, 6, "2")]


@pytest.mark.parametrize(("levels", "records", "prior"), SMALL)
@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_true_costs_never_exceed_claims(levels: int, records: int, prior: str, epsilon: str) -> None:
    facts = (levels, epsilon, records, prior)
    plain, calibrated = pv.EHD(*facts), pv.EHD(*facts, calibrated=True)
    claimed = float(F(epsilon))
    assert 0.49 * claimed < true_epsilon(plain) < 0.67 * claimed
    assert claimed * (1 - 1e-6) < true_epsilon(calibrated) <= claimed
    assert calibrated.temperature > 1.5 * plain.temperature
    for gamma in ("0.001", "0.1", "1", "30"):
        assert true_epsilon(pv.EHDS(*facts, gamma=gamma)) <= claimed
    local = pv.EHDL(*facts)
    assert true_epsilon(local) <= float(local.guarantee.cost.epsilon)


@pytest.mark.parametrize(
    "mechanism",
    [
        pv.EHD(2, 1, 6),
        pv.EHD(3, 2, 4, ["0.5", 1, 2], calibrated=True),
        pv.EHDS(3, 1, 4, gamma="0.2"),
        pv.EHDL(2, 1, 6, "0.3"),
    ],
    ids=lambda mechanism: mechanism.name,
)
def test_the_audit_lists_the_same_law(mechanism: HellingerMechanism) -> None:
    found = pv.audit(mechanism, records=mechanism.records, margin=1)
    assert found.holds
    assert found.outside < 1e-12
    assert found.largest_loss == pytest.approx(true_epsilon(mechanism), rel=1e-9)


class Hotter(pv.EHDS):  # type: ignore[misc]
    """Planted fault: the 2 (1 + gamma) is forgotten."""

    def temperatures(self, tables: np.ndarray) -> np.ndarray:
        return super().temperatures(tables) * 2 * (1 + float(self.gamma))


def test_the_audit_sees_a_forgotten_factor() -> None:
    assert not pv.audit(Hotter(2, 1, 6, gamma=1), records=6, margin=0).holds


def test_ehdl_exceeds_its_nominal_epsilon() -> None:
    mechanism = pv.EHDL(2, "0.01", 1000, "0.1")
    chain = [(first, 1000 - first) for first in range(6)]
    found = true_epsilon(mechanism, list(pairwise(chain)))
    assert found / 0.01 == pytest.approx(1.0647, abs=1e-4)
    assert mechanism.guarantee.cost.epsilon > F("0.01") * F("1.0647")
    assert "nominal epsilon 0.01" in mechanism.guarantee.reason
    strong = pv.EHDL(3, "0.01", 100, 50)
    found = true_epsilon(strong, [((1, 99, 0), (0, 100, 0))])
    assert found / 0.01 == pytest.approx(1.961, abs=1e-3)
    assert strong.guarantee.cost.epsilon > F("0.01961")


def test_the_printed_sensitivity_breaks_the_claim() -> None:
    printed = F(0.1 / (2 * math.sqrt(1 - math.pi / 4)))
    found = largest_loss(10, (0.01, 0.01), lambda counts: float(printed))
    assert found / 0.1 == pytest.approx(1.1355, abs=1e-4)
    for calibrated in (False, True):
        with pytest.raises(pv.PlanError, match="does not give the stated guarantee"):
            pv.EHD(2, "0.1", 10, "0.01", calibrated=calibrated, temperature=printed)


def test_the_temperature_is_rounded_down_and_the_sensitivity_up() -> None:
    for prior, records in (([1, 1], 10), (["0.5", "0.5", 2], 10**9), ([1, "1e-6"], 3)):
        mechanism = pv.EHD(len(prior), 1, records, prior)
        exact = 1 / (2 * global_sensitivity([float(F(str(a))) for a in prior], records))
        assert exact * (1 - 1e-12) < float(mechanism.temperature) < exact * (1 + 1e-12)
        up = mechanism.temperature * F(1 + 2**-44)
        with pytest.raises(pv.PlanError, match="does not give"):
            pv.EHD(len(prior), 1, records, prior, temperature=up)


def test_known_temperatures_are_those_of_the_planner() -> None:
    for records, expected in ((10, 2.280435), (50, 2.587777)):
        facts = PublicFacts(2, records, 1, pv.REPLACE_ONE, pv.Budget.of(1))
        mechanism = pv.EHD.for_facts(facts)
        assert mechanism.calibrated
        assert float(mechanism.temperature) == pytest.approx(expected, abs=6e-7)
    many = pv.EHD.for_facts(PublicFacts(2, MOST_LISTED, 1, pv.REPLACE_ONE, pv.Budget.of(1)))
    assert not many.calibrated


def test_refusals_are_by_public_facts() -> None:
    """EHD: e^-t below 1e-4. EHDS: more than eight cells, or a temperature above 16 for some table."""
    most = 2 * math.log(10**4) * global_sensitivity([1, 1, 1], 100)
    pv.EHD(3, F(most * 0.999), 100)
    pv.EHD(60, 1, 10**6)
    with pytest.raises(pv.PlanError, match="too long to draw"):
        pv.EHD(3, F(most * 1.001), 100)
    pv.EHDS(8, 1, 100)
    with pytest.raises(pv.PlanError, match="8 cells"):
        pv.EHDS(9, 1, 100)
    even = 1 / smooth_sensitivity([334, 333, 333], 1, 0.5)
    pv.EHDS(3, F(16 * 0.999 * 3 / even), 1000, gamma="0.5")
    with pytest.raises(pv.PlanError, match="too long to draw"):
        pv.EHDS(3, F(16 * 1.001 * 3 / even), 1000, gamma="0.5")


@pytest.mark.parametrize("prior", [["0.1", 5], [1, 2, 30], ["0.5", "0.5", 40, 1]])
@pytest.mark.parametrize("gamma", ["0.02", "1"])
def test_the_largest_temperature_is_found(prior: list[object], gamma: str) -> None:
    """What decides on the refusal is the largest over all tables, within a hundredth."""
    records = 12
    mechanism = pv.EHDS(len(prior), "0.1", records, prior, gamma=gamma)
    true = float(mechanism.temperatures(all_tables(records, len(prior))).max())
    assert 0.99 * true <= mechanism._largest_temperature() <= true * (1 + 1e-12)


@pytest.mark.parametrize("kind", [pv.EHD, pv.EHDS, pv.EHDL])
def test_bad_facts_are_refused(kind: type[pv.EHD]) -> None:
    for facts, says in (
        ({"cells": 1}, "cells"),
        ({"records": 0}, "records"),
        ({"records": True}, "records"),
        ({"prior": 0}, "prior"),
        ({"prior": "1e10"}, "prior"),
        ({"prior": [1, 1, 1]}, "one prior parameter per cell"),
        ({"epsilon": 0}, "epsilon"),
    ):
        with pytest.raises(pv.PriviorError, match=says):
            kind(**{"cells": 2, "epsilon": 1, "records": 5, **facts})  # type: ignore[arg-type]
    for neighbours, rows in ((pv.ADD_OR_REMOVE_ONE, 1), (pv.REPLACE_ONE, 2)):
        with pytest.raises(pv.PlanError, match="public total"):
            kind.for_facts(PublicFacts(2, 5, rows, neighbours, pv.Budget.of(1)))
    with pytest.raises(ValueError, match="number of records"):
        kind(2, 1, 5).release(ExactStatistics(np.array([3, 3])))


def test_documents_are_checked_again() -> None:
    """A file that states a hotter temperature, or a prior that it was not calibrated for, is refused."""
    document = pv.EHD(2, 1, 10, calibrated=True).to_document()
    assert table_mechanism(document).to_document() == document
    for changed in ({"temperature": "2.3"}, {"prior": "0.5"}, {"records": 11}):
        try:
            hotter = table_mechanism({**document, **changed})
        except pv.PlanError:
            continue
        assert true_epsilon(hotter) <= 1  # type: ignore[arg-type]
    with pytest.raises(pv.PlanError, match="does not give"):
        table_mechanism({**document, "temperature": "2.3"})
    with pytest.raises(pv.PriviorError):
        table_mechanism({**document, "temperature": "-1"})


def test_ehdl_without_a_guarantee_enters_no_ledger(schema: pv.Schema, table: Path, ledger: pv.Ledger) -> None:
    model = pv.DirichletCategorical("fruit", prior=1)
    unknown = pv.EHDL(3, "0.1", 1000)
    with pytest.raises(pv.PlanError, match="no guarantee"):
        unknown.guarantee  # noqa: B018
    with pytest.raises(pv.PlanError, match="no guarantee"):
        pv.plan(model, schema, records=1000, epsilon=1, mechanism=pv.EHDL)
    counts = unknown.release(ExactStatistics(np.array([500, 300, 200]))).counts  # for study
    assert sum(counts) == 1000
    plan = pv.Plan(schema, model, unknown, pv.REPLACE_ONE, 1000)
    with pytest.raises(pv.PlanError, match="no guarantee"):
        pv.measure(plan, table, ledger=ledger)
    assert ledger.last().number == 0
    known = pv.Plan(schema, model, pv.EHDL(3, 1, 100), pv.REPLACE_ONE, 100)
    pv.measure(known, table, ledger=ledger)
    assert ledger.spent == known.cost
    assert known.cost.epsilon > 1


def test_the_planner_chooses_as_before_and_spends_no_more_than_asked(schema: pv.Schema) -> None:
    model = pv.DirichletCategorical("fruit", prior=["0.5", 1, 1])
    plan = pv.plan(model, schema, records=50, epsilon="1/3")
    assert isinstance(plan.mechanism, pv.KNorm)
    assert {candidate.name for candidate in plan.candidates} == {kind.name for kind in COMPARED}
    for kind in (pv.EHD, pv.EHDS, pv.EHDL):
        asked = pv.plan(model, schema, records=50, epsilon="1/3", mechanism=kind)
        assert asked.mechanism.prior == model.prior
        assert asked.cost.epsilon <= F(1, 3)
        assert pv.Plan.from_document(asked.to_document()) == asked
        other = pv.DirichletCategorical("fruit", prior=1)
        with pytest.raises(pv.PlanError, match="another prior"):
            replace(asked, model=other)
    nine = pv.Schema({"x": pv.Categorical(list("abcdefghi"))}, population="p", unit="person")
    with pytest.raises(pv.PlanError, match="8 cells"):
        pv.plan(pv.DirichletCategorical("x", prior=1), nine, records=50, epsilon=1, mechanism=pv.EHDS)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [(pv.EHD, "education"), (pv.EHD, "housing"), (pv.EHDS, "housing"), (pv.EHDS, "marital")],
)
def test_the_bundled_table(kind: type[pv.EHD], columns: str, tmp_path: Path) -> None:
    model = pv.DirichletCategorical(columns, prior=1)
    plan = pv.plan(model, pv.acs_schema(), records=pv.ACS_RECORDS, epsilon=1, mechanism=kind)
    ledger = pv.Ledger.create(tmp_path / "acs.ledger", population="acs-2019", epsilon=2)
    release = pv.measure(plan, pv.acs_table(), ledger=ledger, output=tmp_path / "release.json")
    assert pv.Release.read(tmp_path / "release.json") == release
    assert sum(release.statistics.counts) == pv.ACS_RECORDS
    assert min(release.statistics.counts) >= 0
    assert ledger.spent == pv.Budget.of(1)
    with pytest.raises(pv.InferenceError, match="all pairs of tables"):
        pv.infer(release)
    assert pv.infer(release, noise="ignore").mean().sum() == pytest.approx(1)
    document = release.to_json()
    for forged in (-1, pv.ACS_RECORDS + 1):
        first = release.statistics.counts[0]
        with pytest.raises(pv.ReleaseError):
            pv.Release.from_json(document.replace(f"[\n   {first},", f"[\n   {forged},", 1))


def few() -> pa.Table:
    """Two sexes, about as in the bundled table, of which a fifth is enough where each table takes longer."""
    one, other = pv.acs_schema().column("sex").labels
    return pa.table({"sex": [one] * 2800 + [other] * 3200})


@pytest.mark.parametrize(
    ("kind", "table", "records", "share"),
    [
        (pv.EHD, few, 6000, 2800 / 6000),
        (pv.EHDS, few, 6000, 2800 / 6000),
        pytest.param(
            *(pv.EHD, pv.acs_table, pv.ACS_RECORDS, 14_030 / pv.ACS_RECORDS),  # public data
            marks=pytest.mark.slow,
        ),
    ],
    ids=["ehd", "ehds", "ehd-bundled"],
)
def test_two_levels_of_many_records_give_a_posterior(
    kind: type[pv.EHD], table: Callable[[], object], records: int, share: float
) -> None:
    plan = pv.plan(
        pv.DirichletCategorical("sex", prior=1), pv.acs_schema(), records=records, epsilon=1, mechanism=kind
    )
    release = pv.measure(plan, table(), ledger=pv.Ledger.in_memory())
    posterior = pv.infer(release)
    (low, high), _ = posterior.interval(0.999999)
    assert low < share < high
    assert posterior.mean().sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "mechanism", [pv.EHD(2, 3, 7000, ["0.1", 2]), pv.EHDS(2, 1, 7000, "0.5", gamma="0.002")]
)
def test_interpolated_normalisers(mechanism: HellingerMechanism) -> None:
    """Against the sums themselves, at the ends, at random places and where the temperature bends."""
    tables, logs = mechanism.log_likelihoods(Observed.of((3000, 4000)))
    bend = int(np.abs(np.diff(mechanism.temperatures(tables), 2)).argmax())
    places = {*range(40), *range(6961, 7001), *range(max(0, bend - 5), bend + 6)}
    places |= set(np.random.default_rng(3).integers(0, 7001, 100).tolist())
    for place in places:
        true = mechanism.log_likelihood(Observed.of((3000, 4000)), ExactStatistics(tables[place]))
        assert logs[place] == pytest.approx(true, abs=2e-8)
    assert np.exp(logs).max() < 1


def test_two_releases_of_one_table(schema: pv.Schema) -> None:
    """One with noise on cells, one without: the posterior is that of listing all tables."""
    model, ledger = pv.DirichletCategorical("fruit", prior=[1, 2, "0.5"]), pv.Ledger.in_memory()
    rows = pa.table({"fruit": ["apple"] * 7 + ["pear"] * 4 + ["plum"]})
    releases = [
        pv.measure(
            pv.plan(model, schema, records=12, epsilon=2, mechanism=kind),
            rows,
            ledger=ledger,
        )
        for kind in (pv.EHD, pv.KNorm)
    ]
    posterior = pv.infer(releases)
    logs = []
    tables = all_tables(12, 3)
    for table in tables:
        statistics = ExactStatistics(table)
        logs.append(
            sum(r.plan.mechanism.log_likelihood(r.statistics, statistics) for r in releases)
            + sum(math.lgamma(c + a) - math.lgamma(c + 1) for c, a in zip(table, (1, 2, 0.5), strict=True))
        )
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    assert posterior.counts().mean() == pytest.approx(weights @ tables, abs=1e-9)
    drawn = posterior.counts().draws(4000, seed=1)
    assert drawn.mean(axis=0) == pytest.approx(weights @ tables, abs=0.3)
    low, high = posterior.counts().interval(0.8)[0]
    below = weights[tables[:, 0] < low].sum()
    assert below <= 0.1 <= weights[tables[:, 0] <= low].sum() + 1e-12
    assert low <= high
    assert "listed all tables" in str(posterior)


def test_the_expected_squared_error_is_near_what_is_drawn() -> None:
    """For many outputs it is rough: within a factor of two of the mean of 60 draws."""
    for mechanism in (pv.EHD(3, 3, 3000), pv.EHDS(5, 1, 2000, gamma="0.01")):
        even = np.full(mechanism.cells, mechanism.records // mechanism.cells)
        squares = [
            float(((np.array(mechanism.release(ExactStatistics(even)).counts) - even) ** 2).sum())
            for _ in range(60)
        ]
        assert 0.5 < math.sqrt(squared_error(mechanism) / np.mean(squares)) < 2


def test_too_many_outputs_for_a_likelihood() -> None:
    mechanism = pv.EHD(5, 1, 10**6)
    even = (200_000,) * 5
    with pytest.raises(pv.InferenceError, match="too many tables"):
        mechanism.log_likelihood(Observed.of(even), ExactStatistics(np.array(even)))
