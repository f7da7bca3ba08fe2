"""Plans: what they compare, choose, refuse and say."""

from __future__ import annotations

import pytest

import privior as pv
from kinds import COMPARED, ON_REQUEST

LEVELS = ["a", "b", "c", "d"]


def schema_of(levels: int, **facts: object) -> pv.Schema:
    column = pv.Categorical([f"level {i}" for i in range(levels)])
    return pv.Schema({"x": column}, population="p", **{"unit": "person", **facts})  # type: ignore[arg-type]


def plan_of(levels: int = 3, model: pv.DirichletCategorical | None = None, **facts: object) -> pv.Plan:
    given = {"records": 1000, "epsilon": 1, **facts}
    return pv.plan(model or pv.DirichletCategorical("x", prior=1), schema_of(levels), **given)  # type: ignore[arg-type]


def test_the_defaults_are_k_norm_and_laplace() -> None:
    assert isinstance(plan_of().mechanism, pv.KNorm)
    assert isinstance(plan_of(neighbours=pv.ADD_OR_REMOVE_ONE).mechanism, pv.LaplaceCounts)
    assert isinstance(plan_of(neighbours="add-or-remove-one").mechanism, pv.LaplaceCounts)


def test_gaussian_noise_wins_for_many_rows_per_person() -> None:
    several = pv.Schema(
        {"x": pv.Categorical(LEVELS)}, population="p", unit=pv.Unit("person", column="id", max_rows=20)
    )
    plan = pv.plan(pv.DirichletCategorical("x", prior=1), several, records=1000, epsilon="0.5", delta="1e-3")
    fitting = {candidate.name for candidate in plan.candidates if candidate.forecast is not None}
    assert fitting == {"laplace-counts", "gaussian-counts"}
    assert not plan.total_public


def test_every_mechanism_can_be_asked_for() -> None:
    for kind in (*COMPARED, *ON_REQUEST):
        plan = plan_of(2, delta="1e-6", mechanism=kind)
        assert isinstance(plan.mechanism, kind)
        assert "asked for" in plan.choice


def test_what_does_not_fit_says_why() -> None:
    with pytest.raises(pv.PlanError, match="needs delta > 0"):
        plan_of(mechanism=pv.GaussianCounts)
    with pytest.raises(pv.PlanError, match="public total"):
        plan_of(mechanism=pv.KNorm, neighbours=pv.ADD_OR_REMOVE_ONE)
    with pytest.raises(pv.PlanError, match="not a mechanism"):
        plan_of(mechanism=pv.Ledger)


@pytest.mark.parametrize(
    ("facts", "error", "says"),
    [
        ({"records": 0}, pv.PlanError, "positive whole number"),
        ({"records": 2.5}, pv.PlanError, "positive whole number"),
        ({"records": 10**13}, pv.PlanError, "too many records"),
        ({"records": 10**400}, pv.PlanError, "too many records"),
        ({"epsilon": 0}, pv.NumberError, "epsilon"),
        ({"epsilon": -1}, pv.NumberError, "epsilon"),
        ({"epsilon": float("nan")}, pv.NumberError, "epsilon"),
        ({"epsilon": float("inf")}, pv.NumberError, "epsilon"),
        ({"epsilon": "1e400"}, pv.NumberError, "epsilon"),
        ({"delta": 1}, pv.NumberError, "delta"),
        ({"neighbours": "some"}, pv.PlanError, "neighbour"),
        ({"model": pv.DirichletCategorical("y", prior=1)}, pv.SchemaError, "unknown column"),
        ({"model": pv.DirichletCategorical("x", prior=[1, 2])}, pv.ModelError, "one parameter per cell"),
    ],
)
def test_bad_facts_are_refused(facts: dict[str, object], error: type[pv.PriviorError], says: str) -> None:
    """T04: more records than integers can count are refused before anything is read."""
    with pytest.raises(error, match=says):
        plan_of(**facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "prior",
    [
        0,
        -1,
        "nan",
        "1e12",
        [1, 0, 1],
        "x",
        None,
        1e-9,
        b"abc",
        pytest.param(10**5000, id="huge"),
    ],
)
def test_a_bad_prior_is_refused(prior: object) -> None:
    with pytest.raises(pv.ModelError, match="prior"):
        pv.DirichletCategorical("x", prior=prior)


def test_bad_columns_are_refused() -> None:
    for columns in ([], ["x", "x"], [3], 5, None):
        with pytest.raises(pv.ModelError):
            pv.DirichletCategorical(columns, prior=1)  # type: ignore[arg-type]


def test_t14_dropping_records_is_refused_where_their_number_is_public() -> None:
    dropping = pv.Schema({"x": pv.Categorical(LEVELS, missing=pv.DROP)}, population="p", unit="person")
    model = pv.DirichletCategorical("x", prior=1)
    with pytest.raises(pv.ModelError, match="cannot be dropped under replace-one"):
        pv.plan(model, dropping, records=10, epsilon=1)
    assert pv.plan(model, dropping, records=10, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE).records == 10


def test_the_plan_survives_its_document_and_its_digest_is_its_identity() -> None:
    plan = plan_of(delta="1e-6", mechanism=pv.GaussianCounts)
    again = pv.Plan.from_document(plan.to_document())
    assert again == plan
    assert again.digest == plan.digest
    assert plan_of(records=1001, delta="1e-6", mechanism=pv.GaussianCounts).digest != plan.digest


def test_a_mechanism_that_is_for_something_else_is_refused() -> None:
    plan = plan_of()
    for wrong, says in (
        (pv.KNorm(4, 1), "number of cells"),
        (pv.LaplaceCounts(3, 1, neighbours=pv.ADD_OR_REMOVE_ONE), "neighbour relation"),
        (pv.LaplaceCounts(3, 1, neighbours=pv.REPLACE_ONE, max_rows=2), "unit of protection"),
        (pv.LSHist(3, 1, records=5), "number of records"),
    ):
        with pytest.raises(pv.PlanError, match=says):
            pv.Plan(plan.schema, plan.model, wrong, plan.neighbours, plan.records)


def test_printing_shows_the_comparison_and_the_reason() -> None:
    text = str(plan_of(delta="1e-6"))
    for word in (
        "k-norm",
        "gaussian-counts",
        "lsdim",
        "2/3",
        "prior alone",
        "Takes k-norm",
        "73.2%",
        "counted as",
    ):
        assert word in text


def test_the_forecast_never_exceeds_the_prior_alone() -> None:
    for epsilon in ("1e-6", "0.01", "1", "20"):
        for levels in (2, 3, 50):
            plan = plan_of(levels, epsilon=epsilon, records=50)
            assert plan.forecast.l2 <= plan.without_release.l2 * (1 + 1e-12)


def test_every_documented_budget_can_be_planned() -> None:
    for epsilon in ("1e-9", "1e-6", "1400", "10000"):
        assert plan_of(epsilon=epsilon, delta="1e-15").cost.epsilon > 0


def test_the_model_is_conjugate() -> None:
    schema = schema_of(3)
    model = pv.DirichletCategorical("x", prior=[1, 2, 3])
    assert model.update(schema, [5, 0, 1]).tolist() == [6, 2, 4]
    assert model.sensitivity(schema, pv.REPLACE_ONE) == pv.Sensitivity(2, 2, True, pv.REPLACE_ONE)
    assert model.sensitivity(schema, pv.ADD_OR_REMOVE_ONE) == pv.Sensitivity(
        1, 1, False, pv.ADD_OR_REMOVE_ONE
    )


def test_a_prior_that_drowns_the_data_is_told() -> None:
    drowned = pv.plan(pv.DirichletCategorical("x", prior=1), schema_of(500), records=100, epsilon=1)
    assert "mostly repeat the prior" in "".join(drowned.warnings)
    assert "mostly repeat the prior" in str(drowned)
    idle = pv.plan(pv.DirichletCategorical("x", prior=1), schema_of(50), records=100, epsilon="0.01")
    assert "hardly say more than the prior" in "".join(idle.warnings)
    assert plan_of().warnings == ()


def test_rows_of_one_person_and_weak_promises_are_told() -> None:
    several = schema_of(3, unit=pv.Unit("person", column="id", max_rows=3))
    plan = pv.plan(pv.DirichletCategorical("x", prior=1), several, records=1000, epsilon=1)
    assert "treated as independent" in "".join(plan.warnings)
    assert "the only one that fits" in plan.choice
    assert "A weak promise" in "".join(plan_of(epsilon=5).warnings)
    assert "none is spent" in plan_of(delta="1e-6").choice


def test_a_release_without_a_posterior_is_warned_of() -> None:
    levels = pv.Schema({"x": pv.Categorical(["a", "b", "c"])}, population="p", unit="person")
    model = pv.DirichletCategorical("x", prior=1)
    few, many = (pv.plan(model, levels, records=n, epsilon=1, mechanism=pv.EHD) for n in (50, 500))
    assert "no posterior be computed" not in str(few)
    assert "no posterior be computed" in str(many)


@pytest.mark.parametrize(("levels", "records", "epsilon"), [(78, 45_211, "0.0005"), (4, 4, "0.1")])
def test_what_is_kept_for_study_is_compared_and_taken_only_if_asked_for(
    levels: int, records: int, epsilon: str
) -> None:
    """Here forecasts differed by the noise of their scenarios, and the worse mechanism was taken."""
    model, schema = pv.DirichletCategorical("x"), schema_of(levels)
    plan = pv.plan(model, schema, records=records, epsilon=epsilon)
    ahead = {one.name: one.forecast for one in plan.candidates if one.forecast is not None}
    for study in (pv.LSHist, pv.LSDim):
        assert study.for_study
        assert plan.forecast.error <= ahead[study.name].error <= plan.without_release.error
    assert plan.mechanism.name == "k-norm"
    asked = pv.plan(model, schema, records=records, epsilon=epsilon, mechanism=pv.LSHist)
    assert asked.mechanism.name == "lshist"


def test_a_forecast_by_chance_does_not_make_a_study_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted forecast: nothing but what the mechanism says of itself keeps it from being taken."""
    monkeypatch.setattr(pv.LSHist, "variance", 1e-9)
    assert plan_of().mechanism.name == "k-norm"
    ahead = [one.forecast.error for one in plan_of().candidates if one.forecast]
    assert min(ahead) < plan_of().forecast.error
    monkeypatch.setattr(pv.LSHist, "for_study", False)
    assert plan_of().mechanism.name == "lshist"
