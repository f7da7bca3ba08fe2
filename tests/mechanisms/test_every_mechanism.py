"""Every mechanism keeps the contract of mechanisms: the kit that others use for theirs."""

from __future__ import annotations

from typing import Any

import pytest
from write_files import GARDEN, KINDS

import privior as pv
from privior.mechanisms import MECHANISMS
from privior.models import Model
from privior.registry import outside
from privior.testing import check_mechanism

TABLE = pv.DirichletCategorical("fruit", prior=1)
EXAMPLES: list[tuple[Model, Any]] = [
    *((model, kind) for model, kinds in KINDS for kind in kinds),
    *((TABLE, kind) for kind in (pv.LaplaceCounts, pv.LSHist, pv.LSDim, pv.VirtualRecords)),
]
#: what these add for other families is their sums, which other tests look at
SLOW = {
    "multivariate-normal-precision-noisy-statistics",
    "multivariate-normal-precision-posterior-draws",
    "naive-bayes-gaussian-tables",
    "normal-precision-noisy-statistics",
}
#: draws that take milliseconds each; other suites look at them more closely
FEWER = {
    pv.EHD: 400,
    pv.EHDS: 200,
    pv.EHDL: 400,
    pv.PosteriorDraws: 400,
    pv.DirichletDraw: 400,
    pv.GaussianMoments: 200,
    pv.LaplaceMoments: 200,
    pv.BallDraw: 60,
    pv.GibbsDraws: 60,
    pv.NetworkDraws: 30,
    pv.ObjectivePerturbation: 400,
    pv.TruncatedNetworkDraws: 400,
}


def test_every_registered_mechanism_is_checked() -> None:
    assert {kind for _, kind in EXAMPLES} == {
        kind for kind in MECHANISMS if not outside(kind) and not kind.imported
    }


def example(model: Model, kind: Any) -> Any:
    name = f"{model.family}-{kind.name}"
    return pytest.param(model, kind, id=name, marks=[pytest.mark.slow] if name in SLOW else [])


@pytest.mark.usefixtures("bulk_noise")
@pytest.mark.parametrize(("model", "kind"), [example(*one) for one in EXAMPLES])
def test_it_keeps_the_contract(model: Model, kind: Any) -> None:
    records = 600 if isinstance(model, pv.LinearRegression) else 12  # so few would give its prior back
    plan = pv.plan(model, GARDEN, records=records, epsilon=2, delta="1e-2", mechanism=kind)
    check_mechanism(plan.mechanism, model, GARDEN, records=records, releases=FEWER.get(kind, 4000))


@pytest.mark.usefixtures("bulk_noise")
@pytest.mark.parametrize("kind", [pv.LaplaceCounts, pv.GaussianCounts, pv.VirtualRecords])
def test_it_keeps_the_contract_where_records_come_and_go(kind: Any) -> None:
    relation = pv.ADD_OR_REMOVE_ONE
    plan = pv.plan(TABLE, GARDEN, records=12, epsilon=2, delta="1e-2", neighbours=relation, mechanism=kind)
    check_mechanism(plan.mechanism, TABLE, GARDEN, records=12, neighbours=relation)


@pytest.mark.usefixtures("bulk_noise")
@pytest.mark.parametrize("delta", [0, "1e-2"])
def test_sums_and_their_count_keep_the_contract_where_records_come_and_go(delta: object) -> None:
    model, relation = pv.GammaPoisson("pips", pv.Gamma(3, 2)), pv.ADD_OR_REMOVE_ONE
    plan = pv.plan(model, GARDEN, records=12, epsilon=2, delta=delta, neighbours=relation)
    check_mechanism(plan.mechanism, model, GARDEN, records=12, neighbours=relation)
