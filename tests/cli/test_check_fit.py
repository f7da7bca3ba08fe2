"""privior check-fit, from a CSV file to words (T50)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from program import run_here as run

import privior as pv


def test_from_a_csv_file_to_words(tmp_path: Path) -> None:
    values = np.random.default_rng(2).geometric(0.27, 3_000) - 1
    (tmp_path / "calls.csv").write_text("calls\n" + "".join(f"{value}\n" for value in values))
    schema = pv.Schema({"calls": pv.Integer(0, 60)}, population="bank", unit="customer")
    model = pv.GammaPoisson("calls", pv.Gamma(1, 1))
    pv.Analysis(schema, model, 3_000, pv.Budget.of(1)).write(tmp_path / "calls.toml")
    spend = ("--ledger", "bank.ledger", "--yes", "--no-report")
    said = []
    for words in (
        ("ledger", "create", "bank.ledger", "--population", "bank", "--epsilon", "2"),
        ("plan", "calls.toml"),
        ("release", "calls.toml", "calls.csv", *spend, "-o", "calls.json"),
        ("check-fit", "calls.json", "--write", "bins.toml", "--epsilon", "0.5"),
        ("release", "bins.toml", "calls.csv", *spend, "-o", "bins.json"),
        ("check-fit", "calls.json", "bins.json"),
    ):
        ended = run(words, tmp_path)
        assert ended.code == 0, ended.errors
        said.append(ended.plain + ended.errors)
    assert "privior check-fit" in said[1]
    assert "privior check-fit calls.json --write" in said[2]
    assert "contradicts that calls is Poisson" in said[-1]
    assert run(("check-fit", "calls.json"), tmp_path).code != 0


def test_a_family_of_one_group_is_compared_with_its_own_histogram(tmp_path: Path) -> None:
    """What is said to be run next is of the same group, and costs what one group costs."""
    values = np.random.default_rng(2).geometric(0.27, 3_000) - 1
    lines = "".join(f"{value},{'north' if place % 3 else 'south'}\n" for place, value in enumerate(values))
    (tmp_path / "calls.csv").write_text("calls,place\n" + lines)
    columns = {"calls": pv.Integer(0, 60), "place": pv.Categorical(["south", "north"])}
    schema = pv.Schema(columns, population="bank", unit="customer")
    model = pv.GammaPoisson("calls", pv.Gamma(1, 1))
    budget, relation = pv.Budget.of(1), pv.ADD_OR_REMOVE_ONE
    pv.Analysis(schema, model, 3_000, budget, relation).write(tmp_path / "calls.toml")
    spend = ("--by", "place", "--ledger", "bank.ledger", "--yes", "--no-report")
    for words in (
        ("ledger", "create", "bank.ledger", "--population", "bank", "--epsilon", "2"),
        ("batch", "calls.csv", "calls.toml", *spend),
        ("check-fit", "calls.2.release.json", "--write", "bins.toml", "--epsilon", "0.5"),
    ):
        ended = run(words, tmp_path)
        assert ended.code == 0, ended.errors
    told = [line.split() for line in ended.plain.splitlines() if line.startswith("  privior")]
    assert told[0][1:] == ["batch", "TABLE", "bins.toml", "--by", "place", "--ledger", "LEDGER"]
    assert run(("batch", "calls.csv", "bins.toml", *spend), tmp_path).code == 0
    compared = run(told[1][1:], tmp_path)
    assert compared.code == 0, compared.errors
    assert "contradicts that calls is Poisson" in compared.plain
    assert pv.Ledger.open(tmp_path / "bank.ledger").spent == pv.Budget.of("1.5")


def test_bad_cells_that_a_family_leaves_out_have_a_bin_of_their_own(
    tmp_path: Path, seeded_noise: object
) -> None:
    """A table of counts cannot leave records out where their number is public: they are not compared."""
    rng, schema = (
        np.random.default_rng(5),
        pv.Schema({"x": pv.Integer(0, 60, missing=pv.DROP)}, population="bank", unit="customer"),
    )
    for values, wrong in ((rng.poisson(2.7, 3_000), False), (rng.geometric(0.27, 3_000) - 1, True)):
        cells = np.where(rng.random(3_000) < 0.2, "", values.astype(str))
        (tmp_path / "x.csv").write_text("x\n" + "".join(f'"{cell}"\n' for cell in cells))
        plan = pv.plan(pv.GammaPoisson("x", pv.Gamma(1, 1)), schema, records=3_000, epsilon=1)
        family = pv.measure(plan, tmp_path / "x.csv", ledger=pv.Ledger.in_memory())
        asked = pv.histogram_for(family, epsilon=1)
        bins = asked.schema.column("x")
        assert bins.missing == bins.labels[-1] == "[60, 61]"  # which the family has less often than 0
        histogram = pv.measure(asked.plan(), tmp_path / "x.csv", ledger=pv.Ledger.in_memory())
        assert histogram.statistics.amounts[-1] == pytest.approx(600, abs=100)
        fit = pv.check_fit(family, histogram)
        assert fit.contradicted == wrong
        assert "Bad cells are in [60, 61], which is not compared." in str(fit)
        assert (len(fit.bins), fit.noisy.sum()) == (bins.size - 1, pytest.approx(1))


def test_a_network_is_told_at_once_that_there_is_nothing_to_compare(tmp_path: Path) -> None:
    schema = pv.Schema({name: pv.Boolean() for name in "ab"}, population="bank", unit="customer")
    plan = pv.plan(pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1), schema, records=100, epsilon=1)
    (tmp_path / "ab.csv").write_text("a,b\n" + "true,false\n" * 100)
    pv.measure(plan, tmp_path / "ab.csv", ledger=pv.Ledger.in_memory()).write(tmp_path / "net.json")
    for words in (("net.json",), ("net.json", "--write", "bins.toml"), ("net.json", "net.json")):
        ended = run(("check-fit", *words), tmp_path)
        assert ended.code == 9, ended.errors
        assert "nothing of this model is left for a histogram to tell" in ended.errors
        assert "First" not in ended.errors
