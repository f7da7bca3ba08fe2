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


def test_no_histogram_is_offered_that_could_not_be_released(tmp_path: Path) -> None:
    """A table of counts cannot leave records out where their number is public."""
    schema = pv.Schema({"x": pv.Integer(0, 9, missing=pv.DROP)}, population="bank", unit="customer")
    (tmp_path / "x.csv").write_text("x\n" + "3\n\n5\n" * 50)
    plan = pv.plan(pv.GammaPoisson("x", pv.Gamma(1, 1)), schema, records=150, epsilon=1)
    release = pv.measure(plan, tmp_path / "x.csv", ledger=pv.Ledger.in_memory())
    with pytest.raises(pv.ModelError, match="cannot be dropped"):
        pv.histogram_for(release, epsilon=1)
