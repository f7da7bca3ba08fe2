"""privior check-fit, from a CSV file to words (T50)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
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
