"""What follows from the tables of a network: by elimination, against brute force and pgmpy."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from network_cases import HERE, Invented, bundled, by_brute_force

import privior as pv
from privior.posterior.networks.elimination import Elimination

ASKED: dict[str, Any] = json.loads((HERE / "pgmpy_facts.json").read_text())


def numbers(name: str) -> tuple[Any, Any]:
    """Return what parameters of a bundled network say, and those in its file."""
    network = bundled(name)
    schema = pv.Schema(network.columns, population="any", unit="person")
    model = pv.BayesianNetwork(network.parents, prior=1)
    theta = np.concatenate([network.tables[node] for node in model.columns])[np.newaxis]
    return pv.NetworkPosterior.numbers_of(model, schema), theta


@pytest.mark.parametrize("name", ASKED)
def test_questions_are_answered_as_pgmpy_answers_them(name: str) -> None:
    known, theta = numbers(name)
    assert ASKED[name]["asked"]
    for one in ASKED[name]["asked"]:
        for level, chance in one["chances"].items():
            _, found = known.probability({one["target"]: level}, one["given"])
            assert found(theta)[0] == pytest.approx(chance, abs=1e-6)  # rows of files are rounded


def test_elimination_is_brute_force_for_many_networks_at_once() -> None:
    made = Invented.of(10, 1)
    model = pv.BayesianNetwork(made.parents, prior=1)
    known, rng = Elimination(model, made.schema), np.random.default_rng(1)
    shapes = known.shapes.items()
    tables = {node: rng.dirichlet(np.ones(shape[-1]), size=(3, *shape[:-1])) for node, shape in shapes}
    theta = np.concatenate([tables[node].reshape(3, -1) for node in model.columns], axis=1)
    first, second, *_, third = model.columns
    levels = {name: made.levels[name] for name in (first, second, third)}

    def chance(event: Any, given: Any) -> Any:
        return pv.NetworkPosterior.numbers_of(model, made.schema).probability(event, given)[1](theta)

    found = chance({first: levels[first][1]}, {second: levels[second][0], third: levels[third][1]})
    for place in range(3):
        one = {node: table[place] for node, table in tables.items()}
        true = by_brute_force(made.parents, one, {first: 1}, {second: 0, third: 1})
        assert found[place] == pytest.approx(true)
    joint = known.joint(theta, (third, first), {})
    assert joint.shape == (3, len(levels[third]), len(levels[first]))
    assert np.allclose(joint.sum(axis=(1, 2)), 1)
    one_event, other = {first: levels[first][1]}, {second: levels[second][0]}
    given = {third: levels[third][1]}
    each = chance(one_event, given) + chance(other, given)
    assert np.allclose(chance([one_event, other], given), each - chance({**one_event, **other}, given))
    either = chance(one_event, [given, other])  # by Bayes' formula
    whole = chance([given, other], None)
    assert np.allclose(either * whole, chance([{**one_event, **given}, {**one_event, **other}], None))


@cache
def sprinkler(prior: str = "1") -> Any:
    """Rain, sprinkler, wet grass, and how much of it: a posterior with some noise."""
    schema = pv.Schema(
        {"rain": pv.Boolean(), "sprinkler": pv.Boolean(), "wet": pv.Integer(0, 3)},
        population="lawn",
        unit="day",
    )
    model = pv.BayesianNetwork({"wet": ["sprinkler", "rain"], "rain": [], "sprinkler": ["rain"]}, prior=prior)
    rng = np.random.default_rng(5)
    rain = rng.random(800) < 0.3
    sprinkler = rng.random(800) < np.where(rain, 0.1, 0.5)
    wet = np.clip(rng.poisson(0.2 + 2.0 * rain + 1.5 * sprinkler), 0, 3)
    plan = pv.plan(model, schema, records=800, epsilon=2, delta="1e-5")
    table = pa.table({"rain": rain, "sprinkler": sprinkler, "wet": wet})
    return pv.infer(
        pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="lawn", epsilon=2, delta="1e-3"))
    )


def test_tables_have_an_axis_for_each_parent_and_the_node_last() -> None:
    table = sprinkler().table("wet")
    assert table.mean().shape == (2, 2, 4)
    assert table.interval(0.8).shape == (2, 2, 4, 2)
    assert np.allclose(table.mean().sum(axis=-1), 1)
    dry, wet = table.mean()[0, 0], table.mean()[1, 1]  # neither, both
    assert dry[0] > 0.6 > wet[0]
    frame = table.to_pandas()
    assert list(frame.index.names) == ["sprinkler", "rain", "wet"]
    assert frame.loc[(False, False, 0), "mean"] == pytest.approx(dry[0])
    with pytest.raises(pv.InferenceError, match="not a column"):
        sprinkler().table("snow")


def test_numbers_of_one_posterior_agree() -> None:
    posterior = sprinkler()
    chance = posterior.probability({"wet": [2, 3]}, {"sprinkler": True})
    spread = [posterior.probability({"wet": level}, {"sprinkler": True}).mean for level in range(4)]
    assert chance.mean == pytest.approx(spread[2] + spread[3])
    assert posterior.average("wet", {"sprinkler": True}).mean == pytest.approx(
        spread[1] + 2 * spread[2] + 3 * spread[3]
    )
    assert 0 <= posterior.median("wet").mean <= 3
    assert posterior.counts("rain", "wet").mean().shape == (8,)
    assert posterior.counts("rain").mean().sum() == pytest.approx(800)
    with pytest.raises(pv.InferenceError, match="one table together"):
        posterior.counts()
    drawn = posterior.sample(2000, seed=1)
    often = sum(value >= 2 for value, on in zip(drawn["wet"], drawn["sprinkler"], strict=True) if on)
    assert often / sum(drawn["sprinkler"]) == pytest.approx(chance.mean, abs=0.15)


def test_the_most_probable_levels_are_those_of_the_joint_table() -> None:
    posterior = sprinkler()
    found = posterior.most_probable("rain", "sprinkler", given={"wet": 0})
    every = {
        levels: posterior.probability(dict(zip(("rain", "sprinkler"), levels, strict=True)), {"wet": 0}).mean
        for levels in product((False, True), repeat=2)
    }
    best = max(every, key=lambda levels: every[levels])
    assert found.levels == {"rain": str(best[0]).lower(), "sprinkler": str(best[1]).lower()}
    assert found.probability.mean == pytest.approx(every[best])
    assert found.sure > 0.9
    for columns in ((), ("rain", "rain")):
        with pytest.raises(pv.InferenceError):
            posterior.most_probable(*columns)


def test_impossible_evidence_has_a_clear_answer() -> None:
    posterior = sprinkler()
    assert posterior.probability({"rain": True}, {"rain": False}).mean == 0
    sure = pv.BayesianNetwork({"a": []}, prior=1)
    schema = pv.Schema({"a": pv.Boolean()}, population="x", unit="y")
    _, function = pv.NetworkPosterior.numbers_of(sure, schema).probability({"a": True}, {"a": False})
    assert np.isnan(function(np.array([[0.0, 1.0]]))[0])


def test_too_large_questions_are_refused() -> None:
    names = [f"x{place}" for place in range(9)]
    schema = pv.Schema({name: pv.Integer(0, 9) for name in names}, population="x", unit="y")
    model = pv.NaiveBayes("x0", names[1:], prior=1)
    known = pv.NetworkPosterior.numbers_of(model, schema)
    theta = np.full((1, known.width), 0.1)
    assert known.probability(dict.fromkeys(names, 0))[1](theta)[0] == pytest.approx(1e-9)
    with pytest.raises(pv.InferenceError, match="too many combinations"):
        known.chances(names, None)


def test_what_others_read(tmp_path: Path) -> None:
    posterior = sprinkler()
    posterior.write_bif(tmp_path / "lawn.bif")
    read = pv.NetworkFile.read(tmp_path / "lawn.bif")
    assert read.parents["wet"] == ("sprinkler", "rain")
    assert np.allclose(read.tables["wet"], posterior.table("wet").mean().ravel(), atol=1e-15)
    data = posterior.to_arviz(draws=20, seed=1).posterior
    assert data["table_wet"].dims == ("chain", "draw", "sprinkler", "rain", "wet")
    assert list(data["wet"].values) == ["0", "1", "2", "3"]
    posterior.to_pandas().to_parquet(tmp_path / "lawn.parquet")
    assert len(posterior.to_pandas()) == 16 + 2 + 4


def test_a_prior_is_learned_or_given_by_the_analyst() -> None:
    posterior = sprinkler()
    for prior in ("learned", pv.BDeu(4), 0.5, {"wet": 1, "rain": 2, "sprinkler": [1, 1, 2, 2]}):
        other = pv.infer(posterior.releases, prior=prior)
        assert np.abs(other.table("rain").mean() - posterior.table("rain").mean()).max() < 0.05


def test_a_prior_that_the_release_contradicts_is_told(seeded_noise: None) -> None:
    schema = pv.Schema({name: pv.Integer(0, 5) for name in "ab"}, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1)
    plan = pv.plan(model, schema, records=900, epsilon=2)
    table = pa.table({"a": [0, 1, 2] * 300, "b": [0, 1, 2] * 300})
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few", epsilon=2))
    (said,) = pv.infer(release, prior=50).warnings
    assert "contradicts this prior" in said
    assert "try --prior learned" in said
    assert "table of b" in said
    assert pv.infer(release).warnings == pv.infer(release, prior="learned").warnings == ()


def test_intervals_cover_tables_drawn_from_the_prior(seeded_noise: None) -> None:
    """90% intervals of entries, with noise as large as what records leave open; ignoring it fails."""
    schema = pv.Schema(
        {name: pv.Categorical(["x", "y", "z"]) for name in "ab"}, population="few", unit="person"
    )
    model, rng = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1), np.random.default_rng(3)
    plan = pv.plan(model, schema, records=200, epsilon="0.5")
    inside: dict[str, list[bool]] = {"account": [], "ignore": []}
    for _ in range(60):
        first, rows = rng.dirichlet(np.full(3, 3.0)), rng.dirichlet(np.ones(3), size=3)
        a = rng.choice(3, size=200, p=first)
        b = np.array([rng.choice(3, p=rows[one]) for one in a])
        table = pa.table({"a": np.array(["x", "y", "z"])[a], "b": np.array(["x", "y", "z"])[b]})
        release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few"))
        for noise, seen in inside.items():
            ends = pv.infer(release, noise=noise).table("b").interval(0.9)  # type: ignore[arg-type]
            seen += ((ends[..., 0] <= rows) & (rows <= ends[..., 1])).ravel().tolist()
    assert 0.85 < np.mean(inside["account"]) < 0.95
    assert np.mean(inside["ignore"]) < 0.8
