"""From a CSV file to answers: networks that the test invents, asia by commands, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from network_cases import Invented, bundled, by_brute_force
from program import run

import privior as pv
from privior.models import Margins


@pytest.mark.parametrize("seed", [1, 2])
def test_an_invented_network_goes_from_csv_to_ask(seed: int, tmp_path: Path) -> None:
    """With hardly any noise the tables are those of the records, and questions are answered from them."""
    made = Invented.of(seed, 400)
    table = made.csv(tmp_path / "people.csv")
    model = pv.BayesianNetwork(made.parents, prior=1)
    plan = pv.plan(model, made.schema, records=400, epsilon=900)
    assert plan.readings == (Margins(tuple((*above, node) for node, above in made.parents.items())),)
    ledger = pv.Ledger.in_memory(population="invented", epsilon=1000)
    release = pv.measure(plan, table, ledger=ledger)
    for place, node in enumerate(made.parents):
        assert np.array_equal(release.statistics.array(place).ravel(), made.counts(node).ravel())
    posterior = pv.infer(release)
    for node in made.parents:
        expected = made.counts(node) + 1
        expected /= expected.sum(axis=-1, keepdims=True)
        assert posterior.table(node).mean().shape == expected.shape
        assert np.abs(posterior.table(node).mean() - expected).max() < 0.05
    draw = random.Random(seed)
    target, other = draw.sample(sorted(made.parents), 2)
    asked = f"P({target}={made.levels[target][0]} | {other}={made.levels[other][1]})"
    answer = pv.ask(posterior, asked)
    assert 0 <= answer.low <= answer.mean <= answer.high <= 1  # type: ignore[attr-defined]
    family = max(plan.model.tables, key=len)
    counts = pv.ask(posterior, f"counts({', '.join(family)})")
    assert sum(counts.mean) == pytest.approx(400)  # type: ignore[attr-defined]


def test_one_wrong_name_gets_its_error(tmp_path: Path) -> None:
    made = Invented.of(3, 30)
    table = made.csv(tmp_path / "people.csv")
    names = list(made.parents)
    with pytest.raises(pv.ModelError, match="no node"):
        pv.BayesianNetwork({**made.parents, names[0]: ["nobody"]})
    columns = dict(made.schema.columns)
    columns.pop(names[0])
    without = pv.Schema(columns, population="invented", unit="person")
    with pytest.raises(pv.SchemaError, match="column"):
        pv.plan(pv.BayesianNetwork(made.parents, prior=1), without, records=30, epsilon=1)
    renamed = pv.Schema({**columns, "x": pv.Boolean()}, population="invented", unit="person")
    plan = pv.plan(pv.BayesianNetwork({"x": []}, prior=1), renamed, records=30, epsilon=1)
    with pytest.raises(pv.TableError) as refused:
        pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="invented"))
    assert "x" in str(refused.value)
    plan = pv.plan(pv.BayesianNetwork(made.parents, prior=1), made.schema, records=30, epsilon=9)
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="invented", epsilon=9))
    for question, says in (
        (f"P({names[0]}=nothing)", "not a level"),
        ("P(nobody=1)", "no such column"),
        ("table(nobody)", "no such column"),
        (f"most_probable({names[0]}, {names[0]})", "named twice"),
    ):
        with pytest.raises(pv.QuestionError, match=says):
            pv.ask(release, question)


ANALYSIS = """
format = 1
population = "chest-clinic"
unit = "patient"
[model]
family = "bayesian-network"
bif = "asia.bif"
prior = 1
[ask]
records = 600
epsilon = "4"
"""


def asia(folder: Path, records: int) -> None:
    """Write the network, and records drawn from it."""
    network = bundled("asia")
    network.write(folder / "asia.bif")
    schema = pv.Schema(network.columns, population="any", unit="patient")
    model = pv.BayesianNetwork(network.parents, prior=1)
    theta = np.concatenate([network.tables[node] for node in model.columns])
    drawn = pv.NetworkPosterior.numbers_of(model, schema).records(theta, records, np.random.default_rng(1))
    lines = map(",".join, zip(*drawn.values(), strict=True))
    (folder / "asia.csv").write_text("\n".join([",".join(drawn), *lines]) + "\n")


def test_asia_by_commands(tmp_path: Path) -> None:
    asia(tmp_path, 600)
    (tmp_path / "asia.toml").write_text(ANALYSIS)
    state = {"PRIVIOR_STATE": str(tmp_path / "state"), "PRIVIOR_CACHE": "off"}
    planned = json.loads(run(["plan", "asia.toml", "--json"], tmp_path, state).output)
    assert planned["digest"]
    created = ["ledger", "create", "c.ledger", "--population", "chest-clinic", "--epsilon", "5"]
    assert run(created, tmp_path, state).code == 0
    spent = run(
        ["release", "asia.toml", "asia.csv", "--ledger", "c.ledger", "-o", "asia.json", "--yes"],
        tmp_path,
        state,
    )
    assert spent.code == 0, spent.errors
    document = json.loads((tmp_path / "asia.json").read_text())
    assert document["plan"]["model"]["parents"]["lung"] == ["smoke"]  # the graph, not the file's name
    questions = [
        "P(lung=yes | smoke=yes)",
        "table(dysp)",
        "most_probable(lung, bronc | dysp=yes)",
        "counts(lung, smoke)",
    ]
    told = json.loads(run(["ask", "asia.json", *questions, "--json"], tmp_path, state).output)
    first, entries, best, _ = told["answers"]
    # Six standard deviations: the noise is drawn anew each time.
    assert abs(first["mean"] - 0.1) < 1.9 * (first["high"] - first["low"])
    assert len(entries["cells"]) == 8
    assert best["levels"] == {"lung": "no", "bronc": "yes"}
    page = (tmp_path / "asia.report.html").read_text()
    assert "The network and what is known of its tables" in page
    assert page.count("<circle") >= 8


def test_a_network_file_that_is_wrong_is_told_where_it_is(tmp_path: Path) -> None:
    place = tmp_path / "asia.toml"
    place.write_text(ANALYSIS)
    with pytest.raises(pv.SchemaError, match="cannot read the file") as refused:
        pv.Analysis.read(place)
    assert "asia.bif" in str(refused.value.where)
    asia(tmp_path, 1)
    assert pv.Analysis.read(place).model.columns[0] == "asia"
    for entry, says in (
        ('bif = "../asia.bif"', "beside this one"),
        ('bif = "asia.bif"\nnodes = []', "graph too"),
    ):
        place.write_text(ANALYSIS.replace('bif = "asia.bif"', entry))
        with pytest.raises(pv.SchemaError, match=says):
            pv.Analysis.read(place)


def test_a_node_that_the_schema_calls_otherwise_is_told_before_the_spend(tmp_path: Path) -> None:
    """A misspelt name would be a column of its own, which no table has."""
    asia(tmp_path, 1)
    place = tmp_path / "asia.toml"
    columns = "".join(
        f'[columns.{"lungs" if name == "lung" else name}]\ntype = "categorical"\nlevels = ["yes", "no"]\n'
        for name in bundled("asia").parents
    )
    place.write_text(ANALYSIS + columns)
    with pytest.raises(pv.SchemaError, match=r"(?s)'lung'.*Is 'lungs' meant"):
        pv.Analysis.read(place)
    place.write_text(ANALYSIS + columns.replace("lungs", "lung") + '[columns.age]\ntype = "boolean"\n')
    assert "age" in pv.Analysis.read(place).schema.columns
    place.write_text(ANALYSIS + '[columns.lung]\ntype = "categorical"\nlevels = ["no", "yes"]\n')
    assert pv.Analysis.read(place).schema.column("lung").labels == ("no", "yes")


def test_an_analysis_is_written_and_read(tmp_path: Path) -> None:
    schema = pv.Schema({name: pv.Boolean() for name in "abc"}, population="few", unit="person")
    for model in (
        pv.NaiveBayes("c", ["a", "b"], prior=pv.BDeu(2)),
        pv.BayesianNetwork({"c": [], "a": ["c"], "b": []}, prior={"a": [1, 2, 3, 4], "b": 1, "c": 2}),
    ):
        analysis = pv.Analysis(schema, model, 10, pv.Budget.of(1))
        analysis.write(tmp_path / "few.toml")
        assert pv.Analysis.read(tmp_path / "few.toml") == analysis


def test_groups_and_records_that_come_and_go(seeded_noise: None) -> None:
    """Each group has its own part of every table, and the number of records stays private."""
    schema = pv.Schema({name: pv.Boolean() for name in "abg"}, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1)
    plan = pv.plan(model, schema, records=90, epsilon=800, neighbours=pv.ADD_OR_REMOVE_ONE)
    table = pa.table(
        {"a": [True] * 40 + [False] * 20, "b": [True] * 30 + [False] * 30, "g": [True, False, False] * 20}
    )
    ledger = pv.Ledger.in_memory(population="few", epsilon=2000)
    found = pv.measure_all(pv.Batch.of([plan], by="g"), table, ledger=ledger)
    sums = [sum(one.statistics.numbers[0]) for one in found]
    assert sums == [40, 20]
    assert all(sum(one.statistics.numbers[1]) == total for one, total in zip(found, sums, strict=True))
    posterior = pv.infer(found[0])
    assert posterior.counts("a").mean().sum() == pytest.approx(40, abs=0.5)


def test_rows_of_a_person_and_bad_cells_count_alike_in_every_table() -> None:
    """T21: at most two rows of each person, the same ones in all tables; a bad cell leaves its record out."""
    unit = pv.Unit("person", column="who", max_rows=2)
    columns = {"a": pv.Categorical(["x", "y"], missing=pv.DROP), "b": pv.Categorical(["u", "v", "w"])}
    schema = pv.Schema(columns, population="few", unit=unit)
    model = pv.BayesianNetwork({"b": ["a"], "a": []}, prior=1)
    plan = pv.plan(model, schema, records=9, epsilon=900, neighbours=pv.ADD_OR_REMOVE_ONE)
    table = pa.table(
        {
            "who": ["ann"] * 4 + ["bob"] * 2 + ["cat"],
            "a": ["x", "x", "y", "x", "y", "?", "x"],
            "b": ["u", "u", "w", "u", "v", "v", "w"],
        }
    )
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few", epsilon=900))
    joint, alone = (release.statistics.array(place) for place in range(2))
    assert joint.sum() == alone.sum() == 4
    assert joint.sum(axis=1).tolist() == alone[0].tolist()
    assert pv.infer(release).counts("a").mean().sum() == pytest.approx(4, abs=0.5)


def test_the_noise_can_be_ignored_as_the_published_algorithm_does(seeded_noise: None) -> None:
    """Noisy counts cut at zero, as if they were true."""
    schema = pv.Schema({name: pv.Boolean() for name in "ab"}, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1)
    plan = pv.plan(model, schema, records=20, epsilon=1, mechanism=pv.LaplaceTables)
    table = pa.table({"a": [True] * 20, "b": [True, False] * 10})
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few"))
    ignoring: Any = pv.infer(release, noise="ignore")
    seen = np.maximum(release.statistics.array(1), 0) + 1
    assert np.abs(ignoring.table("b").mean() - seen / seen.sum(axis=1, keepdims=True)).max() < 0.02
    with pytest.raises(pv.InferenceError, match="learned from noisy counts with their noise"):
        pv.infer(release, prior="learned", noise="ignore")
    both = by_brute_force(
        {"a": [], "b": ["a"]},
        {node: ignoring.table(node).mean() for node in "ab"},
        {"a": 1},
        {"b": 1},
    )
    assert ignoring.probability({"a": True}, {"b": True}).mean == pytest.approx(both, abs=0.05)
