"""Markov chains from a CSV file of transitions to answers; posterior and guarantee against brute force."""

from __future__ import annotations

import json
import math
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from finite_cases import all_tables
from markov_cases import SCHEMA, SEQUENCES, STATES, walked
from numpy.typing import NDArray
from program import inside
from scipy.special import betaln, gammaln

import privior as pv
from privior.models import ExactStatistics, to_model
from privior.posterior.tables.markov import stationary
from privior.privacy.pairs import both_orders
from privior.report import page_of

Floats = NDArray[np.float64]
TWO = pv.Schema({"a": pv.Boolean(), "b": pv.Boolean()}, population="weather", unit="day")
MATRIX = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])
RECORDS = 600
WAYS: dict[str, tuple[type | None, str, pv.Neighbours, pv.Schema]] = {
    "best": (None, "0", pv.REPLACE_ONE, SCHEMA),
    "gaussian": (pv.GaussianCounts, "1e-5", pv.REPLACE_ONE, SCHEMA),
    "private number": (pv.LaplaceCounts, "0", pv.ADD_OR_REMOVE_ONE, SCHEMA),
    "draws": (pv.DirichletDraw, "1e-5", pv.REPLACE_ONE, SCHEMA),
    "sequences": (pv.LaplaceCounts, "0", pv.REPLACE_ONE, SEQUENCES),
    "sequences, private number": (pv.LaplaceCounts, "0", pv.ADD_OR_REMOVE_ONE, SEQUENCES),
}


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("way", WAYS)
def test_from_a_file_to_an_answer(way: str, tmp_path: Path) -> None:
    mechanism, delta, relation, schema = WAYS[way]
    rows = walked(np.random.default_rng(2), MATRIX, RECORDS, 5 if schema is SEQUENCES else 1)
    lines = [",".join(rows), *(",".join(row) for row in zip(*rows.values(), strict=True))]
    (tmp_path / "weather.csv").write_text("\n".join(lines) + "\n")
    drawn_elsewhere = way in ("best", "sequences")  # and without a seed
    table = str(tmp_path / "weather.csv") if drawn_elsewhere else pa.table(rows)
    model = pv.MarkovChain("today", "tomorrow", prior=1 if way != "draws" else 8)
    plan = pv.plan(
        model,
        schema,
        records=RECORDS,
        epsilon=4,
        delta=delta,
        neighbours=relation,
        mechanism=mechanism,
    )
    ledger = pv.Ledger.create(tmp_path / "weather.ledger", population="weather", epsilon=10, delta="1e-3")
    made = pv.measure(plan, table, ledger=ledger, output=tmp_path / "release.json")
    release = pv.Release.read(tmp_path / "release.json")
    assert (release.plan, release.statistics, release.format) == (plan, made.statistics, 5)
    assert isinstance(release.plan.model, pv.MarkovChain)
    assert pv.verify(release, ledger).passed
    assert pv.review(release, ledger).passed
    posterior = pv.infer(release)
    assert isinstance(posterior, pv.MarkovPosterior)
    wide = posterior.matrix_interval(0.9999)
    if way != "draws" and not drawn_elsewhere:
        assert ((wide[..., 0] <= MATRIX) & (wide[..., 1] >= MATRIX)).all()
    assert np.allclose(posterior.matrix().sum(axis=1), 1)
    long_run = [pv.ask(posterior, f"stationary({state})").to_document()["mean"] for state in STATES]
    assert math.isclose(sum(map(float, map(str, long_run))), 1, rel_tol=1e-9)
    one = pv.ask(posterior, "P(tomorrow=rain | today=sun)").to_document()["mean"]
    assert math.isclose(float(str(one)), posterior.transition("sun", "rain").mean, rel_tol=1e-9)
    same = pv.ask(posterior, "after(1, rain | sun)").to_document()["mean"]
    assert math.isclose(float(str(one)), float(str(same)), rel_tol=1e-9)
    far = pv.ask(posterior, "interval(after(1000000, rain | sun), 95%)").to_document()
    assert math.isclose(float(str(far["mean"])), float(str(long_run[2])), rel_tol=1e-6)
    assert "long run" in str(posterior)
    if drawn_elsewhere:  # a page plans many budgets anew
        assert "long run" in page_of(release, posterior)
    assert posterior.to_document()["stationary"]
    assert len(posterior.sample(4, seed=1)["tomorrow"]) == 4
    if way == "draws":
        assert release.draws.shape == (1, 9)


def latent(model: pv.MarkovChain, release: pv.Release, tables: NDArray[np.int64]) -> Floats:
    """The posterior of every table, by its definition."""
    prior = model.parameters(TWO)
    logs = gammaln(tables + prior).sum(axis=1) - gammaln(tables + 1).sum(axis=1)
    totals = tables.sum(axis=1)
    logs = logs + gammaln(totals + 1) - gammaln(totals + prior.sum())
    mechanism = release.plan.mechanism
    logs = logs + [mechanism.log_likelihood(release.statistics, ExactStatistics(one)) for one in tables]
    return np.asarray(np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum())


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_against_all_latent_tables(relation: pv.Neighbours, epsilon: str) -> None:
    """Transition chances, two steps and the long run: mixtures over all tables of independent Beta rows."""
    model, records = pv.MarkovChain("a", "b", prior=["1/2", 1, 2, "3/2"]), 6
    plan = pv.plan(
        model, TWO, records=records, epsilon=epsilon, neighbours=relation, mechanism=pv.LaplaceCounts
    )
    rows = pa.table({"a": ["1", "1", "0", "0", "0", "1"], "b": ["1", "0", "0", "0", "1", "1"]})
    release = pv.measure(plan, rows, ledger=pv.Ledger.in_memory(epsilon=100))
    totals = [records] if relation is pv.REPLACE_ONE else range(records + 1)
    tables = np.concatenate([all_tables(total, 4) for total in totals])
    shares = latent(model, release, tables)
    updated = tables + model.parameters(TWO)
    posterior = pv.infer(release)
    assert isinstance(posterior, pv.MarkovPosterior)
    size = 40_000
    drawn = posterior.matrices(size, seed=5)
    first, second = (
        (one, whole) for one, whole in ((updated[:, 1], updated[:, :2]), (updated[:, 2], updated[:, 2:]))
    )
    for values, (some, whole) in ((drawn[:, 0, 1], first), (drawn[:, 1, 0], second)):
        mean = float(shares @ (some / whole.sum(axis=1)))
        square = float(shares @ (some * (some + 1) / (whole.sum(axis=1) * (whole.sum(axis=1) + 1))))
        room = 5 / math.sqrt(size)
        assert abs(values.mean() - mean) < room * values.std()
        assert abs((values**2).mean() - square) < room * (values**2).std()
    up = (drawn[:, 0, 1], first[0], first[1].sum(axis=1))
    stay = drawn[:, 0, 0] ** 2 + drawn[:, 0, 1] * drawn[:, 1, 0]  # two steps, from false to false
    down = updated[:, 2] / updated[:, 2:].sum(axis=1)
    a, whole = updated[:, 0], up[2]
    truth = float(shares @ (a * (a + 1) / (whole * (whole + 1)) + updated[:, 1] / whole * down))
    assert abs(stay.mean() - truth) < 5 / math.sqrt(size) * stay.std()
    assert np.allclose(np.linalg.matrix_power(drawn, 2)[:, 0, 0], stay)
    kept = posterior.after(2, False, False)
    assert abs(kept.mean - truth) < 5 / math.sqrt(kept.values.size) * kept.values.std()
    share = drawn[:, 1, 0] / (drawn[:, 1, 0] + drawn[:, 0, 1])
    assert np.allclose(posterior.stationary_draws(size, seed=5)[:, 0], share)


def test_stationary_distributions() -> None:
    rng = np.random.default_rng(1)
    matrices = rng.dirichlet(np.full(5, 0.3), size=(200, 5))
    found = stationary(matrices)
    assert np.allclose(np.einsum("ni,nij->nj", found, matrices), found, atol=1e-12)
    slow = np.array([[[1 - 1e-13, 1e-13], [3e-13, 1 - 3e-13]]])
    assert np.allclose(stationary(slow), [[0.75, 0.25]], rtol=1e-3)


def test_one_unit_moves_the_table_by_what_is_said() -> None:
    """All pairs of sequences of up to three transitions: the L1 and L2 of the sensitivity are attained."""
    schema = pv.Schema(
        {"a": pv.Boolean(), "b": pv.Boolean()}, population="p", unit=pv.Unit("town", "town", max_rows=3)
    )
    model = pv.MarkovChain("a", "b")
    tables = []
    for length in range(4):
        for path in product((0, 1), repeat=length + 1):
            table = np.zeros(4, dtype=int)
            for before, after in pairwise(path):
                table[2 * before + after] += 1
            tables.append(table)
    for relation, others in ((pv.REPLACE_ONE, tables), (pv.ADD_OR_REMOVE_ONE, [np.zeros(4, dtype=int)])):
        said = model.sensitivity(schema, relation)
        moves = [one - other for one in tables for other in others]
        assert max(int(np.abs(move).sum()) for move in moves) == said.l1
        assert max(int((move**2).sum()) for move in moves) == said.l2_squared


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_the_noise_keeps_its_promise(relation: pv.Neighbours) -> None:
    for rows in (1, 2):
        mechanism = pv.LaplaceCounts(4, "0.8", neighbours=relation, max_rows=rows)
        found = pv.audit(mechanism, records=2)
        assert found.holds
        assert math.isclose(found.largest_loss, 0.8, rel_tol=1e-8)


def test_rows_of_a_draw_keep_its_promise() -> None:
    """The transition matrix alone, a function of the draw of all cells: all tables of three transitions.

    Two independent Beta rows, of which a replaced transition changes one or two; delta by a fine grid.
    """
    prior = np.array([1.0, 1.5, 2.0, 1.0])
    mechanism = pv.DirichletDraw(4, ["1", "3/2", "2", "1"], 1, "0.05", records=3)
    pair, rate = both_orders(mechanism.guarantee.pair), float(mechanism.rate)
    middles = (np.arange(400) + 0.5) / 400

    def density(first: float, second: float) -> Floats:
        logs = (first - 1) * np.log(middles) + (second - 1) * np.log1p(-middles) - betaln(first, second)
        return np.asarray(np.exp(logs) / 400)

    worst = 0.0
    for others in all_tables(2, 4):
        laws = []
        for one in np.eye(4):
            u = prior + rate * (others + one)
            laws.append(np.outer(density(u[0], u[1]), density(u[2], u[3])))
        for first, second in product(laws, laws):
            worst = max(worst, float(np.maximum(first - math.e * second, 0).sum()))
    assert 0.2 * pair.delta(1.0) < worst <= pair.delta(1.0) + 1e-3


def test_documents_and_bad_input() -> None:
    model = pv.MarkovChain("today", "tomorrow", prior=["1/2"] * 9)
    assert to_model(model.to_document()) == model
    table: object = pv.DirichletCategorical(("today", "tomorrow"), prior=["1/2"] * 9)
    assert model != table
    other = pv.Schema(
        {"today": pv.Categorical(STATES), "tomorrow": pv.Categorical(STATES[::-1])},
        population="weather",
        unit="day",
    )
    with pytest.raises(pv.ModelError, match="same states in the same order") as refusal:
        pv.plan(model, other, records=10, epsilon=1)
    assert "Nothing was spent." in str(refusal.value)
    with pytest.raises(pv.ModelError, match="twice"):
        pv.MarkovChain("today", "today")
    with pytest.raises(pv.ModelError, match="name of a column"):
        pv.MarkovChain("today", 3)  # type: ignore[arg-type]
    with pytest.raises(pv.ModelError, match="one parameter per cell"):
        pv.plan(pv.MarkovChain("today", "tomorrow", prior=[1, 2]), SCHEMA, records=10, epsilon=1)
    for entries in ({"state": "today"}, {"state": "today", "following": "tomorrow", "sort": 1}):
        with pytest.raises(pv.ModelError, match="unknown or missing"):
            to_model({"family": "markov-chain", **entries})
    plan = pv.plan(pv.MarkovChain("today", "tomorrow"), SCHEMA, records=2, epsilon=1)
    rows = pa.table({"today": ["sun", "rain"], "tomorrow": ["rain", "sun"]})
    posterior = pv.infer(pv.measure(plan, rows, ledger=pv.Ledger.in_memory(epsilon=1)))
    with pytest.raises(pv.QuestionError, match="not a level"):
        pv.ask(posterior, "stationary(snow)")
    with pytest.raises(pv.QuestionError, match="in digits"):
        pv.ask(posterior, "after(soon, rain | sun)")
    with pytest.raises(pv.QuestionError, match="where the chain starts"):
        pv.ask(posterior, "after(3, rain)")
    with pytest.raises(pv.InferenceError, match="number of steps"):
        pv.ask(posterior, "after(0, rain | sun)")
    table = pv.DirichletCategorical(("today", "tomorrow"), prior=1)
    plain = pv.measure(
        pv.plan(table, SCHEMA, records=2, epsilon=1), rows, ledger=pv.Ledger.in_memory(epsilon=1)
    )
    with pytest.raises(pv.QuestionError, match="Markov chain"):
        pv.ask(plain, "stationary(rain)")
    with pytest.raises(pv.InferenceError, match="family"):
        pv.infer([posterior.releases[0], plain])
    own = pv.infer(posterior.releases[0], prior=50)
    assert isinstance(own, pv.MarkovPosterior)
    assert np.abs(own.matrix() - 1 / 3).max() < 0.03


def test_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finite family and a chain: an analysis file, plan, release, ask and report."""
    text = """
format = 1
population = "weather"
unit = "day"

[columns.today]
type = "categorical"
levels = ["sun", "rain"]

[columns.tomorrow]
type = "categorical"
levels = ["sun", "rain"]

[model]
{model}

[ask]
records = 200
epsilon = "2"
"""
    models = {
        "chain": 'family = "markov-chain"\nstate = "today"\nfollowing = "tomorrow"\nprior = 1',
        "finite": 'family = "finite-family"\ncolumns = ["tomorrow"]\n\n[model.models]\n'
        'dry = ["0.8", "0.2"]\nwet = ["0.3", "0.7"]',
    }
    questions = {"chain": "stationary(rain)", "finite": "model(dry)"}
    rows = ["today,tomorrow", *["sun,sun"] * 120, *["sun,rain"] * 30, *["rain,sun"] * 30, *["rain,rain"] * 20]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    for name, model in models.items():
        (tmp_path / f"{name}.toml").write_text(text.format(model=model))
        assert inside(["plan", f"{name}.toml", "--json"], monkeypatch) == 0
        if name == "chain":
            new = ["ledger", "create", "w.ledger", "--population", "weather", "--epsilon", "9"]
            assert inside(new, monkeypatch) == 0
        release = ["release", f"{name}.toml", "t.csv", "--ledger", "w.ledger", "--output", f"{name}.json"]
        assert inside([*release, "--yes"], monkeypatch) == 0, capsys.readouterr().err
        capsys.readouterr()
        assert inside(["ask", f"{name}.json", questions[name], "--json"], monkeypatch) == 0
        mean = json.loads(capsys.readouterr().out)["answers"][0]["mean"]
        assert 0.05 < mean < 0.6 if name == "chain" else mean > 0.9
        assert inside(["report", f"{name}.json", "--force"], monkeypatch) == 0
