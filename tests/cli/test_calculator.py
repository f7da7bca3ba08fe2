"""The calculator gives the known values, for any number of cells and any epsilon."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from program import run
from test_bad_input import inside

import privior as pv
from privior.mechanisms import Mechanism


@pytest.mark.parametrize(("levels", "expected"), [(3, 9.488976), (10, 60.479497)])
def test_known_values(levels: int, expected: float, tmp_path: Path) -> None:
    ended = run(["guarantee", "k-norm", "--levels", levels, "--epsilon", 1, "--json"], tmp_path)
    document = json.loads(ended.output)
    assert (document["epsilon"], document["delta"]) == (1, 0)
    assert document["expected_squared_error"] == pytest.approx(expected, abs=1e-6)
    assert document["attacker_belief"] == pytest.approx(1 / (1 + math.exp(-1)))


@pytest.mark.parametrize("mechanism", ["k-norm", "laplace-counts", "lshist", "lsdim", "gaussian-counts"])
@pytest.mark.parametrize(("levels", "epsilon"), [(2, "0.1"), (3, "1/3"), (7, "2"), (50, "0.5")])
def test_every_mechanism(
    mechanism: str,
    levels: int,
    epsilon: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["guarantee", mechanism, "-k", str(levels), "-e", epsilon, "--at-delta", "1e-5", "--json"]
    delta = ["-d", "1e-6"] if mechanism == "gaussian-counts" else []
    assert inside([*arguments, *delta], monkeypatch) == 0
    document = json.loads(capsys.readouterr().out)
    kinds: dict[str, Mechanism] = {
        "k-norm": pv.KNorm(levels, epsilon),
        "laplace-counts": pv.LaplaceCounts(levels, epsilon),
        "lshist": pv.LSHist(levels, epsilon, 1000),
        "lsdim": pv.LSDim(levels, epsilon, 1000),
        "gaussian-counts": pv.GaussianCounts(levels, epsilon, "1e-6"),
    }
    built = kinds[mechanism]
    assert document["expected_squared_error"] == built.expected_squared_error
    assert document["exact"]["epsilon"] == built.guarantee.cost.to_document()["epsilon"]
    assert document["epsilon"] >= float(built.guarantee.cost.epsilon)
    assert document["epsilon_at_delta"]["1e-5"] == built.guarantee.epsilon("1e-5")
    assert document["claim"] == built.guarantee.claim("person")


def test_lsdim_tells_its_true_cost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inside(["guarantee", "lsdim", "--levels", "5", "-q"], monkeypatch) == 0
    assert capsys.readouterr().out == "epsilon 0.4, delta 0\n"
