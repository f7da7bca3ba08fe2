"""Every family of several parameters goes from a CSV file to an answer, by each mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from joint_cases import CASES, SCHEMA, Case
from program import inside
from summed_cases import RECORDS, WAYS, planned

import privior as pv
from privior.report import page_of

#: where the table is a file, which a process of its own reads, one way for each case; else it is in memory
FROM_FILES = dict(zip([case.name for case in CASES], ["laplace", "draws", "gaussian"], strict=True))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with few sweeps: more follow while chains disagree, and other tests compare what they find."""
    monkeypatch.setattr("privior.posterior.families.joint_chain._SWEEPS", 100)


ALL = [(case, way) for case in CASES for way in WAYS if case.for_way(way) is not None]


def name_of(one: object) -> str:
    return one.name if isinstance(one, Case) else str(one)


@pytest.fixture
def ledger(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "clinic.ledger", population="clinic", epsilon=30, delta="1e-3")


#: whether these posteriors are right is asked elsewhere; the way to them is that of others here
SLOW = {
    ("multivariate-normal-precision", way) for way in ("laplace", "pure draws", "private number, gaussian")
}


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize(
    ("case", "way"),
    [
        pytest.param(case, way, marks=[pytest.mark.slow] if (case.name, way) in SLOW else [])
        for case, way in ALL
    ],
    ids=name_of,
)
def test_from_a_file_to_an_answer(case: Case, way: str, tmp_path: Path, ledger: pv.Ledger) -> None:
    rng = np.random.default_rng(7)
    theta = case.draw(rng)
    table = case.table(rng, theta, RECORDS)
    rows = zip(*table.values(), strict=True)
    text = [",".join(table), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "clinic.csv").write_text("\n".join(text) + "\n")
    drawn_elsewhere = FROM_FILES[case.name] == way  # and without a seed
    source = str(tmp_path / "clinic.csv") if drawn_elsewhere else pa.table(table)
    plan = planned(case.for_way(way), SCHEMA, way, 8)
    made = pv.measure(plan, source, ledger=ledger, output=tmp_path / "release.json")
    release = pv.Release.read(tmp_path / "release.json")
    assert (release.plan, release.statistics) == (plan, made.statistics)
    assert pv.verify(release, ledger).passed
    if drawn_elsewhere or case is CASES[0]:  # every family in one way, every way for one: it infers as well
        assert pv.review(release, ledger).passed
    posterior = pv.infer(release)
    assert isinstance(posterior, pv.JointPosterior)
    assert posterior.warnings == ()
    model = plan.model
    draws = posterior.draws(4000, seed=1)
    assert draws.shape == (4000, theta.size)
    for place, truth in enumerate(theta):
        low, high = posterior.interval(0.9999)[model.names[place]]
        assert drawn_elsewhere or low <= truth <= high, model.names[place]
        assert low < posterior.mean()[model.names[place]] < high
        assert low <= np.median(draws[:, place]) <= high
    for name in model.names:
        answer = pv.ask(posterior, f"parameter('{name}')").to_document()
        assert math.isclose(float(str(answer["mean"])), posterior.mean()[name])
    column = model.columns[-1]
    middle = SCHEMA.column(column).labels[SCHEMA.column(column).size // 2]
    above = pv.ask(posterior, f"P({column} > {middle})").to_document()
    below = pv.ask(posterior, f"P({column} <= {middle})").to_document()
    assert math.isclose(float(str(above["mean"])) + float(str(below["mean"])), 1)
    assert 0 <= float(str(above["low"])) <= float(str(above["high"])) <= 1
    average = pv.ask(posterior, f"interval(mean({column}), 0.9999)").to_document()
    assert float(str(average["low"])) - 1 < np.mean(table[column]) < float(str(average["high"])) + 1
    sampled = posterior.sample(50, seed=1)
    assert set(sampled) == set(model.columns)
    assert set(map(str, sampled[column])) <= set(SCHEMA.column(column).labels)
    promised = (column, f"{plan.mechanism.name}: ", str(plan.guarantee), plan.guarantee.claim())
    assert all(words in str(plan) for words in promised)
    assert model.names[0] in str(posterior)
    if drawn_elsewhere:  # one page will do: it plans many budgets anew
        assert model.names[0] in page_of(release, posterior)
    assert posterior.to_document()["family"] == model.family


@pytest.mark.parametrize("case", [*CASES[:2], pytest.param(CASES[2], marks=pytest.mark.slow)], ids=name_of)
def test_commands(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An analysis file, planned, released and asked on the command line."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    table = case.table(rng, case.draw(rng), 200)
    rows = zip(*table.values(), strict=True)
    Path("t.csv").write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]) + "\n")
    analysis = pv.Analysis(SCHEMA, case.model, 200, pv.Budget.of(5, 0))
    analysis.write("a.toml")
    assert pv.Analysis.read("a.toml") == analysis
    pv.Ledger.create("l.ledger", population="clinic", epsilon=30, delta="1e-3")
    for words in (
        ["plan", "a.toml"],
        ["release", "a.toml", "t.csv", "--ledger", "l.ledger", "--output", "r.json", "--yes"],
        ["ask", "r.json", f"parameter('{case.model.names[0]}')"],
    ):
        capsys.readouterr()
        assert inside(words, monkeypatch) == 0, capsys.readouterr().err
    assert case.model.names[0] in capsys.readouterr().out
    assert case.model.names[0] in next(tmp_path.glob("*.html")).read_text()


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_statistics_are_what_the_definition_says(case: Case) -> None:
    """Sums of products of deviations, by the values of the columns and not by their codes."""
    rng = np.random.default_rng(1)
    columns = {name: SCHEMA.column(name) for name in case.model.columns}
    codes = {name: rng.integers(column.size, size=50) for name, column in columns.items()}
    values = [
        np.array([float(Fraction(columns[name].labels[code])) for code in codes[name]]) for name in codes
    ]
    centre = [float(one) for one in case.model.centre(SCHEMA)]
    deviations = [value - middle for value, middle in zip(values, centre, strict=True)]
    summed = [int(one.of(codes).sum()) for one in case.model.summands(SCHEMA, pv.REPLACE_ONE)]
    expected = [
        np.prod([deviations[place] for place in places], axis=0).sum() for places in case.model.products
    ]
    assert np.allclose([float(one) for one in case.model.totals(SCHEMA, summed)], expected)


def test_questions_that_cannot_be_answered() -> None:
    case = CASES[0]
    rng = np.random.default_rng(1)
    plan = planned(case.model, SCHEMA, "laplace", 8)
    ledger = pv.Ledger.in_memory(population="clinic", epsilon=30)
    posterior = pv.infer(pv.measure(plan, pa.table(case.table(rng, case.draw(rng), RECORDS)), ledger=ledger))
    with pytest.raises(pv.QuestionError, match="no such parameter"):
        pv.ask(posterior, "parameter(skewness)")
    with pytest.raises(pv.QuestionError, match="no table of counts"):
        pv.ask(posterior, "counts(error)")
    with pytest.raises(pv.InferenceError, match="nothing can be given"):
        pv.ask(posterior, "P(error > 1 | error > 0)")
    assert str(pv.ask(posterior, "parameter(precision)")).startswith("parameter(precision of error)")
    own = pv.infer(posterior.releases[0], prior=pv.NormalGamma(0, 1, 4, 8))
    assert own.model.prior != posterior.model.prior
    with pytest.raises(pv.ModelError, match="not conjugate"):
        pv.infer(posterior.releases[0], prior=pv.Wishart(3, [[1]], 1, 2))
